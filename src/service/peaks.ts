/** The peaks of a recording: how loud it is, for drawing it. A recording of an earlier version is measured at the first request. */
import { AppError } from '../domain/errors.js'
import type { Job } from '../domain/job.js'
import type { Log } from '../domain/log.js'
import { createPeakMeter } from '../domain/peaks.js'
import type { Peaks } from '../domain/peaks.js'
import type { playSound } from '../engine/media/playback.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { PeakStore } from '../store/peaks.js'
import { findOwnedJob } from './transcripts.js'
import { createTurns } from './turns.js'

type Deps = {
  jobs: Pick<JobStore, 'find' | 'findOwned'>
  media: Pick<MediaStore, 'find'>
  peaks: PeakStore
  files: Pick<Files, 'mediaPath' | 'hasMedia'>
  playSound: typeof playSound
  log: Log
  /** How long a caller waits for peaks that are being made. */
  replyMs?: number
}

const REPLY_MS = 10_000
const RETRY_SECONDS = 5

export function createRecordingPeaks ({ jobs, media, peaks, files, playSound, log, replyMs = REPLY_MS }: Deps) {
  const stopping = new AbortController()
  /** One recording at a time: only one person waits for these peaks, while many may wait for transcripts. */
  const inTurn = createTurns()
  const underWay = new Map<number, Promise<Peaks | undefined>>()

  async function make (job: Job, path: string): Promise<Peaks | undefined> {
    const meter = createPeakMeter()
    for await (const chunk of playSound(path, 0, stopping.signal)) meter.add(chunk)
    if (stopping.signal.aborted || !jobs.find(job.id)) return undefined
    const made = meter.read()
    peaks.set(job.id, made)
    return made
  }

  /** Undefined after `replyMs`. */
  async function wait (job: Job, path: string): Promise<Peaks | undefined> {
    const making = underWay.get(job.id) ?? inTurn(0, async () => await make(job, path)).finally(() => { underWay.delete(job.id) })
    underWay.set(job.id, making)
    making.catch((error: unknown) => { log.error({ jobId: job.id, err: error }, 'the peaks of the recording could not be measured') })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => { timer = setTimeout(resolve, replyMs, undefined) })
    return await Promise.race([making, late]).finally(() => { clearTimeout(timer) })
  }

  return {
    /**
     * Throws `not_found`, `not_completed` before the recording is decoded, `gone` when it was never measured and is no longer stored, and
     * `unavailable` while it is being measured.
     */
    async read (id: number, ownerId: number): Promise<Peaks & { durationMs: number }> {
      const job = findOwnedJob(jobs, id, ownerId)
      const { durationMs } = job
      if (durationMs === undefined) throw new AppError('not_completed', 'The recording has not been decoded yet. Try again later.')
      const known = peaks.find(id)
      if (known) return { ...known, durationMs }
      const stored = media.find(job.mediaId)
      if (stored?.state !== 'stored' || !files.hasMedia(stored.file)) {
        throw new AppError(
          'gone', 'The recording was transcribed by an earlier version and is no longer stored, so it cannot be drawn. Upload it again.'
        )
      }
      const made = await wait(job, files.mediaPath(stored.file))
      if (made) return { ...made, durationMs }
      throw new AppError('unavailable', 'The recording is being measured. Ask again in a few seconds.', {
        headers: { 'retry-after': String(RETRY_SECONDS) }
      })
    },
    /** Stops measuring. */
    stop: (): void => { stopping.abort() }
  }
}
export type RecordingPeaks = ReturnType<typeof createRecordingPeaks>
