/** Writes the sound of a stored recording to disk, where pool threads read it. */
import { BYTES_PER_SAMPLE } from '../domain/audio.js'
import { AppError, JobFailure } from '../domain/errors.js'
import type { Job } from '../domain/job.js'
import type { decodeAudio, probeMedia } from '../engine/media/ffmpeg.js'
import type { Files } from '../store/files.js'
import type { MediaStore } from '../store/media.js'
import type { Submit } from './submit.js'

type Deps = {
  media: Pick<MediaStore, 'find'>
  files: Pick<Files, 'mediaPath' | 'writeAudio'>
  submit: Pick<Submit, 'requireRoom'>
  ffmpeg: { probeMedia: typeof probeMedia, decodeAudio: typeof decodeAudio }
  maxMediaSeconds: number
}

/** Decoding slower than a tenth of real time, plus ten minutes, is stuck. */
const decodeTimeoutMs = (durationMs: number): number => 10 * 60_000 + durationMs / 10

/** Free disk is checked again after this many bytes of sound (half a minute). */
const ROOM_STEP_BYTES = 1024 ** 2

export function createSound ({ media, files, submit, ffmpeg, maxMediaSeconds }: Deps) {
  /** Throws `JobFailure`: insufficient_storage, before the reserve of free disk is used. */
  async function requireRoom (): Promise<void> {
    try {
      await submit.requireRoom(ROOM_STEP_BYTES)
    } catch (error) {
      throw error instanceof AppError ? new JobFailure('insufficient_storage', 'the disk is nearly full', { cause: error }) : error
    }
  }

  return {
    /**
     * Decodes the recording of a job to its audio file, replacing what is there. Calls `onSamples` with the number of samples in the file
     * whenever it has grown. Resolves with the number of all samples, once they survive a power cut. Rejects with `JobFailure`.
     */
    async write (
      job: Pick<Job, 'id' | 'mediaId'>, signal: AbortSignal, onSamples: (samples: number) => Promise<void> = async () => {}
    ): Promise<number> {
      const source = media.find(job.mediaId)
      if (!source) throw new Error(`job ${job.id} has no media row`)
      const path = files.mediaPath(source.file)
      const facts = await ffmpeg.probeMedia(path, signal)
      if ((facts.durationMs ?? 0) > maxMediaSeconds * 1000) throw new JobFailure('media_too_long', 'longer than allowed')
      const limits = { maxSeconds: maxMediaSeconds, timeoutMs: decodeTimeoutMs(facts.durationMs ?? maxMediaSeconds * 1000), signal }
      let samples = 0
      let uncheckedBytes = Infinity
      const audio = await files.writeAudio(job.id)
      try {
        for await (const chunk of ffmpeg.decodeAudio(path, facts, limits)) {
          if (uncheckedBytes + chunk.length > ROOM_STEP_BYTES) {
            await requireRoom()
            uncheckedBytes = 0
          }
          uncheckedBytes += chunk.length
          await audio.append(chunk)
          samples += chunk.length / BYTES_PER_SAMPLE
          await onSamples(samples)
        }
        await audio.sync()
      } finally {
        await audio.close()
      }
      return samples
    }
  }
}
export type Sound = ReturnType<typeof createSound>
