import t from 'tap'
import { createWindowClock, createWindowPacker, decodedSpans } from '../../dist/domain/windows.js'
import type { Pauses } from '../../dist/domain/window-plan.js'
import type { SkippedSpan } from '../../dist/domain/transcript.js'
import type { AudioWindow } from '../../dist/domain/windows.js'
import { createRandom } from '../support/random.ts'

const RATE_HZ = 16_000
const FRAME = 512
const MAX_SAMPLES = 30 * RATE_HZ
type Frame = { probability: number, freshProbability: number, levelDb: number }

const framesOf = (seconds: number): number => Math.round(seconds * RATE_HZ / FRAME)
const speech = (seconds: number, levelDb = -20): Frame[] =>
  Array.from({ length: framesOf(seconds) }, () => ({ probability: 0.95, freshProbability: 0.95, levelDb }))
const silence = (seconds: number): Frame[] =>
  Array.from({ length: framesOf(seconds) }, () => ({ probability: 0.02, freshProbability: 0.02, levelDb: -70 }))
const noise = (seconds: number): Frame[] =>
  Array.from({ length: framesOf(seconds) }, () => ({ probability: 0.05, freshProbability: 0.02, levelDb: -15 }))
const doubt = (seconds: number): Frame[] =>
  Array.from({ length: framesOf(seconds) }, () => ({ probability: 0.3, freshProbability: 0.3, levelDb: -25 }))

type Packed = { windows: AudioWindow[], skipped: readonly SkippedSpan[] }

/** All windows of a recording whose frames arrive in pieces of these lengths, and what is in none. */
function packAll (
  frames: readonly Frame[], totalSamples = frames.length * FRAME, pieceLength: () => number = () => frames.length || 1, pauses?: Pauses
): Packed {
  const packer = createWindowPacker(pauses)
  const windows: AudioWindow[] = []
  for (let offset = 0; offset < frames.length;) {
    const piece = frames.slice(offset, offset + pieceLength())
    windows.push(...packer.push(piece))
    offset += piece.length
  }
  windows.push(...packer.finish(totalSamples))
  return { windows, skipped: packer.skipped() }
}
const pack = (...args: Parameters<typeof packAll>): AudioWindow[] => packAll(...args).windows

/** The windows of one side of a call. */
const packSide = (frames: readonly Frame[]): Packed => packAll(frames, undefined, undefined, 'close')

const heardSamples = (window: AudioWindow): number => decodedSpans(window).reduce((sum, span) => sum + span.endSample - span.startSample, 0)
const seconds = (samples: number): number => samples / RATE_HZ
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function findFaults (frames: readonly Frame[], windows: readonly AudioWindow[]): string[] {
  const faults: string[] = []
  const heard = new Uint8Array(frames.length)
  let end = 0
  for (const [index, window] of windows.entries()) {
    if (heardSamples(window) > MAX_SAMPLES) faults.push(`window ${index} is longer than 30 s`)
    if (!window.speechMs) faults.push(`window ${index} is without speech`)
    for (const { startSample, endSample } of decodedSpans(window)) {
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

/** The longest silence in seconds that a decoder sees. */
function longestSilence (frames: readonly Frame[], windows: readonly AudioWindow[]): number {
  let longest = 0
  for (const { startSample, endSample } of windows.flatMap(decodedSpans)) {
    let run = 0
    for (const { levelDb } of frames.slice(startSample / FRAME, endSample / FRAME)) {
      run = levelDb === -70 ? run + 1 : 0
      longest = Math.max(longest, run)
    }
  }
  return longest * FRAME / RATE_HZ
}

function inventRecording (seed: number): Frame[] {
  const random = createRandom(seed)
  return Array.from({ length: 2 + Math.floor(random() * 40) }, () =>
    random() < 0.6 ? speech(random() * (random() < 0.1 ? 70 : 8)) : silence(random() * (random() < 0.2 ? 20 : 1.5))
  ).flat()
}

/** Over four minutes: beyond what is looked at at once. */
const LONG = [
  ...speech(17), ...silence(0.6), ...speech(19), ...silence(7.7), ...speech(21), ...silence(3), ...speech(2.3), ...noise(50),
  ...speech(70), ...silence(45), ...speech(8)
]

t.test('the same frames give the same windows, however they arrive', async (t) => {
  const whole = packAll(LONG)
  t.ok(whole.windows.length >= 5)
  const random = createRandom(7)
  for (const length of [1, 2, 31, 256]) t.strictSame(packAll(LONG, undefined, () => length), whole, `pieces of ${length}`)
  t.strictSame(packAll(LONG, undefined, () => 1 + Math.floor(random() * 300)), whole, 'pieces of any length')
})

t.test('whatever comes: no window over 30 s or without speech, no overlap, all speech in a window', async (t) => {
  for (let seed = 1; seed <= 60; seed++) {
    const frames = inventRecording(seed)
    t.strictSame(findFaults(frames, pack(frames)), [], `recording ${seed}`)
    const loud = [...frames, ...noise(seed), ...inventRecording(seed + 100), ...doubt(seed)]
    t.strictSame(findFaults(loud, pack(loud)), [], `recording ${seed}, with noise and doubt`)
  }
})

t.test('one side of a call: no window has a long silence, and all speech is in a window', async (t) => {
  const turns = [...silence(9), ...speech(4), ...silence(8), ...speech(3), ...silence(2.5), ...speech(3), ...silence(11)]
  t.match(pack(turns), [{ gaps: undefined }], 'other recordings keep their silence')
  const { windows, skipped } = packSide(turns)
  t.match(windows, [{ gaps: { length: 1 } }])
  t.ok(seconds(sum(windows.map(heardSamples))) < 17.5, 'of each silence, about a second on both sides remains')
  t.equal(skipped.length, 3)
  for (let seed = 1; seed <= 20; seed++) {
    const frames = [...inventRecording(seed), ...silence(seed), ...inventRecording(seed + 100)]
    const { windows } = packSide(frames)
    t.strictSame(findFaults(frames, windows), [], `recording ${seed}`)
    t.ok(longestSilence(frames, windows) < 3.5, `recording ${seed}`)
    t.strictSame(packAll(frames, undefined, () => 1 + seed, 'close').windows, windows, 'however the frames arrive')
  }
  const hour = Array.from({ length: 240 }, () => [...speech(5), ...silence(10)]).flat()
  t.ok(packSide(hour).windows.length < 1.1 * 240 * 7 / 29)
})

t.test('what is left out is listed: windows and list are the whole recording', async (t) => {
  for (let seed = 1; seed <= 20; seed++) {
    const frames = [...inventRecording(seed), ...noise(seed), ...inventRecording(seed + 1)]
    const { windows, skipped } = packAll(frames)
    const parts = [
      ...windows.flatMap(decodedSpans).map(({ startSample, endSample }) => ({ startMs: startSample / 16, endMs: endSample / 16 })),
      ...skipped.map(({ startMs, endMs }) => ({ startMs, endMs }))
    ].sort((a, b) => a.startMs - b.startMs)
    t.strictSame(parts.map(({ startMs }) => startMs), [0, ...parts.map(({ endMs }) => endMs).slice(0, -1)], `recording ${seed}`)
    t.equal(parts.at(-1)?.endMs, frames.length * 32)
  }
  t.match(packAll([...speech(25), ...silence(20), ...speech(25)]).skipped, [{ reason: 'silence', probability: 0.02, levelDb: -70 }])
})

t.test('no speech, no window', async (t) => {
  t.strictSame(pack([]), [])
  t.strictSame(pack(silence(3600)), [])
  t.strictSame(pack([...silence(5), ...speech(0.1), ...silence(5)]), [])
  const { windows, skipped } = packAll(noise(120))
  t.strictSame(windows, [], 'two minutes of constant loud noise')
  t.strictSame(
    skipped.map(({ startMs, endMs }) => ({ startMs, endMs })), [{ startMs: 0, endMs: framesOf(120) * 32 }], 'which are listed, as one'
  )
})

t.test('a window is there two minutes later, not at the end', async (t) => {
  const packer = createWindowPacker()
  t.strictSame(packer.push(speech(119)), [])
  t.equal(packer.push(speech(2)).length, 1)
})

t.test('a recording of 30 s in which somebody may speak is one window with everything in it', async (t) => {
  const frames = [...silence(12), ...speech(0.3), ...silence(17.7)]
  t.equal(frames.length, 937)
  t.match(pack([...frames, ...silence(0.032)], MAX_SAMPLES), [{ startSample: 0, endSample: MAX_SAMPLES }])
  t.match(
    pack([...frames, ...silence(0.032)], MAX_SAMPLES + 1), [{ startSample: 0, endSample: MAX_SAMPLES }],
    'files of 30 s are often a sample longer'
  )
  t.match(packAll([...silence(3), ...speech(1), ...silence(20), ...speech(1)]), { windows: { length: 1 }, skipped: [] })
})

t.test('silence is left out only where that saves a window', async (t) => {
  // 51 s in two windows, with the silence or without it.
  t.match(packAll([...speech(20), ...silence(11), ...speech(20)]), { windows: { length: 2 }, skipped: [] })
  // 32 s: one window instead of two.
  const { windows: [window, ...others], skipped } = packAll([...speech(12), ...silence(8), ...speech(12)])
  t.strictSame(others, [])
  t.equal(window?.gaps?.length, 1)
  t.equal(skipped.length, 1)
  t.ok(seconds(heardSamples(window ?? { startSample: 0, endSample: 0 })) > 28.5, 'and no more of it than has to be')
})

t.test('a recording that is half silence costs hardly more than without it', async (t) => {
  const talk = Array.from({ length: 60 }, () => [...speech(5), ...silence(0.4)]).flat()
  const halfSilent = Array.from({ length: 60 }, () => [...speech(5), ...silence(5.4)]).flat()
  const [dense, sparse] = [pack(talk), pack(halfSilent)]
  t.ok(
    sparse.length <= 1.5 * dense.length,
    `${sparse.length} windows for twice the length, ${dense.length} without the silence: a second around speech stays`
  )
})

t.test('an hour of music between two sentences costs two windows', async (t) => {
  t.equal(pack([...speech(5), ...noise(3600), ...speech(5)]).length, 2)
})

t.test('a window ends in the longest pause rather than in the latest', async (t) => {
  const cutOf = (frames: Frame[]): number => seconds(pack(frames)[0]?.endSample ?? 0)
  const sentence = cutOf([...speech(16), ...silence(0.6), ...speech(6), ...silence(0.9), ...speech(4), ...silence(0.1), ...speech(15)])
  t.ok(sentence > 23 && sentence < 23.9, `cut at ${sentence} s`)
  const longest = cutOf([...speech(18), ...silence(0.5), ...speech(5), ...silence(0.1), ...speech(20)])
  t.ok(longest > 18 && longest < 18.5, `cut at ${longest} s`)
})

t.test('without any pause it is where it is quietest', async (t) => {
  const [first] = pack([...speech(22), ...speech(0.1, -60), ...speech(20)])
  const cut = seconds(first?.endSample ?? 0)
  t.ok(cut >= 21.9 && cut <= 22.2, `cut at ${cut} s`)
})

t.test('the last window ends with the recording', async (t) => {
  const frames = speech(5)
  t.equal(pack(frames, frames.length * FRAME - 100).at(-1)?.endSample, frames.length * FRAME - 100)
})

t.test('a window knows how much of it is likely speech', async (t) => {
  t.equal(pack([...speech(5), ...silence(5)])[0]?.speechMs, framesOf(5) * 32)
})

t.test('the clock of a window knows where its gaps are', async (t) => {
  // 1 to 3 s, and 10 to 12 s of the recording.
  const clock = createWindowClock({
    startSample: RATE_HZ,
    endSample: 12 * RATE_HZ,
    gaps: [{ startSample: 3 * RATE_HZ, endSample: 10 * RATE_HZ }]
  })
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
      return decodedSpans(window).some(
        (span) => placed.startMs >= Math.floor(span.startSample / 16) && placed.endMs <= Math.ceil(span.endSample / 16)
      )
    }).length - windows.length
  })) === 0)
})
