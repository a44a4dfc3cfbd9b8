import { HtmlRenderer, Parser } from 'commonmark'
import t from 'tap'
import { renderMd } from '../../dist/formats/md.js'
import { toParagraphs } from '../../dist/formats/paragraphs.js'
import { LANGUAGES, makeSpeech } from '../support/captions.ts'
import { makeSegments, makeTranscript } from '../support/transcript.ts'

const whole = (chunks: Iterable<string>): string => [...chunks].join('')
const toHtml = (md: string): string => new HtmlRenderer().render(new Parser().parse(md))
const unescape = (html: string): string =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

t.test('a heading, what is known, and paragraphs with time and speaker', async (t) => {
  const [first, second] = makeSegments()
  if (!first || !second) throw new Error('two segments are expected')
  const named = { ...second, words: second.words.map((word) => ({ ...word, speaker: 'Speaker 1' })) }
  t.equal(whole(renderMd(makeTranscript({ sourceUrl: 'https://example.org/a b?c=<d>', segments: [first, named] }))), [
    '# talk.mp3',
    '',
    '- Source: <https://example.org/a%20b?c=%3Cd%3E>',
    '- Language: English (en)',
    '- Duration: 00:01:01',
    '',
    '**[00:00:00]** Good morning.',
    '',
    '**[00:01:00] Speaker 1:** The café — it’s open — 今天.',
    ''
  ].join('\n'))
})

t.test('the date is the day of publication, else the day of completion, in UTC', async (t) => {
  const completedAt = Date.parse('2026-11-21T23:59:59.999Z')
  const publishedAt = Date.parse('2026-11-20T00:00:00.000Z')
  const fromAddress = makeTranscript({ completedAt, sourceUrl: 'https://example.org/' })
  t.match(whole(renderMd(fromAddress)), '# talk.mp3\n\n- Transcribed: 2026-11-21\n- Source: ')
  t.match(whole(renderMd(makeTranscript({ completedAt, publishedAt }))), '# talk.mp3\n\n- Published: 2026-11-20\n- Language: ')
  t.notMatch(whole(renderMd(makeTranscript({ completedAt, publishedAt }))), 'Transcribed')
})

t.test('warnings stand in the head', async (t) => {
  const warnings = [{ code: 'little_text' as const, message: 'There is *little* text.' }]
  t.match(whole(renderMd(makeTranscript({ warnings }))), '- Duration: 00:01:01\n- Note: There is \\*little\\* text.\n')
})

t.test('without a source, a language or a word', async (t) => {
  const empty = makeTranscript({ language: undefined, segments: [], durationMs: 3_600_000 })
  t.equal(whole(renderMd(empty)), '# talk.mp3\n\n- Duration: 01:00:00\n')
  t.match(whole(renderMd(makeTranscript({ language: 'yue', segments: [] }))), '- Language: Cantonese (yue)')
  t.match(whole(renderMd(makeTranscript({ language: 'qqx', segments: [] }))), /Language: qqx\n/)
})

t.test('a reader of CommonMark finds the words as they were said, whatever they are', async (t) => {
  for (const [index, language] of LANGUAGES.entries()) {
    const segments = makeSpeech({ seed: index, count: 300, languages: [language, 'odd'], wild: true, speakers: 2 })
    const html = toHtml(whole(renderMd(makeTranscript({ fileName: '# *a* <b>\n- c_d_.mp3', segments }))))
    t.match(html, '<h1># *a* &lt;b&gt; - c_d_.mp3</h1>')
    const read = [...html.matchAll(/<p><strong>\[[\d:]+\](?: Speaker \d:)?<\/strong> (.*)<\/p>/g)].map(([, text = '']) => unescape(text))
    t.strictSame(read, [...toParagraphs(segments)].map(({ text }) => text), language)
  }
})
