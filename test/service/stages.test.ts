/** From stage to stage: what a job waits for, and what becomes of it when its last piece of work in a stage is done. */
import t from 'tap'
import type { Test } from 'tap'
import type { WorkClaim } from '../../dist/domain/work.js'
import { FRAME_SAMPLES } from '../../dist/domain/speech-spans.js'
import { SpeechError } from '../../dist/domain/speech-error.js'
import type { SpeechEngine } from '../../dist/engine/speech/engine.js'
import { openSteps } from '../support/steps.ts'
import type { StepChanges } from '../support/steps.ts'

const NO_ABORT = new AbortController().signal
const LIMITS = [{ maxBytes: Infinity, maxActive: 99, maxPerOwner: 99, maxRunning: 99 }]
const SECOND = 16_000
const OPTIONS = { sttQuality: 'fast' } as const

/** A detector for which everything is speech. */
const hearsAll: SpeechEngine['detectSpeech'] = async ({ spans, leadFrames }) => {
  const samples = spans.reduce((sum, { startSample, endSample }) => sum + endSample - startSample, 0)
  const count = Math.floor(samples / FRAME_SAMPLES) - leadFrames
  return {
    probabilities: new Float32Array(count).fill(0.9), freshProbabilities: new Float32Array(count).fill(0.9),
    levelsDb: new Float32Array(count).fill(-20), state: new Float32Array(1)
  }
}

/** A recording of so many seconds. */
const soundOf = (seconds: number) => async function * () {
  for (let second = 0; second < seconds; second++) yield Buffer.alloc(2 * SECOND)
}

async function build (t: Test, seconds: number, changes: StepChanges = {}) {
  const steps = await openSteps(t, {
    decode: soundOf(seconds),
    ...changes,
    speech: {
      detectSpeech: hearsAll,
      detectLanguage: async () => [{ language: 'de', probability: 0.9 }],
      transcribe: async () => ({ segments: [], language: 'fr', isStarter: false }),
      ...changes.speech
    }
  })
  const { decoding, transcribing, jobs } = steps
  /** A claim that must be there. */
  function must (claim: WorkClaim | undefined): WorkClaim {
    if (!claim) throw new Error('no work waits')
    return claim
  }
  async function runWindow (): Promise<WorkClaim> {
    const claim = must(transcribing.claim())
    await transcribing[claim.kind === 'language' ? 'detectLanguage' : 'transcribe'](claim, NO_ABORT)
    return claim
  }
  return {
    ...steps,
    decode: async (onWindow = (): void => {}): Promise<void> => { await decoding.decode(must(decoding.claim(LIMITS)), NO_ABORT, onWindow) },
    runWindow,
    stageOf: (id: number): string | undefined => jobs.find(id)?.stage
  }
}

t.test('a job of which the language is asked for is transcribed while it is decoded, and then completed', async (t) => {
  const { addJob, completeAll, decode, jobs, runWindow, stageOf, transcribing, windows, work } = await build(t, 200)
  const id = addJob('a', { options: { ...OPTIONS, language: 'en' } })
  const early: Array<WorkClaim | undefined> = []
  await decode(() => { if (early.length === 0) early.push(transcribing.claim()) })
  t.match(early, [{ kind: 'transcribe', jobId: id, idx: 0 }])
  if (early[0]) await transcribing.transcribe(early[0], NO_ABORT)
  t.equal(stageOf(id), 'transcribe')
  while (work.hasOpen({ jobId: id, kind: 'transcribe' })) await runWindow()
  t.match([stageOf(id), windows.list(id, 'language')], ['index', []])
  await completeAll()
  t.match(jobs.find(id), { status: 'completed', stage: 'complete', language: 'en', durationMs: 200_000, doneMs: 200_000 })
  t.strictSame(
    jobs.listStages(id).map(({ stage, finishedAt }) => [stage, finishedAt]),
    [['complete', 0], ['decode', 0], ['index', 0], ['transcribe', 0]]
  )
})

t.test('speech waits until samples have told the language', async (t) => {
  const { addJob, decode, jobs, runWindow, stageOf, transcribing, windows } = await build(t, 200)
  const id = addJob('a', { options: OPTIONS })
  await decode(() => { t.equal(transcribing.claim(), undefined, 'nothing is claimed while the language is not known') })
  t.equal(stageOf(id), 'language')
  const samples = windows.list(id, 'language').length
  t.ok(samples > 1)
  for (let sample = 0; sample < samples; sample++) {
    t.equal(jobs.find(id)?.language, undefined)
    t.match(await runWindow(), { kind: 'language', idx: sample })
  }
  t.match(jobs.find(id), { language: 'de', stage: 'transcribe' })
  t.match(await runWindow(), { kind: 'transcribe', idx: 0 })
})

t.test('a recording of one window tells its language while it is transcribed', async (t) => {
  const { addJob, decode, jobs, runWindow, stageOf, windows } = await build(t, 10)
  const id = addJob('a', { options: OPTIONS })
  await decode()
  t.match([stageOf(id), windows.list(id, 'language')], ['transcribe', []])
  await runWindow()
  t.match(jobs.find(id), { language: 'fr', stage: 'index' })
})

t.test('a recording without speech is completed after its decode', async (t) => {
  const { addJob, completeAll, decode, jobs, stageOf } = await build(t, 0)
  const id = addJob('a', { options: OPTIONS })
  await decode()
  t.equal(stageOf(id), 'index')
  await completeAll()
  t.match(jobs.find(id), { status: 'completed', language: undefined, durationMs: 0 })
})

t.test('a job whose decoded sound is gone is decoded again; what is done of it stays', async (t) => {
  let isGone = false
  const { addJob, decode, jobs, runWindow, stageOf, transcribing, windows } = await build(t, 200, {
    speech: {
      async transcribe () {
        if (isGone) throw new SpeechError('audio_missing', 'gone')
        return { segments: [], language: 'de', isStarter: false }
      }
    }
  })
  const id = addJob('a', { options: OPTIONS })
  await decode()
  while (stageOf(id) === 'language') await runWindow()
  await runWindow()
  isGone = true
  await runWindow()
  t.equal(stageOf(id), 'decode')
  t.equal(transcribing.claim(), undefined, 'until somebody decodes it')
  isGone = false
  await decode()
  t.match(jobs.find(id), { stage: 'transcribe', language: 'de' })
  t.strictSame(windows.list(id, 'speech').slice(0, 2).map(({ isDone }) => isDone), [true, false])
  t.match(await runWindow(), { idx: 1 })
})

t.test('a retry of a stored recording transcribes only what is missing, with what is known of its language', async (t) => {
  const { addJob, completeAll, decode, jobs, runWindow, stageOf, windows, work } = await build(t, 200)
  const id = addJob('a', { options: OPTIONS })
  await decode()
  while (stageOf(id) === 'language') await runWindow()
  await runWindow()
  const known = windows.listPosteriors(id)
  jobs.fail(id, 'timeout', 1)
  jobs.retry(id, 2)
  await decode()
  t.match(jobs.find(id), { language: 'de', stage: 'transcribe', retryCount: 1 })
  t.strictSame(windows.listPosteriors(id), known)
  t.match(await runWindow(), { idx: 1, run: 1 })
  while (work.hasOpen({ jobId: id, kind: 'transcribe' })) await runWindow()
  await completeAll()
  t.match(jobs.find(id), { status: 'completed', doneMs: 200_000 })
})

t.test('a decoder that has lost its claim stores nothing more, and the next one begins from the start', async (t) => {
  const { addJob, decode, decoding, jobs, windows, work } = await build(t, 200)
  const id = addJob('a', { options: { ...OPTIONS, language: 'en' } })
  let second: WorkClaim | undefined
  await decode(() => {
    if (second) return
    work.takeBack()
    second = decoding.claim(LIMITS)
  })
  t.equal(jobs.find(id)?.stage, 'decode')
  t.strictSame(windows.list(id, 'speech'), [], 'what it had stored is gone')
  t.equal(work.hasOpen({ jobId: id, kind: 'transcribe' }), false)
  if (second) await decoding.decode(second, NO_ABORT, () => {})
  t.equal(jobs.find(id)?.stage, 'transcribe')
})

t.test('an aborted step is given back and does not count', async (t) => {
  const { addJob, addDecodedJob, decoding, transcribing } = await build(t, 10, {
    speech: { async transcribe () { throw new SpeechError('aborted', 'aborted') } }
  })
  const controller = new AbortController()
  controller.abort()
  addDecodedJob('a', 1)
  const claim = transcribing.claim()
  if (claim) await transcribing.transcribe(claim, controller.signal)
  t.match(transcribing.claim(), { attempt: 1, errors: 0 })
  const id = addJob('a')
  const decode = decoding.claim(LIMITS)
  if (decode) await decoding.decode({ ...decode }, controller.signal, () => { throw new Error('aborted') })
  t.match(decoding.claim(LIMITS), { jobId: id, attempt: 1 })
})

t.test('after each stage behind the windows comes the next one; after the last, nothing', async (t) => {
  const { addDecodedJob, ending, indexing, jobs, stages, transcribing, work } = await build(t, 0)
  const id = addDecodedJob('a', 1)
  const window = transcribing.claim()
  if (!window) throw new Error('a window waits')
  stages.finished('transcribe', window)
  work.finish(window)
  const first = indexing.claim()
  t.match(first, { kind: 'index', jobId: id, run: 0 })
  if (first) await indexing.index(first, new AbortController().signal)
  const last = ending.claim()
  t.match(last, { kind: 'complete', jobId: id, run: 0 })
  if (!last) return
  work.finish(last)
  stages.finished('complete', last)
  t.equal(ending.claim(), undefined)
  t.match(jobs.listStages(id).map(({ stage }) => stage).sort(), ['complete', 'decode', 'index', 'transcribe'])
})
