/** Windows: their bounds and results. Their claims are in `work.ts`. */
import type { Channel } from '../domain/channels.js'
import type { LanguagePosterior } from '../domain/language.js'
import type { TranscriptFacts } from '../domain/warnings.js'
import type { AudioSpan, AudioWindow, WindowPurpose } from '../domain/windows.js'
import type { Database } from './database.js'

export type WindowKey = { jobId: number, purpose: WindowPurpose, idx: number }
type BoundsRow = {
  start_sample: number, end_sample: number, gaps: string | null, speech_ms: number | null, channel: Channel | null
}
type WindowRow = BoundsRow & { job_id: number, purpose: WindowPurpose, idx: number, is_done: 0 | 1 }

const packGaps = ({ gaps }: AudioWindow): string | null =>
  gaps ? JSON.stringify(gaps.map(({ startSample, endSample }) => [startSample, endSample])) : null

function toBounds (row: BoundsRow): AudioWindow {
  const bounds = {
    startSample: row.start_sample,
    endSample: row.end_sample,
    ...(row.speech_ms === null ? {} : { speechMs: row.speech_ms }),
    ...(row.channel === null ? {} : { channel: row.channel })
  }
  if (row.gaps === null) return bounds
  const gaps = JSON.parse(row.gaps) as Array<[number, number]>
  return { ...bounds, gaps: gaps.map(([startSample, endSample]) => ({ startSample, endSample })) }
}

// A window is done when it has a result.
const IS_DONE = 'coalesce(result, word_count) IS NOT NULL'

export function createWindowStore (db: Database) {
  const find = db.prepare<WindowKey, BoundsRow>(`
    SELECT start_sample, end_sample, gaps, speech_ms, channel FROM window WHERE job_id = :jobId AND purpose = :purpose AND idx = :idx
  `)
  const insert = db.prepare<WindowKey & AudioSpan & { gaps: string | null, speechMs: number | null, channel: Channel | null }>(`
    INSERT INTO window (job_id, purpose, idx, start_sample, end_sample, gaps, speech_ms, channel)
    VALUES (:jobId, :purpose, :idx, :startSample, :endSample, :gaps, :speechMs, :channel)
  `)
  const setPosteriors = db.prepare<WindowKey & { result: string }>(`
    UPDATE window SET result = :result WHERE job_id = :jobId AND purpose = :purpose AND idx = :idx
  `)
  const setOutcome = db.prepare<WindowKey & { wordCount: number, byStarter: number }>(`
    UPDATE window SET word_count = :wordCount, by_starter = :byStarter WHERE job_id = :jobId AND purpose = :purpose AND idx = :idx
  `)
  const facts = db.prepare<{ jobId: number }, { used_starter: number, speech_ms: number, wordless_ms: number, word_count: number }>(`
    SELECT
      coalesce(max(by_starter), 0) AS used_starter,
      coalesce(sum(speech_ms), 0) AS speech_ms,
      coalesce(sum(speech_ms) FILTER (WHERE word_count = 0), 0) AS wordless_ms,
      coalesce(sum(word_count), 0) AS word_count
    FROM window
    WHERE job_id = :jobId AND purpose = 'speech' AND word_count IS NOT NULL
  `)
  const removeFrom = db.prepare<WindowKey>('DELETE FROM window WHERE job_id = :jobId AND purpose = :purpose AND idx >= :idx')
  const removeOpen = db.prepare<{ jobId: number }>(`DELETE FROM window WHERE job_id = :jobId AND NOT (${IS_DONE})`)
  const results = db.prepare<{ jobId: number }, { result: string }>(`
    SELECT result FROM window WHERE job_id = :jobId AND purpose = 'language' AND result IS NOT NULL ORDER BY idx
  `)
  const list = db.prepare<{ jobId: number, purpose: WindowPurpose }, WindowRow>(`
    SELECT job_id, purpose, idx, start_sample, end_sample, gaps, speech_ms, channel, ${IS_DONE} AS is_done
    FROM window WHERE job_id = :jobId AND purpose = :purpose ORDER BY idx
  `)

  return {
    /** The bounds of a window; undefined when there is no such window. */
    find (key: WindowKey): AudioWindow | undefined {
      const row = find.get(key)
      return row && toBounds(row)
    },
    insert (key: WindowKey, window: AudioWindow): void {
      insert.run({ ...key, ...window, gaps: packGaps(window), speechMs: window.speechMs ?? null, channel: window.channel ?? null })
    },
    /** Stores the language probabilities of a sample and so marks it done. Call it in the transaction that finishes its work. */
    setPosteriors (key: WindowKey, posteriors: readonly LanguagePosterior[]): void {
      setPosteriors.run({ ...key, result: JSON.stringify(posteriors) })
    },
    /** Stores the result of a speech window and so marks it done. Call it in the transaction that finishes its work. */
    setOutcome (key: WindowKey, { wordCount, isStarter }: { wordCount: number, isStarter: boolean }): void {
      setOutcome.run({ ...key, wordCount, byStarter: isStarter ? 1 : 0 })
    },
    /** Facts about the transcribed windows, from which warnings are derived. */
    readFacts (jobId: number): TranscriptFacts {
      const row = facts.get({ jobId })
      return {
        usedStarter: row?.used_starter === 1, speechMs: row?.speech_ms ?? 0, wordlessMs: row?.wordless_ms ?? 0,
        wordCount: row?.word_count ?? 0
      }
    },
    /** Removes the windows from index `idx` on. */
    removeFrom: (key: WindowKey): void => { removeFrom.run(key) },
    /** Removes unfinished windows. Call it before the recording is decoded again. */
    removeOpen: (jobId: number): void => { removeOpen.run({ jobId }) },
    list: (jobId: number, purpose: WindowPurpose) => list.all({ jobId, purpose })
      .map((row) => ({ jobId: row.job_id, purpose: row.purpose, idx: row.idx, ...toBounds(row), isDone: row.is_done === 1 })),
    listPosteriors: (jobId: number): LanguagePosterior[][] =>
      results.all({ jobId }).map(({ result }) => JSON.parse(result) as LanguagePosterior[])
  }
}
export type WindowStore = ReturnType<typeof createWindowStore>
