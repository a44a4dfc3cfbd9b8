/** Retries of failed jobs. */
import { rmSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import type { Job } from '../../dist/domain/job.js'
import { createRetries } from '../../dist/service/retries.js'
import { callerOf, openSubmit } from '../support/submit.ts'
import type { Changes } from '../support/submit.ts'
import { randomBytes } from '../support/random.ts'

const BYTES = randomBytes(1000, 1)

async function open (t: Test, changes: Changes = {}) {
  const opened = await openSubmit(t, changes)
  const { jobs, sources, windows, transcripts, speakers, media, files, submit, clock, begin, send, service, owner } = opened
  const { addWindow, claimWindow, endDecode, finishWindow } = opened
  const retries = createRetries({ jobs, sources, windows, transcripts, speakers, media, files, submit, now: clock.now })
  return {
    ...opened,
    retries,
    /** A job with its stored recording that has been decoded, half transcribed, and failed. */
    async addFailed (): Promise<number> {
      const { id } = await begin(BYTES)
      await send(id, BYTES, 1)
      const jobId = await service.complete(id, callerOf(owner), undefined)
      endDecode(jobId)
      for (const idx of [0, 1]) addWindow(jobId, idx)
      jobs.setDecoded(jobId, 20_000, clock.now())
      jobs.setHeardLanguage(jobId, 'en', clock.now())
      const claim = claimWindow(clock.now())
      if (claim) finishWindow(claim)
      jobs.addDone(jobId, 10_000, clock.now())
      jobs.fail(jobId, 'worker_crashed', clock.now())
      return jobId
    },
    /** A job that must be there. */
    found (jobId: number): Job {
      const job = jobs.find(jobId)
      if (!job) throw new Error('the job is gone')
      return job
    },
    mediaPath: (jobId: number): string => files.mediaPath(media.find(jobs.find(jobId)?.mediaId ?? 0)?.file ?? '')
  }
}

t.test('a retry queues a failed job at its first stage, keeps finished windows and clears the failure', async (t) => {
  const { retries, submit, addFailed, jobs, windows, owner, clock } = await open(t)
  const id = await addFailed()
  let told = 0
  submit.onQueued(() => {
    t.equal(jobs.find(id)?.status, 'queued')
    told++
  })
  clock.advance(5000)
  const job = await retries.retry(id, callerOf(owner))
  t.match(
    job,
    {
      id, status: 'queued', stage: 'decode', failureCode: undefined, completedAt: undefined, retryCount: 1, doneMs: 10_000,
      updatedAt: clock.now()
    }
  )
  t.strictSame(jobs.find(id), job)
  t.match(windows.list(id, 'speech'), [{ idx: 0, isDone: true }])
  t.strictSame(jobs.listStages(id), [])
  t.equal(told, 1)
})

t.test('a retry counts its attempts from the start; a decoder of the earlier run has lost its claim', async (t) => {
  const { retries, addFailed, claimDecode, jobs, owner, db, clock, work } = await open(t)
  const id = await addFailed()
  await retries.retry(id, callerOf(owner))
  db.prepare('UPDATE work SET attempt = 24').run()
  const early = claimDecode(clock.now())
  if (!early) throw new Error('a decode waits')
  work.takeBack()
  t.strictSame(work.listExhausted(), [{ id, retryCount: 1 }])
  jobs.fail(id, 'worker_crashed', clock.now())
  await retries.retry(id, callerOf(owner))
  t.match(claimDecode(clock.now()), { jobId: id, attempt: 1, run: 2 })
  t.strictSame(work.listExhausted(), [])
  t.equal(work.isClaim(early), false)
})

t.test('a window that was running when the job failed stores nothing into the retry', async (t) => {
  const { retries, addFailed, addWindow, claimWindow, endDecode, finishWindow, owner, jobs, clock, db, windows, work } = await open(t)
  const id = await addFailed()
  db.prepare('UPDATE job SET status = \'processing\' WHERE id = ?').run(id)
  db.prepare('UPDATE work SET state = \'ready\' WHERE job_id = ?').run(id)
  const late = claimWindow(clock.now())
  if (!late) throw new Error('a window waits')
  jobs.fail(id, 'timeout', clock.now())
  await retries.retry(id, callerOf(owner))
  // The same window, divided again and claimed again, under the same number.
  endDecode(id)
  addWindow(id, 1)
  const claim = claimWindow(clock.now())
  t.match(claim, { idx: late.idx, attempt: late.attempt, run: 1 })
  work.release(late)
  t.equal(work.noteError(late), undefined)
  t.equal(finishWindow(late), false)
  t.equal(claim && finishWindow(claim), true)
  t.strictSame(windows.list(id, 'speech').map(({ isDone }) => isDone), [true, true])
})

t.test('a job can be retried three times, each time only after it has failed', async (t) => {
  const { retries, addFailed, found, jobs, owner, clock } = await open(t)
  const id = await addFailed()
  for (const retryCount of [1, 2, 3]) {
    t.equal(retries.isRetryable(found(id)), true)
    t.match(await retries.retry(id, callerOf(owner)), { retryCount })
    await t.rejects(retries.retry(id, callerOf(owner)), { code: 'conflict', message: /queued/ })
    jobs.fail(id, 'timeout', clock.now())
  }
  t.equal(retries.isRetryable(found(id)), false)
  await t.rejects(retries.retry(id, callerOf(owner)), { code: 'conflict', message: /cannot be retried any more/ })
})

t.test('of two retries at once one succeeds and the other gets conflict', async (t) => {
  const { retries, addFailed, owner, jobs } = await open(t)
  const id = await addFailed()
  const results = await Promise.allSettled([retries.retry(id, callerOf(owner)), retries.retry(id, callerOf(owner))])
  t.strictSame(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  t.match(results.find(({ status }) => status === 'rejected'), { reason: { code: 'conflict' } })
  t.equal(jobs.find(id)?.retryCount, 1)
})

t.test('an unknown job, a job of another owner and a job without its recording cannot be retried', async (t) => {
  const { retries, addFailed, owner, other, mediaPath, found, jobs, media } = await open(t)
  const id = await addFailed()
  await t.rejects(retries.retry(id + 1, callerOf(owner)), { code: 'not_found' })
  await t.rejects(retries.retry(id, callerOf(other)), { code: 'not_found' })
  rmSync(mediaPath(id))
  t.equal(retries.isRetryable(found(id)), false)
  await t.rejects(retries.retry(id, callerOf(owner)), { code: 'gone', message: /Upload it again/ })
  t.equal(jobs.find(id)?.status, 'failed')
  const old = await addFailed()
  media.expireOlder(owner, Infinity)
  t.equal(retries.isRetryable(found(old)), false, 'too old, though its file is still to follow')
})

t.test('a job stays failed when the disk has no room for its audio or the queue is full', async (t) => {
  let free = Number.MAX_SAFE_INTEGER
  const changes = { files: { freeBytes: async () => free }, minFreeBytes: 1000, maxQueued: 1 }
  const { retries, addFailed, owner, jobs, addJob, db } = await open(t, changes)
  const id = await addFailed()
  free = 1000 + 20 * 32_000 - 1
  await t.rejects(retries.retry(id, callerOf(owner)), { code: 'insufficient_storage' })
  free++
  const waiting = addJob('other')
  await t.rejects(retries.retry(id, callerOf(owner)), { code: 'queue_full', headers: { 'retry-after': '60' } })
  t.match(jobs.find(id), { status: 'failed', retryCount: 0 })
  db.prepare('DELETE FROM job WHERE id = ?').run(waiting)
  t.match(await retries.retry(id, callerOf(owner)), { status: 'queued' })
})

t.test('a retry of an address starts with nothing of the earlier run, because another recording may be there by now', async (t) => {
  const { retries, submitAddress, owner, jobs, media, sources, windows, transcripts } = await open(t)
  const id = await submitAddress('https://example.org/talk.mp3')
  windows.insert({ jobId: id, purpose: 'speech', idx: 0 }, { startSample: 0, endSample: 16_000 })
  transcripts.insertWindow(id, 0, [{ startMs: 0, endMs: 1000, text: ' old', words: [] }])
  transcripts.setSkipped(id, [{ startMs: 1000, endMs: 2000, reason: 'silence', probability: 0, levelDb: -90 }])
  jobs.setHeardLanguage(id, 'de', 1)
  jobs.setDecoded(id, 20_000, 1)
  jobs.addDone(id, 10_000, 1)
  jobs.fail(id, 'source_unreachable', 1)
  t.equal(media.find(jobs.find(id)?.mediaId ?? 0)?.state, 'expected', 'nothing is stored')
  const job = await retries.retry(id, callerOf(owner))
  t.match(job, { id, status: 'queued', stage: 'fetch', retryCount: 1, source: { fetched: 0 } })
  t.match(job, { language: undefined, durationMs: undefined, doneMs: 0, failureCode: undefined, completedAt: undefined })
  t.strictSame([windows.list(id, 'speech'), transcripts.list(id), transcripts.listSkipped(id), jobs.listStages(id)], [[], [], [], []])
  t.equal(sources.isNamed(id), false)
})

t.test('a retry keeps the language that the caller asked for, and for a stored recording the one that was detected', async (t) => {
  const { retries, addFailed, submitAddress, owner, jobs } = await open(t)
  t.match(await retries.retry(await addFailed(), callerOf(owner)), { language: 'en', durationMs: 20_000, doneMs: 10_000 })
  const asked = await submitAddress('https://example.org/talk.mp3', { language: 'fr' })
  jobs.fail(asked, 'source_unreachable', 1)
  t.match(await retries.retry(asked, callerOf(owner)), { language: 'fr' })
})
