import t from 'tap'
import { alignTokens } from '../../dist/evaluate/text/alignment.js'
import type { Recording } from '../../dist/evaluate/folder.js'
import { agree, perHour, scoreRecording, sumScores } from '../../dist/evaluate/score.js'
import { measurePauses, measureTimes, summarise } from '../../dist/evaluate/times.js'
import type { HeardWord, Sentence } from '../../dist/evaluate/times.js'
import { chooseUnit, splitTokens } from '../../dist/evaluate/text/tokens.js'
import { createRandom } from '../support/random.ts'

/** Words of 200 ms each, one after another from `startMs`. */
function speak (text: string, startMs: number): HeardWord[] {
  return text.split(' ').map((word, index) => ({ text: ' ' + word, startMs: startMs + 200 * index, endMs: startMs + 200 * (index + 1) }))
}

const SENTENCES: Sentence[] = [
  { startMs: 1000, endMs: 1800, text: 'The meeting starts now.' },
  { startMs: 3000, endMs: 4000, text: 'Bring notes, please, all of you!' }
]

t.test('tokens are words, or characters where the script has no spaces', async (t) => {
  t.equal(chooseUnit('Two words, Straße'), 'word')
  t.equal(chooseUnit('今日は良い天気です。'), 'character')
  t.equal(chooseUnit('สวัสดี'), 'character')
  t.equal(chooseUnit('안녕하세요 여러분'), 'word', 'Korean has spaces')
  t.equal(chooseUnit('The sign 出口 means exit'), 'word')
  t.equal(chooseUnit(''), 'word')
  t.strictSame(splitTokens('It’s NINE, e-mail me!', 'word'), ['its', 'nine', 'e', 'mail', 'me'])
  t.strictSame(splitTokens('你好, Welt。', 'character'), ['你', '好', 'w', 'e', 'l', 't'])
})

t.test('tokens are aligned one for one, in order', async (t) => {
  t.strictSame([...alignTokens(['a', 'b', 'c'], ['a', 'b', 'c'])], [0, 1, 2])
  t.strictSame([...alignTokens(['a', 'b', 'c'], ['a', 'x', 'c'])], [0, 1, 2], 'a wrong word is aligned with the one said')
  t.strictSame([...alignTokens(['a', 'b', 'c'], ['a', 'c'])], [0, 2])
  t.strictSame([...alignTokens(['a', 'c'], ['a', 'b', 'c'])], [0, -1, 1])
  t.strictSame([...alignTokens([], ['a'])], [-1])
  t.strictSame([...alignTokens(['a'], [])], [])
})

t.test('the alignment is a cheapest one, whole or in halves', async (t) => {
  const random = createRandom(7)
  const draw = (count: number): string[] =>
    Array.from({ length: Math.floor(count * random()) }, () => 'abc'[Math.floor(3 * random())] as string)
  for (let round = 0; round < 150; round++) {
    const [said, heard] = [draw(9), draw(9)]
    for (const fullCells of [1e6, 1]) {
      const pairs = [...alignTokens(said, heard, fullCells)]
      const used = pairs.filter((index) => index >= 0)
      t.strictSame(used, used.toSorted((a, b) => a - b))
      t.equal(new Set(used).size, used.length)
      const wrong = pairs.filter((index, position) => index >= 0 && said[index] !== heard[position]).length
      t.equal(4 * wrong + 3 * (said.length - used.length) + 3 * (heard.length - used.length), leastCost(said, heard))
    }
  }
})

t.test('errors of times are those of first and last words', async (t) => {
  const words = [
    ...speak('The meeting starts now', 1050), ...speak('Bring notes please all of', 2900), { text: ' you.', startMs: 3900, endMs: 4120 }
  ]
  const times = measureTimes(SENTENCES, words, 'word')
  t.match(times, { sentences: 2, words: 10, startErrorsMs: [50, -100], endErrorsMs: [50, 120], outside: 0, invented: 0 })
  t.strictSame(times.outlasting, { ms: 120, word: 'you.', atMs: 3900 })
  t.match(summarise([50, -100, 30]), { count: 3, meanMs: 60, medianMs: 50, p95Ms: 100 })
  t.ok(Math.abs(summarise([50, -100, 30]).biasMs + 20 / 3) < 1e-9)
})

t.test('a wrong or missing word shifts no other, and its sentence is not counted', async (t) => {
  const misheard = [...speak('A meeting starts now', 1000), ...speak('Bring notes please all of you', 3000)]
  const wrongFirst = measureTimes(SENTENCES, misheard, 'word')
  t.strictSame(wrongFirst.startErrorsMs, [0], 'the first sentence is left out')
  t.equal(wrongFirst.endErrorsMs.length, 2)
  const missed = measureTimes(SENTENCES, [...speak('The meeting starts', 1000), ...speak('oh Bring notes please all of you', 2800)], 'word')
  t.strictSame(missed.startErrorsMs, [0, 0])
  t.strictSame(missed.endErrorsMs, [200], 'without its last word a sentence has no end')
  t.strictSame(measureTimes(SENTENCES, [], 'word').startErrorsMs, [])
})

t.test('an understood word belongs to its sentence wherever its time is, another to the one it starts in', async (t) => {
  const late = measureTimes(SENTENCES, [...speak('The meeting starts', 1000), { text: ' now', startMs: 1600, endMs: 2900 }], 'word')
  t.strictSame(late.outlasting, { ms: 1100, word: 'now', atMs: 1600 })
  const unknown = measureTimes(SENTENCES, [{ text: ' hum', startMs: 1700, endMs: 1900 }], 'word')
  t.strictSame(unknown.outlasting, { ms: 100, word: 'hum', atMs: 1700 })
  t.equal(measureTimes(SENTENCES, speak('The meeting', 1000), 'word').outlasting, undefined)
})

t.test('words between sentences are invented only when nobody said them', async (t) => {
  const words = [
    ...speak('The meeting starts', 1000),
    { text: ' now', startMs: 1900, endMs: 2100 },
    { text: ' Thanks', startMs: 2200, endMs: 2500 },
    { text: ' ♪', startMs: 2500, endMs: 2600 }
  ]
  t.match(measureTimes(SENTENCES, words, 'word'), { outside: 3, invented: 1 }, '"now" is late, the note is no word')
})

t.test('characters have times too', async (t) => {
  const sentences = [{ startMs: 0, endMs: 600, text: '你好吗？' }]
  const words = ['你', '好', '吗？'].map((text, index) => ({ text, startMs: 10 + 200 * index, endMs: 190 + 200 * index }))
  t.match(measureTimes(sentences, words, 'character'), { startErrorsMs: [10], endErrorsMs: [-10] })
})

t.test('a pause is time that no sentence covers', async (t) => {
  t.equal(measurePauses(SENTENCES, 5000), 5000 - 1800)
  const spans = [{ startMs: 500, endMs: 2000, text: '' }, { startMs: 0, endMs: 1000, text: '' }, { startMs: 600, endMs: 700, text: '' }]
  t.equal(measurePauses(spans, 3000), 1000)
  t.equal(measurePauses([{ startMs: 0, endMs: 9000, text: '' }], 3000), 0, 'a sentence beyond the end')
})

function recording (name: string, text: string | undefined, rest: Partial<Recording> = {}): Recording {
  return { name, path: name, ...(text !== undefined && { reference: { text, unit: chooseUnit(text) } }), ...rest }
}

t.test('invented words are counted per hour without speech', async (t) => {
  const heard = (text: string, durationMs: number) =>
    ({ wallMs: 100, transcript: { text, language: 'en', durationMs, words: speak(text, 0) } })
  const silent = scoreRecording(recording('noise.wav', ''), heard('thank you … for watching', 60_000))
  t.strictSame(silent.invention, { words: 4, ms: 60_000 })
  const said = SENTENCES.map(({ text }) => text).join(' ')
  const spoken = scoreRecording(
    recording('a.wav', said, { sentences: SENTENCES, language: 'en' }),
    heard('Hello the meeting', 10_000)
  )
  t.strictSame(spoken.invention, { words: 1, ms: 8200 }, '"the meeting" is early, but was said')
})

t.test('totals', async (t) => {
  const heard = (text: string, language: string) =>
    ({ wallMs: 500, transcript: { text, language, durationMs: 2000, words: speak(text, 0) } })
  const scores = [
    scoreRecording(recording('a.wav', 'one two three four', { language: 'en' }), heard('one two tree four', 'en'), {
      rival: { wallMs: 1000, text: 'one two' }
    }),
    scoreRecording(recording('b.wav', '你好吗朋友', { language: 'zh' }), heard('你好吗朋', 'ja')),
    scoreRecording(recording('c.wav', '', { language: 'en' }), heard('bye', 'de'), { rival: { wallMs: 1000, text: 'Hello you.' } }),
    scoreRecording(recording('d.wav', undefined), heard('anything', 'en'), { rival: { failure: 'failed' } }),
    scoreRecording(recording('e.wav', 'never heard'), { failure: 'decode_failed' })
  ]
  const totals = sumScores(scores)
  t.match(totals, {
    recordings: 5, failed: 1, audioMs: 8000, wallMs: 2000,
    errors: {
      word: { words: 4, substitutions: 1, deletions: 0, insertions: 0 },
      character: { words: 5, substitutions: 0, deletions: 1, insertions: 0 }
    },
    language: { known: 2, right: 1 },
    invention: { silent: { words: 1, ms: 2000 }, pauses: { words: 0, ms: 0 } },
    rivals: { rival: { audioMs: 4000, wallMs: 2000, errors: { word: { words: 4, deletions: 2 } }, silent: { words: 2, ms: 2000 } } },
    kept: undefined
  })
  t.equal(totals.sclite, undefined)
  t.equal(perHour(totals.invention.silent), 1800)
  t.equal(perHour(totals.invention.pauses), undefined)
  t.match(scores[4], { failure: 'decode_failed', errors: undefined })
})

t.test('scorers agree within 0.1 points', async (t) => {
  const errors = (words: number, substitutions: number) => ({ words, substitutions, deletions: 0, insertions: 0 })
  t.ok(agree(errors(1000, 50), errors(1000, 51)))
  t.notOk(agree(errors(1000, 50), errors(1000, 52)))
  t.ok(agree({ ...errors(0, 0), insertions: 3 }, { ...errors(0, 0), insertions: 3 }))
  t.notOk(agree({ ...errors(0, 0), insertions: 3 }, { ...errors(0, 0), insertions: 4 }))
})

function leastCost (said: readonly string[], heard: readonly string[]): number {
  let above = heard.map((_, column) => 3 * (column + 1))
  above.unshift(0)
  for (const [row, token] of said.entries()) {
    const current = [3 * (row + 1)]
    for (const [column, other] of heard.entries()) {
      const [diagonal, up, left] = [above[column] ?? 0, above[column + 1] ?? 0, current[column] ?? 0]
      current.push(Math.min(diagonal + (token === other ? 0 : 4), up + 3, left + 3))
    }
    above = current
  }
  return above[heard.length] ?? 0
}
