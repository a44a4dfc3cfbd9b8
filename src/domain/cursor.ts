/** Where the next page of a list begins, as callers see it: a text that means nothing to them. */
import { AppError } from './errors.js'

/** The cursor of the page after the item `id`. */
export function toCursor (id: number): string {
  return Buffer.from(`after ${id}`).toString('base64url')
}

/** The item a cursor was made of. Throws `invalid_request` for what is no cursor of ours. */
export function parseCursor (cursor: string): number {
  const id = Number(/^after (\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1])
  if (Number.isSafeInteger(id) && toCursor(id) === cursor) return id
  throw new AppError('invalid_request', 'cursor: not one that a list has answered with. Leave it out to begin with the first page.')
}
