import assert from 'node:assert/strict'
import t from 'tap'
import { createWindowClock, createWindowPacker, heardSpans } from '../../dist/domain/windows.js'
import type { AudioWindow } from '../../dist/domain/windows.js'
import { createRandom } from '../support/random.ts'

const RATE_HZ = 16_000
const FRAME = 512
const MAX_SAMPLES = 30 * RATE_HZ
type Frame = { probability: number, levelDb: number }

const framesOf = (seconds: number): number => Math.round(seconds * RATE_HZ / FRAME)
const speech = (seconds: number, levelDb = -20): Frame[] => Array.from({ length: framesOf(seconds) }, () => ({ probability: 0.95, levelDb }))
const silence = (seconds: number): Frame[] => Array.from({ length: framesOf(seconds) }, () => ({ probability: 0.02, levelDb: -70 }))

/** All windows of a recording whose frames arrive in pieces of these lengths. */
function pack (frames: readonly Frame[], totalSamples = frames.length * FRAME, pieceLength: () => number = () => frames.length || 1): AudioWindow[] {
  const packer = createWindowPacker()
  const windows: AudioWindow[] = []
  for (let offset = 0; offset < frames.length;) {
    const piece = frames.slice(offset, offset + pieceLength())
    windows.push(...packer.push(piece))
    offset += piece.length
  }
  return [...windows, ...packer.finish(totalSamples)]
}

const heardSamples = (window: AudioWindow): number => heardSpans(window).reduce((sum, span) => sum + span.endSample - span.startSample, 0)
const seconds = (samples: number): number => samples / RATE_HZ
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function findFaults (frames: readonly Frame[], windows: readonly AudioWindow[]): string[] {
  const faults: string[] = []
  const heard = new Uint8Array(frames.length)
  let end = 0
  for (const [index, window] of windows.entries()) {
    if (heardSamples(window) > MAX_SAMPLES) faults.push(`window ${index} is longer than 30 s`)
    for (const { startSample, endSample } of heardSpans(window)) {
      if (startSample < end || endSample <= startSample) faults.push(`window ${index} goes back to ${startSample}`)
      end = endSample
      for (let frame = startSample / FRAME; frame < endSample / FRAME; frame++) heard[frame] = 1
    }
  }
  let run = 0
  for (const [index, { probability }] of frames.entries()) {
    run = probability > 0.5 ? run + 1 : 0
    if (run >= 8 && !heard[index]) faults.push(`speech at frame ${index} is in no window`)
  }
  return faults
}

function inventRecording (seed: number): Frame[] {
  const random = createRandom(seed)
  return Array.from({ length: 2 + Math.floor(random() * 40) }, () => random() < 0.6 ? speech(random() * (random() < 0.1 ? 70 : 8)) : silence(random() * (random() < 0.2 ? 20 : 1.5))).flat()
}

t.test('the same frames give the same windows, however they arrive', async (t) => {
  const frames = [...speech(17), ...silence(0.6), ...speech(19), ...silence(7.7), ...speech(21), ...silence(3), ...speech(2.3)]
  const whole = pack(frames)
  t.ok(whole.length >= 3)
  const random = createRandom(7)
  for (const length of [1, 2, 31, 256]) t.strictSame(pack(frames, undefined, () => length), whole, `pieces of ${length}`)
  t.strictSame(pack(frames, undefined, () => 1 + Math.floor(random() * 300)), whole, 'pieces of any length')
})

t.test('whatever comes: no window over 30 s, no overlap, all speech in a window', async (t) => {
  for (let seed = 1; seed <= 60; seed++) {
    const frames = inventRecording(seed)
    t.strictSame(findFaults(frames, pack(frames)), [], `recording ${seed}`)
  }
})

t.test('no speech, no window', async (t) => {
  t.strictSame(pack([]), [])
  t.strictSame(pack(silence(3600)), [])
  t.strictSame(pack([...silence(5), ...speech(0.1), ...silence(5)]), [])
})

t.test('a window is there as soon as it is settled, not at the end', async (t) => {
  const packer = createWindowPacker()
  t.strictSame(packer.push(speech(29.9)), [])
  t.equal(packer.push(speech(1)).length, 1)
})

t.test('silence is left out, between windows and inside them', async (t) => {
  const talk = Array.from({ length: 60 }, () => [...speech(3), ...silence(0.4)]).flat()
  const halfSilent = Array.from({ length: 60 }, () => [...speech(3), ...silence(0.4), ...silence(3.4)]).flat()
  const [dense, sparse] = [pack(talk), pack(halfSilent)]
  t.ok(sparse.length <= dense.length + 1, `${sparse.length} windows for twice the length, ${dense.length} without the silence`)
  const [first] = sparse
  assert(first)
  t.ok(seconds(heardSamples(first)) > 25 && seconds(first.endSample - first.startSample) > 40)
  t.ok(first.gaps?.every((gap) => seconds(gap.endSample - gap.startSample) > 2.5))
})

t.test('a window ends between sentences, as late as it can', async (t) => {
  const frames = [...speech(16), ...silence(1), ...speech(6), ...silence(0.7), ...speech(4), ...silence(0.2), ...speech(20)]
  const [first] = pack(frames)
  const middle = seconds(first?.endSample ?? 0)
  t.ok(middle > 23 && middle < 23.7, `cut at ${middle} s, in the last long pause`)
})

t.test('without the end of a sentence it is the longest pause', async (t) => {
  const [first] = pack([...speech(18), ...silence(0.35), ...speech(5), ...silence(0.15), ...speech(20)])
  const cut = seconds(first?.endSample ?? 0)
  t.ok(cut > 18 && cut < 18.35, `cut at ${cut} s`)
})

t.test('without any pause it is where it is quietest', async (t) => {
  const [first] = pack([...speech(22), ...speech(0.1, -40), ...speech(20)])
  const cut = seconds(first?.endSample ?? 0)
  t.ok(cut >= 21.9 && cut <= 22.2, `cut at ${cut} s`)
})

t.test('the last window ends with the recording', async (t) => {
  const frames = speech(5)
  t.equal(pack(frames, frames.length * FRAME - 100).at(-1)?.endSample, frames.length * FRAME - 100)
})

t.test('the clock of a window knows where its gaps are', async (t) => {
  // 1 to 3 s, and 10 to 12 s of the recording.
  const clock = createWindowClock({ startSample: RATE_HZ, endSample: 12 * RATE_HZ, gaps: [{ startSample: 3 * RATE_HZ, endSample: 10 * RATE_HZ }] })
  t.strictSame(clock(0, 500), { startMs: 1000, endMs: 1500, span: 0 })
  t.strictSame(clock(2500, 3000), { startMs: 10_500, endMs: 11_000, span: 1 })
  t.strictSame(clock(1800, 2100), { startMs: 2800, endMs: 3000, span: 0 }, 'most of it before the gap')
  t.strictSame(clock(1900, 2300), { startMs: 10_000, endMs: 10_300, span: 1 }, 'most of it behind the gap')
  t.strictSame(clock(2000, 2000), { startMs: 10_000, endMs: 10_000, span: 1 }, 'where both meet, what begins is behind')
  t.strictSame(clock(3900, 9999), { startMs: 11_900, endMs: 12_000, span: 1 }, 'nothing lies outside')
  t.strictSame(clock(9000, 9999), { startMs: 12_000, endMs: 12_000, span: 1 })
  t.strictSame(createWindowClock({ startSample: RATE_HZ, endSample: 3 * RATE_HZ })(500, 700), { startMs: 1500, endMs: 1700, span: 0 })
})

t.test('windows of any recording put no speech in the wrong place', async (t) => {
  const random = createRandom(3)
  t.ok(sum(Array.from({ length: 20 }, (_, seed) => {
    const windows = pack(inventRecording(seed + 100))
    return windows.filter((window) => {
      const clock = createWindowClock(window)
      const length = heardSamples(window) / 16
      const from = random() * length
      const placed = clock(from, from + random() * (length - from))
      return heardSpans(window).some((span) => placed.startMs >= Math.floor(span.startSample / 16) && placed.endMs <= Math.ceil(span.endSample / 16))
    }).length - windows.length
  })) === 0)
})
