import t from 'tap'
import { findCuts, insertQuiet, QUIET_DBFS } from '../../bench/lib/pauses.ts'

t.test('cuts lie in the middle of the pauses between sentences', async (t) => {
  t.strictSame(findCuts([{ start: 0.5, end: 1 }, { start: 2, end: 3 }, { start: 3, end: 4 }]), [24000, 48000])
  t.strictSame(findCuts([{ start: 0.5, end: 1 }]), [])
  t.strictSame(findCuts([]), [])
})

t.test('each piece is followed by quiet as long as itself', async (t) => {
  const samples = Int16Array.from({ length: 30_000 }, (_, index) => 1000 + index % 7)
  const result = insertQuiet(samples, [10_000, 25_000])
  t.equal(result.length, 60_000)
  t.strictSame(result.subarray(0, 10_000), samples.subarray(0, 10_000))
  t.strictSame(result.subarray(20_000, 35_000), samples.subarray(10_000, 25_000))
  t.strictSame(result.subarray(50_000, 55_000), samples.subarray(25_000))
  for (const [start, end] of [[10_000, 20_000], [35_000, 50_000], [55_000, 60_000]] as const) {
    const quiet = result.subarray(start, end)
    t.ok(Math.abs(levelOf(quiet) - QUIET_DBFS) < 0.3, 'noise of the level it should have')
    t.ok(quiet.filter((value) => value === 0).length < quiet.length / 10, 'not digital silence')
  }
})

function levelOf (samples: Int16Array): number {
  const power = samples.reduce((sum, value) => sum + (value / 32768) ** 2, 0) / samples.length
  return 10 * Math.log10(power)
}
