/** Segments, stored window by window. */
import type { TimedSegment, TimedWord } from '../domain/transcript.js'
import type { Database } from './database.js'

type SegmentRow = { start_ms: number, end_ms: number, text: string, words: string }
type PackedWord = [text: string, startMs: number, endMs: number, probability: number]

const pack = ({ text, startMs, endMs, probability }: TimedWord): PackedWord => [text, startMs, endMs, probability]
const unpack = ([text, startMs, endMs, probability]: PackedWord): TimedWord => ({ text, startMs, endMs, probability })

export function createTranscriptStore (db: Database) {
  const insert = db.prepare(`
    INSERT INTO segment (job_id, window_idx, idx, start_ms, end_ms, text, words)
    VALUES (:jobId, :windowIdx, :idx, :startMs, :endMs, :text, :words)
  `)
  const removeFrom = db.prepare<{ jobId: number, windowIdx: number }>('DELETE FROM segment WHERE job_id = :jobId AND window_idx >= :windowIdx')
  const list = db.prepare<{ jobId: number }, SegmentRow>(`
    SELECT start_ms, end_ms, text, words FROM segment WHERE job_id = :jobId ORDER BY window_idx, idx
  `)
  const texts = db.prepare<{ jobId: number }, { text: string }>('SELECT text FROM segment WHERE job_id = :jobId ORDER BY window_idx, idx')

  return {
    insertWindow (jobId: number, windowIdx: number, segments: readonly TimedSegment[]): void {
      for (const [idx, { startMs, endMs, text, words }] of segments.entries()) {
        insert.run({ jobId, windowIdx, idx, startMs, endMs, text, words: JSON.stringify(words.map(pack)) })
      }
    },
    /** Removes the segments of the windows from `windowIdx` on. */
    removeFrom: (jobId: number, windowIdx: number): void => { removeFrom.run({ jobId, windowIdx }) },
    list: (jobId: number): TimedSegment[] => list.all({ jobId }).map((row) => ({
      startMs: row.start_ms,
      endMs: row.end_ms,
      text: row.text,
      words: (JSON.parse(row.words) as PackedWord[]).map(unpack)
    })),
    /** The texts alone: what polling needs of a long transcript. */
    listTexts: (jobId: number): Array<{ text: string }> => texts.all({ jobId })
  }
}
export type TranscriptStore = ReturnType<typeof createTranscriptStore>
