/** Parts of a file that a client asks for (RFC 9110, section 14). Pure. */

/** Bytes from `start` to `end`, `end` not included. */
export type ByteRange = { start: number, end: number }

/**
 * The range that a Range header asks for. Undefined: the whole file is the answer, to a header that is not valid too, and to one that
 * asks for several ranges. `none`: there is no such byte.
 */
export function parseByteRange (header: string | undefined, sizeBytes: number): ByteRange | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d{0,16})\s*-\s*(\d{0,16})\s*$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'none' : { start: sizeBytes - length, end: sizeBytes }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= sizeBytes) return 'none'
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) }
}

/** Whether one of the tags in an If-None-Match header is this one. */
export const matchesTag = (header: string | undefined, tag: string): boolean =>
  (header ?? '').split(',').some((each) => [tag, '*', `W/${tag}`].includes(each.trim()))
