/** What a job costs: the length of its recording, once, in the month in which it was completed. */
import t from 'tap'
import type { Test } from 'tap'
import { openSteps } from '../support/steps.ts'
import type { StepChanges } from '../support/steps.ts'

const JANUARY = Date.UTC(2026, 0, 1)
const FEBRUARY = Date.UTC(2026, 1, 1)

async function build (t: Test, changes: StepChanges = {}) {
  const steps = await openSteps(t, { now: FEBRUARY - 1, ...changes })
  const ownerId = steps.apiKeys.ensureOwner('a', 0)
  return {
    ...steps,
    /** A job of that length that only lacks its last step. */
    addJob: (durationMs: number): number => steps.addTranscribedJob('a', durationMs),
    used: (month: number) => steps.usage.findAudio(ownerId, month)
  }
}

t.test('a completed job is counted in the month of its completion, however often it is claimed', async (t) => {
  const { ending, completeAll, work, clock, addJob, used } = await build(t)
  addJob(90_000)
  t.equal(used(JANUARY), 0, 'not before it is completed')
  const late = ending.claim()
  work.takeBack()
  await Promise.all([completeAll(), late && ending.complete(late)])
  if (late) await ending.complete(late)
  await ending.recover()
  t.equal(used(JANUARY), 90_000)
  clock.advance(1)
  addJob(10_500)
  await completeAll()
  t.strictSame([used(JANUARY), used(FEBRUARY)], [90_000, 10_500])
})

t.test('a failed job costs nothing; when it is completed after all, it counts once', async (t) => {
  const { completeAll, db, endDecode, jobs, addJob, used, work } = await build(t)
  const id = addJob(60_000)
  jobs.fail(id, 'worker_crashed', 0)
  await completeAll()
  t.equal(used(JANUARY), 0)
  jobs.retry(id, 0)
  endDecode(id)
  work.insert({ kind: 'complete', jobId: id, run: 1 })
  await completeAll()
  await completeAll()
  t.equal(jobs.find(id)?.status, 'completed')
  t.equal(used(JANUARY), 60_000)
  t.strictSame(db.prepare('SELECT kind FROM work').pluck().all(), ['artifact'], 'only what is prepared afterwards')
})

t.test('a job is completed and counted, or neither', async (t) => {
  const { completeAll, jobs, addJob } = await build(t, { usage: { addAudio: () => { throw new Error('the disk is full') } } })
  const id = addJob(60_000)
  await t.rejects(completeAll(), { message: 'the disk is full' })
  t.match(jobs.find(id), { status: 'processing', stage: 'complete' })
})

t.test('a job that fails in its last step costs nothing', async (t) => {
  const { ending, jobs, addJob, used } = await build(t)
  const id = addJob(60_000)
  const claim = ending.claim()
  if (!claim) throw new Error('the last step waits')
  jobs.fail(id, 'worker_crashed', 0)
  await ending.complete(claim)
  t.equal(jobs.find(id)?.status, 'failed')
  t.equal(used(JANUARY), 0)
})
