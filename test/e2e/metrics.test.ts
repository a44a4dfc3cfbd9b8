/** The metrics of a server at work, read as a monitoring system reads them. With Prometheus installed, by Prometheus itself. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { startServer } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { waitFor } from '../support/wait.ts'

const TOKEN = 'a-token-of-the-monitoring-system'
const RULES = 'docs/monitoring/alerts.yml'
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const NEEDS = { skip: isInstalled('prometheus') && isInstalled('promtool') ? false : 'needs Debian\'s package prometheus' }

const root = t.testdir({})
const receiver = await startReceiver(t, (response) => { response.writeHead(500).end() })
const server = await startServer(`${root}/data`, {
  STENOBOX_METRICS_TOKEN: TOKEN, STENOBOX_ALLOW_WEBHOOKS: new URL(receiver.url).host
})
t.teardown(async () => await server.stop())
const client = createClient(server.address, server.firstKey ?? '')
const webhook = { webhookUrl: receiver.url, webhookSecret: 'x'.repeat(32) }
const id = await client.uploadFile(`${AUDIO}en-1.wav`, { fileName: 'Zebrafile.wav', ...webhook })
const { transcriptText = '' } = await client.ended(id)
await receiver.until(1)

const scrape = async (token?: string): Promise<Response> =>
  await fetch(`${server.address}/metrics`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })

t.test('only the token opens the metrics', async (t) => {
  for (const token of [undefined, 'wrong', server.firstKey]) {
    const reply = await scrape(token)
    t.equal(reply.status, 401)
    t.match(reply.headers.get('www-authenticate'), /^Bearer/)
  }
  const reply = await scrape(TOKEN)
  t.equal(reply.status, 200)
  t.match(reply.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  const off = await startServer(`${root}/off`)
  t.equal((await fetch(`${off.address}/metrics`, { headers: { authorization: 'Bearer ' } })).status, 404)
  await off.stop()
})

t.test('they say what was done and what waits, and nothing of whom and what', async (t) => {
  const text = await (await scrape(TOKEN)).text()
  for (const pattern of [
    /^stenobox_jobs\{state="queued"\} 0$/m,
    /^stenobox_jobs_ended_total\{state="completed"\} 1$/m,
    /^stenobox_windows_total\{quality="balanced"\} [1-9]/m,
    /^stenobox_audio_seconds_total\{quality="balanced"\} [1-9]/m,
    /^stenobox_processing_seconds_total\{quality="balanced"\} [0-9.]+/m,
    /^stenobox_model_resident\{kind="speech",model="starter"\} 1$/m,
    /^stenobox_webhooks_pending 1$/m,
    /^stenobox_webhook_requests_total\{result="failed"\} [1-9]/m,
    /^stenobox_disk_free_bytes [1-9]/m,
    /^stenobox_http_request_duration_seconds_count\{operation="getJobStatus",status="2xx"\} [1-9]|operation="get\w*Job/m,
    /^process_resident_memory_bytes [1-9]/m
  ]) t.match(text, pattern)
  const words = transcriptText.match(/\p{L}{5,}/gu) ?? []
  for (const word of [...words, 'Zebrafile', 'default', 'service_sk_', new URL(receiver.url).host]) t.notOk(text.includes(word), word)
})

t.test('the alert rules and the dashboard name only metrics that exist', async (t) => {
  const text = await (await scrape(TOKEN)).text()
  const names = new Set([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name]))
  // Only with TLS.
  names.add('stenobox_tls_certificate_expiry_timestamp_seconds')
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: Array<{ rules: Array<{ expr: string }> }> }
  const dashboard = JSON.parse(readFileSync('docs/monitoring/dashboard.json', 'utf8')) as {
    panels: Array<{ title: string, targets: Array<{ expr: string }>, gridPos: { x: number, w: number } }>
  }
  t.ok(dashboard.panels.length > 10)
  for (const { gridPos: { x, w } } of dashboard.panels) t.ok(x + w <= 24)
  const queries = [...groups.flatMap(({ rules }) => rules), ...dashboard.panels.flatMap(({ targets }) => targets)]
  for (const name of queries.map(({ expr }) => expr).join(' ').match(/\b(stenobox|process|nodejs)_\w+/g) ?? []) t.ok(names.has(name), name)
})

t.test('promtool finds no fault, and Prometheus scrapes the server and evaluates every rule and panel', NEEDS, async (t) => {
  const text = await (await scrape(TOKEN)).text()
  const lint = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  // Node's own names of its counters of active handles are what promtool complains about.
  t.strictSame(lint.stderr.split('\n').filter((line) => line.startsWith('stenobox_')), [])
  t.match(spawnSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' }), { status: 0 })

  const port = await findFreePort()
  const config = `${root}/prometheus.yml`
  writeFileSync(`${root}/token`, TOKEN)
  writeFileSync(config, JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [`${process.cwd()}/${RULES}`],
    scrape_configs: [{
      job_name: 'stenobox',
      authorization: { credentials_file: `${root}/token` },
      static_configs: [{ targets: [new URL(server.origin).host] }]
    }]
  }))
  t.match(spawnSync('promtool', ['check', 'config', config], { encoding: 'utf8' }), { status: 0 })
  const child = spawn('prometheus', [
    `--config.file=${config}`, `--storage.tsdb.path=${root}/tsdb`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'
  ], { stdio: 'ignore' })
  const closed = once(child, 'close')
  t.teardown(async () => {
    child.kill()
    await closed
  })
  type Answer = { status: string, data: { result: Array<{ metric: Record<string, string>, value: [number, string] }> } }
  const query = async (expression: string): Promise<Answer | undefined> => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`
    return await fetch(url).then(async (reply) => await reply.json() as Answer, () => undefined)
  }
  await waitFor('a scrape', async () => (await query('up{job="stenobox"}'))?.data?.result[0]?.value[1] === '1', { everyMs: 200 })
  t.match(await query('stenobox_jobs_ended_total{state="completed"}'), { data: { result: [{ value: [Number, '1'] }] } })
  type Rules = { data: { groups: Array<{ rules: Array<{ name: string, health: string, lastError?: string }> }> } }
  const rules = await waitFor('the rules', async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/rules`)
    const found = (await reply.json() as Rules).data.groups.flatMap((group) => group.rules)
    return found.length > 0 && found.every(({ health }) => health !== 'unknown') && found
  }, { everyMs: 200 })
  t.strictSame(rules.filter(({ health }) => health !== 'ok'), [])
  const { panels } = JSON.parse(readFileSync('docs/monitoring/dashboard.json', 'utf8')) as {
    panels: Array<{ targets: Array<{ expr: string }> }>
  }
  for (const { expr } of panels.flatMap(({ targets }) => targets)) {
    t.match(await query(expr.replaceAll('$instance', '.*')), { status: 'success' }, expr)
  }
})
