import t from 'tap'
import { cutAtTurns, labelChannels, markOverlaps, sharedSkips } from '../../dist/domain/channel-words.js'
import type { SkippedSpan, TimedSegment } from '../../dist/domain/transcript.js'

type Channel = 1 | 2
/** Words of 200 ms, or as long as given, at these times. */
function segment (channel: Channel, ...said: Array<[text: string, startMs: number, ms?: number]>): TimedSegment {
  const words = said.map(([text, startMs, ms = 200]) => ({ text: ' ' + text, startMs, endMs: startMs + ms, probability: 1 }))
  return { startMs: words[0]?.startMs ?? 0, endMs: words.at(-1)?.endMs ?? 0, text: words.map(({ text }) => text).join(''), words, channel }
}
const arrange = (...segments: TimedSegment[]) => cutAtTurns(segments.map((one, windowIdx) => ({ windowIdx, segment: one })))
const textsOf = (placed: ReturnType<typeof arrange>): string[] => placed.map(({ segment: { channel, text } }) => `${channel}:${text}`)

t.test('a segment is cut where the other channel begins to talk, in a pause or after a sentence', async (t) => {
  const question = segment(1, ['What', 0], ['number?', 300], ['Thank', 2000], ['you.', 2300], ['Bye.', 2510])
  const answer = segment(2, ['Five', 900], ['six.', 1200])
  const goodbye = segment(2, ['Goodbye.', 2480, 400])
  t.strictSame(textsOf(arrange(question, answer, goodbye)), ['1: What number?', '2: Five six.', '1: Thank you.', '2: Goodbye.', '1: Bye.'])
  t.strictSame(arrange(question, answer).map(({ windowIdx }) => windowIdx), [0, 1, 0], 'parts stay with their window')
  const once = arrange(question, answer, goodbye)
  t.strictSame(cutAtTurns(once), once, 'a second call changes nothing')
})

t.test('nobody is cut in the middle of a sentence', async (t) => {
  const long = segment(1, ['I', 0], ['will', 210], ['go', 420], ['home', 630])
  t.strictSame(textsOf(arrange(long, segment(2, ['Mhm.', 300]))), ['1: I will go home', '2: Mhm.'])
  t.strictSame(textsOf(arrange(segment(1, ['so', 0], ['then', 900]))), ['1: so then'], 'pauses alone cut nothing')
})

t.test('words said at once are marked, those that only touch are not', async (t) => {
  const marks = (...segments: TimedSegment[]) => markOverlaps(segments).map(({ words }) => words.map(({ isOverlap }) => isOverlap === true))
  t.strictSame(marks(segment(1, ['a', 0], ['b', 500, 1000]), segment(2, ['c', 150], ['d', 600, 300], ['e', 920, 300])),
    [[false, true], [false, true, true]])
  const once = markOverlaps([segment(1, ['a', 0]), segment(2, ['b', 0])])
  t.strictSame(markOverlaps(once), once)
  t.strictSame(markOverlaps([once[0]!]), [segment(1, ['a', 0])], 'marks of an earlier call are removed')
})

t.test('speakers are numbered by the channel that is heard first', async (t) => {
  const [first, second] = labelChannels([segment(2, ['a', 0]), segment(1, ['b', 300])])
  t.strictSame([first?.speaker, first?.words[0]?.speaker, second?.speaker], ['Speaker 1', 'Speaker 1', 'Speaker 2'])
})

t.test('only what every channel skips is skipped', async (t) => {
  const span = (startMs: number, endMs: number, more: Partial<SkippedSpan> = {}): SkippedSpan =>
    ({ startMs, endMs, reason: 'silence', probability: 0, levelDb: -90, ...more })
  const noisy = { reason: 'noise', probability: 0.3, levelDb: -40 } as const
  const shared = sharedSkips([[span(0, 100), span(300, 500)], [span(50, 350, noisy), span(400, 900)]])
  t.strictSame(shared, [span(50, 100, noisy), span(300, 350, noisy), span(400, 500)])
  t.strictSame(sharedSkips([[span(0, 9)], []]), [])
})
