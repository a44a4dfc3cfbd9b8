/**
 * Fifty transcripts with everything that is made from them: after they were deleted, no file of the data directory, no log and no metric
 * contains a word of them, the name of a recording or of a speaker.
 */
import { copyFileSync } from 'node:fs'
import t from 'tap'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { startServer } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { scanFor } from '../support/scan.ts'
import { waitFor } from '../support/wait.ts'

const TRANSCRIPTS = 50
const RECORDINGS = ['en-1.wav', 'en-2.flac', 'en-3.mp3', 'de-1.m4a', 'es-1.ogg']
const TOKEN = 'a-token-of-the-monitoring-system'

const wordsOf = (text: string | undefined): string[] => text?.match(/\p{L}{5,}/gu) ?? []
const countFiles = (found: Record<string, string[]>): number => new Set(Object.values(found).flat()).size

t.test('of fifty deleted transcripts nothing is found', async (t) => {
  const root = t.testdir({})
  const dataDir = `${root}/data`
  const receiver = await startReceiver(t, (response) => { response.writeHead(500).end() })
  const settings = {
    STENOBOX_ALLOW_WEBHOOKS: new URL(receiver.url).host, STENOBOX_METRICS_TOKEN: TOKEN, STENOBOX_AUDIT_LOG: `${root}/audit.jsonl`
  }
  await (await startServer(`${root}/empty`)).stop()
  const server = await startServer(dataDir, settings)
  t.teardown(async () => await server.stop())
  const readMetrics = async (): Promise<string> =>
    await (await fetch(`${server.address}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text()
  // Names of metrics have words too.
  const fixed = await readMetrics()
  const client = createClient(server.address, server.firstKey ?? '')
  const webhook = { webhookUrl: receiver.url, webhookSecret: 'x'.repeat(32) }
  const ids: number[] = []
  for (let number = 0; number < TRANSCRIPTS; number++) {
    const recording = RECORDINGS[number % RECORDINGS.length] ?? ''
    const fileName = `Zebrafile${String(number).padStart(2, '0')}.${recording.split('.')[1]}`
    const options = { fileName, ...(number % 5 === 0 ? webhook : {}) }
    ids.push(await client.uploadFile(`${AUDIO}${recording}`, options))
  }
  const words = new Set<string>()
  for (const id of ids) for (const word of wordsOf((await client.ended(id)).transcriptText)) words.add(word)
  for (const [index, id] of ids.entries()) {
    const { body: { data } } = await client.request<{ speakers: Array<{ label: string }> }>('GET', `/api/v1/transcriptions/${id}/speakers`)
    const [label] = data.speakers.map((speaker) => speaker.label)
    if (label === undefined) continue
    const change = { speakers: [{ label, name: `Quaggaspeaker${index}` }] }
    t.match(await client.request('PATCH', `/api/v1/transcriptions/${id}/speakers`, change), { status: 200 })
  }
  t.match(await client.request('GET', `/api/v1/library/search?q=${[...words][0] ?? ''}`), { status: 200 })
  for (const id of ids.slice(0, 5)) {
    t.match(await client.request('POST', `/api/v1/transcriptions/${id}/summary`), { status: 200 })
  }
  await receiver.until(TRANSCRIPTS / 5)

  const telling = [...words].filter((word) => Object.keys(scanFor(`${root}/empty`, [word])).length === 0)
  const traces = [...telling, 'Zebrafile', 'Quaggaspeaker']
  const before = scanFor(dataDir, traces)
  t.strictSame(Object.keys(before), traces, 'the scan finds all of them before')
  t.comment(`before: ${traces.length} words in ${countFiles(before)} files`)

  const startedMs = performance.now()
  for (const id of ids) t.match(await client.request('DELETE', `/api/v1/transcriptions/${id}`), { status: 200 })
  const deletedMs = performance.now()
  const isClear = (): boolean => Object.keys(scanFor(dataDir, traces)).length === 0
  await waitFor('the clearing', () => server.log().includes('deleted text was cleared') && isClear(), { everyMs: 200 })
  const clearedMs = performance.now() - deletedMs
  t.comment(`after: 0 words; deleting took ${Math.round(deletedMs - startedMs)} ms, clearing ${Math.round(clearedMs)} ms`)
  const metrics = await readMetrics()
  t.match(metrics, /^stenobox_jobs_ended_total\{state="completed"\} 50$/m)
  copyFileSync(`${root}/audit.jsonl`, `${root}/empty/audit.jsonl`)
  t.strictSame(Object.keys(scanFor(`${root}/empty`, traces)), [], 'nor does the audit log say it')
  for (const trace of traces) t.notOk(server.log().includes(trace) || (metrics.includes(trace) && !fixed.includes(trace)), trace)
})
