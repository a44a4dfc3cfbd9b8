/** Steps that end after their job did: what they made goes nowhere, and what has begun since is left alone. */
import { mkdirSync, readdirSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import type { MediaFacts } from '../../dist/engine/media/ffmpeg.js'
import type { SpeechEngine } from '../../dist/engine/speech/engine.js'
import { createPipeline } from '../../dist/service/pipeline.js'
import { createFiles } from '../../dist/store/files.js'
import { openStores } from '../support/store.ts'

const NO_ABORT = { flag: new Int32Array(1), stop: (): void => {} }
const LIMITS = { maxBytes: Infinity, maxActive: 9, maxPerOwner: 9 }
const full = Object.assign(new Error('write'), { code: 'ENOSPC' })

/** A pipeline whose engines do what the test says in the middle of their work, and then fail. */
async function build (t: Test, meanwhile: () => void, failure: Error) {
  const stores = openStores(t)
  const dataDir = t.testdir()
  const files = createFiles(dataDir)
  await files.prepare()
  const unused = (): never => { throw new Error('not part of this test') }
  const fail = async (): Promise<never> => {
    meanwhile()
    throw failure
  }
  const speech: SpeechEngine = { slots: 1, hasModel: () => false, transcribe: fail, detectLanguage: fail, detectSpeech: unused, prepareDetector: unused, describe: unused, warmUp: unused }
  const facts: MediaFacts = { durationMs: 1000, exactDurationMs: undefined }
  const pipeline = createPipeline({
    ...stores,
    deliveries: { enqueue () {} },
    files,
    speech,
    retention: { release: async () => {} },
    ffmpeg: {
      probeMedia: async () => facts,
      async * decodeAudio () {
        yield Buffer.alloc(32)
        await fail()
      }
    },
    maxMediaSeconds: 3600,
    now: () => 0,
    log: { info () {}, warn () {}, error () {} }
  })
  const work = (): string[] => readdirSync(dataDir + '/work')
  return { ...stores, files, pipeline, work }
}

/** Fails the job, retries it, and has its new run begun. */
function failAndRetry ({ jobs, windows }: Pick<ReturnType<typeof openStores>, 'jobs' | 'windows'>, jobId: number): void {
  jobs.fail(jobId, 'timeout', 0)
  windows.removeOpen(jobId)
  jobs.retry(jobId, 0)
  jobs.claimDecode(0, 1000, LIMITS)
}

for (const [what, failure] of [['fault', new Error('broken')], ['full disk', full]] as const) {
  t.test(`a window that ends in a ${what} after a retry does not fail the retried job, nor remove its sound`, async (t) => {
    let jobId = 0
    const it = await build(t, () => {
      failAndRetry(it, jobId)
      mkdirSync(it.files.audioPath(jobId).replace(/\/audio\.pcm$/, ''))
    }, failure)
    jobId = it.addDecodedJob('a', 1)
    const window = it.windows.claim(0, 1000)
    if (!window) throw new Error('a window waits')
    await it.pipeline.runWindow(window, NO_ABORT)
    t.match(it.jobs.find(jobId), { status: 'processing', retryCount: 1, failureCode: undefined })
    t.strictSame(it.work(), [String(jobId)])
  })

  t.test(`a decode that ends in a ${what} after a retry does not fail the retried job`, async (t) => {
    let jobId = 0
    const it = await build(t, () => { failAndRetry(it, jobId) }, failure)
    jobId = it.addJob('a')
    const claim = it.jobs.claimDecode(0, 1000, LIMITS)
    if (!claim) throw new Error('a decode waits')
    await it.pipeline.decode(claim, new AbortController().signal, () => {})
    t.match(it.jobs.find(jobId), { status: 'processing', retryCount: 1, failureCode: undefined })
    t.equal(it.jobs.isDecodeClaim(jobId, claim.attempt + 1), true, 'the new run has its claim still')
  })

  t.test(`a decode of a removed job that ends in a ${what} leaves nothing on disk`, async (t) => {
    const it = await build(t, () => { it.jobs.remove(1) }, failure)
    it.addJob('a')
    const claim = it.jobs.claimDecode(0, 1000, LIMITS)
    if (!claim) throw new Error('a decode waits')
    const controller = new AbortController()
    controller.abort()
    await it.pipeline.decode(claim, controller.signal, () => {})
    t.strictSame(it.work(), [])
  })
}

t.test('the sweep removes the work of jobs that ended or are not there, and no other', async (t) => {
  const it = await build(t, () => {}, full)
  const [active, failed] = [it.addJob('a'), it.addJob('a')]
  it.jobs.fail(failed, 'timeout', 0)
  for (const jobId of [active, failed, 99]) await it.files.writeAudio(jobId).then(async (audio) => { await audio.close() })
  await it.pipeline.sweep()
  t.strictSame(it.work(), [String(active)])
})
