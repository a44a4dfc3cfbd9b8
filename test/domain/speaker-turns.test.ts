import t from 'tap'
import { packObservation, toUnitLength } from '../../dist/domain/speaker-observation.js'
import { findSpeakerTurns } from '../../dist/domain/speaker-turns.js'

const SIZE = 64
const HOP_MS = 400
const WINDOWS = 150
const PIECE_MS = HOP_MS * WINDOWS

/** Speech without a pause: each 12 s somebody else of `speakers` people talks. */
function talk (pieces: number, speakers: number): Uint8Array[] {
  let state = 12_345
  const random = (): number => {
    state = (1_103_515_245 * state + 12_345) % 2 ** 31
    return state / 2 ** 31 - 0.5
  }
  return Array.from({ length: pieces }, (_, piece) => packObservation({
    startMs: piece * PIECE_MS,
    endMs: (piece + 1) * PIECE_MS,
    probabilities: new Float32Array(1875).fill(0.9),
    windows: Array.from({ length: WINDOWS }, (_, window) => {
      const speaker = Math.floor((piece * WINDOWS + window) / 30) % speakers
      const voice = Float32Array.from({ length: SIZE }, (_, i) => 1 + (i % 8 === speaker ? 2 : 0) + 2 * random())
      return { centreMs: piece * PIECE_MS + window * HOP_MS, voice: toUnitLength(voice) }
    })
  }))
}

t.test('a long recording has the speakers and turns of a short one, for work that grows with its length', async (t) => {
  const countChecks = (pieces: number): number => {
    let checks = 0
    const turns = findSpeakerTurns({ pieces: talk(pieces, 2), count: {} }, () => { checks++ })
    t.equal(new Set(turns.map(({ voice }) => voice)).size, 2, `voices in ${pieces} minutes`)
    t.equal(turns.length, pieces * 5, `turns in ${pieces} minutes`)
    return checks
  }
  const [short, long] = [countChecks(21), countChecks(63)]
  t.ok(long <= 3.2 * short, `${short} steps for 21 minutes, ${long} for 63`)
})

t.test('finding turns stops at the next step when it is told to', async (t) => {
  let checks = 0
  const stop = (): void => { if (++checks === 50) throw new RangeError('stopped') }
  t.throws(() => findSpeakerTurns({ pieces: talk(30, 2), count: {} }, stop), { message: 'stopped' })
  t.equal(checks, 50)
})
