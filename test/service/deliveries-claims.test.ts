/** Deliveries whose endpoint, job or process goes away while they are sent. */
import t from 'tap'
import { LEASE_MS } from '../../dist/service/queue.js'
import { fail, lost, openDeliveries } from '../support/deliveries.ts'

const MINUTE_MS = 60_000

t.test('an attempt under way when its endpoint is switched off still says how it ended', async (t) => {
  const { addEndpoint, endJob, attemptDue, fetcher, service, answers, counts, endpoints, owner } = openDeliveries(t)
  const { request } = fetcher
  let meanwhile = async (): Promise<void> => {}
  fetcher.request = async (sent) => {
    await meanwhile()
    return await request(sent)
  }
  const { endpoint: { id } } = await addEndpoint()
  for (const [answer, expected] of [[{ status: 204 }, 'delivered'], [fail(404), 'failed']] as const) {
    await endpoints.update(id, owner, { isActive: true })
    const jobId = endJob()
    const claim = service.claim(`owner ${owner} endpoint ${id}`)
    answers.push(answer)
    meanwhile = async () => { await endpoints.update(id, owner, { isActive: false }) }
    if (claim) await service.attempt(claim, new AbortController().signal)
    t.match(counts(jobId), { [expected]: 1, pending: 0 })
    t.equal(await attemptDue(), 0, 'nothing more is sent there')
  }
})

t.test('an attempt that is cut off is given back: due at once, and not counted', async (t) => {
  const { addEndpoint, endJob, fetcher, owner, service, counts, list } = openDeliveries(t)
  const { endpoint } = await addEndpoint()
  const jobId = endJob()
  const controller = new AbortController()
  fetcher.request = async () => {
    controller.abort()
    throw lost('aborted')
  }
  const claim = service.claim(`owner ${owner} endpoint ${endpoint.id}`)
  if (claim) t.equal(await service.attempt(claim, controller.signal), undefined)
  t.match(counts(jobId), { pending: 1 })
  t.strictSame(list(), [])
  t.match(service.claim(`owner ${owner} endpoint ${endpoint.id}`), { attempt: 1, errors: 0 })
})

t.test('a request that never got a place is given back: due in half a minute, and not counted', async (t) => {
  const { addEndpoint, endJob, owner, service, answers, counts, clock, list, attemptDue } = openDeliveries(t)
  const { endpoint } = await addEndpoint()
  const jobId = endJob()
  answers.push(lost('busy'))
  const claim = service.claim(`owner ${owner} endpoint ${endpoint.id}`)
  if (claim) t.equal(await service.attempt(claim, new AbortController().signal), undefined)
  t.match(counts(jobId), { pending: 1 })
  t.strictSame(list(), [])
  t.strictSame(service.listReady(), [])
  clock.advance(MINUTE_MS / 2)
  t.equal(await attemptDue(), 1)
  t.match(list(), [{ attempt: 1, status: 'success' }])
  t.match(counts(jobId), { delivered: 1 })
})

t.test('a request that fails and then gets no place counts as the failure it was', async (t) => {
  const { addEndpoint, endJob, answers, attemptDue, list } = openDeliveries(t)
  await addEndpoint()
  endJob()
  answers.push(fail(500), lost('busy'))
  await attemptDue()
  t.match(list(), [{ status: 'failed', responseCode: 500 }])
  t.equal(list().length, 1)
})

t.test('what died with its process is taken back; a claim that was lost notes nothing', async (t) => {
  const { addEndpoint, endJob, owner, service, counts, list, clock, work } = openDeliveries(t)
  const { endpoint } = await addEndpoint()
  const jobId = endJob()
  const dead = service.claim(`owner ${owner} endpoint ${endpoint.id}`)
  t.equal(service.claim(`owner ${owner} endpoint ${endpoint.id}`), undefined)
  work.takeBack()
  const alive = service.claim(`owner ${owner} endpoint ${endpoint.id}`)
  t.match(alive, { attempt: 2 })
  if (dead) await service.attempt(dead, new AbortController().signal)
  t.match(counts(jobId), { pending: 1 })
  t.strictSame(list(), [])
  clock.advance(LEASE_MS)
  t.match(service.claim(`owner ${owner} endpoint ${endpoint.id}`), { attempt: 3 }, 'a lease runs out even where nobody takes it back')
})

t.test('a transcription that is deleted while its event is sent leaves nothing behind', async (t) => {
  const { addEndpoint, endJob, fetcher, jobs, owner, service, list } = openDeliveries(t)
  const { endpoint } = await addEndpoint()
  const jobId = endJob()
  const claim = service.claim(`owner ${owner} endpoint ${endpoint.id}`)
  const { request } = fetcher
  fetcher.request = async (sent) => {
    jobs.remove(jobId)
    return await request(sent)
  }
  if (claim) t.equal(await service.attempt(claim, new AbortController().signal), 'works')
  t.strictSame(list(), [])
})

t.test('410 of an address that was corrected meanwhile switches nothing off', async (t) => {
  const { addEndpoint, endJob, endpoints, fetcher, owner, service, counts, answers, attemptDue, clock, sent } = openDeliveries(t)
  const { endpoint } = await addEndpoint()
  const jobId = endJob()
  const claim = service.claim(service.listReady()[0]?.receiver ?? '')
  const { request } = fetcher
  fetcher.request = async (asked) => {
    await endpoints.update(endpoint.id, owner, { url: 'https://new.example/hook' })
    return await request(asked)
  }
  answers.push(fail(410))
  if (claim) await service.attempt(claim, new AbortController().signal)
  t.match(endpoints.list(owner), [{ isActive: true }])
  t.strictSame(counts(jobId), { pending: 1, delivered: 0, failed: 0 })
  clock.advance(MINUTE_MS)
  await attemptDue()
  t.equal(sent.at(-1)?.url, 'https://new.example/hook')
  t.strictSame(counts(jobId), { pending: 0, delivered: 1, failed: 0 })
})

t.test('what was under way in a process that died is not sent when its endpoint was switched off meanwhile', async (t) => {
  const { addEndpoint, endJob, attemptDue, counts, endpoints, owner, sent, service, work } = openDeliveries(t)
  const { endpoint: { id } } = await addEndpoint()
  const jobId = endJob()
  t.ok(service.claim(`owner ${owner} endpoint ${id}`))
  await endpoints.update(id, owner, { isActive: false })
  work.takeBack()
  await attemptDue()
  t.equal(sent.length, 0)
  t.match(counts(jobId), { pending: 0, failed: 1 })
  t.strictSame(service.listReady(), [], 'and it does not come back')
})
