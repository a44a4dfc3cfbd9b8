import t from 'tap'
import { halfToNumber, numberToHalf, toFloat32, toHalves, toSingles } from '../../../dist/engine/models/half-floats.js'

t.test('every float16 that is a number goes through and comes back', async (t) => {
  const changed: number[] = []
  for (let half = 0; half < 65_536; half++) {
    const isNumber = !Number.isNaN(halfToNumber(half))
    if (isNumber && numberToHalf(halfToNumber(half)) !== half) changed.push(half)
  }
  t.strictSame(changed, [])
})

t.test('numbers between go to the nearest, halves to even', async (t) => {
  for (const [number, half] of [
    [1, 0x3c00], [-2, 0xc000], [65_504, 0x7bff], [65_519, 0x7bff], [65_520, 0x7c00], [1e9, 0x7c00], [-1e9, 0xfc00],
    [1 + 2 ** -11, 0x3c00], [1 + 3 * 2 ** -11, 0x3c02], [1 + 2 ** -11 + 2 ** -20, 0x3c01],
    [2 ** -24, 1], [2 ** -25, 0], [3 * 2 ** -25, 2], [2 ** -14 - 2 ** -25, 0x400], [-(2 ** -24), 0x8001]
  ] as const) t.equal(numberToHalf(number), half, String(number))
  t.ok(Number.isNaN(halfToNumber(numberToHalf(NaN))))
})

t.test('bytes of each kind are read and written', async (t) => {
  const numbers = Float32Array.of(0.5, -3, 1024)
  t.strictSame(toFloat32(toHalves(numbers), 'float16'), numbers)
  t.strictSame(toFloat32(toSingles(numbers), 'float32'), numbers)
  t.strictSame(toFloat32(Buffer.from([0, 0x3f, 0x40, 0xc0, 0x80, 0x44]), 'bfloat16'), numbers)
})
