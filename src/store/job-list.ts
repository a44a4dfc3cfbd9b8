/** The library of an owner, filtered and in any order, page by page. */
import type { Job } from '../domain/job.js'
import { LIBRARY_SORTS, SORT_ORDERS } from '../domain/library-page.js'
import type { LibraryChoice, LibraryPlace, LibrarySort, SortOrder } from '../domain/library-page.js'
import type { Database } from './database.js'
import { JOB_COLUMNS, toJob } from './jobs.js'
import type { JobRow } from './jobs.js'

/** `after`: the last item of the previous page; undefined: the first page. */
export type JobListPage = LibraryChoice & {
  ownerId: number, sort: LibrarySort, order: SortOrder, after: LibraryPlace | undefined, limit: number
}
type Parameters = { [K in keyof LibraryChoice]: string | null } & { ownerId: number, key: string | number, id: number, limit: number }

/** Each has an index that begins with the owner. */
const KEYS: Readonly<Record<LibrarySort, string>> = { created: 'id', title: 'name_key', duration: 'coalesce(duration_ms, -1)' }
/** Before and after all values of a key. */
const ENDS: Readonly<Record<LibrarySort, Record<SortOrder, string | number>>> = {
  created: { asc: -1, desc: Number.MAX_SAFE_INTEGER },
  title: { asc: '', desc: '\u{10ffff}' },
  duration: { asc: -2, desc: Number.MAX_SAFE_INTEGER }
}

const queryOf = (sort: LibrarySort, order: SortOrder): string => `
  SELECT ${JOB_COLUMNS}, ${KEYS[sort]} AS key
  FROM job
  WHERE owner_id = :ownerId AND (${KEYS[sort]}, id) ${order === 'asc' ? '>' : '<'} (:key, :id)
    AND (:status IS NULL OR status = :status)
    AND (:language IS NULL OR coalesce(json_extract(options, '$.language'), heard_language) = :language)
    AND (:text IS NULL OR instr(name_key, :text) > 0)
    AND (:tag IS NULL OR EXISTS (SELECT 1 FROM tag t WHERE t.job_id = job.id AND t.key = :tag))
  ORDER BY ${KEYS[sort]} ${order}, id ${order}
  LIMIT :limit`

export function createJobList (db: Database) {
  const statements = new Map(LIBRARY_SORTS.flatMap((sort) => SORT_ORDERS.map((order) =>
    [`${sort} ${order}`, db.prepare<Parameters, JobRow & { key: string | number }>(queryOf(sort, order))] as const)))
  return {
    /** Jobs with the place of each, for the next page. `text` must be folded, and `tag` a key. */
    list ({ ownerId, sort, order, after, limit, status, text, tag, language }: JobListPage): Array<{ job: Job, place: LibraryPlace }> {
      const { key, id } = after ?? { key: ENDS[sort][order], id: order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER }
      const rows = statements.get(`${sort} ${order}`)?.all({
        ownerId, key, id, limit, status: status ?? null, text: text ?? null, tag: tag ?? null, language: language ?? null
      }) ?? []
      return rows.map((row) => ({ job: toJob(row), place: { key: row.key, id: row.id } }))
    }
  }
}
export type JobList = ReturnType<typeof createJobList>
