/** Pages of SQLite, made by hand: what is unallocated is zeroed, and everything else is left alone. */
import t from 'tap'
import { clearFreeSpace } from '../../dist/store/free-space.js'

const HERE = { isFirst: false, reservedBytes: 0 }

/** A page of 512 bytes, all 0xEE but its header: `cells` cells whose content begins at `start`. */
function page (type: number, { cells = 2, start = 400, freeBlock = 0, at = 0 } = {}): Buffer {
  const bytes = Buffer.alloc(512, 0xee)
  bytes[at] = type
  bytes.writeUInt16BE(freeBlock, at + 1)
  bytes.writeUInt16BE(cells, at + 3)
  bytes.writeUInt16BE(start, at + 5)
  return bytes
}

/** The ranges that are zero now and were not before. */
function cleared (before: Buffer, options = HERE): Array<[number, number]> {
  const after = Buffer.from(before)
  clearFreeSpace(after, options)
  const ranges: Array<[number, number]> = []
  for (const [index, byte] of after.entries()) {
    if (byte === before[index]) continue
    const last = ranges.at(-1)
    if (last?.[1] === index) last[1]++
    else ranges.push([index, index + 1])
  }
  return ranges
}

t.test('the gap between the cell pointers and the cells is zeroed', async (t) => {
  for (const leaf of [10, 13]) t.strictSame(cleared(page(leaf)), [[8 + 4, 400]])
  for (const interior of [2, 5]) t.strictSame(cleared(page(interior)), [[12 + 4, 400]])
  t.strictSame(cleared(page(13, { at: 100 }), { isFirst: true, reservedBytes: 0 }), [[100 + 8 + 4, 400]], 'page 1')
})

t.test('free blocks are zeroed behind their headers', async (t) => {
  const bytes = page(10, { freeBlock: 420 })
  bytes.writeUInt32BE((460 << 16) | 20, 420)
  bytes.writeUInt32BE(12, 460)
  t.strictSame(cleared(bytes), [[12, 400], [424, 440], [464, 472]])
})

t.test('a page without free bytes, or cleared before, is not changed', async (t) => {
  t.equal(clearFreeSpace(page(10, { start: 12 }), HERE), false)
  const bytes = page(10)
  t.equal(clearFreeSpace(bytes, HERE), true)
  t.equal(clearFreeSpace(bytes, HERE), false)
})

t.test('other pages, and pages that only look like b-tree pages, are left alone', async (t) => {
  const loop = page(10, { freeBlock: 420 })
  loop.writeUInt32BE((420 << 16) | 20, 420)
  const long = page(10, { freeBlock: 500 })
  long.writeUInt32BE(20, 500)
  for (const [name, bytes] of Object.entries({
    overflow: page(0), other: page(1), 'too many cells': page(10, { cells: 300 }), 'content after the end': page(10, { start: 600 }),
    'free block in the gap': page(10, { freeBlock: 100 }), 'free block without end': loop, 'free block past the end': long
  })) t.strictSame(cleared(bytes), [], name)
  t.strictSame(cleared(page(10, { start: 500 }), { isFirst: false, reservedBytes: 16 }), [], 'content in the reserved bytes')
})
