/** Lists that go page by page. */
import Type from 'typebox'
import type { TSchema } from 'typebox'
import type { Page } from '../domain/access.js'
import { parseCursor, toCursor } from '../domain/cursor.js'

const DEFAULT_LIMIT = 50

/** The query of a list whose pages have `limit` items unless the caller says otherwise. */
export const pageQuery = (limit: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: limit })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'nextCursor of the page before' }))
})
export const PAGE_QUERY = pageQuery(DEFAULT_LIMIT)

type Query = { limit?: number, cursor?: string }

/** `data` is the list itself, as the envelope has it for lists; where it goes on stands beside it. */
export function PageOf<T extends TSchema> (title: string, item: T, description: string) {
  const { examples: [example] = [] } = item as { examples?: unknown[] }
  return Type.Object({
    success: Type.Literal(true),
    data: Type.Array(item),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'the cursor of the next page; null on the last one' })
  }, { title, description, examples: [{ success: true, data: [example], nextCursor: null }] })
}

/** The reply to a query. `list` is asked for one item more than the page has: whether it is there says whether the list goes on. */
export function readPage<T extends { id: number }> ({ limit = DEFAULT_LIMIT, cursor }: Query, list: (page: Page) => T[]): { success: true, data: T[], nextCursor: string | null } {
  const items = list({ after: cursor === undefined ? 0 : parseCursor(cursor), limit: limit + 1 })
  const data = items.slice(0, limit)
  const last = data.at(-1)
  return { success: true, data, nextCursor: items.length > limit && last ? toCursor(last.id) : null }
}
