import t from 'tap'
import { judgeFrames } from '../../dist/domain/speech-spans.js'
import type { DetectedFrame, JudgedFrame } from '../../dist/domain/speech-spans.js'

const FRAME_S = 0.032
const framesOf = (seconds: number): number => Math.round(seconds / FRAME_S)

/** Frames alike; `fresh`: what the detector without a past says, the same as the other one where it is not given. */
function sound (seconds: number, probability: number, levelDb: number, fresh = probability): DetectedFrame[] {
  return Array.from({ length: framesOf(seconds) }, () => ({ probability, freshProbability: fresh, levelDb }))
}
const speech = (seconds: number): DetectedFrame[] => sound(seconds, 0.9, -25)
const floor = (seconds: number): DetectedFrame[] => sound(seconds, 0.02, -65)

/** Seconds of each kind. */
function count (frames: readonly JudgedFrame[]): { likely: number, silence: number, noise: number } {
  const seconds = (test: (frame: JudgedFrame) => boolean): number => Math.round(frames.filter(test).length * FRAME_S * 10) / 10
  return {
    likely: seconds(({ isLikely }) => isLikely), silence: seconds(({ reason }) => reason === 'silence'),
    noise: seconds(({ reason }) => reason === 'noise')
  }
}

t.test('a pause of less than 2 s stays, of a longer one a second on both sides', async (t) => {
  t.strictSame(count(judgeFrames([...speech(3), ...floor(1.9), ...speech(3)])), { likely: 6, silence: 0, noise: 0 })
  const { likely, silence, noise } = count(judgeFrames([...speech(3), ...floor(8), ...speech(3)]))
  t.ok(likely === 6 && noise === 0 && silence > 5.4 && silence <= 6, `${silence} s of 8`)
})

t.test('three frames of doubt do not cost a word', async (t) => {
  // Two halves of 200 ms, neither certain: a word that a detector nearly misses, in a long silence.
  const word = [...sound(0.2, 0.8, -25), ...sound(0.096, 0.2, -25), ...sound(0.2, 0.8, -25)]
  const judged = judgeFrames([...speech(2), ...floor(6), ...word, ...floor(6), ...speech(2)])
  const at = framesOf(8)
  t.ok(judged.slice(at, at + word.length).every(({ reason }) => reason === undefined), 'the word stays')
  const around = [...judged.slice(at - framesOf(0.9), at), ...judged.slice(at + word.length, at + word.length + framesOf(0.9))]
  t.ok(around.every(({ reason }) => reason === undefined), 'and nearly a second around it')
})

t.test('a word alone is likely speech: a quarter of a second, or less when the detector is sure', async (t) => {
  t.ok(count(judgeFrames([...floor(9), ...sound(0.26, 0.8, -25), ...floor(9)])).likely > 0)
  t.ok(count(judgeFrames([...floor(9), ...sound(0.13, 0.95, -25), ...floor(9)])).likely > 0)
  t.equal(count(judgeFrames([...floor(9), ...sound(0.16, 0.8, -25), ...floor(9)])).likely, 0)
})

t.test('the floor is that of the recording, whatever its level', async (t) => {
  const amplified = (gainDb: number) =>
    count(judgeFrames([...speech(20), ...floor(10), ...speech(20)].map((frame) => ({ ...frame, levelDb: frame.levelDb + gainDb }))))
  t.ok(amplified(0).silence > 7)
  for (const gainDb of [-20, 6]) t.strictSame(amplified(gainDb), amplified(0), `${gainDb} dB`)
})

t.test('sound above the floor stays within 10 s of speech, though the detector hears none', async (t) => {
  const laughter = sound(3, 0.03, -30)
  const near = judgeFrames([...speech(5), ...floor(3), ...laughter, ...floor(3), ...speech(5)])
  t.equal(count(near).noise, 0)
  t.ok(near.slice(framesOf(8), framesOf(11)).every(({ reason }) => reason === undefined))
  const far = judgeFrames([...speech(5), ...floor(20), ...laughter, ...floor(20), ...speech(5)])
  t.ok(count(far).noise > 0)
})

t.test('constant loud noise without speech may be left out', async (t) => {
  t.strictSame(count(judgeFrames(sound(60, 0.03, -20))), { likely: 0, silence: 60, noise: 0 }, 'it is its own floor')
  const beside = judgeFrames([...speech(10), ...sound(60, 0.03, -20), ...floor(10), ...speech(10)])
  t.ok(count(beside).noise > 35)
})

t.test('where the detector wavers nothing is left out near speech', async (t) => {
  const wavering = sound(20, 0.3, -30)
  t.equal(count(judgeFrames([...speech(5), ...wavering, ...speech(5)])).noise, 0)
  t.ok(count(judgeFrames([...speech(5), ...wavering, ...wavering, ...wavering, ...speech(5)])).noise > 20, 'but far from it, when it pays')
})

t.test('a voice that only the detector without a past hears counts, unless all is as loud: that may be music', async (t) => {
  const voice = sound(0.6, 0.1, -40, 0.9)
  t.equal(count(judgeFrames([...floor(10), ...voice, ...voice, ...floor(5)])).likely, 1.2)
  t.equal(count(judgeFrames([...sound(10, 0.02, -45), ...voice, ...voice, ...sound(5, 0.02, -45)])).likely, 0)
})

t.test('a note that sounds like a voice for a moment is not likely speech in loud music, a word is', async (t) => {
  const amid = (word: DetectedFrame[]): number => count(judgeFrames([...sound(20, 0.05, -22), ...word, ...sound(20, 0.05, -22)])).likely
  t.equal(amid(sound(0.4, 0.6, -20)), 0)
  t.ok(amid(sound(0.3, 0.97, -20)) > 0)
})

t.test('digital silence is left out, and is not the floor of what is around it', async (t) => {
  const gated = [...speech(5), ...sound(10, 0.01, -120), ...speech(5), ...sound(5, 0.02, -70), ...speech(5), ...sound(10, 0.01, -120)]
  const { silence } = count(judgeFrames(gated))
  t.ok(silence > 18 && silence <= 20, `${silence} s`)
})

t.test('leaving out silence costs less than noise, and noise less than what may be speech', async (t) => {
  const far = (middle: DetectedFrame[]): number =>
    judgeFrames([...speech(5), ...floor(20), ...middle, ...floor(20), ...speech(5)])[framesOf(30)]?.cost ?? Infinity
  const [silence, noise, doubt] = [far(floor(10)), far(sound(10, 0.03, -30)), far(sound(10, 0.3, -30))]
  t.ok(silence < noise && noise < doubt && doubt < Infinity, `${silence}, ${noise}, ${doubt}`)
})
