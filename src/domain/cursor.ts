/** Opaque cursors: where the next page of a list begins. */
import { AppError } from './errors.js'

/** The cursor of the page after the item `id`. */
export function toCursor (id: number): string {
  return Buffer.from(`after ${id}`).toString('base64url')
}

/** The id in a cursor. Throws `invalid_request` for text that is not one of our cursors. */
export function parseCursor (cursor: string): number {
  const id = Number(/^after (\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1])
  if (Number.isSafeInteger(id) && toCursor(id) === cursor) return id
  throw new AppError('invalid_request', 'cursor: not a cursor from a list reply. Leave it out to get the first page.')
}
