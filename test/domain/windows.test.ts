import assert from 'node:assert/strict'
import t from 'tap'
import { createWindowCutter } from '../../dist/domain/windows.js'
import type { AudioWindow } from '../../dist/domain/windows.js'
import { createRandom } from '../support/random.ts'
import { joinSound, noise, RATE_HZ, silence, speech } from '../support/sound.ts'

const MAX_SAMPLES = 30 * RATE_HZ
const seconds = (samples: number): number => samples / RATE_HZ

/** All windows of a recording that arrives in chunks of these lengths. */
function cut (samples: Int16Array, chunkLength: () => number = () => samples.length || 1): AudioWindow[] {
  const cutter = createWindowCutter()
  const windows: AudioWindow[] = []
  for (let offset = 0; offset < samples.length;) {
    const chunk = samples.subarray(offset, offset + chunkLength())
    windows.push(...cutter.push(chunk))
    offset += chunk.length
  }
  const { windows: last, totalSamples } = cutter.finish()
  assert.equal(totalSamples, samples.length, 'all samples are counted')
  return [...windows, ...last]
}

/** What is wrong with these windows: too long, overlapping, beyond the end, or a sound that no window has. */
function findFaults (samples: Int16Array, windows: readonly AudioWindow[]): string[] {
  const faults: string[] = []
  let end = 0
  for (const [index, { startSample, endSample }] of windows.entries()) {
    if (startSample < end) faults.push(`window ${index} begins before ${end}`)
    if (endSample <= startSample || endSample > samples.length) faults.push(`window ${index} is ${startSample} to ${endSample}`)
    if (endSample - startSample > MAX_SAMPLES) faults.push(`window ${index} is longer than 30 s`)
    if (samples.subarray(end, startSample).some((sample) => Math.abs(sample) > 1)) faults.push(`sound is missing before window ${index}`)
    end = endSample
  }
  if (samples.subarray(end).some((sample) => Math.abs(sample) > 1)) faults.push('sound is missing at the end')
  return faults
}

/** A recording of speech, noises, clicks, pauses and nothing at all, by chance. */
function inventRecording (seed: number): Int16Array {
  const random = createRandom(seed)
  const parts: Int16Array[] = []
  for (let count = 2 + random() * 25; count > 0; count--) {
    const kind = random()
    const length = random() * (kind < 0.1 ? 70 : 6)
    if (kind < 0.4) parts.push(speech(length, seed))
    else if (kind < 0.6) parts.push(noise(length, 300 + random() * 20_000, seed))
    else if (kind < 0.8) parts.push(silence(length))
    else if (kind < 0.9) parts.push(noise(length, 1, seed))
    else parts.push(Int16Array.of(20_000))
  }
  return joinSound(...parts)
}

t.test('the same samples give the same windows, however they arrive', async (t) => {
  const samples = joinSound(speech(17, 3), noise(0.6, 40), speech(19.0001, 4), silence(7.7), noise(21, 900), silence(3), speech(2.345, 5))
  const whole = cut(samples)
  t.ok(whole.length >= 3)
  for (const length of [1, 2, 319, 320, 321, 4096, RATE_HZ]) {
    t.strictSame(cut(samples, () => length), whole, `chunks of ${length}`)
  }
  const random = createRandom(7)
  for (const round of [1, 2, 3]) t.strictSame(cut(samples, () => 1 + Math.floor(random() * RATE_HZ)), whole, `chunks of any length, round ${round}`)
})

t.test('a window is reported as soon as it is settled, not at the end', async (t) => {
  const cutter = createWindowCutter()
  t.strictSame(cutter.push(speech(29.9)), [])
  t.equal(cutter.push(speech(0.2)).length, 1)
})

t.test('whatever comes: no window over 30 s, no overlap, every sound in exactly one window', async (t) => {
  for (let seed = 1; seed <= 25; seed++) {
    const samples = inventRecording(seed)
    t.strictSame(findFaults(samples, cut(samples)), [], `recording ${seed}, ${seconds(samples.length).toFixed(1)} s`)
  }
})

t.test('a window ends in the latest pause of its second half, so that windows are long', async (t) => {
  const samples = joinSound(speech(18), noise(0.9, 40), speech(7), noise(0.4, 40), speech(20))
  const [first] = cut(samples)
  t.match(first, { startSample: 0 })
  const end = seconds(first?.endSample ?? 0)
  t.ok(end > 25.9 && end < 26.3, `in the middle of the 0.4 s from 25.9 s, not in the 0.9 s from 18 s: ${end}`)
})

t.test('a gap between two words is no pause while there is a real one, and the last second is left alone', async (t) => {
  const samples = joinSound(speech(16), noise(0.4, 40), speech(8), noise(0.4, 40), speech(2), noise(0.2, 40), speech(2.3), noise(0.6, 40), speech(20))
  const end = seconds(cut(samples)[0]?.endSample ?? 0)
  t.ok(end > 24.4 && end < 24.8, `in the pause from 24.4 s: ${end}`)
})

t.test('a pause in the first half does not end a window', async (t) => {
  const samples = joinSound(speech(5), noise(2, 40), speech(14), noise(0.3, 40), speech(20))
  const end = seconds(cut(samples)[0]?.endSample ?? 0)
  t.ok(end > 21 && end < 21.3, `in the pause from 21 s: ${end}`)
})

t.test('a pause is found in sound that is evenly loud, such as music or a compressed broadcast', async (t) => {
  const samples = joinSound(noise(18, 8000), noise(0.9, 40), noise(25, 8000))
  const end = seconds(cut(samples)[0]?.endSample ?? 0)
  t.ok(end >= 18 && end <= 18.9, `in the pause from 18 s: ${end}`)
})

t.test('without any pause it takes the softest moment of the second half', async (t) => {
  const samples = joinSound(noise(23, 8000), noise(0.04, 2000), noise(20, 8000))
  const end = seconds(cut(samples)[0]?.endSample ?? 0)
  t.ok(end >= 22.98 && end <= 23.06, `at the dip at 23 s: ${end}`)
})

t.test('digital silence and its dither give no window', async (t) => {
  t.strictSame(cut(silence(0.01)), [])
  t.strictSame(cut(silence(95)), [])
  t.strictSame(cut(noise(65, 1)), [])
})

t.test('silence around a sound is left out but for a short margin', async (t) => {
  const samples = joinSound(silence(40), noise(3, 8000), silence(40))
  t.strictSame(cut(samples), [{ startSample: 39.7 * RATE_HZ, endSample: 43.3 * RATE_HZ }], '0.3 s on each side')
})

t.test('a very quiet voice is kept', async (t) => {
  t.strictSame(cut(noise(10, 60)), [{ startSample: 0, endSample: 10 * RATE_HZ }])
})

t.test('no samples, a few samples, 10 s', async (t) => {
  t.strictSame(cut(new Int16Array(0)), [])
  t.strictSame(cut(noise(0.0005, 9000)), [{ startSample: 0, endSample: 8 }])
  t.strictSame(cut(speech(10)), [{ startSample: 0, endSample: 160_000 }])
  t.strictSame(cut(speech(10.0003)), [{ startSample: 0, endSample: 160_005 }])
})

t.test('around exactly 30 s every sample is in a window', async (t) => {
  for (const length of [MAX_SAMPLES - 1, MAX_SAMPLES, MAX_SAMPLES + 1]) {
    const samples = noise(length / RATE_HZ, 9000)
    const windows = cut(samples)
    t.strictSame(findFaults(samples, windows), [], `${length} samples`)
    t.equal(windows.reduce((sum, { startSample, endSample }) => sum + endSample - startSample, 0), length)
  }
  t.equal(cut(noise((MAX_SAMPLES - 1) / RATE_HZ, 9000)).length, 1, 'what fits into one window is one')
})

t.test('four hours are cut in seconds', async (t) => {
  const second = speech(1)
  const cutter = createWindowCutter()
  let count = 0
  const before = process.cpuUsage()
  for (let index = 0; index < 4 * 3600; index++) count += cutter.push(second).length
  const { windows, totalSamples } = cutter.finish()
  const { user } = process.cpuUsage(before)
  t.equal(totalSamples, 4 * 3600 * RATE_HZ)
  const all = count + windows.length
  t.ok(all >= 480 && all <= 960, `${all} windows of 15 to 30 s`)
  t.ok(user < 6e6, `${Math.round(user / 1000)} ms of processor time`)
})
