/** The decode step: ffmpeg writes the sound to disk, and while it arrives it is divided into windows. */
import { isDeepStrictEqual } from 'node:util'
import { samplesToMs } from '../domain/audio.js'
import { CHANNELS } from '../domain/channels.js'
import type { Job } from '../domain/job.js'
import { languageSamples } from '../domain/language.js'
import type { Peaks } from '../domain/peaks.js'
import type { SkippedSpan } from '../domain/transcript.js'
import type { AudioWindow } from '../domain/windows.js'
import { ClaimLost } from '../domain/work.js'
import type { WorkClaim } from '../domain/work.js'
import type { SpeechEngine } from '../engine/speech/engine.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { PeakStore } from '../store/peaks.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { WindowStore } from '../store/windows.js'
import type { DecodeLimits, WorkOrders } from '../store/work-orders.js'
import type { WorkStore } from '../store/work.js'
import { cutChannels } from './channel-windowing.js'
import type { Diarizing } from './diarizing.js'
import { stepFailureCode } from './ending.js'
import type { Ending } from './ending.js'
import type { Queue } from './queue.js'
import type { Stages } from './stages.js'
import type { Sound } from './sound.js'
import { createWindowing } from './windowing.js'

export type { DecodeLimits }

type Deps = {
  jobs: JobStore
  windows: WindowStore
  transcripts: TranscriptStore
  peaks: PeakStore
  work: WorkStore
  orders: Pick<WorkOrders, 'decode'>
  queue: Pick<Queue, 'claim'>
  stages: Pick<Stages, 'decoded'>
  ending: Pick<Ending, 'fail' | 'removeEnded'>
  sound: Sound
  diarizing: Pick<Diarizing, 'begin' | 'needsMix'>
  files: Pick<Files, 'audioPath'>
  inTransaction: InTransaction
  speech: Pick<SpeechEngine, 'detectSpeech'>
  now: () => number
}

/** The result of decoding a whole recording. */
type Decoded = {
  cut: readonly AudioWindow[], skipped: readonly SkippedSpan[], totalSamples: number, channels: number, peaks: Peaks
}

export function createDecoding (deps: Deps) {
  const { jobs, windows, transcripts, work, orders, queue, stages, ending, sound, diarizing, files, inTransaction, speech, now } = deps

  /** Removes unfinished work of an earlier decoder: its windows would be claimed meanwhile, and then transcribed twice. */
  function begin ({ jobId }: WorkClaim): void {
    jobs.begin(jobId, 'decode', now())
    for (const kind of ['language', 'transcribe', 'speakers']) work.remove({ jobId, kind })
    windows.removeOpen(jobId)
  }

  /** Removes the windows from `idx` on and their results, because another version of the decoder may divide differently. */
  function dropFrom (jobId: number, idx: number): void {
    windows.removeFrom({ jobId, purpose: 'speech', idx })
    work.remove({ jobId, kind: 'transcribe' }, idx)
    transcripts.removeFrom(jobId, idx)
  }

  /** Stores window `idx` and its work; one that an earlier run has transcribed stays. Throws `ClaimLost`. */
  function storeWindow (claim: WorkClaim, job: Job, idx: number, window: AudioWindow): void {
    const { jobId, run } = claim
    inTransaction(() => {
      if (!work.isClaim(claim)) throw new ClaimLost()
      const key = { jobId, purpose: 'speech', idx } as const
      const known = windows.find(key)
      if (known && isDeepStrictEqual(known, window)) return
      if (known) dropFrom(jobId, idx)
      windows.insert(key, window)
      work.insert({ kind: 'transcribe', jobId, idx, run, state: job.language === undefined ? 'waiting' : 'ready' })
    })
  }

  /** Stores the samples for detecting the language. The language of a single window is detected while it is transcribed. */
  function storeSamples ({ jobId, run }: WorkClaim, cut: readonly AudioWindow[]): void {
    if (cut.length <= 1) return
    windows.removeFrom({ jobId, purpose: 'language', idx: 0 })
    for (const [idx, sample] of languageSamples(cut.length).entries()) {
      windows.insert({ jobId, purpose: 'language', idx }, cut[sample] ?? { startSample: 0, endSample: 0 })
      work.insert({ kind: 'language', jobId, idx, run })
    }
  }

  /** Ends the step: everything is on disk, all windows are known. Throws `ClaimLost`. */
  function storeDecoded (claim: WorkClaim, job: Job, { cut, skipped, totalSamples, channels, peaks }: Decoded): void {
    inTransaction(() => {
      if (!work.finish(claim)) throw new ClaimLost()
      dropFrom(job.id, cut.length)
      transcripts.setSkipped(job.id, skipped)
      deps.peaks.set(job.id, peaks)
      jobs.setDecoded(job.id, samplesToMs(totalSamples), now(), channels)
      if (job.language === undefined) storeSamples(claim, cut)
      diarizing.begin(claim, cut.length)
      stages.decoded(claim)
    })
  }

  async function decodeMedia (claim: WorkClaim, job: Job, signal: AbortSignal, onWindow: () => void): Promise<void> {
    const cut: AudioWindow[] = []
    const store = (found: AudioWindow[]): void => {
      for (const window of found) storeWindow(claim, job, cut.push(window) - 1, window)
      if (found.length > 0) onWindow()
    }
    const windowing = createWindowing(speech, files.audioPath(job.id))
    const finish = (peaks: Peaks, totalSamples: number, skipped: readonly SkippedSpan[], channels: number): void => {
      storeDecoded(claim, job, { cut, skipped, totalSamples, channels, peaks })
    }
    const mode = job.options.channels ?? 'auto'
    const onSamples = async (written: number): Promise<void> => { store(await windowing.advance(written)) }
    const { samples, isSeparate, peaks } = await sound.write(job, signal, mode, onSamples)
    if (isSeparate) {
      const skipped = await cutChannels({ speech, files, jobId: job.id }, samples, { needsVoices: mode === 'auto' }, store)
      if (skipped && diarizing.needsMix(job, CHANNELS.length)) await sound.mix(job.id, 'keep channels')
      if (skipped) return finish(peaks, samples, skipped, CHANNELS.length)
      await sound.mix(job.id)
    }
    store(await windowing.finish(samples))
    finish(peaks, samples, windowing.skipped(), 1)
  }

  return {
    /** Claims the next recording to decode, by the first of these limits that allows one. */
    claim: (limits: readonly DecodeLimits[]): WorkClaim | undefined => queue.claim({
      kinds: ['decode'],
      next () {
        for (const each of limits) {
          const id = orders.decode(each)
          if (id !== undefined) return id
        }
        return undefined
      },
      begin
    }),

    /** Decodes a recording. Calls `onWindow` whenever new windows wait. When `signal` aborts, the claim is given back. */
    async decode (claim: WorkClaim, signal: AbortSignal, onWindow: () => void): Promise<void> {
      const job = jobs.find(claim.jobId)
      if (!job) return
      try {
        await decodeMedia(claim, job, signal, onWindow)
      } catch (error) {
        if (error instanceof ClaimLost || !work.isClaim(claim)) return await ending.removeEnded(job.id)
        if (signal.aborted) return work.release(claim)
        await ending.fail(job, stepFailureCode(error), error)
      }
    }
  }
}
export type Decoding = ReturnType<typeof createDecoding>
