/** Which word is spoken at a time. */
import t from 'tap'
import { buildWordIndex, findPauseEnd, findWord } from '../../src/dashboard/transcript/model/word-index.ts'
import { segmentOf } from './transcript.ts'

const SEGMENTS = [segmentOf(0, 'the meeting starts'), segmentOf(1, 'at nine')]

t.test('a word is spoken from its start until the next one starts', async (t) => {
  const index = buildWordIndex(SEGMENTS)
  t.strictSame(findWord(index, 0), { segment: 0, word: 0 })
  t.strictSame(findWord(index, 0.6), { segment: 0, word: 1 })
  t.strictSame(findWord(index, 5), { segment: 0, word: 2 }, 'the last one stays in a pause')
  t.strictSame(findWord(index, 9.999), { segment: 1, word: 0 }, 'players stop a little before the time they are given')
  t.strictSame(findWord(index, 1e9), { segment: 1, word: 1 })
})

t.test('before the first word, and without words, nothing is spoken', async (t) => {
  t.equal(findWord(buildWordIndex([segmentOf(1, 'late')]), 3), undefined)
  t.equal(findWord(buildWordIndex([]), 3), undefined)
  t.equal(findWord(buildWordIndex([segmentOf(0, 'x', { words: [] })]), 3), undefined)
})

t.test('words of two channels are found by time, not by place', async (t) => {
  const left = segmentOf(0, 'one two three four')
  const right = segmentOf(1, 'right', { start: 0.75, words: [{ word: ' right', start: 0.75, end: 0.9, probability: 1 }] })
  const index = buildWordIndex([left, right])
  t.match([0.7, 0.8, 1.1].map((seconds) => findWord(index, seconds)), [{ segment: 0 }, { segment: 1 }, { segment: 0 }])
  t.strictSame([...index.starts], [...index.starts].sort((a, b) => a - b))
})

t.test('a pause ends where the next word begins, and only if nobody speaks', async (t) => {
  const index = buildWordIndex(SEGMENTS)
  t.equal(findPauseEnd(index, 3, 1.5), 10)
  t.equal(findPauseEnd(index, 9, 1.5), undefined, 'shorter than what is worth a jump')
  t.equal(findPauseEnd(index, 1.1, 1.5), undefined, 'a word is spoken')
  t.equal(findPauseEnd(index, 12, 1.5), undefined, 'after the last word')
})

t.test('what is not loaded is missing from the end of the segment before it to the start of the next one', async (t) => {
  const index = buildWordIndex([undefined, undefined, segmentOf(2, 'at nine'), undefined, segmentOf(4, 'we vote'), undefined])
  const found = (seconds: number) => findWord(index, seconds)
  t.strictSame([0, 19.9].map(found), ['missing', 'missing'])
  t.strictSame(found(20), { segment: 2, word: 0 })
  t.strictSame(found(20.9), { segment: 2, word: 1 })
  t.strictSame([21.1, 39.9].map(found), ['missing', 'missing'])
  t.strictSame(found(40.6), { segment: 4, word: 1 })
  t.strictSame([41.1, 1e9].map(found), ['missing', 'missing'])
  t.equal(findPauseEnd(index, 30, 1.5), undefined, 'nobody knows whether it is a pause')
})

t.test('the time between the start of a segment and its first word is not missing', async (t) => {
  const late = segmentOf(1, 'late', { start: 10, words: [{ word: ' late', start: 12, end: 13, probability: 1 }], end: 13 })
  const index = buildWordIndex([undefined, late])
  t.equal(findWord(index, 9), 'missing')
  t.equal(findWord(index, 11), undefined)
})
