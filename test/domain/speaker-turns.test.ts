import t from 'tap'
import { findSpeakerTurns, moveToWords } from '../../dist/domain/speaker-turns.js'
import { packObservation, toUnitLength } from '../../dist/domain/speaker-observation.js'
import { madeUpTalk } from '../support/speaker-pieces.ts'

t.test('a long recording has the speakers and turns of a short one, for work that grows with its length', async (t) => {
  const countChecks = (pieces: number): number => {
    let checks = 0
    const turns = findSpeakerTurns({ pieces: madeUpTalk(pieces, 2), count: {} }, () => { checks++ })
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
  t.throws(() => findSpeakerTurns({ pieces: madeUpTalk(30, 2), count: {} }, stop), { message: 'stopped' })
  t.equal(checks, 50)
})

t.test('windows that are unlike the rest of their voice are doubtful, and the turn says where', async (t) => {
  const direction = (...places: number[]): Float32Array =>
    toUnitLength(Float32Array.from({ length: 64 }, (_, i) => places.includes(i) ? 1 : 0.01))
  const [usual, strange] = [direction(1, 2, 3, 4), direction(1, 2, 3, 9)]
  const windows = Array.from({ length: 30 }, (_, index) => ({ centreMs: index * 400, voice: index === 20 ? strange : usual }))
  const piece = packObservation({ startMs: 0, endMs: 12_000, probabilities: new Float32Array(375).fill(0.9), windows })
  const [turn, ...others] = findSpeakerTurns({ pieces: [piece], count: {} })
  t.strictSame(others, [])
  t.match(turn?.doubts, [{ startMs: 7800, endMs: 8200 }])
  t.ok((turn?.doubts?.[0]?.confidence ?? 1) < 0.5 && (turn?.confidence ?? 0) > 0.5)
})

t.test('a change of speaker moves to the nearest boundary of two words, unless that is far away or there was a pause', async (t) => {
  const turn = (startMs: number, endMs: number, voice: number) => ({ startMs, endMs, voice, confidence: 1 })
  const word = (startMs: number, endMs: number) => ({ text: ' w', startMs, endMs })
  const turns = [turn(0, 1000, 0), turn(1000, 3000, 1), turn(3000, 4000, 0), turn(4500, 6000, 1)]
  const words = [word(0, 1100), word(1200, 2600), word(2600, 4400), word(4700, 6000)]
  t.strictSame(moveToWords(turns, words), [turn(0, 1150, 0), turn(1150, 3000, 1), turn(3000, 4000, 0), turn(4500, 6000, 1)])
  t.strictSame(moveToWords(turns, []), turns)
})
