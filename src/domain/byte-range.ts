/** Parts of a file that a client asks for (RFC 9110, section 14). Pure. */

/** Bytes from `start` to `end`, `end` not included. */
export type ByteRange = { start: number, end: number }

/**
 * The range that a Range header asks for. Undefined: the answer is the whole file, also if the header is not valid or asks for several
 * ranges. `none`: the file has no such bytes.
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

/** Whether an If-None-Match header names this entity tag, or any. */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((each) => [etag, '*', `W/${etag}`].includes(each.trim()))
