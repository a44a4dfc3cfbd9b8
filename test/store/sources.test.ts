import t from 'tap'
import type { WorkClaim } from '../../dist/domain/work.js'
import { nameOf, openStores } from '../support/store.ts'
import type { Stores } from '../support/store.ts'

const URL = 'https://example.org/talk.mp3'

/** A claim that must be there. */
function take ({ claimFetch }: Stores, now: number): WorkClaim {
  const claim = claimFetch(now)
  if (!claim) throw new Error('no source waits')
  return claim
}

/** Fetching ends as it should. */
function finish ({ sources, jobs, media, work }: Stores, claim: WorkClaim, identity?: string): void {
  const { jobId, run } = claim
  const mediaId = jobs.find(jobId)?.mediaId ?? 0
  media.fill(mediaId, { sizeBytes: 5, sha256: `digest of ${jobId}` }, 5)
  jobs.finishFetch(jobId, mediaId, 'Talk', 5)
  sources.finish(jobId, { title: nameOf('A talk'), publishedAt: 77, identity })
  work.finish(claim)
  work.insert({ kind: 'decode', jobId, run })
}

t.test('a job of an address is fetched first and decoded then', async (t) => {
  const stores = openStores(t)
  const { claimDecode, claimFetch, jobs, sources } = stores
  const id = stores.addUrlJob('a', URL)
  t.match(jobs.find(id), { status: 'queued', stage: 'fetch', source: { url: URL, title: undefined, publishedAt: undefined, fetched: 0 } })
  t.equal(claimDecode(1000), undefined, 'there is nothing to decode yet')
  const claim = take(stores, 1000)
  t.match(claim, { jobId: id, attempt: 1 })
  t.equal(sources.findUrl(id), URL)
  sources.setFetched(id, 0.25)
  t.match(jobs.find(id), { status: 'processing', stage: 'fetch', source: { fetched: 0.25 } })
  t.equal(claimDecode(1000), undefined)
  finish(stores, claim)
  t.match(jobs.find(id), {
    status: 'processing', stage: 'decode', fileName: 'Talk', source: { title: 'A talk', publishedAt: 77, fetched: 1 }
  })
  t.equal(claimFetch(9000), undefined)
  t.match(claimDecode(9000), { jobId: id })
  t.strictSame(jobs.listStages(id).map(({ stage }) => stage), ['fetch', 'decode'])
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
  jobs.fail(id, 'timeout', 6)
  t.equal(sources.restart(id), true)
  jobs.retry(id, 6)
  t.match(jobs.find(id), { stage: 'fetch', source: { fetched: 0, title: 'A talk' } })
  t.match(take(stores, 2000), { jobId: id, attempt: 1, run: 1 })
  t.equal(sources.restart(stores.addJob('a')), false, 'an upload has no source')
})

t.test('a name that the caller gave is known as such', async (t) => {
  const { sources, addUrlJob, addJob } = openStores(t)
  t.strictSame([addUrlJob('a', URL, true), addUrlJob('a', URL), addJob('a')].map((id) => sources.isNamed(id)), [true, false, false])
})
