import t from 'tap'
import { dot } from '../../dist/domain/vectors.js'
import { toUnitLength } from '../../dist/domain/speaker-observation.js'
import { observeWindows } from '../../dist/domain/speaker-windows.js'

const HOP_MS = 400
const HALF_MS = 800

/** The voice print of a window in which one person talks until `changeMs`, and another one from then on. */
function voiceAt (ms: number, changeMs: number): Float32Array {
  const second = Math.min(1, Math.max(0, (ms + HALF_MS - changeMs) / (2 * HALF_MS)))
  return toUnitLength(Float32Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? 1 - second : second) + 0.1 * Math.sin(ms + i)))
}

/** Observes sound whose speaker changes, and notes where voice prints are made. */
function createObserver (changeMs: number, regions: ReadonlyArray<{ startMs: number, endMs: number }>) {
  const printed: number[] = []
  const observe = async (startMs: number, endMs: number) => await observeWindows({ startMs, endMs }, regions, async (centresMs) => {
    printed.push(...centresMs)
    return centresMs.map((ms) => voiceAt(ms, changeMs))
  })
  return { printed, observe }
}

t.test('where one person talks on, every second window is the mean of its neighbours', async (t) => {
  const { printed, observe } = createObserver(Infinity, [{ startMs: 0, endMs: 60_000 }])
  const windows = await observe(0, 60_000)
  t.strictSame(windows.map(({ centreMs }) => centreMs), Array.from({ length: 150 }, (_, index) => index * HOP_MS))
  t.equal(printed.length, 76, 'one of them belongs to the next piece')
  t.ok(windows.every(({ centreMs, voice }) => dot(voice, voiceAt(centreMs, Infinity)) > 0.98))
})

t.test('where the speaker changes, and beside a pause, each window has a voice print of its own', async (t) => {
  const { printed, observe } = createObserver(6000, [{ startMs: 0, endMs: 10_100 }, { startMs: 11_500, endMs: 16_000 }])
  const windows = await observe(0, 16_000)
  for (const ms of [6000, 10_000, 11_600]) t.ok(printed.includes(ms), `${ms}`)
  t.notOk(printed.includes(2000), 'far from both')
  t.equal(new Set(printed).size, printed.length, 'none is made twice')
  const at6000 = windows.find(({ centreMs }) => centreMs === 6000)?.voice
  t.strictSame(at6000, voiceAt(6000, 6000))
})

t.test('it does not matter where a recording is cut', async (t) => {
  const regions = [{ startMs: 300, endMs: 9000 }, { startMs: 9700, endMs: 20_000 }]
  const whole = await createObserver(8100, regions).observe(0, 20_000)
  for (const cutMs of [4000, 4400, 7600, 8000, 8400, 9200, 9600, 10_016]) {
    const { observe } = createObserver(8100, regions)
    t.strictSame([...await observe(0, cutMs), ...await observe(cutMs, 20_000)], whole, `cut at ${cutMs} ms`)
  }
  t.strictSame(await createObserver(0, []).observe(0, 20_000), [])
})
