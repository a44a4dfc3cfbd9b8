/** What the library shows, as it is in the address: a view can be bookmarked, and the back button works. */
import type { RecordingFilter } from '../recordings/recordings.ts'

const STATUSES = ['pending', 'processing', 'completed', 'failed'] as const
export const SORTS = ['newest', 'oldest', 'title', 'longest', 'shortest'] as const
export type Sort = typeof SORTS[number]
export type LibrarySearch = {
  q?: string, status?: typeof STATUSES[number], tag?: string, language?: string, sort?: Sort
  /** These filter what a search finds, and nothing else. `from` and `to` are days, such as 2026-11-22. */
  speaker?: string, from?: string, to?: string, source?: string
}

/** Undefined takes a choice away. */
export type SearchChange = { [K in keyof LibrarySearch]?: LibrarySearch[K] | undefined }

/** Leaves the search and its filters. */
export const NO_SEARCH: SearchChange = { q: undefined, speaker: undefined, from: undefined, to: undefined, source: undefined }

const ORDERS: Readonly<Record<Sort, Pick<RecordingFilter, 'sort' | 'order'>>> = {
  newest: {},
  oldest: { sort: 'created', order: 'asc' },
  title: { sort: 'title', order: 'asc' },
  longest: { sort: 'duration', order: 'desc' },
  shortest: { sort: 'duration', order: 'asc' }
}

/** Anything may be in an address: what makes no sense is undefined. A key that is left out would keep what the address has. */
export function readLibrarySearch (search: Record<string, unknown>): LibrarySearch {
  const text = (name: string, most: number): string | undefined => {
    const value = search[name]
    const string = typeof value === 'number' ? String(value) : value
    return typeof string === 'string' && string.trim() !== '' ? string.slice(0, most) : undefined
  }
  const language = text('language', 64)
  return {
    q: text('q', 200),
    status: STATUSES.find((one) => one === search['status']),
    tag: text('tag', 40),
    // Codes only: for anything else, the browser has no name.
    language: /^[a-z]{2,3}$/.test(language ?? '') ? language : undefined,
    sort: SORTS.find((one) => one === search['sort'] && one !== 'newest'),
    speaker: text('speaker', 200),
    from: text('from', 10),
    to: text('to', 10),
    source: text('source', 2048)
  }
}

export function toFilter ({ status, tag, language, sort = 'newest' }: LibrarySearch): RecordingFilter {
  return {
    ...(status ? { status } : {}), ...(tag === undefined ? {} : { tag }), ...(language === undefined ? {} : { language }), ...ORDERS[sort]
  }
}
