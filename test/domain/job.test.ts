import t from 'tap'
import { hasEnded, JOB_STATUSES, jobProgress, whyNotRetryable } from '../../dist/domain/job.js'
import type { JobStatus } from '../../dist/domain/job.js'

const progress = (status: JobStatus, doneMs: number, durationMs?: number): number =>
  jobProgress({ status, source: undefined, doneMs, durationMs })

t.test('progress is the share of the sound that is done, with one decimal', async (t) => {
  t.equal(progress('processing', 0, 60_000), 0)
  t.equal(progress('processing', 15_000, 60_000), 25)
  t.equal(progress('processing', 20_000, 60_000), 33.3)
  t.equal(progress('processing', 59_999, 60_000), 99.9)
})

t.test('100 is only for completed jobs', async (t) => {
  t.equal(progress('processing', 60_000, 60_000), 99.9)
  t.equal(progress('processing', 61_000, 60_000), 99.9)
  t.equal(progress('completed', 60_000, 60_000), 100)
  t.equal(progress('completed', 0, 0), 100)
  t.equal(progress('completed', 0), 100)
})

t.test('before the length is known it is 0', async (t) => {
  t.equal(progress('queued', 0), 0)
  t.equal(progress('processing', 5000), 0)
  t.equal(progress('processing', 0, 0), 0)
})

t.test('fetching is the first tenth, in jobs that begin with it', async (t) => {
  const at = (fetched: number, doneMs: number, durationMs?: number): number =>
    jobProgress({
      status: 'processing',
      source: { url: 'https://example.org/', title: undefined, publishedAt: undefined, fetched },
      doneMs,
      durationMs
    })
  t.strictSame([at(0, 0), at(0.5, 0), at(1, 0), at(1, 0, 60_000), at(1, 30_000, 60_000), at(1, 60_000, 60_000)], [0, 5, 10, 10, 55, 99.9])
})

t.test('a failed job keeps what it had reached', async (t) => {
  t.equal(progress('failed', 30_000, 60_000), 50)
  t.equal(progress('failed', 0), 0)
})

t.test('progress never goes down while more is done', async (t) => {
  const steps = Array.from({ length: 1001 }, (_, index) => progress('processing', index * 37, 37_001))
  t.ok(steps.every((step, index) => index === 0 || step >= (steps[index - 1] ?? 0)))
  t.ok(steps.every((step) => Math.round(step * 10) / 10 === step), 'one decimal')
})

t.test('a job may be retried when it failed, three times, while its source is there', async (t) => {
  const gone = (): boolean => false
  const there = (): boolean => true
  const never = (): boolean => { throw new Error('must not be asked') }
  for (const status of ['queued', 'processing', 'completed'] as const) {
    t.equal(whyNotRetryable({ status, retryCount: 0 }, never), 'not_failed')
  }
  for (const retryCount of [0, 1, 2]) {
    t.equal(whyNotRetryable({ status: 'failed', retryCount }, there), undefined)
    t.equal(whyNotRetryable({ status: 'failed', retryCount }, gone), 'source_gone')
  }
  for (const retryCount of [3, 4]) t.equal(whyNotRetryable({ status: 'failed', retryCount }, never), 'retries_used')
})

t.test('a job has ended when it is completed or failed', async (t) => {
  t.strictSame(JOB_STATUSES.filter((status) => hasEnded({ status })), ['completed', 'failed'])
})
