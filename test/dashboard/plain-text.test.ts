/** A transcript as text to paste, times, marked words, and the wave. */
import t from 'tap'
import { toClock, toSpokenTime } from '../../src/dashboard/recordings/clock.ts'
import { findMatcher, foundWords, searchMatcher } from '../../src/dashboard/transcript/model/find-words.ts'
import { decodePeaks, toColumns } from '../../src/dashboard/transcript/model/peaks.ts'
import { toPlainText } from '../../src/dashboard/transcript/model/plain-text.ts'
import { segmentOf } from './transcript.ts'

const TALK = [
  segmentOf(0, 'Good morning.', { speaker: 'Ada' }), segmentOf(1, 'Welcome.', { speaker: 'Ada' }),
  segmentOf(400, 'Thank you.', { speaker: 'Grace' }), segmentOf(401, '', { text: '', words: [], speaker: 'Grace' })
]

t.test('copies with and without times and speakers', async (t) => {
  t.equal(toPlainText(TALK, { times: false, speakers: false }), 'Good morning. Welcome. Thank you.')
  t.equal(toPlainText(TALK, { times: false, speakers: true }), 'Ada: Good morning. Welcome.\n\nGrace: Thank you.')
  t.equal(toPlainText(TALK, { times: true, speakers: true }),
    '[0:00] Ada: Good morning.\n[0:10] Ada: Welcome.\n[1:06:40] Grace: Thank you.')
  t.equal(toPlainText([], { times: true, speakers: true }), '')
})

t.test('times', async (t) => {
  t.strictSame([0, 59.9, 61, 3600, 108_000.5, -1].map(toClock), ['0:00', '0:59', '1:01', '1:00:00', '30:00:00', '0:00'])
  t.equal(toSpokenTime(3723, 'en'), '1 hour 2 minutes 3 seconds')
  t.equal(toSpokenTime(0, 'de'), '0 Sekunden')
})

t.test('marks the words of a match, even across words', async (t) => {
  const { words } = segmentOf(0, 'the meeting starts at nine')
  const found = (find: string, options = { matchCase: false, wholeWords: false }): number[] => {
    const match = findMatcher(find, options)
    return match ? [...foundWords(words, match)] : []
  }
  t.strictSame(found('Meeting starts'), [1, 2])
  t.strictSame(found('Meeting', { matchCase: true, wholeWords: false }), [])
  t.strictSame(found('t'), [0, 1, 2, 3])
  t.strictSame(found('meet', { matchCase: false, wholeWords: true }), [])
  t.strictSame(found('.*'), [], 'not a pattern')
  t.strictSame(found(''), [])
  t.strictSame(found('  meeting   starts '), [1, 2], 'white space is any')
  t.strictSame(found(' \t'), [])
})

t.test('marks what was searched for, with endings', async (t) => {
  const { words } = segmentOf(0, 'the meetings started in the meeting room')
  const match = searchMatcher('meeting (room')
  t.strictSame(match && [...foundWords(words, match)], [1, 5, 6])
  t.equal(searchMatcher('?!'), undefined)
})

t.test('the wave has the loudest value of each stretch', async (t) => {
  const peaks = decodePeaks(Buffer.from([0, 127, 10, 20]).toString('base64'), 2)
  t.strictSame([...toColumns(peaks, 2, 2)].map((value) => Math.round(value * 127)), [127, 20])
  t.equal(toColumns(peaks, 2, 8).length, 8)
  t.strictSame([...toColumns(peaks, 0, 1)], [0])
})
