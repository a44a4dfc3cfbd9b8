import t from 'tap'
import {
  CLASSES, countSegments, decodePowerset, FRAME_SHIFT, frameToMs, SEGMENT_SAMPLES, sizeOfSet, STEP_SAMPLES
} from '../../dist/domain/powerset.js'

t.test('each class is a set of at most two of three speakers; the most likely one counts', (t) => {
  const scores = Float32Array.from({ length: CLASSES * CLASSES }, (_, index) => index % (CLASSES + 1) === 0 ? -0.1 : -9)
  t.strictSame([...decodePowerset(scores)], [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110])
  t.strictSame([...decodePowerset(scores)].map(sizeOfSet), [0, 1, 1, 1, 2, 2, 2])
  t.strictSame([...decodePowerset(new Float32Array(CLASSES).fill(NaN))], [0], 'numbers that are none mean silence')
  t.end()
})

t.test('the last window reaches the end of the recording, and no window begins after it', (t) => {
  t.strictSame([0, 1, SEGMENT_SAMPLES, SEGMENT_SAMPLES + 1].map(countSegments), [0, 1, 1, 2])
  for (const samples of [160_001, 999_999, 36_000 * 16_000]) {
    const last = countSegments(samples) - 1
    t.ok(last * STEP_SAMPLES + SEGMENT_SAMPLES >= samples, 'the end is seen')
    t.ok((last - 1) * STEP_SAMPLES + SEGMENT_SAMPLES < samples, 'the window before does not see it')
  }
  t.end()
})

t.test('frames follow each other without a gap', (t) => {
  const hour = 3600 * 16_000 / FRAME_SHIFT
  t.ok(Math.abs(frameToMs(hour) - frameToMs(0) - 3_600_000) <= 1)
  t.strictSame([frameToMs(0), frameToMs(1)], [23, 39])
  t.end()
})
