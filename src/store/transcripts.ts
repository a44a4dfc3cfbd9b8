/** Segments, stored by window, and the spans that were skipped. */
import type { Channel } from '../domain/channels.js'
import { copySpeakers } from '../domain/edited-words.js'
import { AppError } from '../domain/errors.js'
import { shownNames } from '../domain/speaker-names.js'
import type { SkippedSpan, TimedSegment } from '../domain/transcript.js'
import type { Database } from './database.js'
import { NO_NAMES, packWords, unpackWords } from './packed-words.js'
import type { Names } from './packed-words.js'
import { createSpeakerStore } from './speakers.js'

type SegmentKey = { window_idx: number, idx: number }
type SegmentRow = {
  start_ms: number, end_ms: number, text: string, words: string, machine_words: string | null
  speaker: string | null, channel: Channel | null
}
const toSegment = (row: SegmentRow, names: Names): TimedSegment => ({
  startMs: row.start_ms,
  endMs: row.end_ms,
  text: row.text,
  words: unpackWords(row.words, names),
  ...(row.speaker === null ? {} : { speaker: names.get(row.speaker) ?? row.speaker }),
  ...(row.channel === null ? {} : { channel: row.channel })
})

/** False for a segment that a person has emptied. */
const hasText = ({ text }: SegmentRow): boolean => text !== ''

/** A segment and the window it is from. */
type PlacedSegment = { windowIdx: number, segment: TimedSegment }

const COLUMNS = 'window_idx, idx, start_ms, end_ms, text, words, machine_words, speaker, channel'
// Within a channel, times never go backwards, so this order only merges channels.
const IN_ORDER = 'ORDER BY start_ms, window_idx, idx'

/** Number of segments held in memory when a transcript is read page by page: a few minutes of speech. */
const PAGE_LENGTH = 64

export function createTranscriptStore (db: Database) {
  const speakers = createSpeakerStore(db)
  const insert = db.prepare(`
    INSERT INTO segment (job_id, window_idx, idx, start_ms, end_ms, text, words, speaker, channel)
    VALUES (:jobId, :windowIdx, :idx, :startMs, :endMs, :text, :words, :speaker, :channel)
  `)
  const removeFrom = db.prepare<{ jobId: number, windowIdx: number }>(
    'DELETE FROM segment WHERE job_id = :jobId AND window_idx >= :windowIdx'
  )
  const list = db.prepare<{ jobId: number }, SegmentRow & SegmentKey>(`
    SELECT ${COLUMNS} FROM segment WHERE job_id = :jobId ${IN_ORDER}
  `)
  const count = db.prepare<{ jobId: number }, { total: number }>('SELECT count(*) AS total FROM segment WHERE job_id = :jobId')
  // uses segment_by_time
  const listPage = db.prepare<{ jobId: number, startMs: number, windowIdx: number, idx: number, limit: number }, SegmentRow & SegmentKey>(`
    SELECT ${COLUMNS}
    FROM segment
    WHERE job_id = :jobId AND (start_ms, window_idx, idx) > (:startMs, :windowIdx, :idx)
    ${IN_ORDER}
    LIMIT :limit
  `)
  const texts = db.prepare<{ jobId: number }, { text: string }>(`SELECT text FROM segment WHERE job_id = :jobId ${IN_ORDER}`)
  const setSpeaker = db.prepare<{
    jobId: number, windowIdx: number, idx: number, speaker: string | null, words: string, machineWords: string | null
  }>(`
    UPDATE segment SET speaker = :speaker, words = :words, machine_words = :machineWords, labelling = labelling + 1
    WHERE job_id = :jobId AND window_idx = :windowIdx AND idx = :idx
  `)

  const removeSkipped = db.prepare<{ jobId: number }>('DELETE FROM skipped WHERE job_id = :jobId')
  const insertSkipped = db.prepare<SkippedSpan & { jobId: number }>(`
    INSERT INTO skipped (job_id, start_ms, end_ms, reason, probability, level_db)
    VALUES (:jobId, :startMs, :endMs, :reason, :probability, :levelDb)
  `)
  const skipped = db.prepare<{ jobId: number }, SkippedSpan>(`
    SELECT start_ms AS startMs, end_ms AS endMs, reason, probability, level_db AS levelDb
    FROM skipped
    WHERE job_id = :jobId
    ORDER BY start_ms
  `)

  function insertSegments (jobId: number, windowIdx: number, segments: readonly TimedSegment[]): void {
    for (const [idx, { startMs, endMs, text, words, speaker, channel }] of segments.entries()) {
      const packed = packWords(words)
      insert.run({ jobId, windowIdx, idx, startMs, endMs, text, words: packed, speaker: speaker ?? null, channel: channel ?? null })
    }
  }

  return {
    /** Stores the spans that are in no window, replacing earlier ones. */
    setSkipped (jobId: number, spans: readonly SkippedSpan[]): void {
      removeSkipped.run({ jobId })
      for (const span of spans) insertSkipped.run({ jobId, ...span })
    },
    /** The spans that were not transcribed, in order. */
    listSkipped: (jobId: number): SkippedSpan[] => skipped.all({ jobId }),
    insertWindow: insertSegments,
    /**
     * Replaces the segments of a job by others that `change` makes of them. Each new segment belongs to the window of the segment it was
     * made from.
     */
    rearrange (jobId: number, change: (segments: PlacedSegment[]) => PlacedSegment[]): void {
      const before = list.all({ jobId }).map((row) => ({ windowIdx: row.window_idx, segment: toSegment(row, NO_NAMES) }))
      const byWindow = new Map<number, TimedSegment[]>()
      for (const { windowIdx, segment } of change(before)) byWindow.set(windowIdx, [...byWindow.get(windowIdx) ?? [], segment])
      removeFrom.run({ jobId, windowIdx: 0 })
      for (const [windowIdx, segments] of byWindow) insertSegments(jobId, windowIdx, segments)
    },
    /** Removes the segments of the windows from `windowIdx` on. */
    removeFrom: (jobId: number, windowIdx: number): void => { removeFrom.run({ jobId, windowIdx }) },
    /** Speakers have the names that people have given them. Segments that people have emptied are left out. */
    list (jobId: number): TimedSegment[] {
      const names = shownNames(speakers.list(jobId))
      return list.all({ jobId }).filter(hasText).map((row) => toSegment(row, names))
    },
    /**
     * The same, page by page, so that others can write meanwhile: an open cursor would block them. Throws `gone` when segments disappear
     * meanwhile, because half a transcript looks like a whole one.
     */
    * iterate (jobId: number): Generator<TimedSegment> {
      let left = count.get({ jobId })?.total ?? 0
      const names = shownNames(speakers.list(jobId))
      let place = { startMs: -1, windowIdx: -1, idx: -1 }
      while (left > 0) {
        const rows = listPage.all({ jobId, ...place, limit: PAGE_LENGTH })
        const last = rows.at(-1)
        if (!last) throw new AppError('gone', 'The transcription was deleted while it was read.')
        place = { startMs: last.start_ms, windowIdx: last.window_idx, idx: last.idx }
        left -= rows.length
        for (const row of rows) if (hasText(row)) yield toSegment(row, names)
      }
    },
    /**
     * Stores the labels that `name` assigns to a job's segments and words. `name` must keep number and order. What the machine wrote gets
     * the labels of the words that people put in its place. A segment that people emptied is labelled by the words of the machine, which
     * come back when that is undone.
     */
    nameSpeakers (jobId: number, name: (segments: TimedSegment[]) => TimedSegment[]): void {
      const rows = list.all({ jobId })
      const segments = rows.map((row) => toSegment(row, NO_NAMES))
      const named = name(segments.map((segment, index) => {
        const machine = rows[index]?.machine_words ?? null
        return segment.words.length > 0 || machine === null ? segment : { ...segment, words: unpackWords(machine) }
      }))
      for (const [index, { window_idx: windowIdx, idx, machine_words: machine }] of rows.entries()) {
        const { speaker, words = [] } = named[index] ?? {}
        const isEmpty = segments[index]?.words.length === 0
        const machineWords = machine === null ? null : packWords(copySpeakers(unpackWords(machine), words))
        setSpeaker.run({ jobId, windowIdx, idx, speaker: speaker ?? null, words: packWords(isEmpty ? [] : words), machineWords })
      }
    },
    /** The texts only, which is all that polling needs. */
    listTexts: (jobId: number): Array<{ text: string }> => texts.all({ jobId })
  }
}
export type TranscriptStore = ReturnType<typeof createTranscriptStore>
