/** What a job costs: the length of its recording, once, in the month in which it was completed. */
import t from 'tap'
import type { Test } from 'tap'
import type { SpeakerEngine } from '../../dist/engine/speech/speakers.js'
import { createPipeline } from '../../dist/service/pipeline.js'
import { createFiles } from '../../dist/store/files.js'
import type { UsageStore } from '../../dist/store/usage.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

const JANUARY = Date.UTC(2026, 0, 1)
const FEBRUARY = Date.UTC(2026, 1, 1)

async function build (t: Test, changes: Partial<UsageStore> = {}, speakers?: SpeakerEngine) {
  const stores = openStores(t)
  const clock = createClock(FEBRUARY - 1)
  const files = createFiles(t.testdir())
  await files.prepare()
  const unused = (): never => { throw new Error('not part of this test') }
  const pipeline = createPipeline({
    ...stores,
    deliveries: { enqueue () {} },
    usage: { ...stores.usage, ...changes },
    files,
    speech: {
      slots: 1,
      hasModel: unused,
      transcribe: unused,
      detectLanguage: unused,
      detectSpeech: unused,
      prepareDetector: unused,
      describe: unused,
      warmUp: unused
    },
    ...(speakers ? { speakers } : {}),
    retention: { release: async () => {} },
    ffmpeg: { probeMedia: unused, decodeAudio: unused },
    maxMediaSeconds: 3600,
    now: clock.now,
    log: { info () {}, warn () {}, error () {} }
  })
  const ownerId = stores.apiKeys.ensureOwner('a', 0)
  /** A job of that length that only lacks its last step. */
  const addJob = (durationMs: number): number => {
    const id = stores.addDecodedJob('a', 0)
    stores.jobs.setDecoded(id, durationMs, 0)
    return id
  }
  return { ...stores, clock, pipeline, addJob, used: (month: number) => stores.usage.findAudio(ownerId, month) }
}

t.test('a completed job is counted in the month of its completion, however often it is looked at', async (t) => {
  const { pipeline, clock, addJob, used } = await build(t)
  addJob(90_000)
  t.equal(used(JANUARY), 0, 'not before it is completed')
  await Promise.all([pipeline.settleAll(), pipeline.settleAll()])
  await pipeline.recover()
  t.equal(used(JANUARY), 90_000)
  clock.advance(1)
  addJob(10_500)
  await pipeline.settleAll()
  t.strictSame([used(JANUARY), used(FEBRUARY)], [90_000, 10_500])
})

t.test('a failed job costs nothing; when it is completed after all, it counts once', async (t) => {
  const { db, pipeline, jobs, addJob, used } = await build(t)
  const id = addJob(60_000)
  jobs.fail(id, 'worker_crashed', 0)
  await pipeline.settleAll()
  t.equal(used(JANUARY), 0)
  db.prepare('UPDATE job SET status = \'processing\', retry_count = 1 WHERE id = ?').run(id)
  await pipeline.settleAll()
  await pipeline.settleAll()
  t.equal(jobs.find(id)?.status, 'completed')
  t.equal(used(JANUARY), 60_000)
})

t.test('a job is completed and counted, or neither', async (t) => {
  const { pipeline, jobs, addJob } = await build(t, { addAudio: () => { throw new Error('the disk is full') } })
  const id = addJob(60_000)
  await t.rejects(pipeline.settleAll(), { message: 'the disk is full' })
  t.equal(jobs.find(id)?.status, 'processing')
})

t.test('a job that fails in its last step costs nothing', async (t) => {
  let fail = (): void => {}
  const { pipeline, jobs, addJob, used } = await build(t, {}, { findTurns: async () => { fail(); return [] } })
  const id = addJob(60_000)
  fail = () => { jobs.fail(id, 'worker_crashed', 0) }
  await pipeline.settleAll()
  t.equal(jobs.find(id)?.status, 'failed')
  t.equal(used(JANUARY), 0)
})
