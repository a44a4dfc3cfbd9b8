import t from 'tap'
import { countWordsByText, countWordsByTime, turnsOfWords } from '../../../dist/evaluate/speakers/words.js'

const word = (text: string, startMs: number, speaker?: string) =>
  ({ text, startMs, endMs: startMs + 200, ...(speaker !== undefined && { speaker }) })

t.test('by time, a word is right when its speaker talks in its middle', async (t) => {
  const reference = [{ startMs: 0, endMs: 1000, speaker: 'A' }, { startMs: 900, endMs: 2000, speaker: 'B' }]
  const words = [
    word(' one', 0, 'x'), word(' two', 500, 'x'), word(' both', 850, 'y'), word(' three', 1200, 'y'), word(' four', 1500, 'x'),
    word(' none', 1700), word(' outside', 3000, 'x'), word(' -', 1200, 'x')
  ]
  t.strictSame(countWordsByTime(reference, words), { words: 6, wrong: 2 })
  t.strictSame(countWordsByTime([], words), { words: 0, wrong: 0 })
})

t.test('by text, replaced words count and invented ones do not', async (t) => {
  const reference = [{ text: 'Good morning to you.', speaker: 'A' }, { text: 'And to you!', speaker: 'B' }]
  const words = ['good', 'evening', 'to', 'you', 'well', 'and', 'to', 'you']
    .map((text, index) => word(text, 300 * index, index < 5 ? '1' : '2'))
  t.strictSame(countWordsByText(reference, words, 'word'), { words: 7, wrong: 0 })
  const late = words.map((one, index) => ({ ...one, speaker: index < 6 ? '1' : '2' }))
  t.strictSame(countWordsByText(reference, late, 'word'), { words: 7, wrong: 1 })
})

t.test('words with the same label are a turn, until somebody else speaks or nobody does', async (t) => {
  const words = [
    word(' one', 0, 'x'), word(' two', 500, 'x'), word(' far', 1001, 'x'), word(' other', 1300, 'y'), word(' none', 1500),
    word(' last', 1600, 'x')
  ]
  t.strictSame(turnsOfWords(words), [
    { startMs: 0, endMs: 700, speaker: 'x' }, { startMs: 1001, endMs: 1201, speaker: 'x' }, { startMs: 1300, endMs: 1500, speaker: 'y' },
    { startMs: 1600, endMs: 1800, speaker: 'x' }
  ])
  t.strictSame(turnsOfWords([word(' nobody', 0)]), [])
})
