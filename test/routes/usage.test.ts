/** Usage and limits over HTTP: what is counted, what is refused, and what replies say about it. */
import { once } from 'node:events'
import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import type { Plan, Scope } from '../../dist/domain/access.js'
import { monthAt } from '../../dist/domain/usage.js'
import { buildWithAccounts } from '../support/account.ts'
import { buildAppliance } from '../support/appliance.ts'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'
import { waitFor } from '../support/wait.ts'

const HOUR = 3_600_000
/** Three in the afternoon of the last day of a month. */
const START = Date.UTC(2026, 0, 31, 15)
const UPLOAD = { fileName: 'a.wav', fileSize: 10 }

type View = {
  period: { start: string, end: string }
  requests: { total: number, today: number, limit: number | null, remaining: number | null }
  audioSeconds: { used: number, limit: number | null }
  recent: Array<{ id: string, method: string, path: string, status: number, durationMs: number, at: string }>
}

async function build (t: Test) {
  const clock = createClock(START)
  const dataDir = t.testdir()
  const built = await buildAppliance(t, { STENOBOX_DATA_DIR: dataDir }, clock.now)
  const stores = openStores(t, dataDir)
  const { appliance, call } = built
  const keyOn = (plan: Plan, owner = 'a'): string => appliance.keys.create({ name: 'test', owner, plan }).key
  const usage = async (key: string): Promise<View> => {
    const reply = await call(key, 'GET', '/api/v1/usage')
    if (reply.status !== 200) throw new Error(`usage: ${reply.status} ${reply.body.error}`)
    return reply.body.data as View
  }
  /** Lets an owner use up audio, as a completed job does. */
  const useAudio = (owner: string, ms: number): void => {
    stores.usage.addAudio(stores.apiKeys.ensureOwner(owner, 0), monthAt(clock.now()).startMs, ms)
  }
  return { ...built, clock, keyOn, usage, useAudio }
}

t.test('a key sees its counts and its log: templates, never ids or queries', async (t) => {
  const { call, keyOn, usage, clock } = await build(t)
  const [mine, other] = [keyOn('enterprise'), keyOn('enterprise')]
  const missing = await call(mine, 'GET', '/api/v1/jobs/77?token=secret')
  await call(mine, 'GET', '/api/v1/transcriptions/5/export?format=txt')
  await call(mine, 'POST', '/api/v1/media/uploads/init', { ...UPLOAD, fileSize: 'x' })
  await call(other, 'GET', '/api/v1/jobs/1')
  await call(undefined, 'GET', '/api/v1/jobs/1')
  await call(undefined, 'GET', '/healthz')
  const view = await usage(mine)
  t.match(view, {
    period: { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' },
    requests: { total: 4, today: 4, limit: null, remaining: null },
    audioSeconds: { used: 0, limit: null }
  })
  t.strictSame(view.recent.map(({ method, path, status }) => `${method} ${path} ${status}`), [
    'POST /api/v1/media/uploads/init 400',
    'GET /api/v1/transcriptions/{id}/export 404',
    'GET /api/v1/jobs/{id} 404'
  ])
  t.strictSame(view.recent[2], {
    id: missing.body.requestId,
    method: 'GET',
    path: '/api/v1/jobs/{id}',
    status: 404,
    durationMs: 0,
    at: new Date(START).toISOString()
  })
  t.equal(missing.headers['ratelimit'], undefined, 'no limit, no header')
  clock.advance(9 * HOUR)
  t.match((await usage(mine)).requests, { total: 1, today: 1 }, 'another day, and another month')
  const few = await call(mine, 'GET', '/api/v1/usage?limit=2')
  t.equal((few.body.data as View).recent.length, 2)
  for (const limit of ['0', '1001', 'x', '1e999', '-1e999', 'NaN', '']) {
    t.equal((await call(mine, 'GET', `/api/v1/usage?limit=${limit}`)).status, 400)
  }
})

t.test('every reply says what is left, errors too; beyond it is 429 until midnight, except to see why', async (t) => {
  const { appliance, call, keyOn, usage, clock } = await build(t)
  appliance.plans.set('free', { requestsPerDay: 3 })
  const mine = keyOn('free')
  const policy = '"day";q=3;w=86400'
  const job = async () => await call(mine, 'GET', '/api/v1/jobs/1')
  const first = await job()
  t.match(first, { status: 404, headers: { 'ratelimit-policy': policy, ratelimit: '"day";r=2;t=32400' } })
  t.match(await call(mine, 'POST', '/api/v1/media/uploads/init', '{', { 'content-type': 'application/json' }), {
    status: 400,
    headers: { ratelimit: '"day";r=1;t=32400' }
  })
  t.match(
    await call(keyOn('free'), 'POST', '/api/v1/media/uploads/init', UPLOAD),
    { status: 201, headers: { ratelimit: '"day";r=0;t=32400' } },
    'another key of the owner'
  )
  for (let i = 0; i < 20; i++) {
    const refused = await job()
    t.match(refused, {
      status: 429,
      headers: { 'retry-after': '32400', 'ratelimit-policy': policy, ratelimit: '"day";r=0;t=32400' },
      body: { success: false, code: 'quota_exceeded', error: /3 requests a day.*"free".*2026-02-01T00:00:00/, requestId: String }
    })
  }
  const view = await usage(mine)
  t.match(view.requests, { today: 3, limit: 3, remaining: 0 })
  t.strictSame(view.recent.map(({ status }) => status), [400, 404], 'a flood of refusals pushes nothing out')
  appliance.plans.set('free', { requestsPerDay: 10 })
  t.equal((await job()).status, 404, 'at once when the administrator allows more')
  appliance.plans.set('free', { requestsPerDay: 3 })
  t.equal((await job()).status, 429)
  clock.advance(9 * HOUR)
  t.match(await job(), { status: 404, headers: { ratelimit: '"day";r=2;t=86400' } })
})

t.test('minutes that are used up refuse new jobs and nothing else', async (t) => {
  const { appliance, call, keyOn, usage, useAudio, clock } = await build(t)
  appliance.plans.set('build', { speechMinutesPerMonth: 10 })
  const mine = keyOn('build')
  const init = async () => await call(mine, 'POST', '/api/v1/media/uploads/init', UPLOAD)
  const complete = async (uploadId: unknown) => await call(mine, 'POST', '/api/v1/media/uploads/complete', { uploadId })
  const [whole, open] = [await init(), await init()]
  const bytes = { 'content-type': 'application/octet-stream' }
  for (const { body } of [whole, open]) {
    const part = await call(mine, 'PUT', `/api/v1/media/uploads/${String(body.data['uploadId'])}/parts/1`, Buffer.alloc(10), bytes)
    t.match(part, {
      status: 200,
      headers: { 'ratelimit-policy': '"minutes";q=10;w=2678400;qu="minutes"', ratelimit: '"minutes";r=10;t=32400' }
    })
  }
  const made = await complete(whole.body.data['uploadId'])
  t.equal(made.status, 200)
  useAudio('a', 600_000)
  const refusal = {
    status: 429,
    headers: { 'retry-after': '32400', ratelimit: '"minutes";r=0;t=32400' },
    body: { code: 'minutes_exceeded', error: /10 minutes.*"build"/ }
  }
  t.match(await init(), refusal)
  t.match(await complete(open.body.data['uploadId']), refusal)
  t.strictSame((await complete(whole.body.data['uploadId'])).body, made.body, 'a repeated call gets the job that is made')
  t.equal((await call(mine, 'GET', `/api/v1/media/uploads/${String(open.body.data['uploadId'])}`)).status, 200)
  t.match(await usage(mine), { requests: { today: 8 }, audioSeconds: { used: 600, limit: 600 } }, 'the two refusals are not counted')
  clock.advance(9 * HOUR)
  t.equal((await init()).status, 201)
})

t.test('tokens count for their owner, even where they may not call; nothing of them is in the log of a key', async (t) => {
  const { appliance, call, keyOn, usage } = await build(t)
  const mine = keyOn('free')
  // A token by name: as the route asks the keyring for what begins like a key, it stands in for the token service.
  const token = 'service_sk_token'
  const { authenticate } = appliance.keys
  appliance.keys.authenticate = (credential) => {
    const { keyId: _, ...owner } = authenticate(mine) ?? { ownerId: 0, plan: 'free' }
    return credential === token ? { ...owner, scopes: new Set<Scope>(['transcripts:read']) } : authenticate(credential)
  }
  t.match(await call(token, 'GET', '/api/v1/jobs/1'), { status: 404, headers: { ratelimit: '"day";r=99;t=32400' } })
  t.match(await call(token, 'GET', '/api/v1/usage'), {
    status: 403,
    body: { code: 'api_key_required' },
    headers: { ratelimit: '"day";r=98;t=32400' }
  })
  t.match(await usage(mine), { requests: { total: 1, today: 1, limit: 100, remaining: 97 }, recent: { length: 0 } })
})

t.test('a person on the page sees what all keys and tokens of the owner have used, today and this month', async (t) => {
  const { openAs, key, call, clock, appliance } = await buildWithAccounts(t, ['anna', 'bert'], {}, 'none')
  const person = await openAs('anna')
  const usage = async (): Promise<View> => (await person.call('GET', 'usage')).body.data as View
  for (const mine of [key('anna'), key('anna')]) await call(mine, 'GET', '/api/v1/jobs/1')
  appliance.usage.flush()
  await call(key('anna'), 'GET', '/api/v1/jobs/1')
  await call(key('bert'), 'GET', '/api/v1/jobs/1')
  t.match(await usage(), { requests: { total: 3, today: 3 }, recent: { length: 0 } })
  clock.advance(12 * HOUR)
  const again = await openAs('anna')
  clock.advance(12 * HOUR)
  t.match((await again.call('GET', 'usage')).body.data, { requests: { total: 3, today: 0 } }, 'on the next day')
})

t.test('a caller who hangs up is in the log as 499', async (t) => {
  const { http, keyOn, usage } = await build(t)
  const mine = keyOn('enterprise')
  await http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = http.server.address() as AddressInfo
  const headers = { authorization: `Bearer ${mine}`, 'content-type': 'application/json', 'content-length': '1000' }
  const request = send({ port, host: '127.0.0.1', method: 'POST', path: '/api/v1/media/uploads/init', headers })
  request.on('error', () => {})
  request.write('{')
  await once(http.server, 'request')
  request.destroy()
  const findAborted = async () => (await usage(mine)).recent.find(({ status }) => status === 499)
  t.match(await waitFor('the request in the usage', findAborted), { method: 'POST', path: '/api/v1/media/uploads/init' })
})

t.test('counts are on disk after a stop', async (t) => {
  const settings = { STENOBOX_DATA_DIR: t.testdir() }
  const first = await buildAppliance(t, settings)
  const key = first.key()
  await first.call(key, 'GET', '/api/v1/jobs/1')
  await first.http.close()
  await first.appliance.close()
  const second = await buildAppliance(t, settings)
  const { body } = await second.call(key, 'GET', '/api/v1/usage')
  t.match(body.data, { requests: { today: 2 }, recent: [{ path: '/api/v1/jobs/{id}' }] })
})

t.test('the document has the headers on every operation that is metered, and requires none', async (t) => {
  const { http } = await build(t)
  type Reply = { $ref?: string, headers?: Record<string, object> }
  type Operation = { operationId: string, security: object[], responses: Record<string, Reply> }
  const document = (await http.inject({ url: '/api/v1/openapi.json' })).json() as {
    paths: Record<string, Record<string, Operation>>
    components: { headers: Record<string, { required?: boolean }>, responses: Record<string, Reply> }
  }
  t.strictSame(Object.keys(document.components.headers), ['RateLimit-Policy', 'RateLimit'])
  t.ok(Object.values(document.components.headers).every(({ required }) => !required))
  const resolve = (reply: Reply): Reply =>
    reply.$ref === undefined ? reply : (document.components.responses[reply.$ref.split('/').at(-1) ?? ''] ?? {})
  for (const { operationId, security, responses } of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const isMetered = security.some((scheme) => 'apiKey' in scheme)
    if (isMetered) t.equal('429' in responses, operationId !== 'getApiUsage', operationId)
    const success = responses[200] ?? responses[201] ?? responses[202] ?? {}
    t.equal('RateLimit' in (resolve(success).headers ?? {}), isMetered, operationId)
    if (!isMetered) continue
    for (const status of ['400', '403', '404', '429', '500'].filter((status) => status in responses)) {
      t.match(
        resolve(responses[status] ?? {}).headers,
        { RateLimit: { $ref: '#/components/headers/RateLimit' }, 'RateLimit-Policy': {} },
        `${operationId} ${status}`
      )
    }
    t.notOk('RateLimit' in (resolve(responses[401] ?? {}).headers ?? {}), operationId)
  }
})
