/** Transcripts are cut into passages at sentences, speakers and pauses. */
import t from 'tap'
import fc from 'fast-check'
import { toPassages, toStretches } from '../../dist/domain/passages.js'
import type { CountedSentence } from '../../dist/domain/passages.js'

/** Sentences of a second each, one after the other. */
const sentencesOf = (...tokens: number[]): CountedSentence[] =>
  tokens.map((count, index) => ({ text: `S${index}.`, startMs: 1000 * index, endMs: 1000 * (index + 1), tokens: count }))
const cut = (sentences: CountedSentence[], tokens = 100) => [...toPassages(sentences, { tokens })]
const textsOf = (sentences: CountedSentence[], tokens = 100): string[] => cut(sentences, tokens).map(({ text }) => text)

t.test('a passage has as many sentences as fit, and repeats the end of the one before it', async (t) => {
  t.strictSame(textsOf(sentencesOf(30, 30, 20, 30, 30, 40)), ['S0. S1. S2.', 'S1. S2. S3.', 'S2. S3. S4.', 'S3. S4. S5.'])
  const [first, second] = cut(sentencesOf(30, 30, 20, 30, 30, 40))
  t.match(first, { startMs: 0, endMs: 3000, sentences: [{ offset: 0, startMs: 0 }, { offset: 4, startMs: 1000 }, { offset: 8 }] })
  t.match(second, { startMs: 1000, endMs: 4000 })
})

t.test('a sentence with more tokens than a passage may have is a passage by itself', async (t) => {
  t.strictSame(textsOf(sentencesOf(10, 300, 10)), ['S0.', 'S1.', 'S2.'])
})

t.test('a passage that is not too short ends where the speaker changes', async (t) => {
  const dialogue = sentencesOf(30, 30, 30, 30).map((sentence, index) => ({ ...sentence, speaker: index < 2 ? 'Ann' : 'Bob' }))
  t.strictSame(textsOf(dialogue), ['S0. S1.', 'S2. S3.'], 'nothing of another speaker is repeated')
  t.strictSame(cut(dialogue).map(({ speakers }) => speakers), [['Ann'], ['Bob']])
  const chat = dialogue.map((sentence) => ({ ...sentence, tokens: 10 }))
  t.strictSame(cut(chat).map(({ text, speakers }) => [text, speakers]), [['S0. S1. S2. S3.', ['Ann', 'Bob']]], 'short turns stay together')
})

t.test('a passage that is not too short ends at a long pause', async (t) => {
  const [first, second] = sentencesOf(50, 30)
  if (!first || !second) return
  t.strictSame(textsOf([first, second]), ['S0. S1.'])
  t.strictSame(textsOf([first, { ...second, startMs: 9000, endMs: 9500 }]), ['S0.', 'S1.'])
})

t.test('sentences of scripts without spaces are joined without one', async (t) => {
  const sentence = { startMs: 0, endMs: 1000, tokens: 5 }
  t.strictSame(textsOf([{ ...sentence, text: '今日は。' }, { ...sentence, text: '元気。' }, { ...sentence, text: 'Yes.' }]), ['今日は。元気。Yes.'])
})

t.test('an empty transcript has no passages', async (t) => {
  t.strictSame(cut([]), [])
})

t.test('every sentence is in a passage, with its time', async (t) => {
  const sentences = fc.array(fc.record({
    tokens: fc.integer({ min: 0, max: 60 }), speaker: fc.constantFrom('Ann', 'Bob'), pauseMs: fc.constantFrom(0, 500, 6000)
  }), { maxLength: 60 })
  fc.assert(fc.property(sentences, fc.integer({ min: 5, max: 120 }), (drawn, limit) => {
    let at = 0
    const all = drawn.map(({ pauseMs, ...rest }, index): CountedSentence => {
      const startMs = at + pauseMs
      at = startMs + 1000
      return { ...rest, text: `S${index}.`, startMs, endMs: at }
    })
    const found = cut(all, limit)
    const placed = found.flatMap(({ text, sentences }) => sentences.map(({ offset, startMs }, index) =>
      [text.slice(offset, sentences[index + 1]?.offset ?? text.length).trim(), startMs] as const))
    const unique = [...new Map(placed).entries()]
    t.strictSame(unique, all.map(({ text, startMs }) => [text, startMs]))
    for (const { startMs, endMs, sentences } of found) {
      const tokens = all.filter((s) => s.startMs >= startMs && s.endMs <= endMs).reduce((sum, s) => sum + s.tokens, 0)
      if (sentences.length > 1 && tokens > limit) t.fail(`${tokens} tokens in a passage of at most ${limit}`)
    }
  }), { numRuns: 200 })
})

t.test('stretches have about as many passages, in order, and nothing is left out', async (t) => {
  for (const count of [0, 1, 15, 23, 24, 100, 5000]) {
    const passages = Array.from({ length: count }, (_, index) => index)
    const stretches = toStretches(passages)
    t.strictSame(stretches.flat(), passages)
    const lengths = stretches.map(({ length }) => length)
    t.ok(Math.max(...lengths) - Math.min(...lengths) <= 1 && Math.max(...lengths) < 24, JSON.stringify(lengths.slice(0, 9)))
  }
})
