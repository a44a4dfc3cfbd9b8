/** Recordings as people listen to them: the stored file, or its sound as a WAV file that is made while it is sent. */
import { Readable } from 'node:stream'
import { SAMPLES_PER_MS } from '../domain/audio.js'
import type { ByteRange } from '../domain/byte-range.js'
import { AppError } from '../domain/errors.js'
import type { Job } from '../domain/job.js'
import { MEDIA_HEAD_BYTES, mediaTypeOf } from '../domain/media-type.js'
import { planWav, wavBytes, wavHeader } from '../domain/wav-view.js'
import type { playSound } from '../engine/media/playback.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaReader } from '../store/media-reader.js'
import type { Media, MediaStore } from '../store/media.js'
import { createStreams } from './streams.js'
import { findOwnedJob } from './transcripts.js'

/** Requests for stored files that may be open at once. A page makes one or two for each player. */
const FILES = { perOwner: 12, total: 256 }
/** Requests for WAV that may be open at once: each runs ffmpeg. */
const CONVERSIONS = { perOwner: 3, total: 12 }

/** `etag`: differs when a byte of the content does. `open`: begins to read a part; `close`: needed only if nothing was opened. */
export type Playable = {
  contentType: string, sizeBytes: number, etag: string, fileName: string, open (range: ByteRange): Readable, close (): Promise<void>
}

type Deps = {
  jobs: Pick<JobStore, 'findOwned'>
  media: Pick<MediaStore, 'find'>
  mediaReader: MediaReader
  files: Pick<Files, 'mediaPath'>
  playSound: typeof playSound
}

const ZEROS = new Uint8Array(64 * 1024)

export function createPlayback ({ jobs, media, mediaReader, files, playSound }: Deps) {
  const streams = { file: createStreams(FILES), wav: createStreams(CONVERSIONS) }

  /** Throws `not_found`, `gone`, and `not_completed` before the recording has arrived. */
  function requireMedia (id: number, ownerId: number): { job: Job, stored: Media } {
    const job = findOwnedJob(jobs, id, ownerId)
    const stored = media.find(job.mediaId)
    if (stored?.state === 'stored') return { job, stored }
    if (stored?.state !== 'expected') throw goneError()
    throw new AppError('not_completed', 'The recording has not arrived yet. Try again later.')
  }

  /** Counts a stream until it has ended, and ends it when its share is needed. */
  function follow (stream: Readable, kind: keyof typeof streams, { id, ownerId }: Job, stop: () => void = () => {}): Readable {
    try {
      const release = streams[kind].add({ ownerId, jobId: id, stop: () => { stream.destroy() } })
      stream.once('close', () => {
        release()
        stop()
      })
      return stream
    } catch (error) {
      stream.destroy()
      throw error
    }
  }

  /** Exactly the bytes of a range: sound that ends early is followed by silence, so that the length is what was announced. */
  async function * makeWav (path: string, samples: number, range: ByteRange, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { header, startSample, skipBytes, soundBytes } = planWav(range)
    if (header.end > header.start) yield wavHeader(samples).subarray(header.start, header.end)
    let skip = skipBytes
    let left = soundBytes
    if (left > 0) {
      for await (const chunk of playSound(path, startSample, signal)) {
        const part = chunk.subarray(Math.min(skip, chunk.length), skip + left)
        skip -= Math.min(skip, chunk.length)
        left -= part.length
        if (part.length > 0) yield part
        if (left === 0) return
      }
    }
    for (; left > 0; left -= Math.min(left, ZEROS.length)) yield ZEROS.subarray(0, left)
  }

  return {
    /**
     * The stored file. `open` throws `unavailable` when too many listen. Both throw `not_found`, `not_completed` before it has arrived, and
     * `gone` when it is no longer stored.
     */
    async file (id: number, ownerId: number): Promise<Playable> {
      const { job, stored } = requireMedia(id, ownerId)
      const found = await mediaReader.open(stored.file)
      if (!found) throw goneError()
      const head = await found.readHead(MEDIA_HEAD_BYTES).catch(async (error: unknown) => {
        await found.close()
        throw error
      })
      return {
        contentType: mediaTypeOf(head),
        sizeBytes: found.sizeBytes,
        etag: `"${stored.sha256.slice(0, 32)}"`,
        fileName: job.fileName,
        open (range) {
          // It may have been deleted while the file was opened: nothing would end the stream.
          requireMedia(id, ownerId)
          return follow(found.stream(range), 'file', job)
        },
        close: found.close
      }
    },
    /** The sound as a WAV file: 16 kHz, mono, 16 bit. Throws the same, and `not_completed` while its length is not known. */
    wav (id: number, ownerId: number): Playable {
      const { job, stored } = requireMedia(id, ownerId)
      if (job.durationMs === undefined) throw new AppError('not_completed', 'The recording has not been decoded yet. Try again later.')
      const samples = job.durationMs * SAMPLES_PER_MS
      const path = files.mediaPath(stored.file)
      return {
        contentType: 'audio/wav',
        sizeBytes: wavBytes(samples),
        etag: `"${stored.sha256.slice(0, 32)}-wav-${samples}"`,
        fileName: `${job.fileName}.wav`,
        open (range) {
          const controller = new AbortController()
          const sound = Readable.from(makeWav(path, samples, range, controller.signal), { objectMode: false })
          return follow(sound, 'wav', job, () => { controller.abort() })
        },
        close: async () => {}
      }
    },
    /** Ends everything that is being listened to, of one job or of all. */
    end (jobId?: number): void {
      for (const each of Object.values(streams)) {
        if (jobId === undefined) each.endAll()
        else each.endOf(jobId)
      }
    },
    /** Streams that are open, for tests and metrics. */
    count: (): number => streams.file.count() + streams.wav.count()
  }
}
export type Playback = ReturnType<typeof createPlayback>

const goneError = (): AppError =>
  new AppError('gone', 'The recording is no longer stored, so it cannot be played. Its transcript is not affected.')
