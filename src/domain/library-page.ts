/** How the library is listed: which transcriptions, in which order, and where a page begins. Pure. */
import { AppError } from './errors.js'
import type { JobStatus } from './job.js'

export const LIBRARY_SORTS = ['created', 'title', 'duration'] as const
export type LibrarySort = typeof LIBRARY_SORTS[number]
export const SORT_ORDERS = ['asc', 'desc'] as const
export type SortOrder = typeof SORT_ORDERS[number]

/** The last item of the previous page: what it is sorted by, and its id. */
export type LibraryPlace = { key: string | number, id: number }

/** `text`: a part of the title or file name. `language`: Whisper's code. Undefined fields leave out nothing. */
export type LibraryChoice = {
  status: JobStatus | undefined, text: string | undefined, tag: string | undefined, language: string | undefined
}

/** The longest cursor: base64url of a folded title and file name. */
export const MAX_LIBRARY_CURSOR_LENGTH = 8192

/** The cursor of the page after `place`. It has the sort, so that it cannot be used with another. */
export const toPlaceCursor = (sort: LibrarySort, { key, id }: LibraryPlace): string =>
  Buffer.from(JSON.stringify([sort, key, id])).toString('base64url')

/** The place in a cursor. Throws `invalid_request` for text that is no cursor of this order. */
export function parsePlaceCursor (sort: LibrarySort, cursor: string): LibraryPlace {
  try {
    const [named, key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    const isKey = sort === 'title' ? typeof key === 'string' : typeof key === 'number'
    if (named === sort && isKey && Number.isSafeInteger(id)) return { key: key as string | number, id: id as number }
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
  }
  throw new AppError('invalid_request', 'cursor: not a cursor from a list reply in this order. Leave it out to get the first page.')
}
