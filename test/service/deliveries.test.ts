import t from 'tap'
import { SCHEDULE_MS } from '../../dist/domain/webhook.js'
import { fail, lost, openDeliveries } from '../support/deliveries.ts'
import type { Answer } from '../support/deliveries.ts'

const MINUTE_MS = 60_000

t.test('the end of a job is told to the owner\'s endpoints and to the job\'s own address, each signed with its secret', async (t) => {
  const { addEndpoint, endJob, attemptDue, sent, counts } = openDeliveries(t)
  const { secret } = await addEndpoint()
  const jobId = endJob({ webhook: { url: 'https://other.example/x?y=1', secret: 'my secret' } })
  t.strictSame(counts(jobId), { pending: 2, delivered: 0, failed: 0 })
  t.equal(await attemptDue(), 2)
  t.strictSame(counts(jobId), { pending: 0, delivered: 2, failed: 0 })
  const requests = sent.map(({ url, method, purpose, maxRedirects = 0 }) => ({ url, method, purpose, maxRedirects }))
  t.strictSame(requests.sort((a, b) => a.url < b.url ? -1 : 1), [
    { url: 'https://example.org/hook', method: 'POST', purpose: 'webhooks', maxRedirects: 0 },
    { url: 'https://other.example/x?y=1', method: 'POST', purpose: 'webhooks', maxRedirects: 0 }
  ])
  const [first, second] = sent
  t.match(JSON.parse(String(first?.body)), {
    event: 'transcription.failed', data: { transcriptionId: jobId, failure: { code: 'no_audio_stream' } }
  })
  t.equal(first?.body, second?.body)
  t.not(first?.headers?.['webhook-id'], second?.headers?.['webhook-id'])
  t.not(first?.headers?.['x-service-signature'], second?.headers?.['x-service-signature'])
  t.equal(first?.limits?.totalMs, 10_000)
  t.match(secret, /^whsec_/)
})

t.test('who hears of a job: active endpoints of its owner, and of its key where they are bound to one', async (t) => {
  const { addEndpoint, addKey, apiKeys, endJob, endpoints, owner, deliveries } = openDeliveries(t)
  const [key, otherKey] = [addKey('k'), addKey('l')]
  const { endpoint: all } = await addEndpoint()
  const { endpoint: bound } = await addEndpoint({ apiKeyId: key })
  const { endpoint: off } = await addEndpoint()
  await endpoints.update(off.id, owner, { isActive: false })
  await addEndpoint({}, apiKeys.ensureOwner('b', 0))
  const heard = (jobId: number) => deliveries.listTargets(jobId).map(({ endpointId }) => endpointId)
  t.strictSame(heard(endJob({ apiKeyId: key })), [all.id, bound.id])
  t.strictSame(heard(endJob({ apiKeyId: otherKey })), [all.id])
  apiKeys.replace(key, otherKey, 0)
  t.strictSame(heard(endJob({ apiKeyId: otherKey })), [all.id, bound.id], 'a key that took the place of another hears what that heard')
  t.strictSame(heard(endJob()), [all.id], 'a job of the command line has no key')
  t.strictSame(heard(endJob({ webhook: { url: 'https://example.org', secret: 's' } })), [all.id, undefined])
})

t.test('a delivery that was planned while the clock was years ahead is not late by years', async (t) => {
  const { addEndpoint, answers, attemptDue, clock, counts, endJob, service } = openDeliveries(t)
  const YEARS_MS = 10 * 365 * 24 * 60 * MINUTE_MS
  clock.advance(YEARS_MS)
  await addEndpoint()
  answers.push(fail(), fail(), fail())
  const jobId = endJob()
  t.equal(await attemptDue(), 1)
  clock.advance(-YEARS_MS)
  t.equal(await attemptDue(), 0)
  service.sweep()
  t.equal(await attemptDue(), 1)
  t.strictSame(counts(jobId), { pending: 0, delivered: 1, failed: 0 })
})

t.test('a job that ends tells nobody when its end is not stored', async (t) => {
  const { addEndpoint, addJob, jobs, service, inTransaction, counts } = openDeliveries(t)
  await addEndpoint()
  const id = addJob('a')
  t.throws(() => inTransaction(() => {
    jobs.fail(id, 'timeout', 1)
    service.enqueue(id)
    throw new Error('the disk is full')
  }))
  t.strictSame(counts(id), { pending: 0, delivered: 0, failed: 0 })
  t.throws(() => { service.enqueue(id) }, /has not ended/)
})

t.test('the whole schedule: at once, then after 1 min, 5 min, 30 min, 2 h, 12 h; each attempt of three tries', async (t) => {
  const { addEndpoint, endJob, attemptDue, answers, clock, counts, list, pauses, logged } = openDeliveries(t)
  await addEndpoint()
  const jobId = endJob()
  for (const [index, pauseMs] of [...SCHEDULE_MS, undefined].entries()) {
    answers.push(fail(), lost(), fail(503))
    t.equal(await attemptDue(), 1, `attempt ${index + 1}`)
    const due = pauseMs === undefined ? undefined : clock.now() + pauseMs
    t.match(list({ limit: 3 }).map(({ attempt, nextAttemptAt }) => [attempt, nextAttemptAt]), Array(3).fill([index + 1, due]))
    if (pauseMs === undefined) break
    clock.advance(pauseMs - 1)
    t.equal(await attemptDue(), 0, 'not a millisecond early')
    t.strictSame(counts(jobId), { pending: 1, delivered: 0, failed: 0 })
    clock.advance(1)
  }
  t.strictSame(counts(jobId), { pending: 0, delivered: 0, failed: 1 })
  t.equal(list().length, 18)
  t.ok(pauses.every((ms) => ms <= 1000) && pauses.length === 12, 'tries are short')
  t.strictSame(logged, ['webhook given up'])
  clock.advance(365 * 24 * 60 * MINUTE_MS)
  t.equal(await attemptDue(), 0, 'that was the last')
})

t.test('every try carries a fresh time and signature, and the same id', async (t) => {
  const { addEndpoint, endJob, attemptDue, answers, clock, sent } = openDeliveries(t)
  await addEndpoint()
  endJob()
  answers.push(fail(400))
  await attemptDue()
  clock.advance(MINUTE_MS)
  await attemptDue()
  const [first, second] = sent.map(({ headers = {} }) => headers)
  t.equal(first?.['webhook-id'], second?.['webhook-id'])
  t.equal(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp']), 60)
  t.not(first?.['webhook-signature'], second?.['webhook-signature'])
  t.equal(first?.['x-service-signature'], second?.['x-service-signature'], 'it covers the body alone')
})

t.test('what another try at once may mend is tried at once, up to three times; the rest waits for the schedule', async (t) => {
  for (const [answer, tries] of [
    [fail(500), 3], [fail(502), 3], [lost('unreachable'), 3], [lost('broken'), 3],
    [fail(301), 1], [fail(400), 1], [fail(404), 1], [fail(429), 1], [{ status: 503, retryAfter: '5' }, 1],
    [lost('timeout'), 1], [lost('blocked'), 1], [lost('tls'), 1], [lost('offline'), 1]
  ] as const) {
    const { addEndpoint, endJob, attemptDue, answers, sent, counts } = openDeliveries(t)
    await addEndpoint()
    const jobId = endJob()
    answers.push(...Array<Answer>(5).fill(answer))
    await attemptDue()
    t.equal(sent.length, tries, answer instanceof Error ? answer.message : String(answer.status))
    t.match(counts(jobId), { pending: 1 })
  }
})

t.test('a try that succeeds ends the attempt; 200 to 299 count', async (t) => {
  for (const status of [200, 202, 299]) {
    const { addEndpoint, endJob, attemptDue, answers, counts, list, sent } = openDeliveries(t)
    await addEndpoint()
    const jobId = endJob()
    answers.push(fail(), { status })
    await attemptDue()
    t.equal(sent.length, 2)
    t.strictSame(counts(jobId), { pending: 0, delivered: 1, failed: 0 })
    t.match(list(), [
      { status: 'success', responseCode: status, error: undefined, attempt: 1, nextAttemptAt: undefined },
      { status: 'failed', responseCode: 500, error: /answered 500/ }
    ])
  }
})

t.test('Retry-After makes the next attempt later, never earlier', async (t) => {
  const { addEndpoint, endJob, attemptDue, answers, clock } = openDeliveries(t)
  await addEndpoint()
  endJob()
  answers.push({ status: 429, retryAfter: '600' }, { status: 503, retryAfter: '1' })
  await attemptDue()
  clock.advance(10 * MINUTE_MS - 1)
  t.equal(await attemptDue(), 0)
  clock.advance(1)
  t.equal(await attemptDue(), 1)
  clock.advance(5 * MINUTE_MS - 1)
  t.equal(await attemptDue(), 0, 'five minutes, although one second was asked for')
  clock.advance(1)
  t.equal(await attemptDue(), 1)
})

t.test('410 switches the endpoint off, and what waits for it has failed', async (t) => {
  const { addEndpoint, endJob, attemptDue, answers, counts, endpoints, owner, logged } = openDeliveries(t)
  await addEndpoint()
  const [first, second] = [endJob(), endJob()]
  answers.push(fail(410))
  t.equal(await attemptDue(), 1)
  t.match(endpoints.list(owner), [{ isActive: false }])
  t.strictSame([counts(first), counts(second)], [{ pending: 0, delivered: 0, failed: 1 }, { pending: 0, delivered: 0, failed: 1 }])
  t.strictSame(counts(endJob()), { pending: 0, delivered: 0, failed: 0 }, 'later events are not for it')
  t.ok(logged.includes('webhook endpoint deactivated, because it answers 410'))
})

t.test('410 of a job\'s own address ends that delivery', async (t) => {
  const { endJob, attemptDue, answers, counts } = openDeliveries(t)
  const jobId = endJob({ webhook: { url: 'https://example.org', secret: 's' } })
  answers.push(fail(410))
  await attemptDue()
  t.strictSame(counts(jobId), { pending: 0, delivered: 0, failed: 1 })
})

t.test('what waits follows a changed address, and fails with an endpoint that is switched off or deleted', async (t) => {
  const { addEndpoint, endJob, attemptDue, answers, clock, counts, endpoints, owner, sent } = openDeliveries(t)
  const { endpoint: { id } } = await addEndpoint()
  const moved = endJob()
  answers.push(fail(404))
  await attemptDue()
  await endpoints.update(id, owner, { url: 'https://new.example/hook' })
  clock.advance(MINUTE_MS)
  await attemptDue()
  t.equal(sent.at(-1)?.url, 'https://new.example/hook')
  t.match(counts(moved), { delivered: 1 })
  const off = endJob()
  await endpoints.update(id, owner, { isActive: false })
  t.match(counts(off), { pending: 0, failed: 1 })
  await endpoints.update(id, owner, { isActive: true })
  const deleted = endJob()
  endpoints.remove(id, owner)
  t.match(counts(deleted), { pending: 0, failed: 1 })
  t.equal(await attemptDue(), 0)
})

t.test('requests are listed for thirty days; what they were for stays counted', async (t) => {
  const { addEndpoint, endJob, attemptDue, clock, counts, list, service } = openDeliveries(t)
  await addEndpoint()
  const first = endJob()
  await attemptDue()
  clock.advance(29 * 24 * 60 * MINUTE_MS)
  const second = endJob()
  await attemptDue()
  service.sweep()
  t.strictSame(list().map(({ jobId }) => jobId), [second, first])
  clock.advance(2 * 24 * 60 * MINUTE_MS)
  service.sweep()
  t.strictSame(list().map(({ jobId }) => jobId), [second])
  t.match(counts(first), { delivered: 1 })
  clock.advance(31 * 24 * 60 * MINUTE_MS)
  service.sweep()
  service.sweep()
  t.strictSame(list(), [])
})

t.test('a request that fails in an unknown way is a failed attempt, and its schedule ends', async (t) => {
  const { addEndpoint, endJob, attemptDue, answers, clock, counts } = openDeliveries(t)
  await addEndpoint()
  const jobId = endJob()
  let attempts = 0
  for (let day = 0; day < 30; day++) {
    answers.push(new TypeError('something else'))
    attempts += await attemptDue()
    answers.length = 0
    clock.advance(24 * 60 * MINUTE_MS)
  }
  t.ok(attempts > 1 && attempts < 20, `${attempts} attempts`)
  t.match(counts(jobId), { pending: 0 })
})
