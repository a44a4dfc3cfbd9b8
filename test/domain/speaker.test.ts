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

t.test('a word beside a turn belongs to it, one far from all to nobody', async (t) => {
  const turns = [{ startMs: 1000, endMs: 2000, voice: 0, confidence: 1 }]
  t.strictSame(speakersOf(assignSpeakers([segment(2300), segment(5000)], turns)), [['Speaker 1', ['Speaker 1']], [undefined, [undefined]]])
  t.strictSame(assignSpeakers([segment(1)], []), [segment(1)], 'without turns nothing changes')
})
