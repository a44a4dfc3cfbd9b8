/**
 * Unallocated space in pages of an SQLite file (https://www.sqlite.org/fileformat2.html, section 1.6). With `secure_delete`, SQLite zeroes
 * rows when it deletes them, but not the copies that stay behind when it moves rows to other pages.
 */

/** First byte of b-tree pages: interior and leaf pages of indexes and tables. */
const INTERIOR = new Set([2, 5])
const LEAF = new Set([10, 13])
/** The database header at the start of the first page. */
const FILE_HEADER_BYTES = 100

/**
 * Files with more pages than this may have other pages that begin like b-tree pages: overflow and free-list pages begin with the number of
 * another page, whose first byte is 0 or 1 up to here.
 */
export const MAX_PAGES = 0x02000000 - 1

/** As long as the longest page. */
const ZEROES = Buffer.alloc(65_536)

/** Zeroes a range. True when it was not zero before. */
function zero (bytes: Buffer, start: number, end: number): boolean {
  const range = bytes.subarray(start, end)
  if (range.equals(ZEROES.subarray(0, range.length))) return false
  range.fill(0)
  return true
}

/** The free blocks of a page as [offset, size]; undefined when their chain is not valid. */
function listFreeBlocks (page: Buffer, first: number, contentStart: number): Array<[number, number]> | undefined {
  const blocks: Array<[number, number]> = []
  let end = contentStart
  for (let offset = first; offset !== 0; offset = page.readUInt16BE(offset)) {
    if (offset < end || offset + 4 > page.length) return undefined
    const size = page.readUInt16BE(offset + 2)
    if (size < 4 || offset + size > page.length) return undefined
    blocks.push([offset, size])
    end = offset + size
  }
  return blocks
}

/**
 * Zeroes the unallocated space of a page: between its cell pointers and its cells, and inside its free blocks. Pages that are not b-tree
 * pages are left alone. True when something was zeroed. `isFirst`: page 1 of the file. `reservedBytes`: unused bytes at the end of pages.
 */
export function clearFreeSpace (whole: Buffer, { isFirst, reservedBytes }: { isFirst: boolean, reservedBytes: number }): boolean {
  const page = whole.subarray(0, whole.length - reservedBytes)
  const at = isFirst ? FILE_HEADER_BYTES : 0
  const type = page[at] ?? 0
  if (!INTERIOR.has(type) && !LEAF.has(type)) return false
  const pointersEnd = at + (INTERIOR.has(type) ? 12 : 8) + 2 * page.readUInt16BE(at + 3)
  const contentStart = page.readUInt16BE(at + 5) || 65_536
  const blocks = listFreeBlocks(page, page.readUInt16BE(at + 1), contentStart)
  if (pointersEnd > contentStart || contentStart > page.length || !blocks) return false
  const isGapChanged = zero(page, pointersEnd, contentStart)
  return blocks.map(([offset, size]) => zero(page, offset + 4, offset + size)).includes(true) || isGapChanged
}
