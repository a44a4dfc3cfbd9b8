/** Which work is next: fair turns of owners and jobs, limits of decodes and fetches, receivers. */
import t from 'tap'
import type { WorkClaim } from '../../dist/domain/work.js'
import { ANY_DECODE, ANY_FETCH, nameOf, openStores } from '../support/store.ts'
import type { Stores } from '../support/store.ts'

const URL = 'https://example.org/talk.mp3'

/** Claims as the steps do: the claim, and the turn it takes. */
function claimTurn ({ claimWindow, jobs }: Stores): number {
  const claim = claimWindow()
  if (!claim) throw new Error('no window waits')
  jobs.takeTurn(claim.jobId)
  return claim.jobId
}
const claimJobs = (stores: Stores, count: number): number[] => Array.from({ length: count }, () => claimTurn(stores))

/** A fetch that must be there. */
function take (stores: Stores, now: number, limits = ANY_FETCH): WorkClaim {
  const claim = stores.claimFetch(now, limits)
  if (!claim) throw new Error('no source waits')
  return claim
}

/** Fetching ends as it should. */
function endFetch ({ jobs, media, sources, work }: Stores, claim: WorkClaim): void {
  const { jobId, run } = claim
  const mediaId = jobs.find(jobId)?.mediaId ?? 0
  media.fill(mediaId, { sizeBytes: 5, sha256: `digest of ${jobId}` }, 5)
  jobs.finishFetch(jobId, mediaId, 'Talk', 5)
  sources.finish(jobId, { title: nameOf('A talk'), publishedAt: 77, identity: undefined })
  work.finish(claim)
  work.insert({ kind: 'decode', jobId, run })
}

t.test('the windows of a job are claimed in order, each once', async (t) => {
  const { addDecodedJob, claimWindow } = openStores(t)
  const jobId = addDecodedJob('a', 3)
  for (const idx of [0, 1, 2]) t.match(claimWindow(), { kind: 'transcribe', jobId, idx, attempt: 1, run: 0 })
  t.equal(claimWindow(), undefined)
})

t.test('an owner with one job gets every second turn beside an owner with two', async (t) => {
  const stores = openStores(t)
  const [a1, a2] = [stores.addDecodedJob('a', 20), stores.addDecodedJob('a', 20)]
  const b = stores.addDecodedJob('b', 20)
  t.strictSame(claimJobs(stores, 12), [a1, b, a2, b, a1, b, a2, b, a1, b, a2, b])
})

t.test('turns go round the owners, and round the jobs of each', async (t) => {
  const stores = openStores(t)
  const [a1, a2, a3] = [stores.addDecodedJob('a', 9), stores.addDecodedJob('a', 9), stores.addDecodedJob('a', 9)]
  const [b1, b2] = [stores.addDecodedJob('b', 9), stores.addDecodedJob('b', 9)]
  const c1 = stores.addDecodedJob('c', 9)
  t.strictSame(claimJobs(stores, 9), [a1, b1, c1, a2, b2, c1, a3, b1, c1])
})

t.test('a new job gets the next turn of its owner', async (t) => {
  const stores = openStores(t)
  const [a1, a2] = [stores.addDecodedJob('a', 20), stores.addDecodedJob('a', 20)]
  const b = stores.addDecodedJob('b', 20)
  t.strictSame(claimJobs(stores, 5), [a1, b, a2, b, a1])
  const a3 = stores.addDecodedJob('a', 20)
  t.strictSame(claimJobs(stores, 4), [b, a3, b, a2])
})

t.test('a new owner is served next, and then no more than others', async (t) => {
  const stores = openStores(t)
  const a = stores.addDecodedJob('a', 20)
  claimJobs(stores, 10)
  const b = stores.addDecodedJob('b', 20)
  t.strictSame(claimJobs(stores, 6), [b, a, b, a, b, a])
})

t.test('an owner without waiting windows is passed over', async (t) => {
  const stores = openStores(t)
  const [a, b] = [stores.addDecodedJob('a', 1), stores.addDecodedJob('b', 3)]
  t.strictSame(claimJobs(stores, 4), [a, b, b, b])
})

t.test('jobs that wait or have ended get no turn', async (t) => {
  const { db, claimWindow, jobs, addDecodedJob } = openStores(t)
  const [queued, failed] = [addDecodedJob('a', 1), addDecodedJob('a', 1)]
  db.prepare('UPDATE job SET status = \'queued\' WHERE id = ?').run(queued)
  jobs.fail(failed, 'timeout', 1)
  t.equal(claimWindow(), undefined)
})

t.test('samples of the language and windows share their turns', async (t) => {
  const stores = openStores(t)
  const [a, b] = [stores.addDecodedJob('a', 3), stores.addDecodedJob('b', 0)]
  for (const idx of [0, 1]) stores.addSample(b, idx)
  t.strictSame(claimJobs(stores, 5), [a, b, a, b, a])
})

t.test('what an earlier decoder left waits until somebody decodes the recording again', async (t) => {
  const { addDecodedJob, claimDecode, claimWindow, work } = openStores(t)
  const jobId = addDecodedJob('a', 2)
  work.insert({ kind: 'decode', jobId, run: 0 })
  t.equal(claimWindow(), undefined)
  t.match(claimDecode(1000), { jobId })
  t.match(claimWindow(1000), { jobId, idx: 0 })
  t.equal(claimWindow(2000), undefined, 'nor when that decoder has died')
})

t.test('decodes: the owner with the fewest is next, then the one served longest ago, then the oldest job', async (t) => {
  const { jobs, addJob, claimDecode } = openStores(t)
  const [a1, a2, b1, c1] = [addJob('a'), addJob('a'), addJob('b'), addJob('c')]
  jobs.takeTurn(a1)
  jobs.takeTurn(b1)
  t.strictSame([1, 2, 3, 4].map(() => claimDecode(1000)?.jobId), [c1, a1, b1, a2])
})

t.test('no more jobs are begun than an owner, or the appliance, may have in progress', async (t) => {
  const { jobs, addJob, claimDecode } = openStores(t)
  const limits = { ...ANY_DECODE, maxActive: 3, maxPerOwner: 2 }
  const [a1, a2, , b1, b2] = [addJob('a'), addJob('a'), addJob('a'), addJob('b'), addJob('b')]
  t.strictSame([1, 2, 3, 4].map(() => claimDecode(1000, limits)?.jobId), [a1, b1, a2, undefined])
  jobs.fail(a1, 'timeout', 1500)
  t.equal(claimDecode(1500, limits)?.jobId, b2, 'the end of one makes room')
})

t.test('a job that was begun comes back whatever else is in progress', async (t) => {
  const { addJob, claimDecode } = openStores(t)
  const id = addJob('a')
  addJob('a')
  claimDecode(1000)
  t.match(claimDecode(2000, { ...ANY_DECODE, maxActive: 0, maxPerOwner: 0 }), { jobId: id, attempt: 2 })
  t.equal(claimDecode(2000, { ...ANY_DECODE, maxActive: 0, maxPerOwner: 0 }), undefined)
})

t.test('media above a size is passed over', async (t) => {
  const { addJob, claimDecode } = openStores(t)
  addJob('a', { sizeBytes: 5001 })
  const small = addJob('a', { sizeBytes: 5000 })
  t.equal(claimDecode(1000, { ...ANY_DECODE, maxBytes: 5000 })?.jobId, small)
  t.equal(claimDecode(1000, { ...ANY_DECODE, maxBytes: 5000 }), undefined)
})

t.test('jobs that have ended are neither decoded nor fetched', async (t) => {
  const { addJob, addUrlJob, claimDecode, claimFetch, jobs } = openStores(t)
  for (const id of [addJob('a'), addUrlJob('a', URL)]) jobs.fail(id, 'timeout', 1)
  t.strictSame([claimDecode(9999), claimFetch(9999)], [undefined, undefined])
})

t.test('owners with fewer fetches under way come first, then those served longest ago', async (t) => {
  const stores = openStores(t)
  const [a1, a2, b1, c1] = [stores.addUrlJob('a', URL), stores.addUrlJob('a', URL), stores.addUrlJob('b', URL), stores.addUrlJob('c', URL)]
  stores.jobs.takeTurn(b1)
  t.strictSame([1, 2, 3, 4].map(() => take(stores, 1000).jobId), [a1, c1, b1, a2])
})

for (const kind of ['fetch', 'decode'] as const) {
  t.test(`${kind}: owners whose recordings never become words do not come before one whose recordings do`, async (t) => {
    const { addJob, addUrlJob, claimDecode, claimFetch, jobs } = openStores(t)
    const claim = (): number | undefined => (kind === 'fetch' ? claimFetch(1) : claimDecode(1))?.jobId
    const add = (owner: string): number => kind === 'fetch' ? addUrlJob(owner, URL) : addJob(owner)
    const good = add('good')
    jobs.takeTurn(good)
    for (const owner of ['a', 'b', 'c']) add(owner)
    const order: Array<number | undefined> = []
    for (let count = 0; count < 4; count++) {
      const jobId = claim() ?? 0
      order.push(jobId)
      jobs.fail(jobId, 'timeout', 1)
      add(['a', 'b', 'c'][count] ?? 'a')
    }
    t.ok(order.includes(good), 'within one round')
  })
}

t.test('an owner fetches only so many at once', async (t) => {
  const stores = openStores(t)
  const limits = { ...ANY_FETCH, maxPerOwner: 1 }
  const [a1] = [stores.addUrlJob('a', URL), stores.addUrlJob('a', URL)]
  t.equal(take(stores, 1000, limits).jobId, a1)
  t.equal(stores.claimFetch(1000, limits), undefined)
  const b1 = stores.addUrlJob('b', URL)
  t.equal(take(stores, 1000, limits).jobId, b1)
})

t.test('fetching does not run far ahead of decoding, and takes no place of it', async (t) => {
  const stores = openStores(t)
  const { claimDecode, claimFetch, jobs } = stores
  const limits = { ...ANY_FETCH, maxAhead: 2 }
  for (let count = 0; count < 3; count++) stores.addUrlJob('a', URL)
  const claims = [take(stores, 1000, limits), take(stores, 1000, limits)]
  t.equal(claimFetch(1000, limits), undefined, 'two are under way')
  for (const claim of claims) endFetch(stores, claim)
  t.equal(claimFetch(1000, limits), undefined, 'two wait to be decoded')
  const upload = stores.addJob('a')
  const oneAtATime = { ...ANY_DECODE, maxActive: 1, maxPerOwner: 1 }
  t.equal(claimDecode(1000, oneAtATime)?.jobId, claims[0]?.jobId)
  t.equal(claimDecode(1000, oneAtATime), undefined, 'a job that was fetched has not begun to decode')
  t.ok(claimFetch(1000, limits), 'one of them is decoded')
  t.equal(jobs.find(upload)?.status, 'queued')
})

t.test('recordings of one owner that wait to be decoded keep nobody else from fetching', async (t) => {
  const stores = openStores(t)
  const limits = { ...ANY_FETCH, maxAhead: 2 }
  for (let count = 0; count < 2; count++) {
    stores.addUrlJob('a', URL)
    endFetch(stores, take(stores, 1000, limits))
  }
  stores.addUrlJob('a', URL)
  t.equal(stores.claimFetch(1000, limits), undefined)
  const b1 = stores.addUrlJob('b', URL)
  stores.addUrlJob('b', URL)
  t.equal(stores.orders.isOtherFetchReady(1, 2), true)
  t.equal(take(stores, 1000, limits).jobId, b1)
  t.equal(stores.claimFetch(1000, limits), undefined, 'one at a time')
})

t.test('a fetch that was given back does not count until it is resumed', async (t) => {
  const stores = openStores(t)
  const limits = { ...ANY_FETCH, maxAhead: 2 }
  for (let count = 0; count < 3; count++) stores.addUrlJob('a', URL)
  const [first] = [take(stores, 1000, limits), take(stores, 1000, limits)]
  t.equal(stores.claimFetch(1000, limits), undefined)
  stores.work.release(first)
  t.equal(take(stores, 1000, limits).jobId, first.jobId)
  t.equal(stores.claimFetch(1000, limits), undefined)
})

t.test('turn keys: those with something due, the longest waiting first; of one, what has been due longest', async (t) => {
  const { addJob, orders, work } = openStores(t)
  const jobId = addJob('a')
  const add = (idx: number, turnKey: string, dueAt: number): void => {
    work.insert({ kind: 'webhook', jobId, idx, run: undefined, turnKey, dueAt })
  }
  for (const [idx, [key, dueAt]] of ([['b', 30], ['a', 20], ['c', 10], ['b', 5], ['d', 99]] as const).entries()) add(idx, key, dueAt)
  work.insert({ kind: 'webhook', jobId, idx: 9, run: undefined })
  work.insert({ kind: 'other', jobId, run: undefined, turnKey: 'e' })
  t.strictSame(orders.listTurnKeys('webhook', 50), ['b', 'c', 'a'])
  t.strictSame(orders.listTurnKeys('webhook', 19), ['b', 'c'])
  const claimOf = (key: string, now: number): number | undefined => {
    const id = orders.ofTurnKey('webhook', key, now)
    return id === undefined ? undefined : work.claim(id, 100)?.idx
  }
  t.strictSame([claimOf('b', 50), claimOf('b', 29), claimOf('b', 50), claimOf('d', 50)], [3, undefined, 0, undefined])
  t.strictSame(orders.listTurnKeys('webhook', 50), ['c', 'a'], 'what is claimed does not count')
})

t.test('the oldest job comes first where no other order counts', async (t) => {
  const { addTranscribedJob, orders, work } = openStores(t)
  const [first, second] = [addTranscribedJob('a', 5), addTranscribedJob('a', 5)]
  const claimed = [1, 2, 3].map(() => {
    const id = orders.oldest('complete')
    return id === undefined ? undefined : work.claim(id, 100)?.jobId
  })
  t.strictSame(claimed, [first, second, undefined])
})
