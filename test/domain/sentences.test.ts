import t from 'tap'
import { toSentences } from '../../dist/domain/sentences.js'
import type { TimedSegment } from '../../dist/domain/transcript.js'
import { readSpoken } from '../support/artifact-sources.ts'

/** Words of 300 ms with pauses of 100 ms. "|" is a pause of 3 s, "A:" changes the speaker. */
function segmentOf (text: string): TimedSegment {
  let clockMs = 0
  let speaker: string | undefined
  const words = text.split(' ').flatMap((word) => {
    if (word === '|') clockMs += 3000
    if (/^[A-Z]:$/.test(word)) speaker = word
    if (word === '|' || /^[A-Z]:$/.test(word)) return []
    const startMs = clockMs
    clockMs += 400
    return [{ text: ` ${word}`, startMs, endMs: startMs + 300, probability: 1, ...(speaker === undefined ? {} : { speaker }) }]
  })
  return { startMs: 0, endMs: clockMs, text: words.map((word) => word.text).join(''), words }
}

const cut = (text: string): string[] => [...toSentences([segmentOf(text)])].map((sentence) => sentence.text)

t.test('sentences end at their punctuation, not at abbreviations and numbers', async (t) => {
  t.strictSame(cut('He came. "She left!" Why? Nobody knows…'), ['He came.', '"She left!"', 'Why?', 'Nobody knows…'])
  t.strictSame(cut('Dr. Smith met Mr. J. Brown at 3.5 km. They talked.'), ['Dr. Smith met Mr. J. Brown at 3.5 km.', 'They talked.'])
  t.strictSame(cut('We use tools, z.B. Hammer, usw. und mehr. Gut.'), ['We use tools, z.B. Hammer, usw. und mehr.', 'Gut.'])
})

t.test('another speaker and a long pause end a sentence', async (t) => {
  t.strictSame(cut('A: are you B: yes I am'), ['are you', 'yes I am'])
  t.strictSame(cut('one two three four | five six'), ['one two three four', 'five six'])
  t.strictSame(cut('one | two three'), ['one two three'], 'one word does not make a sentence')
})

t.test('text without punctuation is cut into short sentences, and no word is lost', async (t) => {
  const words = Array.from({ length: 1000 }, (_, index) => `word${index}`)
  const sentences = cut(words.join(' '))
  t.equal(sentences.join(' '), words.join(' '))
  t.ok(sentences.every((text) => text.split(' ').length <= 45))
})

t.test('a sentence has the times of its words', async (t) => {
  const { sentences } = readSpoken('talk')
  t.equal(sentences.length, 86)
  for (const { text, startMs, endMs, words } of sentences) {
    t.equal(words.map((word) => word.text).join('').trim(), text)
    t.equal(words[0]?.startMs, startMs)
    t.equal(words.at(-1)?.endMs, endMs)
  }
})

t.test('segments without words are words themselves', async (t) => {
  const [sentence] = toSentences([{ startMs: 5, endMs: 9, text: ' Hello there.', words: [] }])
  t.match(sentence, { text: 'Hello there.', startMs: 5, endMs: 9, words: [{ text: ' Hello there.' }] })
})
