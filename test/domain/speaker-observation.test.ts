import t from 'tap'
import { packObservation, toUnitLength } from '../../dist/domain/speaker-observation.js'
import { findRegions } from '../../dist/domain/speaker-regions.js'
import { dot } from '../../dist/domain/vectors.js'
import { unpackObservation } from '../support/speaker-observation.ts'

t.test('an observation is packed and read again, nearly the same', async (t) => {
  const voice = toUnitLength(Float32Array.from({ length: 256 }, (_, i) => Math.sin(i * i)))
  const observation = {
    startMs: 60_000, endMs: 60_064, probabilities: Float32Array.of(0.25, 1),
    windows: [{ centreMs: 60_000, voice }, { centreMs: 60_400, voice }]
  }
  const bytes = packObservation(observation)
  t.ok(bytes.length < 600, `${bytes.length} bytes`)
  const read = unpackObservation(bytes)
  t.match(read, { startMs: 60_000, endMs: 60_064, windows: [{ centreMs: 60_000 }, { centreMs: 60_400 }] })
  t.ok(Math.abs((read.probabilities[0] ?? 0) - 0.25) < 0.003)
  t.ok(dot(read.windows[0]?.voice ?? voice, voice) > 0.999)
  t.strictSame(unpackObservation(packObservation({ ...observation, windows: [] })).windows, [])
})

t.test('bytes of another version, or too few, are refused', async (t) => {
  const bytes = packObservation({ startMs: 0, endMs: 32, probabilities: Float32Array.of(1), windows: [] })
  t.throws(() => unpackObservation(bytes.with(0, 99)), RangeError)
  t.throws(() => unpackObservation(bytes.subarray(0, 20)), RangeError)
})

t.test('speech goes on down to a low probability, over a dip, and across pieces', async (t) => {
  const frames = (...runs: Array<[number, number]>): Float32Array =>
    Float32Array.from(runs.flatMap(([count, value]) => Array<number>(count).fill(value)))
  const regions = findRegions([
    { startMs: 0, probabilities: frames([10, 0], [10, 0.9], [5, 0.2]) },
    { startMs: 800, probabilities: frames([5, 0.2], [20, 0], [2, 0.9], [10, 0]) }
  ], 32)
  t.strictSame(regions, [{ startMs: 220, endMs: 1060 }], 'two frames are a click')
  t.strictSame(findRegions([], 32), [])
})
