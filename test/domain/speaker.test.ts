import t from 'tap'
import { assignSpeakers } from '../../dist/domain/speaker.js'
import type { TimedSegment } from '../../dist/domain/transcript.js'

/** Words of 100 ms at these times, as one segment. */
const segment = (...startsMs: number[]): TimedSegment => ({
  startMs: startsMs[0] ?? 0,
  endMs: (startsMs.at(-1) ?? 0) + 100,
  text: '',
  words: startsMs.map((startMs) => ({ text: ' w', startMs, endMs: startMs + 100, probability: 1 }))
})
const speakersOf = (segments: readonly TimedSegment[]) => segments.map(({ speaker, words }) => [speaker, words.map((word) => word.speaker)])

t.test('a word has the speaker who talks during it, numbered as they come', async (t) => {
  const turns = [{ startMs: 0, endMs: 950, voice: 7, confidence: 1 }, { startMs: 900, endMs: 2000, voice: 3, confidence: 1 }]
  t.strictSame(speakersOf(assignSpeakers([segment(1500), segment(100, 800, 920)], turns)), [
    ['Speaker 1', ['Speaker 1']],
    ['Speaker 2', ['Speaker 2', 'Speaker 2', 'Speaker 1']]
  ])
})

t.test('a word beside a turn belongs to it; farther away it is doubtful; far from all it has no speaker', async (t) => {
  const turns = [{ startMs: 1000, endMs: 2000, voice: 0, confidence: 1 }]
  const [near, farther, far] = assignSpeakers([segment(2300), segment(5000), segment(40_000)], turns)
  t.strictSame(near?.words[0], { text: ' w', startMs: 2300, endMs: 2400, probability: 1, speaker: 'Speaker 1' })
  t.match(farther?.words[0], { speaker: 'Speaker 1', speakerConfidence: 0 })
  t.strictSame(speakersOf(far ? [far] : []), [[undefined, [undefined]]])
  t.strictSame(assignSpeakers([segment(1)], []), [segment(1)], 'without turns nothing changes')
})

t.test('only words in doubtful stretches of a turn carry their confidence', async (t) => {
  const doubts = [{ startMs: 500, endMs: 900, confidence: 0.2 }]
  const [first] = assignSpeakers([segment(0, 600, 950)], [{ startMs: 0, endMs: 2000, voice: 0, confidence: 0.4, doubts }])
  t.strictSame(first?.words.map(({ speakerConfidence }) => speakerConfidence), [undefined, 0.2, undefined])
})
