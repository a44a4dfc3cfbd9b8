/** Writes the sound of a stored recording to disk, where pool threads read it. */
import { BYTES_PER_SAMPLE } from '../domain/audio.js'
import { CHANNELS } from '../domain/channels.js'
import type { ChannelMode } from '../domain/channels.js'
import { AppError, JobFailure } from '../domain/errors.js'
import type { Job } from '../domain/job.js'
import { createPeakMeter } from '../domain/peaks.js'
import type { Peaks } from '../domain/peaks.js'
import type { decodeAudio, probeMedia } from '../engine/media/ffmpeg.js'
import type { Files } from '../store/files.js'
import type { MediaStore } from '../store/media.js'
import { createStereoSound, mixChannels, removeChannels } from './stereo-sound.js'
import type { Submit } from './submit.js'

type Deps = {
  media: Pick<MediaStore, 'find'>
  files: Pick<Files, 'mediaPath' | 'writeAudio' | 'readAudio' | 'removeAudio'>
  submit: Pick<Submit, 'requireRoom'>
  ffmpeg: { probeMedia: typeof probeMedia, decodeAudio: typeof decodeAudio }
  maxMediaSeconds: number
}

type Recording = Pick<Job, 'id' | 'mediaId'>
type OnSamples = (samples: number) => Promise<void>
/** `samples`: of each channel. `isSeparate`: each channel has a file; otherwise there is one, of all channels. */
type Written = { samples: number, isSeparate: boolean }

/** The same chunks, measured while they pass. */
async function * measured (chunks: AsyncIterable<Buffer>, { add }: ReturnType<typeof createPeakMeter>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    add(chunk)
    yield chunk
  }
}

/** Decoding slower than a tenth of real time, plus ten minutes, is stuck. */
const decodeTimeoutMs = (durationMs: number): number => 10 * 60_000 + durationMs / 10

/** Free disk is checked again after this many bytes of sound (half a minute). */
const ROOM_STEP_BYTES = 1024 ** 2

export function createSound ({ media, files, submit, ffmpeg, maxMediaSeconds }: Deps) {
  /** Throws `JobFailure`: insufficient_storage, before the reserve of free disk is used. */
  async function requireRoom (bytes: number): Promise<void> {
    try {
      await submit.requireRoom(bytes)
    } catch (error) {
      throw error instanceof AppError ? new JobFailure('insufficient_storage', 'the disk is nearly full', { cause: error }) : error
    }
  }

  /** Checks free disk before every 30 seconds of sound that are written. */
  function createRoomCheck (): (bytes: number) => Promise<void> {
    let unchecked = Infinity
    return async (bytes) => {
      if (unchecked + bytes > ROOM_STEP_BYTES) {
        await requireRoom(Math.max(ROOM_STEP_BYTES, bytes))
        unchecked = 0
      }
      unchecked += bytes
    }
  }

  async function writeMono (job: Recording, chunks: AsyncIterable<Buffer>, onSamples: OnSamples): Promise<Written> {
    const checkRoom = createRoomCheck()
    let samples = 0
    const audio = await files.writeAudio(job.id)
    try {
      for await (const chunk of chunks) {
        await checkRoom(chunk.length)
        await audio.append(chunk)
        samples += chunk.length / BYTES_PER_SAMPLE
        await onSamples(samples)
      }
      await audio.sync()
    } finally {
      await audio.close()
    }
    return { samples, isSeparate: false }
  }

  async function writeStereo (job: Recording, chunks: AsyncIterable<Buffer>, mode: ChannelMode, onSamples: OnSamples): Promise<Written> {
    const checkRoom = createRoomCheck()
    const stereo = await createStereoSound({ files, jobId: job.id, mode, requireRoom })
    try {
      for await (const chunk of chunks) {
        await checkRoom(chunk.length)
        const samples = await stereo.append(chunk)
        if (samples > 0) await onSamples(samples)
      }
      return await stereo.finish()
    } finally {
      await stereo.close()
    }
  }

  return {
    /**
     * Decodes the recording of a job, replacing what is there. If it has two channels, `mode` says how they are stored. Calls `onSamples`
     * with the number of samples in the file of the mixed sound whenever it has grown; never for separate channels. Resolves once
     * all samples survive a power cut. Rejects with `JobFailure`.
     */
    async write (
      job: Recording, signal: AbortSignal, mode: ChannelMode, onSamples: OnSamples = async () => {}
    ): Promise<Written & { peaks: Peaks }> {
      const source = media.find(job.mediaId)
      if (!source) throw new Error(`job ${job.id} has no media row`)
      const path = files.mediaPath(source.file)
      const facts = await ffmpeg.probeMedia(path, signal)
      if ((facts.durationMs ?? 0) > maxMediaSeconds * 1000) throw new JobFailure('media_too_long', 'longer than allowed')
      const channels = facts.channels === CHANNELS.length ? 2 : 1
      const timeoutMs = decodeTimeoutMs(facts.durationMs ?? maxMediaSeconds * 1000)
      const meter = createPeakMeter(channels)
      const chunks = measured(ffmpeg.decodeAudio(path, facts, { maxSeconds: maxMediaSeconds, timeoutMs, channels, signal }), meter)
      const written = channels === 2 ? await writeStereo(job, chunks, mode, onSamples) : await writeMono(job, chunks, onSamples)
      return { ...written, peaks: meter.read() }
    },
    /** Mixes channels that were written separately, and removes their files unless they are kept. Rejects with `JobFailure`. */
    async mix (jobId: number, keep?: 'keep channels'): Promise<void> {
      const audio = await mixChannels({ files, jobId, requireRoom }, false)
      try {
        await audio.sync()
      } finally {
        await audio.close()
      }
      if (!keep) await removeChannels({ files, jobId })
    }
  }
}
export type Sound = ReturnType<typeof createSound>
