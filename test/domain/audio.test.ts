import t from 'tap'
import { MAX_WINDOW_SAMPLES, samplesToMs, toFloatPcm } from '../../dist/domain/audio.js'

t.test('samples are 1/16 ms each, rounded down', async (t) => {
  t.strictSame([0, 15, 16, 31, 16_000, MAX_WINDOW_SAMPLES].map(samplesToMs), [0, 0, 1, 1, 1000, 30_000])
})

t.test('samples as floats keep their length and stay within -1 to 1', async (t) => {
  t.strictSame([...toFloatPcm(Int16Array.of(-32_768, -16_384, 0, 16_384, 32_767))], [-1, -0.5, 0, 0.5, 32_767 / 32_768])
  t.equal(toFloatPcm(new Int16Array(0)).length, 0)
})
