import t from 'tap'
import { findVoices, nearestVoice } from '../../dist/domain/speaker-clusters.js'
import { toUnitLength } from '../../dist/domain/speaker-observation.js'

const HOP_MS = 400
const PACE = { hopMs: HOP_MS, check: () => {} }
const SIZE = 64

/** Numbers that look random and are the same in every run. */
function createNoise (): () => number {
  let state = 12_345
  return () => {
    state = (1_103_515_245 * state + 12_345) % 2 ** 31
    return state / 2 ** 31 - 0.5
  }
}

/** Windows of speakers in turn: each voice is a direction, and each window adds noise, shared with its neighbours as overlap does. */
function speak (turns: readonly number[], windowsPerTurn: number, noise: number) {
  const random = createNoise()
  let carried = Float32Array.from({ length: SIZE }, random)
  const voices = turns.flatMap((speaker) => Array.from({ length: windowsPerTurn }, () => {
    carried = carried.map((value) => 0.6 * value + 0.8 * random())
    return toUnitLength(carried.map((value, i) => 1 + (i % 8 === speaker ? 2 : 0) + noise * value))
  }))
  return { voices, centresMs: voices.map((_, index) => HOP_MS * index) }
}

t.test('one voice is one, however long', async (t) => {
  for (const windows of [1, 5, 40, 400]) t.equal(findVoices(speak([0], windows, 4), {}, PACE).length, 1, `${windows} windows`)
  t.strictSame(findVoices({ voices: [], centresMs: [] }, {}, PACE), [])
})

t.test('voices that take turns are counted, whether the channel is clear or not', async (t) => {
  for (const noise of [1, 3]) {
    t.equal(findVoices(speak([0, 1, 0, 1, 0, 1], 10, noise), {}, PACE).length, 2, `two, noise ${noise}`)
    t.equal(findVoices(speak([0, 1, 2, 0, 2, 1, 0, 1, 2], 10, noise), {}, PACE).length, 3, `three, noise ${noise}`)
  }
  const prints = speak([0, 1, 0, 1], 10, 2)
  const voices = findVoices(prints, {}, PACE)
  const labels = prints.voices.map((voice) => nearestVoice(voice, voices))
  const turnOf = (index: number): number => Math.floor(index / 10) % 2 * 10
  t.ok(labels.every((label, index) => label === labels[turnOf(index)]), 'each window has its voice')
})

t.test('what the caller knows of the number wins', async (t) => {
  t.equal(findVoices(speak([0], 60, 4), { min: 2 }, PACE).length, 2)
  t.equal(findVoices(speak([0, 1, 2, 0, 1, 2], 10, 1), { max: 2 }, PACE).length, 2)
  t.equal(findVoices(speak([0, 1, 2, 0, 1, 2], 10, 1), { max: 1 }, PACE).length, 1)
})
