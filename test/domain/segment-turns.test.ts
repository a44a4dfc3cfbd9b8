import t from 'tap'
import { frameToMs, SEGMENT_FRAMES, STEP_FRAMES } from '../../dist/domain/powerset.js'
import { packSegments, unpackSegments } from '../../dist/domain/segment-observation.js'
import type { ObservedSegment } from '../../dist/domain/segment-observation.js'
import { assignVoices, createOverlapAdd, findSegmentTurns } from '../../dist/domain/segment-turns.js'

const RULES = { maxDistance: 0.9, minWeight: 1 }
const [ANNA, BEN, EVA] = [Float32Array.of(1, 0, 0), Float32Array.of(0, 1, 0), Float32Array.of(0, 0, 1)]

/** Who speaks from one frame of the recording to another. */
type Span = { from: number, to: number, voice: Float32Array }

/** The windows that hold these spans; local speakers are numbered from the last in every other window. */
function observe (spans: readonly Span[], windows: number): ObservedSegment[] {
  return Array.from({ length: windows }, (_, index) => {
    const start = index * STEP_FRAMES
    const heard = [...new Set(spans.filter(({ from, to }) => from < start + SEGMENT_FRAMES && to > start).map(({ voice }) => voice))]
    if (index % 2 === 1) heard.reverse()
    const sets = new Uint8Array(SEGMENT_FRAMES)
    for (const { from, to, voice } of spans) {
      const end = Math.min(to, start + SEGMENT_FRAMES)
      for (let frame = Math.max(from, start); frame < end; frame++) sets[frame - start]! |= 1 << heard.indexOf(voice)
    }
    return { index, sets, voices: heard.map((voice, speaker) => ({ speaker, clearFrames: 200, voice })) }
  })
}

const endMs = frameToMs(4 * STEP_FRAMES + SEGMENT_FRAMES)

t.test('local speakers of windows become turns of one voice each, which may overlap', (t) => {
  const spans = [{ from: 30, to: 500, voice: ANNA }, { from: 400, to: 900, voice: BEN }, { from: 1200, to: 1500, voice: ANNA }]
  const turns = findSegmentTurns({ pieces: [packSegments(endMs, observe(spans, 5))], count: {} }, RULES)
  t.match(turns, [
    { startMs: frameToMs(30), endMs: frameToMs(500), voice: 0 },
    { startMs: frameToMs(400), endMs: frameToMs(900), voice: 1 },
    { startMs: frameToMs(1200), endMs: frameToMs(1500), voice: 0 }
  ])
  t.equal(turns.length, 3)
  t.ok(turns.every(({ confidence }) => confidence > 0.9))
  t.end()
})

t.test('pieces change nothing, silence has no turns, a pause of a breath does not end a turn', (t) => {
  const spans = [{ from: 100, to: 300, voice: EVA }, { from: 312, to: 700, voice: EVA }, { from: 1000, to: 1100, voice: BEN }]
  const segments = observe(spans, 5)
  const whole = findSegmentTurns({ pieces: [packSegments(endMs, segments)], count: {} }, RULES)
  t.match(whole, [{ startMs: frameToMs(100), endMs: frameToMs(700), voice: 0 }, { startMs: frameToMs(1000), voice: 1 }])
  const apart = segments.map((segment) => packSegments(endMs, [segment]))
  t.strictSame(findSegmentTurns({ pieces: apart, count: {} }, RULES), whole)
  t.strictSame(findSegmentTurns({ pieces: [packSegments(endMs, observe([], 3))], count: {} }, RULES), [])
  t.strictSame(findSegmentTurns({ pieces: [], count: { min: 2 } }, RULES), [])
  t.end()
})

t.test('turns end with the recording, and a click is no turn', (t) => {
  const segments = observe([{ from: 0, to: 589, voice: ANNA }, { from: 100, to: 104, voice: BEN }], 1)
  const turns = findSegmentTurns({ pieces: [packSegments(8000, segments)], count: {} }, RULES)
  t.match(turns, [{ voice: 0, endMs: 8000 }])
  t.equal(turns.length, 1)
  t.end()
})

t.test('what the caller knows of the number of speakers counts', (t) => {
  const spans = [{ from: 0, to: 400, voice: ANNA }, { from: 500, to: 900, voice: BEN }, { from: 1000, to: 1400, voice: EVA }]
  const pieces = [packSegments(endMs, observe(spans, 5))]
  const voicesFor = (count: object): number => new Set(findSegmentTurns({ pieces, count }, RULES).map(({ voice }) => voice)).size
  t.strictSame([voicesFor({}), voicesFor({ max: 2 }), voicesFor({ min: 1, max: 1 })], [3, 2, 1])
  t.end()
})

t.test('two people in one window are two voices while there are enough', (t) => {
  const near = Float32Array.from([0.9, 0.1, 0])
  const locals = [ANNA, near].map((voice, speaker) => ({ speaker, clearFrames: 100, voice }))
  t.strictSame(assignVoices(locals, [ANNA, BEN]).map(({ voice }) => voice), [0, 1])
  t.strictSame(assignVoices(locals, [ANNA]).map(({ voice }) => voice), [0, 0])
  t.end()
})

t.test('as many voices as the windows hear on average, those that most windows agree about', (t) => {
  const frames: number[][] = []
  const added = createOverlapAdd(3, (_, active) => { frames.push(active.map(([voice]) => voice)) })
  const fill = (set: number): Uint8Array => new Uint8Array(SEGMENT_FRAMES).fill(set)
  const as = (...voices: number[]) => voices.map((voice, speaker) => ({ speaker, voice, confidence: 1 }))
  added.add({ index: 0, sets: fill(0b01) }, as(2))
  added.add({ index: 1, sets: fill(0b11) }, as(2, 0))
  added.finish()
  t.equal(frames.length, STEP_FRAMES + SEGMENT_FRAMES)
  t.strictSame(frames[0], [2])
  t.strictSame(frames[STEP_FRAMES], [2, 0], 'one and two speakers are one and a half, so two')
  t.strictSame(frames.at(-1)?.toSorted(), [0, 2])
  t.end()
})

t.test('observations are read as they were written; others are refused', (t) => {
  const segments = observe([{ from: 30, to: 500, voice: ANNA }, { from: 400, to: 900, voice: BEN }], 3)
  const bytes = packSegments(9000, segments)
  t.strictSame(unpackSegments(bytes), { endMs: 9000, segments })
  t.ok(bytes.length < 200)
  t.throws(() => unpackSegments(bytes.subarray(0, bytes.length - 2)), RangeError)
  t.throws(() => unpackSegments(Uint8Array.of(1, 0, 0, 0)), RangeError)
  t.throws(() => unpackSegments(Uint8Array.from({ length: 60 }, () => 1)), RangeError)
  t.end()
})
