/** The one claim of background work: leases, attempts, errors, and the fence. */
import t from 'tap'
import { MAX_ATTEMPTS } from '../../dist/domain/job.js'
import type { WorkClaim } from '../../dist/domain/work.js'
import { openStores } from '../support/store.ts'

/** A claim that must be there. */
function must (claim: WorkClaim | undefined): WorkClaim {
  if (!claim) throw new Error('no work waits')
  return claim
}

t.test('a piece is claimed once, until its lease runs out', async (t) => {
  const { addDecodedJob, claimWindow } = openStores(t)
  const jobId = addDecodedJob('a', 1)
  t.match(claimWindow(1000, 2000), { kind: 'transcribe', jobId, idx: 0, attempt: 1, errors: 0, run: 0 })
  t.equal(claimWindow(1999), undefined)
  t.match(claimWindow(2000), { jobId, attempt: 2 })
})

t.test('a decode is claimed once, until its lease runs out', async (t) => {
  const { jobs, addJob, claimDecode } = openStores(t)
  const id = addJob('a')
  t.match(claimDecode(1000), { jobId: id, attempt: 1 })
  t.match(jobs.find(id), { status: 'processing', stage: 'decode', updatedAt: 1000 })
  t.equal(claimDecode(1999), undefined)
  t.match(claimDecode(2000), { jobId: id, attempt: 2 })
})

t.test('a lease that is renewed does not run out; only the latest claimant renews it', async (t) => {
  const { addDecodedJob, claimWindow, work } = openStores(t)
  addDecodedJob('a', 1)
  const first = must(claimWindow(1000, 2000))
  work.renew(first, 5000)
  t.equal(claimWindow(4999), undefined)
  const second = must(claimWindow(5000, 6000))
  t.equal(second.attempt, 2)
  work.renew(first, 99_000)
  t.not(claimWindow(6000), undefined, 'the first claimant renews nothing any more')
})

t.test('only the latest claimant holds the claim and finishes the piece, once', async (t) => {
  const { addDecodedJob, claimWindow, work } = openStores(t)
  const jobId = addDecodedJob('a', 1)
  const of = { jobId, kind: 'transcribe' }
  const first = must(claimWindow(1000, 2000))
  const second = must(claimWindow(2000, 3000))
  t.strictSame([work.isClaim(first), work.isClaim(second)], [false, true])
  t.equal(work.finish(first), false)
  t.equal(work.hasOpen(of), true, 'nothing was finished')
  t.equal(work.finish(second), true)
  t.equal(work.hasOpen(of), false)
  t.equal(work.finish(second), false)
  t.equal(claimWindow(9000), undefined, 'done is done')
})

t.test('a piece that waits cannot be finished by its earlier claimant', async (t) => {
  const { addDecodedJob, claimWindow, work } = openStores(t)
  const jobId = addDecodedJob('a', 1)
  const claim = must(claimWindow())
  work.takeBack()
  t.equal(work.finish(claim), false)
  t.equal(work.hasOpen({ jobId, kind: 'transcribe' }), true)
})

t.test('a piece that is given back is free at once and does not count', async (t) => {
  const { addDecodedJob, claimWindow, work } = openStores(t)
  addDecodedJob('a', 1)
  const claim = must(claimWindow())
  work.release({ ...claim, attempt: 9 })
  t.equal(claimWindow(1001), undefined, 'others cannot give it back')
  work.release(claim)
  t.match(claimWindow(1001), { idx: 0, attempt: 1 })
})

t.test('a piece that is put back counts, and is due when it was due before', async (t) => {
  const { addJob, work } = openStores(t)
  const jobId = addJob('a')
  work.insert({ kind: 'webhook', jobId, run: undefined, dueAt: 700 })
  const id = work.find({ jobId, kind: 'webhook' }, 0) ?? 0
  work.putBack(must(work.claim(id, 2000)))
  t.match(work.claim(id, 2000), { attempt: 2, errors: 0 })
})

t.test('errors are counted apart from attempts, and make the piece claimable again', async (t) => {
  const { addDecodedJob, claimWindow, work } = openStores(t)
  addDecodedJob('a', 1)
  const first = must(claimWindow())
  t.equal(work.noteError(first), 1)
  t.equal(work.noteError(first), undefined, 'the claim is gone')
  const second = must(claimWindow())
  t.match(second, { attempt: 2, errors: 1 })
  t.equal(work.noteError(second), 2)
})

t.test('the holder of the work lock takes all running work back; it counts as attempts', async (t) => {
  const { addDecodedJob, addJob, addUrlJob, claimDecode, claimFetch, claimWindow, finishWindow, windows, work } = openStores(t)
  const jobId = addDecodedJob('a', 3)
  finishWindow(must(claimWindow()))
  claimWindow(1000, 300_000)
  const [decoding, fetching] = [addJob('b'), addUrlJob('b', 'https://example.org/')]
  const lost = must(claimDecode(1000, undefined, 300_000))
  claimFetch(1000, undefined, 300_000)
  work.takeBack()
  t.strictSame(windows.list(jobId, 'speech').map(({ isDone }) => isDone), [true, false, false])
  t.match(claimWindow(1001), { idx: 1, attempt: 2 })
  t.match(claimDecode(1001), { jobId: decoding, attempt: 2 })
  t.match(claimFetch(1001), { jobId: fetching, attempt: 2 })
  t.equal(work.finish(lost), false, 'the dead process stores nothing')
})

t.test('a piece begun too often without an end is listed with its job and run, but not while it runs', async (t) => {
  const { jobs, addJob, claimDecode, work } = openStores(t)
  const id = addJob('a')
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    t.strictSame(work.listExhausted(), [], `attempt ${attempt}`)
    claimDecode(1000)
    t.strictSame(work.listExhausted(), [])
    work.takeBack()
  }
  t.strictSame(work.listExhausted(), [{ id, retryCount: 0 }])
  jobs.fail(id, 'worker_crashed', 3000)
  t.strictSame(work.listExhausted(), [], 'what has ended is not')
  jobs.retry(id, 3000)
  claimDecode(4000)
  work.takeBack()
  t.strictSame(work.listExhausted(), [], 'a retry may be begun as often again')
})

t.test('stopping politely, however often, does not exhaust a piece', async (t) => {
  const { addJob, claimDecode, work } = openStores(t)
  addJob('a')
  for (let stop = 0; stop < 2 * MAX_ATTEMPTS; stop++) work.release(must(claimDecode(1000)))
  t.strictSame(work.listExhausted(), [])
})

t.test('work ends with its job; what outlives the run stays; a failed job keeps one row, which says where it failed', async (t) => {
  const { addDecodedJob, addTranscribedJob, addWindow, claimWindow, db, jobs, work } = openStores(t)
  const rows = (jobId: number): unknown => db.prepare('SELECT kind, idx, state FROM work WHERE job_id = ? ORDER BY kind, idx').all(jobId)
  const [completed, failed] = [addTranscribedJob('a', 5), addDecodedJob('a', 3)]
  for (const jobId of [completed, failed]) work.insert({ kind: 'webhook', jobId, run: undefined })
  jobs.complete(completed, 1)
  t.strictSame(rows(completed), [{ kind: 'webhook', idx: 0, state: 'ready' }])
  const late = must(claimWindow())
  jobs.fail(failed, 'timeout', 1)
  t.strictSame(rows(failed), [{ kind: 'transcribe', idx: 0, state: 'failed' }, { kind: 'webhook', idx: 0, state: 'ready' }])
  t.match(jobs.find(failed), { status: 'failed', stage: 'transcribe' })
  t.equal(work.finish(late), false, 'a result that comes late is not stored')
  t.equal(claimWindow(99_999), undefined)
  jobs.retry(failed, 2)
  t.strictSame(rows(failed), [{ kind: 'decode', idx: 0, state: 'ready' }, { kind: 'webhook', idx: 0, state: 'ready' }])
  addWindow(failed, 5)
  t.equal(work.finish(late), false)
})

t.test('a claim of an earlier run never matches a piece of a later one', async (t) => {
  const { addJob, claimDecode, jobs, work } = openStores(t)
  const id = addJob('a')
  const early = must(claimDecode(1000))
  jobs.fail(id, 'timeout', 1000)
  jobs.retry(id, 1000)
  const later = must(claimDecode(1000))
  t.strictSame([later.attempt, later.run], [early.attempt, 1])
  work.release(early)
  work.renew(early, 99_000)
  t.equal(work.noteError(early), undefined)
  t.equal(work.finish(early), false)
  t.equal(work.finish(later), true)
})

t.test('pieces that wait for something else become claimable together; pieces are removed from one on', async (t) => {
  const { addDecodedJob, addWindow, claimWindow, work } = openStores(t)
  const jobId = addDecodedJob('a', 0)
  const of = { jobId, kind: 'transcribe' }
  for (const idx of [0, 1, 2]) addWindow(jobId, idx, 'waiting')
  t.equal(claimWindow(), undefined)
  work.makeReady(of)
  const claim = must(claimWindow())
  work.remove(of, 1)
  t.equal(claimWindow(), undefined)
  t.equal(work.isClaim(claim), true)
  work.remove(of)
  t.equal(work.isClaim(claim), false, 'its claimant has lost it')
})

t.test('the work of a job is removed with it', async (t) => {
  const { addDecodedJob, db, jobs } = openStores(t)
  jobs.remove(addDecodedJob('a', 3))
  t.equal(db.prepare('SELECT count(*) FROM work').pluck().get(), 0)
})
