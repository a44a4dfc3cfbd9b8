/** A speaker engine for tests: what it observes are the bounds of the piece, and the turns are those that the test says. */
import type { SpeakerTurn } from '../../dist/domain/speaker.js'
import type { SpeakerEngine } from '../../dist/engine/speech/speakers.js'

/** Two voices by turns of a second, the second one doubtful. */
const TURNS: readonly SpeakerTurn[] = Array.from({ length: 600 }, (_, second) =>
  ({ startMs: second * 1000, endMs: (second + 1) * 1000, voice: second % 2, confidence: second % 2 === 0 ? 0.9 : 0.3 }))

export function createTestSpeakers (changes: Partial<SpeakerEngine> = {}) {
  const observed: number[] = []
  const found: Array<Parameters<SpeakerEngine['findTurns']>[0]> = []
  /** How many words there were, each time. */
  const fitted: number[] = []
  const engine: SpeakerEngine = {
    pieceMs: 10_000,
    id: 'test-1',
    prepare: async () => {},
    async observe ({ startMs, endMs }) {
      observed.push(startMs)
      return Buffer.from(`${startMs}-${endMs}`)
    },
    async findTurns (evidence) {
      found.push(evidence)
      return [...TURNS]
    },
    fitToWords (turns, words) {
      fitted.push(words.length)
      return turns
    },
    ...changes
  }
  return { engine, observed, found, fitted }
}
