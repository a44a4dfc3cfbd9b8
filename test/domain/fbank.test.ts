import { readFileSync } from 'node:fs'
import t from 'tap'
import { countFbankFrames, createFbank, FBANK_BANDS, selectFrames } from '../../dist/domain/fbank.js'

type Reference = { frames: number, first: number[], last: number[] }
const path = new URL('../fixtures/fbank.json', import.meta.url)
const stored = JSON.parse(readFileSync(path, 'utf8')) as Record<'povey' | 'hamming', Reference>

/** Half a second of a tone, a second tone from 0.2 s on, and noise of a linear congruential generator. */
function makeSound (): Float32Array {
  let state = 12_345n
  return Float32Array.from({ length: 8000 }, (_, index) => {
    state = (state * 1_103_515_245n + 12_345n) % 2_147_483_648n
    const seconds = index / 16_000
    const second = seconds > 0.2 ? 0.2 * Math.sin(2 * Math.PI * 1830 * seconds) : 0
    return 0.3 * Math.sin(2 * Math.PI * 220 * seconds) + second + 0.05 * (Number(state) / 2_147_483_648 - 0.5)
  })
}

for (const [window, scale] of [['povey', 1], ['hamming', 32_768]] as const) {
  t.test(`the energies are those of kaldi-native-fbank, window ${window}`, (t) => {
    const energies = createFbank({ window, scale })(makeSound())
    const { frames, first, last } = stored[window]
    t.equal(energies.length, frames * FBANK_BANDS)
    const off = [first, last].flatMap((reference, which) =>
      reference.map((value, band) => Math.abs(value - energies[which * (frames - 1) * FBANK_BANDS + band]!)))
    t.ok(Math.max(...off) < 0.0005, `largest difference ${Math.max(...off)}`)
    t.end()
  })
}

t.test('sound without a whole frame has none, silence is finite', (t) => {
  t.strictSame([0, 399, 400, 559, 560].map(countFbankFrames), [0, 0, 1, 1, 2])
  const fbank = createFbank({ window: 'povey', scale: 1 })
  t.equal(fbank(new Float32Array(399)).length, 0)
  t.ok(fbank(new Float32Array(800)).every(Number.isFinite))
  t.end()
})

t.test('chosen frames are joined, and each band is around zero', (t) => {
  const energies = Float32Array.from({ length: 4 * FBANK_BANDS }, (_, index) => Math.floor(index / FBANK_BANDS) ** 2 + index % FBANK_BANDS)
  const chosen = selectFrames(energies, [1, 3])
  t.strictSame([chosen[0], chosen[FBANK_BANDS]], [-4, 4])
  t.strictSame(selectFrames(energies, []), new Float32Array())
  t.end()
})
