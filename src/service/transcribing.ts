/** The work on one window: detecting the language of a sample, or transcribing. Both run on the threads of the pool. */
import { samplesToMs } from '../domain/audio.js'
import { isNoRoom } from '../domain/errors.js'
import { MAX_ATTEMPTS, MAX_WINDOW_ERRORS } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import { averagePosteriors } from '../domain/language.js'
import type { Log } from '../domain/log.js'
import { SpeechError } from '../domain/speech-error.js'
import { createWindowClock, decodedSpans } from '../domain/windows.js'
import type { AudioWindow, WindowPurpose } from '../domain/windows.js'
import { buildSegments } from '../domain/words.js'
import type { WorkClaim } from '../domain/work.js'
import type { SpeechEngine } from '../engine/speech/engine.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { WindowStore } from '../store/windows.js'
import type { WorkOrders } from '../store/work-orders.js'
import type { WorkStore } from '../store/work.js'
import type { Ending } from './ending.js'
import type { Queue } from './queue.js'
import type { Stages } from './stages.js'

/** How many times a window may fail because its model is unusable, while another model is available. */
const MAX_MODEL_ERRORS = 10

type Deps = {
  jobs: JobStore
  windows: WindowStore
  transcripts: Pick<TranscriptStore, 'insertWindow'>
  work: WorkStore
  orders: Pick<WorkOrders, 'byTurn'>
  queue: Pick<Queue, 'claim'>
  stages: Pick<Stages, 'sampled' | 'transcribed' | 'decodeAgain'>
  ending: Pick<Ending, 'fail'>
  files: Pick<Files, 'audioPath'>
  inTransaction: InTransaction
  speech: SpeechEngine
  now: () => number
  log: Log
}

/** A claimed window with its job. */
type Step = { claim: WorkClaim, job: Job, window: AudioWindow }

export function createTranscribing (deps: Deps) {
  const { jobs, windows, transcripts, work, orders, queue, stages, ending, files, inTransaction, speech, now, log } = deps
  const KINDS = ['language', 'transcribe'] as const
  const next = orders.byTurn(KINDS)

  const keyOf = ({ jobId, idx }: WorkClaim, purpose: WindowPurpose) => ({ jobId, purpose, idx })
  const sourceOf = ({ job, window }: Step) => ({ audioPath: files.audioPath(job.id, window.channel), spans: decodedSpans(window) })

  async function tellLanguage (step: Step, signal: AbortSignal): Promise<void> {
    const { claim, job } = step
    const posteriors = await speech.detectLanguage(sourceOf(step), { quality: job.options.sttQuality }, signal)
    inTransaction(() => {
      if (!work.finish(claim)) return
      windows.setPosteriors(keyOf(claim, 'language'), posteriors)
      stages.sampled(claim)
    })
  }

  async function transcribeSpeech (step: Step, signal: AbortSignal): Promise<void> {
    const { claim, job, window } = step
    const prior = averagePosteriors(windows.listPosteriors(job.id))
    const { sttQuality: quality, language: asked, prompt = '', terms = [] } = job.options
    const wanted = { quality, language: asked, prior, prompt, terms }
    const { segments: decoded, language, isStarter } = await speech.transcribe(sourceOf(step), wanted, signal)
    const { channel } = window
    const segments = buildSegments(decoded, createWindowClock(window)).map((segment) => ({ ...segment, ...(channel ? { channel } : {}) }))
    inTransaction(() => {
      // Only the latest claim of a job in progress stores text, so the text of each window is stored once.
      if (!work.finish(claim)) return
      transcripts.insertWindow(job.id, claim.idx, segments)
      windows.setOutcome(keyOf(claim, 'speech'), { wordCount: segments.reduce((sum, { words }) => sum + words.length, 0), isStarter })
      jobs.addDone(job.id, samplesToMs(window.endSample - window.startSample), now())
      if (job.language === undefined) jobs.setHeardLanguage(job.id, language, now())
      stages.transcribed(claim)
    })
  }

  async function failed ({ claim, job }: Step, error: unknown): Promise<void> {
    if (!work.isClaim(claim)) return
    if (isNoRoom(error)) return await ending.fail(job, 'insufficient_storage', error)
    const code = error instanceof SpeechError ? error.code : 'internal_error'
    if (code === 'aborted') return work.release(claim)
    if (code === 'worker_crashed' && claim.attempt < MAX_ATTEMPTS) {
      log.warn({ jobId: job.id, window: claim.idx, code, err: error }, 'window ended the inference process, trying again')
      return work.putBack(claim)
    }
    const errors = inTransaction(() => {
      const count = work.noteError(claim)
      if (count !== undefined && code === 'audio_missing') stages.decodeAgain(claim)
      return count
    })
    if (errors === undefined || code === 'audio_missing') return
    // The unusable model is now excluded, so the next attempt uses another one, if there is one.
    const maxErrors = code === 'model_unavailable' && speech.hasModel(job.options.sttQuality) ? MAX_MODEL_ERRORS : MAX_WINDOW_ERRORS
    if (errors >= maxErrors) return await ending.fail(job, code, error)
    log.warn({ jobId: job.id, window: claim.idx, code, err: error }, 'window failed, trying again')
  }

  /** Runs a step. When `signal` aborts, the window is given back undone. */
  async function run (claim: WorkClaim, purpose: WindowPurpose, signal: AbortSignal, decode: typeof tellLanguage): Promise<void> {
    const job = jobs.find(claim.jobId)
    const window = windows.find(keyOf(claim, purpose))
    if (!job || !window) return
    try {
      await decode({ claim, job, window }, signal)
    } catch (error) {
      await failed({ claim, job, window }, error)
    }
  }

  return {
    /** Claims the next window, of either kind, by fair turn of owner and job. */
    claim: (): WorkClaim | undefined => queue.claim({ kinds: KINDS, next, begin: ({ jobId }) => { jobs.takeTurn(jobId) } }),
    detectLanguage: async (claim: WorkClaim, signal: AbortSignal): Promise<void> => { await run(claim, 'language', signal, tellLanguage) },
    transcribe: async (claim: WorkClaim, signal: AbortSignal): Promise<void> => { await run(claim, 'speech', signal, transcribeSpeech) }
  }
}
export type Transcribing = ReturnType<typeof createTranscribing>
