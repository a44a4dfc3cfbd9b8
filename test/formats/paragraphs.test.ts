import t from 'tap'
import { toParagraphs } from '../../dist/formats/paragraphs.js'
import { bare, LANGUAGES, makeSpeech } from '../support/captions.ts'
import type { TimedSegment, TimedWord } from '../../dist/domain/transcript.js'

type Said = [text: string, startMs: number, endMs: number, speaker?: string]

function toSegments (...said: Said[]): TimedSegment[] {
  return said.map(([text, startMs, endMs, speaker]): TimedSegment => {
    const word: TimedWord = { text, startMs, endMs, probability: 1, ...(speaker === undefined ? {} : { speaker }) }
    return { startMs, endMs, text, words: [word] }
  })
}

const texts = (...said: Said[]): string[] => [...toParagraphs(toSegments(...said))].map(({ text }) => text)

t.test('a paragraph ends with its speaker', async (t) => {
  const paragraphs = [...toParagraphs(toSegments(
    ['Who', 0, 300],
    [' is it?', 300, 900, 'Speaker 1'],
    [' Me.', 900, 1200, 'Speaker 2'],
    [' Only', 1200, 1500],
    [' me.', 1500, 2000, 'Speaker 2']
  ))]
  t.strictSame(paragraphs, [
    { startMs: 0, endMs: 900, text: 'Who is it?', speaker: 'Speaker 1' },
    { startMs: 900, endMs: 2000, text: 'Me. Only me.', speaker: 'Speaker 2' }
  ])
})

t.test('a paragraph ends at a pause of two seconds, and its speaker speaks on', async (t) => {
  const paragraphs = [...toParagraphs(toSegments(['One', 0, 1000, 'Speaker 1'], [' two', 2999, 4000], [' three', 6000, 7000]))]
  t.strictSame(paragraphs.map(({ text, speaker }) => [text, speaker]), [['One two', 'Speaker 1'], ['three', 'Speaker 1']])
})

t.test('a paragraph ends with the sentence before a minute is over, in any case before a minute and a half is', async (t) => {
  const sentences = texts(
    ['It goes on', 0, 55_000],
    [' and on.', 55_000, 59_000],
    [' It', 59_000, 60_100],
    [' ends.', 60_100, 61_000],
    [' New', 61_000, 61_500]
  )
  t.strictSame(sentences, ['It goes on and on.', 'It ends. New'])
  const unpunctuated = texts(['It never', 0, 50_000], [' ends', 50_000, 90_000], [' at', 90_000, 91_000], [' all', 91_000, 92_000])
  t.strictSame(unpunctuated, ['It never ends', 'at all'])
})

t.test('no word is lost, and nothing but white space makes no paragraph', async (t) => {
  for (const language of LANGUAGES.filter((language) => language !== 'odd')) {
    const segments = makeSpeech({ seed: 5, count: 400, languages: [language], wild: true, speakers: 3 })
    t.equal(bare([...toParagraphs(segments)].map(({ text }) => text).join(' ')), bare(segments.map(({ text }) => text).join('')), language)
  }
  t.strictSame(texts([' ', 0, 100], ['\u0000', 5000, 5100]), [])
  const segment = { startMs: 0, endMs: 1000, text: ' No words.', words: [] }
  t.strictSame([...toParagraphs([segment])], [{ startMs: 0, endMs: 1000, text: 'No words.' }])
})
