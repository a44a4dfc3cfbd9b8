import t from 'tap'
import { findHoles, findSpeechChunks, speechWithin } from '../../dist/domain/speech-chunks.js'
import { FRAME_MS } from '../../dist/domain/speech-spans.js'

/** Probabilities from stretches of [milliseconds, probability]. */
const heard = (...stretches: Array<[ms: number, probability: number]>): number[] =>
  stretches.flatMap(([ms, probability]) => Array.from({ length: Math.round(ms / FRAME_MS) }, () => probability))
const near = (actual: number, expected: number): boolean => Math.abs(actual - expected) <= 2 * FRAME_MS

t.test('pauses of a fifth of a second part phrases, shorter dips do not', async (t) => {
  const chunks = findSpeechChunks(heard([320, 0.1], [960, 0.9], [128, 0.1], [960, 0.9], [320, 0.1], [640, 0.8]))
  t.equal(chunks.length, 2)
  t.ok(near(chunks[0]?.startMs ?? 0, 320) && near(chunks[0]?.endMs ?? 0, 2368))
  t.equal(chunks[1]?.speechMs, 640)
  t.same(findSpeechChunks(heard([5000, 0.3])), [], 'a weak signal is not speech')
})

t.test('speech at the end of a window is a phrase too', async (t) => {
  t.equal(findSpeechChunks(heard([320, 0.1], [640, 0.9])).length, 1)
})

t.test('speech is counted inside a stretch only', async (t) => {
  const probabilities = heard([960, 0.9], [960, 0.1], [960, 0.9])
  t.equal(speechWithin(probabilities, 0, 2880), 1920)
  t.equal(speechWithin(probabilities, 960, 1920), 0)
  t.equal(speechWithin(probabilities, -500, 480), 480)
})

t.test('a sentence without a word is a hole, from pause to pause', async (t) => {
  const probabilities = heard([320, 0.1], [1920, 0.9], [480, 0.1], [2560, 0.9], [480, 0.1], [1920, 0.9])
  const holes = findHoles(probabilities, [400, 800, 1200, 1700, 5800, 6400, 7000])
  t.equal(holes.length, 1)
  t.ok(near(holes[0]?.startMs ?? 0, 2720), 'it starts where the sentence starts')
  t.ok(near(holes[0]?.endMs ?? 0, 5280), 'and ends where it ends')
})

t.test('a window with speech and no text is one hole', async (t) => {
  t.equal(findHoles(heard([640, 0.1], [3200, 0.9], [640, 0.1]), []).length, 1)
})

t.test('a word that is drawn out, a pause and a cough are no holes', async (t) => {
  t.same(findHoles(heard([1500, 0.9]), [0, 300]), [])
  t.same(findHoles(heard([960, 0.9], [8000, 0.1], [960, 0.9]), [100, 500, 9000, 9400]), [])
  t.same(findHoles(heard([960, 0.9], [640, 0.1], [640, 0.9]), [100, 500, 800]), [])
})
