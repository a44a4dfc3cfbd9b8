/** What the library shows, as it is in the address: a view can be bookmarked, and the back button works. */
import type { RecordingFilter } from '../recordings/recordings.ts'

const STATUSES = ['pending', 'processing', 'completed', 'failed'] as const
export const SORTS = ['newest', 'oldest', 'title', 'longest', 'shortest'] as const
export type Sort = typeof SORTS[number]
export type LibrarySearch = { q?: string, status?: typeof STATUSES[number], tag?: string, language?: string, sort?: Sort }

/** Undefined takes a choice away. */
export type SearchChange = { [K in keyof LibrarySearch]?: LibrarySearch[K] | undefined }

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
  return {
    q: text('q', 200),
    status: STATUSES.find((one) => one === search['status']),
    tag: text('tag', 40),
    language: text('language', 64),
    sort: SORTS.find((one) => one === search['sort'] && one !== 'newest')
  }
}

export function toFilter ({ status, tag, language, sort = 'newest' }: LibrarySearch): RecordingFilter {
  return {
    ...(status ? { status } : {}), ...(tag === undefined ? {} : { tag }), ...(language === undefined ? {} : { language }), ...ORDERS[sort]
  }
}
