/** One transcription, step by step, once its media is here: decode → language → transcribe → complete. Every step may be cut off anywhere and be done again. */
import { isDeepStrictEqual } from 'node:util'
import { BYTES_PER_SAMPLE, samplesToMs } from '../domain/audio.js'
import { failureCodeOf, isNoRoom, JobFailure } from '../domain/errors.js'
import type { FailureCode } from '../domain/errors.js'
import { MAX_WINDOW_ERRORS } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import { averagePosteriors, languageSamples, voteLanguage } from '../domain/language.js'
import type { SkippedSpan } from '../domain/transcript.js'
import { createWindowClock, heardSpans } from '../domain/windows.js'
import type { AudioWindow } from '../domain/windows.js'
import { buildSegments } from '../domain/words.js'
import type { decodeAudio, probeMedia } from '../engine/media/ffmpeg.js'
import { PoolError } from '../engine/speech/pool.js'
import type { SpeakerEngine } from '../engine/speech/speakers.js'
import type { Abort, SpeechEngine } from '../engine/speech/engine.js'
import type { Files } from '../store/files.js'
import type { DecodeClaim, JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { WindowClaim, WindowStore } from '../store/windows.js'
import { createEnding } from './ending.js'
import type { EndingDeps } from './ending.js'
import { createSpeakerNaming } from './speakers.js'
import { createWindowing } from './windowing.js'

/** Decoding slower than a tenth of real time, plus ten minutes, is stuck. */
const decodeTimeoutMs = (durationMs: number): number => 10 * 60_000 + durationMs / 10

/** Models that one window may find unusable while there is another. */
const MAX_MODEL_ERRORS = 10

type Deps = EndingDeps & {
  jobs: JobStore
  windows: WindowStore
  transcripts: TranscriptStore
  media: MediaStore
  files: Files
  speech: SpeechEngine
  /** Absent: nobody tells speakers apart. */
  speakers?: SpeakerEngine
  ffmpeg: { probeMedia: typeof probeMedia, decodeAudio: typeof decodeAudio }
  maxMediaSeconds: number
}

/** The claim was lost to another claimant, or the job has ended: what this one made is not wanted any more. */
class ClaimLost extends Error {}

export function createPipeline (deps: Deps) {
  const { jobs, windows, transcripts, media, files, inTransaction, speech, speakers, ffmpeg, maxMediaSeconds, now, log } = deps
  const naming = speakers && createSpeakerNaming({ speakers, transcripts, files, inTransaction, log })
  const { isOver, removeEnded, fail, complete, onEnded } = createEnding(deps)

  /** Moves the job on as far as its windows allow; true when only completing it is left. */
  function advance (jobId: number): boolean {
    const job = jobs.find(jobId)
    if (job?.status !== 'processing') return false
    let { stage } = job
    if (stage === 'language' && windows.countOpen(jobId, 'language') === 0) {
      jobs.setHeardLanguage(jobId, voteLanguage(windows.listPosteriors(jobId)), now())
      jobs.enterStage(jobId, 'language', 'transcribe', now())
      stage = 'transcribe'
    }
    if (stage === 'transcribe' && windows.countOpen(jobId, 'speech') === 0) {
      jobs.enterStage(jobId, 'transcribe', 'complete', now())
      stage = 'complete'
    }
    return stage === 'complete'
  }

  /** Completes the job when its last window is done. Safe to call at any time, any number of times. */
  async function settle (jobId: number): Promise<void> {
    const isAllDone = inTransaction(() => advance(jobId))
    if (!isAllDone || naming?.isUnderWay(jobId)) return
    await naming?.name(jobId)
    await complete(jobId)
  }

  async function settleAll (): Promise<void> {
    for (const jobId of jobs.listActive()) await settle(jobId)
  }

  /** Stores window `idx`, keeping one that an earlier decode stored and that is done. Throws `ClaimLost`. */
  function storeWindow ({ job, attempt }: DecodeClaim, idx: number, window: AudioWindow): void {
    inTransaction(() => {
      if (!jobs.isDecodeClaim(job.id, attempt)) throw new ClaimLost()
      const key = { jobId: job.id, purpose: 'speech', idx } as const
      const known = windows.find(key)
      if (known && isDeepStrictEqual(known, window)) return
      if (known) dropFrom(job.id, idx)
      windows.insert(key, window)
    })
  }

  /** Another decoder cut differently (a new version, say): what follows from here is made anew. */
  function dropFrom (jobId: number, idx: number): void {
    windows.removeFrom({ jobId, purpose: 'speech', idx })
    transcripts.removeFrom(jobId, idx)
  }

  /** Ends the decode step: everything is on disk, all windows are known. Throws `ClaimLost`. */
  function storeDecoded ({ job, attempt }: DecodeClaim, cut: AudioWindow[], skipped: readonly SkippedSpan[], totalSamples: number): void {
    inTransaction(() => {
      if (!jobs.isDecodeClaim(job.id, attempt)) throw new ClaimLost()
      dropFrom(job.id, cut.length)
      transcripts.setSkipped(job.id, skipped)
      jobs.setDecoded(job.id, samplesToMs(totalSamples), now())
      // One window tells its language while it is transcribed; none has no language to tell.
      if (job.language !== undefined || cut.length <= 1) return jobs.enterStage(job.id, 'decode', 'transcribe', now())
      for (const [idx, sample] of languageSamples(cut.length).entries()) {
        windows.insert({ jobId: job.id, purpose: 'language', idx }, cut[sample] ?? { startSample: 0, endSample: 0 })
      }
      jobs.enterStage(job.id, 'decode', 'language', now())
    })
  }

  async function decodeMedia (claim: DecodeClaim, signal: AbortSignal, onWindow: () => void): Promise<void> {
    const { job } = claim
    // Before anything is waited for: windows of an earlier decode would be claimed meanwhile, and then decoded twice.
    windows.removeOpen(job.id)
    const source = media.find(job.mediaId)
    if (!source) throw new Error(`job ${job.id} has no media row`)
    const path = files.mediaPath(source.file)
    const facts = await ffmpeg.probeMedia(path, signal)
    if ((facts.durationMs ?? 0) > maxMediaSeconds * 1000) throw new JobFailure('media_too_long', 'longer than allowed')
    const windowing = createWindowing(speech, files.audioPath(job.id))
    const cut: AudioWindow[] = []
    let samples = 0
    const store = (found: AudioWindow[]): void => {
      for (const window of found) storeWindow(claim, cut.push(window) - 1, window)
      if (found.length > 0) onWindow()
    }
    const audio = await files.writeAudio(job.id)
    try {
      const limits = { maxSeconds: maxMediaSeconds, timeoutMs: decodeTimeoutMs(facts.durationMs ?? maxMediaSeconds * 1000), signal }
      for await (const chunk of ffmpeg.decodeAudio(path, facts, limits)) {
        await audio.append(chunk)
        samples += chunk.length / BYTES_PER_SAMPLE
        store(await windowing.advance(samples))
      }
      store(await windowing.finish(samples))
      await audio.sync()
      storeDecoded(claim, cut, windowing.skipped(), samples)
    } finally {
      await audio.close()
    }
  }

  async function transcribeWindow (job: Job, window: WindowClaim, abort: Abort): Promise<void> {
    const source = { audioPath: files.audioPath(job.id), spans: heardSpans(window) }
    const quality = job.options.sttQuality
    if (window.purpose === 'language') {
      const posteriors = await speech.detectLanguage(source, { quality }, abort)
      windows.finish(window, posteriors)
      return
    }
    const prior = averagePosteriors(windows.listPosteriors(job.id))
    const wanted = { quality, language: job.options.language, prior, prompt: job.options.prompt ?? '', terms: job.options.terms ?? [] }
    const { segments: decoded, language, isStarter } = await speech.transcribe(source, wanted, abort)
    const segments = buildSegments(decoded, createWindowClock(window))
    inTransaction(() => {
      // A window that another has claimed since, or whose job has ended, stores nothing: each window's text is there once.
      if (jobs.find(job.id)?.status !== 'processing' || !windows.finish(window)) return
      transcripts.insertWindow(job.id, window.idx, segments)
      windows.setOutcome(window, { wordCount: segments.reduce((sum, { words }) => sum + words.length, 0), isStarter })
      jobs.addDone(job.id, samplesToMs(window.endSample - window.startSample), now())
      if (job.language === undefined) jobs.setHeardLanguage(job.id, language, now())
    })
  }

  async function windowFailed (job: Job, window: WindowClaim, error: unknown): Promise<void> {
    const code = error instanceof PoolError ? error.code : 'internal_error'
    if (code === 'aborted') return windows.release(window)
    const errors = windows.noteError(window)
    if (errors === undefined) return
    if (code === 'audio_missing') return decodeAgain(window.jobId)
    // A model that cannot be used has been passed over: the next try has another, if there is one.
    const maxErrors = code === 'model_unavailable' && speech.hasModel(job.options.sttQuality) ? MAX_MODEL_ERRORS : MAX_WINDOW_ERRORS
    if (errors >= maxErrors) return await fail(job, code, error)
    log.warn({ jobId: window.jobId, window: window.idx, code, err: error }, 'window failed, trying again')
  }

  /** Removes what jobs that have ended, or are not there any more, left on disk. */
  async function sweep (): Promise<void> {
    for (const name of await files.listUntouched('work', Infinity)) await removeEnded(Number(name))
  }

  function decodeAgain (jobId: number): void {
    inTransaction(() => {
      const job = jobs.find(jobId)
      if (job && job.stage !== 'decode') jobs.enterStage(jobId, job.stage, 'decode', now())
    })
  }

  return {
    onEnded,

    /** The decode step. Calls `onWindow` whenever new windows wait. When `signal` aborts, the claim is given back. */
    async decode (claim: DecodeClaim, signal: AbortSignal, onWindow: () => void): Promise<void> {
      const { job, attempt } = claim
      try {
        await decodeMedia(claim, signal, onWindow)
        await settle(job.id)
      } catch (error) {
        if (error instanceof ClaimLost || isOver(job)) return await removeEnded(job.id)
        if (signal.aborted) return jobs.releaseDecode(job.id, attempt)
        await fail(job, failureCode(error), error)
      }
    },

    /** One window. When `abort` is raised, the window is given back undone. */
    async runWindow (window: WindowClaim, abort: Abort): Promise<void> {
      const job = jobs.find(window.jobId)
      if (job?.status !== 'processing') return
      try {
        await transcribeWindow(job, window, abort)
      } catch (error) {
        if (isNoRoom(error)) return await fail(job, 'insufficient_storage', error)
        return await windowFailed(job, window, error)
      }
      await settle(job.id)
    },

    /** Ends the jobs that only lack their last step. */
    settleAll,
    fail,
    removeEnded,

    /** After a start: ends what only lacked its last step, gives up what takes the process down every time, removes what jobs left on disk. */
    async recover (): Promise<void> {
      for (const job of jobs.listExhausted()) await fail(job, 'worker_crashed', new Error('begun too often without coming to an end'))
      await settleAll()
      await sweep()
    },

    sweep
  }
}
export type Pipeline = ReturnType<typeof createPipeline>

/** The same of steps that use the pool. */
function failureCode (error: unknown): FailureCode {
  return error instanceof PoolError && error.code !== 'aborted' && error.code !== 'audio_missing' ? error.code : failureCodeOf(error)
}
