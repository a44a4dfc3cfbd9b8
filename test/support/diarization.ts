/** The stage `speakers` over real stores, with engines that hear a word in each second of a recording. */
import type { Test } from 'tap'
import type { JobOptions } from '../../dist/domain/job.js'
import { FRAME_SAMPLES } from '../../dist/domain/speech-spans.js'
import type { WorkClaim } from '../../dist/domain/work.js'
import type { SpeechEngine } from '../../dist/engine/speech/engine.js'
import type { SpeakerEngine } from '../../dist/engine/speech/speakers.js'
import { createTestSpeakers } from './speaker-engine.ts'
import { openSteps } from './steps.ts'
import type { StepChanges } from './steps.ts'

const NO_ABORT = new AbortController().signal
const LIMITS = [{ maxBytes: Infinity, maxActive: 99, maxPerOwner: 99, maxRunning: 99 }]
export const ANY = { maxDurationMs: Number.MAX_SAFE_INTEGER }

const hear = (probability: number): SpeechEngine['detectSpeech'] => async ({ spans, leadFrames }) => {
  const samples = spans.reduce((sum, { startSample, endSample }) => sum + endSample - startSample, 0)
  const count = Math.floor(samples / FRAME_SAMPLES) - leadFrames
  return {
    probabilities: new Float32Array(count).fill(probability), freshProbabilities: new Float32Array(count).fill(probability),
    levelsDb: new Float32Array(count).fill(probability > 0.5 ? -20 : -90), state: new Float32Array(1)
  }
}

/** One word in each second of a window. */
const transcribe: SpeechEngine['transcribe'] = async ({ spans }) => {
  const seconds = Math.round(spans.reduce((sum, { startSample, endSample }) => sum + endSample - startSample, 0) / 16_000)
  const tokens = Array.from({ length: seconds }, (_, second) =>
    ({ bytes: ' word', startMs: second * 1000 + 200, endMs: second * 1000 + 800, probability: 1 }))
  return { segments: [{ startMs: 0, endMs: seconds * 1000, tokens }], language: 'en', isStarter: false }
}

type Changes = StepChanges & { engine?: Partial<SpeakerEngine>, probability?: number }

/** Steps for recordings of so many seconds. `probability`: of speech, everywhere. */
export async function build (t: Test, seconds: number, changes: Changes = {}) {
  const speakers = createTestSpeakers(changes.engine)
  const steps = await openSteps(t, {
    decode: async function * () { for (let second = 0; second < seconds; second++) yield Buffer.alloc(32_000) },
    speakerEngine: speakers.engine,
    ...changes,
    speech: { detectSpeech: hear(changes.probability ?? 0.9), transcribe, ...changes.speech }
  })
  const { decoding, transcribing, diarizing, completeAll, jobs, work } = steps
  const must = (claim: WorkClaim | undefined): WorkClaim => {
    if (!claim) throw new Error('no work waits')
    return claim
  }
  async function runPiece (signal = NO_ABORT): Promise<WorkClaim> {
    const claim = must(diarizing.claim(ANY))
    await diarizing.run(claim, signal)
    return claim
  }
  async function runWindows (id: number): Promise<void> {
    while (work.hasOpen({ jobId: id, kind: 'transcribe' })) await transcribing.transcribe(must(transcribing.claim()), NO_ABORT)
  }
  async function runPieces (id: number): Promise<void> {
    while (work.hasOpen({ jobId: id, kind: 'speakers' })) await runPiece()
  }
  return {
    ...steps,
    ...speakers,
    runPiece,
    runPieces,
    runWindows,
    decode: async (): Promise<void> => { await decoding.decode(must(decoding.claim(LIMITS)), NO_ABORT, () => {}) },
    addRecording: (owner = 'a', options: Partial<JobOptions> = {}): number =>
      steps.addJob(owner, { options: { sttQuality: 'fast', language: 'en', ...options } }),
    async finishAll (id: number): Promise<void> {
      await runWindows(id)
      await runPieces(id)
      await completeAll()
    },
    stageOf: (id: number): string | undefined => jobs.find(id)?.stage
  }
}
