import t from 'tap'
import type { WindowClaim } from '../../dist/store/windows.js'
import { openStores } from '../support/store.ts'
import type { Stores } from '../support/store.ts'

/** Claims as the scheduler does: the claim, and the turn it takes. */
function claimTurn ({ windows, jobs }: Stores, now = 1000, leaseUntil = 2000): WindowClaim {
  const claim = windows.claim(now, leaseUntil)
  if (!claim) throw new Error('no window waits')
  jobs.takeTurn(claim.jobId)
  return claim
}

const claimJobs = (stores: Stores, count: number): number[] => Array.from({ length: count }, () => claimTurn(stores).jobId)

t.test('the windows of a job are claimed in order, each once', async (t) => {
  const { windows, addDecodedJob } = openStores(t)
  const jobId = addDecodedJob('a', 3)
  t.strictSame(windows.claim(1000, 2000), { jobId, purpose: 'speech', idx: 0, startSample: 0, endSample: 160_000, attempt: 1, retryCount: 0 })
  t.strictSame(windows.claim(1000, 2000), { jobId, purpose: 'speech', idx: 1, startSample: 160_000, endSample: 320_000, attempt: 1, retryCount: 0 })
  t.match(windows.claim(1000, 2000), { idx: 2 })
  t.equal(windows.claim(1000, 2000), undefined)
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
  const { db, windows, jobs, addDecodedJob } = openStores(t)
  const [queued, failed] = [addDecodedJob('a', 1), addDecodedJob('a', 1)]
  db.prepare('UPDATE job SET status = \'queued\' WHERE id = ?').run(queued)
  jobs.fail(failed, 'timeout', 1)
  t.equal(windows.claim(1000, 2000), undefined)
})

t.test('speech waits until the language is known, and samples are not taken after that', async (t) => {
  const { db, jobs, windows, addDecodedJob } = openStores(t)
  const jobId = addDecodedJob('a', 2)
  db.prepare('UPDATE job SET options = json_remove(options, \'$.language\'), stage = \'language\' WHERE id = ?').run(jobId)
  t.equal(windows.claim(1000, 2000), undefined)
  for (const idx of [0, 1]) windows.insert({ jobId, purpose: 'language', idx }, { startSample: 0, endSample: 1600 })
  t.match(windows.claim(1000, 2000), { purpose: 'language', idx: 0 })
  jobs.setHeardLanguage(jobId, 'en', 1000)
  t.match(windows.claim(1000, 2000), { purpose: 'speech', idx: 0 })
  t.match(windows.claim(1000, 2000), { purpose: 'speech', idx: 1 })
  t.equal(windows.claim(1000, 2000), undefined)
})

t.test('speech waits while decoding goes on and the language is not known, and needs none when no sample is wanted', async (t) => {
  const { db, windows, addDecodedJob } = openStores(t)
  const jobId = addDecodedJob('a', 1)
  db.prepare('UPDATE job SET options = json_remove(options, \'$.language\'), stage = \'decode\' WHERE id = ?').run(jobId)
  t.equal(windows.claim(1000, 2000), undefined)
  db.prepare('UPDATE job SET stage = \'transcribe\' WHERE id = ?').run(jobId)
  t.match(windows.claim(1000, 2000), { purpose: 'speech', idx: 0 })
})

t.test('a lease expires at its time and the window is claimed again', async (t) => {
  const { windows, addDecodedJob } = openStores(t)
  addDecodedJob('a', 1)
  windows.claim(1000, 2000)
  t.equal(windows.claim(1999, 3000), undefined)
  t.match(windows.claim(2000, 3000), { idx: 0, attempt: 2 })
})

t.test('a lease that is renewed by its claimant lasts', async (t) => {
  const stores = openStores(t)
  stores.addDecodedJob('a', 1)
  const first = claimTurn(stores, 1000, 2000)
  stores.windows.renew(first, 5000)
  t.equal(stores.windows.claim(4999, 6000), undefined)
  const second = claimTurn(stores, 5000, 6000)
  stores.windows.renew(first, 99_000)
  t.not(stores.windows.claim(6000, 7000), undefined, 'the first claimant renews nothing any more')
  t.equal(second.attempt, 2)
})

t.test('only the latest claimant finishes a window, once', async (t) => {
  const stores = openStores(t)
  const { windows } = stores
  const jobId = stores.addDecodedJob('a', 1)
  const first = claimTurn(stores, 1000, 2000)
  const second = claimTurn(stores, 2000, 3000)
  t.equal(windows.finish(first), false)
  t.equal(windows.countOpen(jobId, 'speech'), 1, 'nothing was stored')
  t.equal(windows.finish(second), true)
  t.equal(windows.countOpen(jobId, 'speech'), 0)
  t.equal(windows.finish(second), false)
  t.equal(windows.claim(9000, 9999), undefined, 'done is done')
})

t.test('a window that waits cannot be finished by whoever had it', async (t) => {
  const stores = openStores(t)
  const jobId = stores.addDecodedJob('a', 1)
  const claim = claimTurn(stores)
  stores.windows.takeBack()
  t.equal(stores.windows.finish(claim), false)
  t.equal(stores.windows.countOpen(jobId, 'speech'), 1)
})

t.test('a window that is given back is free at once and does not count', async (t) => {
  const stores = openStores(t)
  stores.addDecodedJob('a', 1)
  const claim = claimTurn(stores)
  stores.windows.release({ ...claim, attempt: 9 })
  t.equal(stores.windows.claim(1001, 2000), undefined, 'others cannot give it back')
  stores.windows.release(claim)
  t.match(stores.windows.claim(1001, 2000), { idx: 0, attempt: 1 })
})

t.test('errors are counted apart from attempts, and queue the window again', async (t) => {
  const stores = openStores(t)
  const { windows } = stores
  stores.addDecodedJob('a', 1)
  const first = claimTurn(stores)
  t.equal(windows.noteError(first), 1)
  t.equal(windows.noteError(first), undefined, 'the claim is gone')
  const second = claimTurn(stores)
  t.equal(second.attempt, 2)
  t.equal(windows.noteError(second), 2)
})

t.test('whoever holds the work lock takes all running windows back; they count as attempts', async (t) => {
  const stores = openStores(t)
  const { windows } = stores
  const jobId = stores.addDecodedJob('a', 3)
  windows.finish(claimTurn(stores))
  claimTurn(stores, 1000, 300_000)
  windows.takeBack()
  t.strictSame(windows.list(jobId, 'speech').map(({ status, attempt }) => [status, attempt]), [['done', 1], ['queued', 1], ['queued', 0]])
  t.match(windows.claim(1001, 300_000), { idx: 1, attempt: 2 })
})

t.test('what was heard of the language comes back in order, from windows that are done', async (t) => {
  const { db, windows, addDecodedJob } = openStores(t)
  const jobId = addDecodedJob('a', 0)
  db.prepare('UPDATE job SET options = json_remove(options, \'$.language\'), stage = \'language\' WHERE id = ?').run(jobId)
  for (const idx of [0, 1, 2]) windows.insert({ jobId, purpose: 'language', idx }, { startSample: 0, endSample: 1600 })
  const [first, second] = [windows.claim(1000, 2000), windows.claim(1000, 2000)]
  if (!first || !second) throw new Error('two windows wait')
  const german = [{ language: 'de', probability: 0.9 }]
  const english = [{ language: 'en', probability: 0.8 }, { language: 'de', probability: 0.1 }]
  windows.finish(second, english)
  windows.finish(first, german)
  t.strictSame(windows.listPosteriors(jobId), [german, english])
  t.equal(windows.countOpen(jobId, 'language'), 1)
})

t.test('windows are found, and removed from one on or when they are not done, of their job and purpose only', async (t) => {
  const stores = openStores(t)
  const { windows } = stores
  const [jobId, other] = [stores.addDecodedJob('a', 4), stores.addDecodedJob('b', 4)]
  const key = { jobId, purpose: 'speech' } as const
  windows.insert({ jobId, purpose: 'language', idx: 2 }, { startSample: 0, endSample: 1600 })
  t.strictSame(windows.find({ ...key, idx: 1 }), { startSample: 160_000, endSample: 320_000 })
  t.equal(windows.find({ ...key, idx: 4 }), undefined)
  t.throws(() => { windows.insert({ ...key, idx: 1 }, { startSample: 0, endSample: 1 }) }, { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' })
  windows.removeFrom({ ...key, idx: 2 })
  t.strictSame(windows.list(jobId, 'speech').map(({ idx }) => idx), [0, 1])
  t.equal(windows.list(jobId, 'language').length, 1)
  windows.finish(claimTurn(stores))
  windows.removeOpen(jobId)
  t.strictSame(windows.list(jobId, 'speech').map(({ idx }) => idx), [0])
  t.equal(windows.list(jobId, 'language').length, 0)
  t.equal(windows.list(other, 'speech').length, 4)
})

t.test('what an earlier decoder left waits until somebody decodes the recording anew', async (t) => {
  const { windows, jobs, addDecodedJob } = openStores(t)
  const jobId = addDecodedJob('a', 2)
  jobs.enterStage(jobId, 'transcribe', 'decode', 0)
  t.equal(windows.claim(1000, 2000), undefined)
  t.match(jobs.claimDecode(1000, 2000, { maxBytes: 1e9, maxActive: 9, maxPerOwner: 9 }), { job: { id: jobId } })
  t.match(windows.claim(1000, 2000), { jobId, idx: 0 })
})

t.test('what warnings are derived from: of the windows that were transcribed', async (t) => {
  const { windows, addJob } = openStores(t)
  const jobId = addJob('a')
  const key = (idx: number) => ({ jobId, purpose: 'speech', idx } as const)
  t.strictSame(windows.readFacts(jobId), { usedStarter: false, speechMs: 0, wordlessMs: 0, wordCount: 0 })
  for (const [idx, speechMs] of [20_000, 12_000, 9000].entries()) {
    windows.insert(key(idx), { startSample: idx, endSample: idx + 1, speechMs })
  }
  windows.insert(key(3), { startSample: 3, endSample: 4 })
  t.strictSame(windows.find(key(0)), { startSample: 0, endSample: 1, speechMs: 20_000 })
  windows.setOutcome(key(0), { wordCount: 40, isStarter: false })
  windows.setOutcome(key(1), { wordCount: 0, isStarter: false })
  windows.setOutcome(key(3), { wordCount: 2, isStarter: false })
  t.strictSame(windows.readFacts(jobId), { usedStarter: false, speechMs: 32_000, wordlessMs: 12_000, wordCount: 42 })
  windows.setOutcome(key(2), { wordCount: 1, isStarter: true })
  t.match(windows.readFacts(jobId), { usedStarter: true, wordCount: 43 })
  windows.removeFrom(key(2))
  t.match(windows.readFacts(jobId), { usedStarter: false, wordCount: 40 }, 'a window that is cut differently takes its facts along')
})
