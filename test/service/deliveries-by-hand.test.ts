/** What people ask for: to send again, to look, to test. */
import t from 'tap'
import { SCHEDULE_MS } from '../../dist/domain/webhook.js'
import { fail, lost, openDeliveries } from '../support/deliveries.ts'

const MINUTE_MS = 60_000

t.test('a retry by hand sends the same event with a fresh signature; the schedule stays as it was', async (t) => {
  const { addEndpoint, endJob, attemptDue, answers, clock, counts, list, owner, service, sent } = openDeliveries(t)
  await addEndpoint()
  const jobId = endJob()
  answers.push(fail(404))
  await attemptDue()
  const [{ id = 0 } = {}] = list()
  clock.advance(1000)
  answers.push(fail(404))
  await t.rejects(service.retry(id, owner), { name: 'AppError', code: 'receiver_failed', message: /answered 404/ })
  t.match(counts(jobId), { pending: 1 })
  t.match(list(), [{ attempt: 2, nextAttemptAt: clock.now() - 1000 + MINUTE_MS }, { attempt: 1 }])
  t.match(await service.retry(id, owner), { status: 'success', responseCode: 204, jobId, attempt: 3 })
  t.match(counts(jobId), { delivered: 1 })
  t.equal(new Set(sent.map(({ headers }) => headers?.['webhook-id'])).size, 1)
  t.equal(new Set(sent.map(({ headers }) => headers?.['webhook-signature'])).size, 2)
  clock.advance(MINUTE_MS)
  t.equal(await attemptDue(), 0, 'what has arrived is not sent again')
})

t.test('a delivery that was given up can be sent by hand; one that failed by hand stays given up', async (t) => {
  const { addEndpoint, endJob, attemptDue, answers, clock, counts, list, owner, service } = openDeliveries(t)
  await addEndpoint()
  const jobId = endJob()
  for (const pauseMs of [...SCHEDULE_MS, 0]) {
    answers.push(fail(404))
    await attemptDue()
    clock.advance(pauseMs)
  }
  const [{ id = 0 } = {}] = list()
  answers.push(fail(404))
  await t.rejects(service.retry(id, owner), { code: 'receiver_failed' })
  t.match(counts(jobId), { failed: 1 })
  await service.retry(id, owner)
  t.match(counts(jobId), { delivered: 1 })
})

t.test('a retry is refused while the delivery is under way, for somebody else\'s, and after the endpoint is gone', async (t) => {
  const { addEndpoint, apiKeys, endJob, attemptDue, answers, clock, endpoints, list, owner, service } = openDeliveries(t)
  const { endpoint } = await addEndpoint()
  endJob()
  answers.push(fail(404))
  await attemptDue()
  const [{ id = 0 } = {}] = list()
  await t.rejects(service.retry(id, apiKeys.ensureOwner('b', 0)), { code: 'not_found' })
  await t.rejects(service.retry(id + 1, owner), { code: 'not_found' })
  clock.advance(MINUTE_MS)
  const claim = service.claim(`owner ${owner} endpoint ${endpoint.id}`)
  await t.rejects(service.retry(id, owner), { code: 'conflict' })
  if (claim) await service.attempt(claim, new AbortController().signal)
  endpoints.remove(endpoint.id, owner)
  await t.rejects(service.retry(id, owner), { code: 'conflict', message: /deleted/ })
})

t.test('the list is the owner\'s, latest first, by endpoint and status, no longer than asked', async (t) => {
  const { addEndpoint, apiKeys, endJob, attemptDue, answers, list, service } = openDeliveries(t)
  const { endpoint: one } = await addEndpoint()
  endJob()
  answers.push(fail(404))
  await attemptDue()
  const { endpoint: two } = await addEndpoint()
  endJob({ webhook: { url: 'https://example.org/own', secret: 's' } })
  await attemptDue()
  t.strictSame(list().map(({ id }) => id), [4, 3, 2, 1])
  t.strictSame(list({ limit: 2 }).map(({ id }) => id), [4, 3])
  t.strictSame(list({ status: 'failed' }).map(({ id, endpointId }) => [id, endpointId]), [[1, one.id]])
  t.strictSame(list({ endpointId: two.id }).map(({ endpointId, status }) => [endpointId, status]), [[two.id, 'success']])
  t.strictSame(list({ endpointId: one.id, status: 'success' }).length, 1)
  t.strictSame(service.list(apiKeys.ensureOwner('b', 0), { limit: 100 }), [])
})

t.test('a test event is sent once, under any name, and is not listed', async (t) => {
  const { answers, list, owner, sent, service } = openDeliveries(t)
  const target = { ownerId: owner, url: 'https://example.org/hook', event: undefined, secret: 's' }
  t.match(await service.test(target), { event: 'webhook.test', messageId: /^msg_/, responseCode: 204 })
  await service.test({ ...target, event: 'transcription.failed' })
  t.match(sent.map(({ body }) => JSON.parse(String(body))), [
    { event: 'webhook.test' }, { event: 'transcription.failed', data: { failure: { code: /./ } } }
  ])
  answers.push(fail(500))
  await t.rejects(service.test(target), { code: 'receiver_failed', message: /answered 500/ })
  answers.push(fail(302))
  await t.rejects(service.test(target), { code: 'receiver_failed', message: /answered 302.*Redirects are not followed/ })
  answers.push(lost('blocked'))
  await t.rejects(service.test(target), { code: 'receiver_failed', message: /STENOBOX_ALLOW_WEBHOOKS/ })
  t.equal(sent.length, 5)
  t.strictSame(list(), [])
})
