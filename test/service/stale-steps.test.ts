/** Steps that end after their job did: their results are discarded, and later work is not affected. */
import { mkdirSync, readdirSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import type { WorkClaim } from '../../dist/domain/work.js'
import { openSteps } from '../support/steps.ts'

const NO_ABORT = new AbortController().signal
const LIMITS = [{ maxBytes: Infinity, maxActive: 9, maxPerOwner: 9, maxRunning: 9 }]
const full = Object.assign(new Error('write'), { code: 'ENOSPC' })

/** Steps whose engines do what the test says in the middle of their work, and then fail. */
async function build (t: Test, meanwhile: () => void, failure: Error) {
  const fail = async (): Promise<never> => {
    meanwhile()
    throw failure
  }
  const steps = await openSteps(t, {
    speech: { transcribe: fail, detectLanguage: fail },
    async * decode () {
      yield Buffer.alloc(32)
      await fail()
    }
  })
  return { ...steps, listWork: (): string[] => readdirSync(steps.dataDir + '/work') }
}
type Built = Awaited<ReturnType<typeof build>>

/** Fails the job, retries it, and has its new run begun; the claim of that. */
function failAndRetry ({ decoding, jobs, windows }: Built, jobId: number): WorkClaim | undefined {
  jobs.fail(jobId, 'timeout', 0)
  windows.removeOpen(jobId)
  jobs.retry(jobId, 0)
  return decoding.claim(LIMITS)
}

/** A claim that must be there. */
function must (claim: WorkClaim | undefined): WorkClaim {
  if (!claim) throw new Error('no work waits')
  return claim
}

for (const [what, failure] of [['fault', new Error('broken')], ['full disk', full]] as const) {
  t.test(`a window that ends in a ${what} after a retry does not fail the retried job, nor remove its sound`, async (t) => {
    let jobId = 0
    const it: Built = await build(t, () => {
      failAndRetry(it, jobId)
      mkdirSync(it.files.audioPath(jobId).replace(/\/audio\.pcm$/, ''))
    }, failure)
    jobId = it.addDecodedJob('a', 1)
    await it.transcribing.transcribe(must(it.transcribing.claim()), NO_ABORT)
    t.match(it.jobs.find(jobId), { status: 'processing', retryCount: 1, failureCode: undefined })
    t.strictSame(it.listWork(), [String(jobId)])
  })

  t.test(`a window that ends in a ${what} after its lease ran out leaves the job to the next claimant`, async (t) => {
    let next: WorkClaim | undefined
    const it: Built = await build(t, () => {
      it.work.takeBack()
      next = it.transcribing.claim()
    }, failure)
    const jobId = it.addDecodedJob('a', 1)
    await it.transcribing.transcribe(must(it.transcribing.claim()), NO_ABORT)
    t.match(it.jobs.find(jobId), { status: 'processing', failureCode: undefined })
    t.equal(it.work.isClaim(must(next)), true)
    t.match(next, { errors: 0 })
  })

  t.test(`a decode that ends in a ${what} after a retry does not fail the retried job`, async (t) => {
    let jobId = 0
    let next: WorkClaim | undefined
    const it: Built = await build(t, () => { next = failAndRetry(it, jobId) }, failure)
    jobId = it.addJob('a')
    await it.decoding.decode(must(it.decoding.claim(LIMITS)), NO_ABORT, () => {})
    t.match(it.jobs.find(jobId), { status: 'processing', retryCount: 1, failureCode: undefined })
    t.equal(it.work.isClaim(must(next)), true, 'the new run still has its claim')
  })

  t.test(`a decode of a removed job that ends in a ${what} leaves nothing on disk`, async (t) => {
    const it: Built = await build(t, () => { it.jobs.remove(1) }, failure)
    it.addJob('a')
    const controller = new AbortController()
    controller.abort()
    await it.decoding.decode(must(it.decoding.claim(LIMITS)), controller.signal, () => {})
    t.strictSame(it.listWork(), [])
  })
}

t.test('the sweep removes the work of jobs that ended or are not there, and no other', async (t) => {
  const it = await build(t, () => {}, full)
  const [active, failed] = [it.addJob('a'), it.addJob('a')]
  it.jobs.fail(failed, 'timeout', 0)
  for (const jobId of [active, failed, 99]) await it.files.writeAudio(jobId).then(async (audio) => { await audio.close() })
  await it.ending.sweep()
  t.strictSame(it.listWork(), [String(active)])
})
