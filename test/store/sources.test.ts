import t from 'tap'
import { MAX_ATTEMPTS } from '../../dist/domain/job.js'
import type { FetchClaim } from '../../dist/store/sources.js'
import { nameOf, openStores } from '../support/store.ts'
import type { Stores } from '../support/store.ts'

const ALL = { maxAhead: 100, maxPerOwner: 100 }
const DECODES = { maxBytes: Number.MAX_SAFE_INTEGER, maxActive: 100, maxPerOwner: 100 }
const URL = 'https://example.org/talk.mp3'

/** A claim that must be there. */
function take ({ sources, jobs }: Stores, now: number, limits = ALL): FetchClaim {
  const claim = sources.claim(now, now + 1000, limits)
  if (!claim) throw new Error('no source waits')
  jobs.beginFetch(claim.jobId, now)
  return claim
}

/** Fetching ends as it should. */
function finish ({ sources, jobs, media }: Stores, { jobId }: FetchClaim, identity?: string): void {
  const mediaId = jobs.find(jobId)?.mediaId ?? 0
  media.fill(mediaId, { sizeBytes: 5, sha256: `digest of ${jobId}` }, 5)
  jobs.finishFetch(jobId, mediaId, 'Talk', 5)
  sources.finish(jobId, { title: nameOf('A talk'), publishedAt: 77, identity }, 5)
}

t.test('a job of an address is fetched first and decoded then', async (t) => {
  const stores = openStores(t)
  const { jobs, sources } = stores
  const id = stores.addUrlJob('a', URL)
  t.match(jobs.find(id), { status: 'queued', stage: 'fetch', source: { url: URL, title: undefined, publishedAt: undefined, fetched: 0 } })
  t.equal(jobs.claimDecode(1000, 2000, DECODES), undefined, 'there is nothing to decode yet')
  const claim = take(stores, 1000)
  t.match(claim, { jobId: id, url: URL, attempt: 1 })
  sources.setFetched(claim, 0.25)
  t.match(jobs.find(id), { status: 'processing', stage: 'fetch', source: { fetched: 0.25 } })
  t.equal(jobs.claimDecode(1000, 2000, DECODES), undefined)
  finish(stores, claim)
  t.match(jobs.find(id), { status: 'processing', stage: 'decode', fileName: 'Talk', source: { title: 'A talk', publishedAt: 77, fetched: 1 } })
  t.equal(sources.claim(9000, 10_000, ALL), undefined)
  t.match(jobs.claimDecode(9000, 10_000, DECODES), { job: { id } })
  t.strictSame(jobs.listStages(id).map(({ stage }) => stage), ['fetch', 'decode'])
})

t.test('a source is claimed once, until its lease runs out; only the latest claimant holds it', async (t) => {
  const stores = openStores(t)
  const { sources } = stores
  stores.addUrlJob('a', URL)
  const first = take(stores, 1000)
  sources.renew(first, 5000)
  t.equal(sources.claim(4999, 9000, ALL), undefined)
  const second = take(stores, 5000)
  t.equal(second.attempt, 2)
  t.strictSame([sources.isClaim(first), sources.isClaim(second)], [false, true])
  sources.setFetched(first, 0.9)
  sources.release(first)
  t.match(stores.jobs.find(first.jobId), { source: { fetched: 0 } }, 'whoever lost it changes nothing')
  t.equal(sources.claim(5001, 9000, ALL), undefined)
  stores.jobs.fail(second.jobId, 'source_not_found', 5500)
  t.equal(sources.isClaim(second), false, 'the job has ended')
  t.equal(sources.claim(99_999, 100_000, ALL), undefined)
})

t.test('a fetch that is given back is free at once and does not count', async (t) => {
  const stores = openStores(t)
  stores.addUrlJob('a', URL)
  stores.sources.release(take(stores, 1000))
  t.match(take(stores, 1001), { attempt: 1 })
})

t.test('owners with fewer fetches under way come first, then those served longest ago', async (t) => {
  const stores = openStores(t)
  const [a1, a2, b1, c1] = [stores.addUrlJob('a', URL), stores.addUrlJob('a', URL), stores.addUrlJob('b', URL), stores.addUrlJob('c', URL)]
  stores.jobs.takeTurn(b1)
  t.strictSame([1, 2, 3, 4].map(() => take(stores, 1000).jobId), [a1, c1, b1, a2])
})

t.test('an owner fetches only so many at once', async (t) => {
  const stores = openStores(t)
  const { sources } = stores
  const [a1] = [stores.addUrlJob('a', URL), stores.addUrlJob('a', URL)]
  t.equal(take(stores, 1000, { ...ALL, maxPerOwner: 1 }).jobId, a1)
  t.equal(sources.claim(1000, 2000, { ...ALL, maxPerOwner: 1 }), undefined)
  const b1 = stores.addUrlJob('b', URL)
  t.equal(take(stores, 1000, { ...ALL, maxPerOwner: 1 }).jobId, b1)
})

t.test('fetching does not run far ahead of decoding, and takes no place of it', async (t) => {
  const stores = openStores(t)
  const { sources, jobs } = stores
  const limits = { ...ALL, maxAhead: 2 }
  for (let count = 0; count < 3; count++) stores.addUrlJob('a', URL)
  const claims = [take(stores, 1000, limits), take(stores, 1000, limits)]
  t.equal(sources.claim(1000, 2000, limits), undefined, 'two are under way')
  for (const claim of claims) finish(stores, claim)
  t.equal(sources.claim(1000, 2000, limits), undefined, 'two wait to be decoded')
  const upload = stores.addJob('a')
  const oneAtATime = { ...DECODES, maxActive: 1, maxPerOwner: 1 }
  t.equal(jobs.claimDecode(1000, 2000, oneAtATime)?.job.id, claims[0]?.jobId)
  t.equal(jobs.claimDecode(1000, 2000, oneAtATime), undefined, 'a job that was fetched has not begun to decode')
  t.ok(sources.claim(1000, 2000, limits), 'one of them is decoded')
  t.equal(jobs.find(upload)?.status, 'queued')
})

t.test('media of an identity is found while it is kept, by its owner', async (t) => {
  const stores = openStores(t)
  const { sources, jobs, apiKeys } = stores
  stores.addUrlJob('a', URL)
  const claim = take(stores, 1000)
  const [a, b] = [apiKeys.ensureOwner('a', 0), apiKeys.ensureOwner('b', 0)]
  t.equal(sources.findMedia(a, 'this one'), undefined)
  finish(stores, claim, 'this one')
  t.equal(sources.findMedia(a, 'this one'), jobs.find(claim.jobId)?.mediaId)
  t.equal(sources.findMedia(b, 'this one'), undefined)
  jobs.fail(claim.jobId, 'decode_failed', 6)
  stores.media.expire(jobs.find(claim.jobId)?.mediaId ?? 0, true)
  t.equal(sources.findMedia(a, 'this one'), undefined)
})

t.test('a source that is begun again is fetched from the start', async (t) => {
  const stores = openStores(t)
  const { sources, jobs } = stores
  const id = stores.addUrlJob('a', URL)
  finish(stores, take(stores, 1000), 'this one')
  t.equal(sources.restart(id), true)
  t.match(jobs.find(id), { stage: 'fetch', source: { fetched: 0, title: 'A talk' } })
  t.match(take(stores, 2000), { jobId: id, attempt: 2 }, 'the number goes on: it fences')
  t.equal(sources.restart(stores.addJob('a')), false, 'an upload has no source')
})

t.test('whoever holds the work lock takes the fetches of the dead back; one begun too often is listed', async (t) => {
  const stores = openStores(t)
  const id = stores.addUrlJob('a', URL)
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    t.strictSame(stores.jobs.listExhausted(), [], `attempt ${attempt}`)
    take(stores, 1000)
    stores.sources.takeBack()
  }
  t.match(stores.jobs.listExhausted(), [{ id }])
  stores.jobs.fail(id, 'worker_crashed', 1)
  stores.sources.restart(id)
  stores.jobs.retry(id, 1)
  take(stores, 1000)
  t.strictSame(stores.jobs.listExhausted(), [], 'a retry may be begun as often again')
})

t.test('a name that the caller gave is known as such', async (t) => {
  const { sources, addUrlJob, addJob } = openStores(t)
  t.strictSame([addUrlJob('a', URL, true), addUrlJob('a', URL), addJob('a')].map((id) => sources.isNamed(id)), [true, false, false])
})
