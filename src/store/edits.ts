/** Segments as people edit them, and the revisions that they make. */
import type { Channel } from '../domain/channels.js'
import { copySpeakers } from '../domain/edited-words.js'
import type { EditedSegment, Revision, RevisionKind, SegmentKey } from '../domain/revision.js'
import type { TimedWord } from '../domain/transcript.js'
import type { Database } from './database.js'
import { packWords, unpackWords } from './packed-words.js'

/** Revisions of a transcript that are kept, and segments that they may have changed all together; the oldest go first. */
export const KEPT_REVISIONS = 1000
export const KEPT_SEGMENTS = 50_000

type OfJob = { jobId: number }
type OfSegment = OfJob & SegmentKey
type SegmentRow = {
  window_idx: number, idx: number, start_ms: number, end_ms: number, text: string, words: string, speaker: string | null
  channel: Channel | null, machine_text: string | null, machine_words: string | null
  revision: number, content: number, labelling: number
}
type RevisionRow = {
  number: number, kind: RevisionKind, at: number, segments: number, undoes: number | null, undone_by: number | null
  window_idx: number | null, idx: number | null, before_text: string | null, after_text: string | null
}
type BeforeRow = { before_text: string, before_words: string, before_content: number, before_labelling: number, by_machine: 0 | 1 }
/** A new text of a segment. `isMachine`: it is what the machine wrote. `content`: the revision that it comes from. */
export type NewText = { text: string, words: readonly TimedWord[], content: number, isMachine: boolean }
type ChangedKey = SegmentKey & { hasChanged: boolean, revision: number }
/** A place before every segment. */
const START = { startMs: -1, windowIdx: -1, idx: -1 }

const COLUMNS = `window_idx, idx, start_ms, end_ms, text, words, speaker, channel, machine_text, machine_words,
  revision, content, labelling`
const REVISION_COLUMNS = 'r.number, r.kind, r.at, r.segments, r.undoes, r.undone_by'

function toSegment (row: SegmentRow): EditedSegment {
  const { machine_text: text, machine_words: words } = row
  return {
    key: { windowIdx: row.window_idx, idx: row.idx },
    startMs: row.start_ms,
    endMs: row.end_ms,
    text: row.text,
    words: unpackWords(row.words),
    ...(row.speaker === null ? {} : { speaker: row.speaker }),
    ...(row.channel === null ? {} : { channel: row.channel }),
    revision: row.revision,
    content: row.content,
    labelling: row.labelling,
    ...(text === null || words === null ? {} : { machine: { text, words: unpackWords(words) } })
  }
}

function toRevision (row: RevisionRow): Revision {
  const { window_idx: windowIdx, idx, before_text: before, after_text: after } = row
  const isSingle = windowIdx !== null && idx !== null && before !== null && after !== null
  return {
    number: row.number,
    kind: row.kind,
    at: row.at,
    segments: row.segments,
    undoes: row.undoes ?? undefined,
    isUndone: row.undone_by !== null,
    change: isSingle ? { key: { windowIdx, idx }, before, after } : undefined
  }
}

export function createEditStore (db: Database) {
  const find = db.prepare<OfSegment, SegmentRow>(`
    SELECT ${COLUMNS} FROM segment WHERE job_id = :jobId AND window_idx = :windowIdx AND idx = :idx
  `)
  // uses segment_by_time
  const page = db.prepare<OfSegment & { startMs: number, limit: number }, SegmentRow>(`
    SELECT ${COLUMNS}
    FROM segment
    WHERE job_id = :jobId AND (start_ms, window_idx, idx) > (:startMs, :windowIdx, :idx)
    ORDER BY start_ms, window_idx, idx
    LIMIT :limit
  `)
  // uses segment_by_time, and no rows of the table, which are large
  const keyAt = db.prepare<OfJob & { offset: number }, SegmentKey>(`
    SELECT window_idx AS windowIdx, idx
    FROM segment
    WHERE job_id = :jobId
    ORDER BY start_ms, window_idx, idx
    LIMIT 1 OFFSET :offset
  `)
  const count = db.prepare<OfJob, { total: number }>('SELECT count(*) AS total FROM segment WHERE job_id = :jobId')
  const countTo = db.prepare<OfSegment, { total: number }>(`
    SELECT count(*) AS total
    FROM segment s JOIN segment a ON a.job_id = s.job_id AND a.window_idx = :windowIdx AND a.idx = :idx
    WHERE s.job_id = :jobId AND (s.start_ms, s.window_idx, s.idx) <= (a.start_ms, a.window_idx, a.idx)
  `)
  const countBegun = db.prepare<OfJob & { ms: number }, { total: number }>(
    'SELECT count(*) AS total FROM segment WHERE job_id = :jobId AND start_ms <= :ms'
  )
  const last = db.prepare<OfJob, { number: number }>('SELECT coalesce(max(number), 0) AS number FROM revision WHERE job_id = :jobId')
  const insert = db.prepare<OfJob & { number: number, kind: RevisionKind, at: number, undoes: number | null }>(`
    INSERT INTO revision (job_id, number, kind, at, segments, undoes) VALUES (:jobId, :number, :kind, :at, 0, :undoes)
  `)
  const setUndone = db.prepare<OfJob & { number: number, by: number | null }>(`
    UPDATE revision SET undone_by = :by WHERE job_id = :jobId AND number = :number
  `)
  const update = db.prepare(`
    UPDATE segment SET text = :text, words = :words, machine_text = :machineText, machine_words = :machineWords, revision = :number,
      content = :content
    WHERE job_id = :jobId AND window_idx = :windowIdx AND idx = :idx
  `)
  const insertBefore = db.prepare(`
    INSERT INTO revision_segment (job_id, number, window_idx, idx, before_text, before_words, before_content, before_labelling, by_machine,
      after_text, after_content)
    VALUES (:jobId, :number, :windowIdx, :idx, :text, :words, :content, :labelling, :byMachine, :afterText, :afterContent)
  `)
  const addCount = db.prepare<OfJob & { number: number, count: number }>(`
    UPDATE revision SET segments = segments + :count WHERE job_id = :jobId AND number = :number
  `)
  const findRevision = db.prepare<OfJob & { number: number }, RevisionRow>(`
    SELECT ${REVISION_COLUMNS}, NULL AS window_idx, NULL AS idx, NULL AS before_text, NULL AS after_text
    FROM revision r WHERE r.job_id = :jobId AND r.number = :number
  `)
  const latest = db.prepare<OfJob, { number: number }>(`
    SELECT number FROM revision WHERE job_id = :jobId AND kind <> 'undo' AND undone_by IS NULL ORDER BY number DESC LIMIT 1
  `)
  const list = db.prepare<OfJob & { before: number, limit: number }, RevisionRow>(`
    SELECT ${REVISION_COLUMNS}, s.window_idx, s.idx, s.before_text, s.after_text
    FROM revision r LEFT JOIN revision_segment s ON s.job_id = r.job_id AND s.number = r.number AND r.segments = 1
    WHERE r.job_id = :jobId AND r.number < :before
    ORDER BY r.number DESC
    LIMIT :limit
  `)
  const keys = db.prepare<OfSegment & { number: number, limit: number }, SegmentKey & { hasChanged: 0 | 1, revision: number }>(`
    SELECT r.window_idx AS windowIdx, r.idx, s.content <> r.after_content AS hasChanged, s.revision
    FROM revision_segment r JOIN segment s ON s.job_id = r.job_id AND s.window_idx = r.window_idx AND s.idx = r.idx
    WHERE r.job_id = :jobId AND r.number = :number AND (r.window_idx, r.idx) > (:windowIdx, :idx)
    ORDER BY r.window_idx, r.idx
    LIMIT :limit
  `)
  const before = db.prepare<OfSegment & { number: number }, BeforeRow>(`
    SELECT before_text, before_words, before_content, before_labelling, by_machine
    FROM revision_segment
    WHERE job_id = :jobId AND number = :number AND window_idx = :windowIdx AND idx = :idx
  `)
  const prune = db.prepare<OfJob & { last: number }>(`
    DELETE FROM revision
    WHERE job_id = :jobId AND number < :last AND number <= max(:last - ${KEPT_REVISIONS}, coalesce((
      SELECT max(number)
      FROM (SELECT number, sum(segments) OVER (ORDER BY number DESC) AS total FROM revision WHERE job_id = :jobId)
      WHERE total > ${KEPT_SEGMENTS}
    ), 0))
  `)

  // A revision that was undone cannot be undone.
  const closeAll = db.prepare<OfJob>('UPDATE revision SET undone_by = number WHERE job_id = :jobId AND undone_by IS NULL')
  const removeHistory = db.prepare<OfJob & { limit: number }>(`
    DELETE FROM revision_segment
    WHERE (job_id, number, window_idx, idx) IN (
      SELECT job_id, number, window_idx, idx FROM revision_segment WHERE job_id = :jobId LIMIT :limit
    )
  `)

  const findSegment = (jobId: number, key: SegmentKey): EditedSegment | undefined => {
    const row = find.get({ jobId, ...key })
    return row && toSegment(row)
  }

  function pageAfter (jobId: number, after: SegmentKey | undefined, limit: number): EditedSegment[] {
    const row = after && find.get({ jobId, ...after })
    if (after && !row) return []
    const from = row ? { startMs: row.start_ms, windowIdx: row.window_idx, idx: row.idx } : START
    return page.all({ jobId, ...from, limit }).map(toSegment)
  }

  return {
    find: findSegment,
    /** Segments in the order of time, after another one; undefined: from the first one. None if `after` is not there. */
    page: pageAfter,
    /** Segments in the order of time, without the first `offset`. */
    pageAt (jobId: number, offset: number, limit: number): EditedSegment[] {
      if (offset === 0) return pageAfter(jobId, undefined, limit)
      const before = keyAt.get({ jobId, offset: offset - 1 })
      return before ? pageAfter(jobId, before, limit) : []
    },
    count: (jobId: number): number => count.get({ jobId })?.total ?? 0,
    /** The number of segments up to this one; 0: there is no such segment. */
    countTo: (jobId: number, key: SegmentKey): number => countTo.get({ jobId, ...key })?.total ?? 0,
    /** The number of segments that have begun at a time. */
    countBegun: (jobId: number, ms: number): number => countBegun.get({ jobId, ms })?.total ?? 0,
    /** The number of the last revision; 0: there is none. */
    lastRevision: (jobId: number): number => last.get({ jobId })?.number ?? 0,
    /** Creates the next revision, without segments. Returns its number. */
    begin (jobId: number, kind: RevisionKind, at: number, undoes?: number): number {
      const number = (last.get({ jobId })?.number ?? 0) + 1
      insert.run({ jobId, number, kind, at, undoes: undoes ?? null })
      return number
    },
    /** Stores the undo by which a revision was undone; undefined: the undo was undone. */
    setUndone: (jobId: number, number: number, by: number | undefined): void => { setUndone.run({ jobId, number, by: by ?? null }) },
    /** Changes a segment as part of a revision, and records what it was. */
    change (jobId: number, number: number, segment: EditedSegment, to: NewText): void {
      const { key, text, words, content, labelling, machine } = segment
      const machineText = to.isMachine ? undefined : machine ?? { text, words }
      insertBefore.run({
        jobId, number, ...key, text, words: packWords(words), content, labelling, byMachine: machine ? 0 : 1, afterText: to.text,
        afterContent: to.content
      })
      update.run({
        jobId, number, ...key, text: to.text, words: packWords(to.words), content: to.content,
        machineText: machineText?.text ?? null, machineWords: machineText ? packWords(machineText.words) : null
      })
      addCount.run({ jobId, number, count: 1 })
    },
    /** The segments that a revision changed, after one of them; whether their text has changed since; the last revision of each. */
    listKeys (jobId: number, number: number, after: SegmentKey | undefined, limit: number): ChangedKey[] {
      return keys.all({ jobId, number, ...after ?? { windowIdx: -1, idx: -1 }, limit })
        .map(({ hasChanged, ...key }) => ({ ...key, hasChanged: hasChanged === 1 }))
    },
    /** The text that a segment had before a revision. */
    findBefore (jobId: number, number: number, segment: EditedSegment): NewText | undefined {
      const row = before.get({ jobId, number, ...segment.key })
      if (!row) return undefined
      const words = unpackWords(row.before_words)
      const labelled = segment.words.length > 0 ? segment.words : segment.machine?.words ?? []
      return {
        text: row.before_text,
        // Speakers were identified again since: the old numbers no longer name them.
        words: row.before_labelling === segment.labelling ? words : copySpeakers(words, labelled),
        content: row.before_content,
        isMachine: row.by_machine === 1
      }
    },
    findRevision (jobId: number, number: number): Revision | undefined {
      const row = findRevision.get({ jobId, number })
      return row && toRevision(row)
    },
    /** The last edit or replacement that is not undone. */
    findLatest: (jobId: number): number | undefined => latest.get({ jobId })?.number,
    /** Revisions before `before`, newest first. */
    listRevisions: (jobId: number, before: number, limit: number): Revision[] => list.all({ jobId, before, limit }).map(toRevision),
    /** Nothing of a transcription can be undone from now on. */
    closeHistory: (jobId: number): void => { closeAll.run({ jobId }) },
    /** Removes what `limit` segments were before they were changed. False when there is no more of it. */
    removeHistory: (jobId: number, limit: number): boolean => removeHistory.run({ jobId, limit }).changes === limit,
    /** Removes the oldest revisions beyond what is kept; never the last one. */
    prune: (jobId: number): void => { prune.run({ jobId, last: last.get({ jobId })?.number ?? 0 }) }
  }
}
export type EditStore = ReturnType<typeof createEditStore>
