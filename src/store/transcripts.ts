/** Segments, stored window by window. */
import type { TimedSegment, TimedWord } from '../domain/transcript.js'
import type { Database } from './database.js'

type SegmentKey = { window_idx: number, idx: number }
type SegmentRow = { start_ms: number, end_ms: number, text: string, words: string, speaker: string | null }
type PackedWord = [text: string, startMs: number, endMs: number, probability: number, speaker?: string]

const pack = ({ text, startMs, endMs, probability, speaker }: TimedWord): PackedWord =>
  speaker === undefined ? [text, startMs, endMs, probability] : [text, startMs, endMs, probability, speaker]
const unpack = ([text, startMs, endMs, probability, speaker]: PackedWord): TimedWord =>
  ({ text, startMs, endMs, probability, ...(speaker === undefined ? {} : { speaker }) })

const toSegment = (row: SegmentRow): TimedSegment => ({
  startMs: row.start_ms,
  endMs: row.end_ms,
  text: row.text,
  words: (JSON.parse(row.words) as PackedWord[]).map(unpack),
  ...(row.speaker === null ? {} : { speaker: row.speaker })
})

export function createTranscriptStore (db: Database) {
  const insert = db.prepare(`
    INSERT INTO segment (job_id, window_idx, idx, start_ms, end_ms, text, words)
    VALUES (:jobId, :windowIdx, :idx, :startMs, :endMs, :text, :words)
  `)
  const removeFrom = db.prepare<{ jobId: number, windowIdx: number }>('DELETE FROM segment WHERE job_id = :jobId AND window_idx >= :windowIdx')
  const list = db.prepare<{ jobId: number }, SegmentRow & SegmentKey>(`
    SELECT window_idx, idx, start_ms, end_ms, text, words, speaker FROM segment WHERE job_id = :jobId ORDER BY window_idx, idx
  `)
  const texts = db.prepare<{ jobId: number }, { text: string }>('SELECT text FROM segment WHERE job_id = :jobId ORDER BY window_idx, idx')
  const setSpeaker = db.prepare<{ jobId: number, windowIdx: number, idx: number, speaker: string | null, words: string }>(`
    UPDATE segment SET speaker = :speaker, words = :words WHERE job_id = :jobId AND window_idx = :windowIdx AND idx = :idx
  `)

  return {
    insertWindow (jobId: number, windowIdx: number, segments: readonly TimedSegment[]): void {
      for (const [idx, { startMs, endMs, text, words }] of segments.entries()) {
        insert.run({ jobId, windowIdx, idx, startMs, endMs, text, words: JSON.stringify(words.map(pack)) })
      }
    },
    /** Removes the segments of the windows from `windowIdx` on. */
    removeFrom: (jobId: number, windowIdx: number): void => { removeFrom.run({ jobId, windowIdx }) },
    list: (jobId: number): TimedSegment[] => list.all({ jobId }).map(toSegment),
    /** Stores the speakers that `name` gives to the segments of a job and their words. `name` keeps number and order. */
    nameSpeakers (jobId: number, name: (segments: TimedSegment[]) => TimedSegment[]): void {
      const rows = list.all({ jobId })
      const named = name(rows.map(toSegment))
      for (const [index, { window_idx: windowIdx, idx }] of rows.entries()) {
        const { speaker, words = [] } = named[index] ?? {}
        setSpeaker.run({ jobId, windowIdx, idx, speaker: speaker ?? null, words: JSON.stringify(words.map(pack)) })
      }
    },
    /** The texts alone: what polling needs of a long transcript. */
    listTexts: (jobId: number): Array<{ text: string }> => texts.all({ jobId })
  }
}
export type TranscriptStore = ReturnType<typeof createTranscriptStore>
