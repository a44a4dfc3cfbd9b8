import t from 'tap'
import { missingParts, partCount, partSizeAt, partSizeFor } from '../../dist/domain/upload.js'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
const uploadOf = (sizeBytes: number): { sizeBytes: number, partSizeBytes: number } => ({ sizeBytes, partSizeBytes: partSizeFor(sizeBytes) })

t.test('parts are 1 MiB, and larger whole MiB where there would be more than 1000', async (t) => {
  t.equal(partSizeFor(1), MIB)
  t.equal(partSizeFor(MIB), MIB)
  t.equal(partSizeFor(1000 * MIB), MIB)
  t.equal(partSizeFor(1000 * MIB + 1), 2 * MIB)
  t.equal(partSizeFor(10 * GIB), 11 * MIB)
})

t.test('the parts of a file of any size add up to it, at most 1000, none empty', async (t) => {
  for (const size of [1, MIB - 1, MIB, MIB + 1, 5 * MIB, 1000 * MIB - 1, 1000 * MIB, 1000 * MIB + 1, 10 * GIB, 1024 * GIB + 7]) {
    const upload = uploadOf(size)
    const count = partCount(upload)
    const sizes = Array.from({ length: count }, (_, index) => partSizeAt(upload, index + 1))
    t.ok(count >= 1 && count <= 1000, `${size} bytes in ${count} parts`)
    t.equal(sizes.reduce((sum, part) => sum + part, 0), size)
    t.ok(
      sizes.every((part, index) => part === upload.partSizeBytes || (index === count - 1 && part > 0 && part < upload.partSizeBytes)),
      'full but the last'
    )
  }
})

t.test('missing parts are those not received, ascending, whatever the order of arrival', async (t) => {
  const upload = uploadOf(4 * MIB + 1)
  const received = (...numbers: number[]) => numbers.map((partNumber) => ({ partNumber, sizeBytes: 1, sha256: '' }))
  t.strictSame(missingParts(upload, []), [1, 2, 3, 4, 5])
  t.strictSame(missingParts(upload, received(5, 2)), [1, 3, 4])
  t.strictSame(missingParts(upload, received(3, 1, 5, 4, 2)), [])
  t.strictSame(missingParts(upload, received(2, 2, 9)), [1, 3, 4, 5])
})
