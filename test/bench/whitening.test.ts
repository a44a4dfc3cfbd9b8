import t from 'tap'
import { computeWhitening, invertRoot } from '../../bench/lib/whitening.ts'

t.test('the inverse square root of a matrix, twice, is its inverse', async (t) => {
  // Eigenvalues 1 and 9: the inverse square root has 1 and 1/3 in the same directions.
  const root = invertRoot(Float64Array.of(5, 4, 4, 5), 2)
  for (const [index, value] of [2 / 3, -1 / 3, -1 / 3, 2 / 3].entries()) t.ok(Math.abs(root[index]! - value) < 1e-6)
  t.throws(() => invertRoot(Float64Array.of(1, 0, 0, -1), 2), RangeError)
})

t.test('what varies within a voice counts less, whatever the distance between voices', async (t) => {
  const voice = (y: number): Float32Array[] => [-3, -1, 1, 3].map((x) => Float32Array.of(x, y + x % 2 / 10 * (x > 0 ? 1 : -1)))
  const [wide, across, , narrow] = computeWhitening([voice(0), voice(100)])
  t.ok(wide! < narrow! / 2, `${wide} and ${narrow}`)
  t.ok(Math.abs(across!) < 1e-3)
  t.throws(() => computeWhitening([[Float32Array.of(1, 2)]]), /no voice/)
})
