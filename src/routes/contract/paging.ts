/** Lists in pages. */
import Type from 'typebox'
import type { TSchema } from 'typebox'
import type { Page } from '../../domain/access.js'
import { parseCursor, toCursor } from '../../domain/cursor.js'

const DEFAULT_LIMIT = 50

const MAX_CURSOR_LENGTH = 64

/** The query of a list with `limit` items per page by default. */
export const pageQuery = (limit: number, maxCursorLength = MAX_CURSOR_LENGTH) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: limit })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: maxCursorLength, description: 'nextCursor of the previous page' }))
})
export const PAGE_QUERY = pageQuery(DEFAULT_LIMIT)

type Query = { limit?: number, cursor?: string }

/** The envelope of a list: `data` is an array, and `nextCursor` stands beside it. */
export function PageOf<T extends TSchema> (title: string, item: T, description: string) {
  const { examples: [example] = [] } = item as { examples?: unknown[] }
  return Type.Object({
    success: Type.Literal(true),
    data: Type.Array(item),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'the cursor of the next page; null on the last one' })
  }, { title, description, examples: [{ success: true, data: [example], nextCursor: null }] })
}

type PageReply<T> = { success: true, data: T[], nextCursor: string | null }

/** The reply to a query. Asks `list` for one more item than the page has, to know whether there is another page. */
export function readPage<T extends { id: number }> ({ limit = DEFAULT_LIMIT, cursor }: Query, list: (page: Page) => T[]): PageReply<T> {
  const items = list({ after: cursor === undefined ? 0 : parseCursor(cursor), limit: limit + 1 })
  const data = items.slice(0, limit)
  const last = data.at(-1)
  return { success: true, data, nextCursor: items.length > limit && last ? toCursor(last.id) : null }
}
