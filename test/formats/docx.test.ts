import { unzipSync, strFromU8 } from 'fflate'
import mammoth from 'mammoth'
import t from 'tap'
import { renderDocx } from '../../dist/formats/docx.js'
import { renderTxt } from '../../dist/formats/txt.js'
import { bare, LANGUAGES, makeSpeech } from '../support/captions.ts'
import { makeTranscript } from '../support/transcript.ts'
import type { Transcript } from '../../dist/domain/transcript.js'

const STYLES = [
  "p[style-name='Title'] => h1.title:fresh",
  "p[style-name='Transcript Cover'] => p.cover:fresh",
  "p[style-name='Transcript Label'] => p.label:fresh",
  "p[style-name='Transcript Text'] => p.text:fresh"
]

async function render (transcript: Transcript): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of renderDocx(transcript)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const unescape = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** What mammoth reads: the texts of each kind of paragraph. */
async function read (file: Buffer) {
  const { value: html, messages } = await mammoth.convertToHtml({ buffer: file }, { styleMap: STYLES })
  const find = (pattern: RegExp): string[] => [...html.matchAll(pattern)].map(([, text = '']) => unescape(text))
  return {
    html,
    messages,
    titles: find(/<h1 class="title">(.*?)<\/h1>/g),
    cover: find(/<p class="cover">(.*?)<\/p>/g),
    headings: find(/<h[12]>(.*?)<\/h[12]>/g),
    labels: find(/<p class="label">(.*?)<\/p>/g),
    texts: find(/<p class="text">(.*?)<\/p>/g)
  }
}

t.test('a cover page, a heading, and paragraphs with their time and no speakers', async (t) => {
  const segments = makeTranscript().segments
  const named = [...segments].map((segment, index) => ({
    ...segment,
    words: segment.words.map((word) => ({ ...word, speaker: `Speaker ${index + 1}` }))
  }))
  const document = await read(await render(makeTranscript({ sourceUrl: 'https://example.org/talk?a=1&b=<2>', segments: named })))
  t.strictSame(document.messages, [])
  t.strictSame(document.titles, ['talk.mp3'])
  t.strictSame(document.cover, ['Source: https://example.org/talk?a=1&b=<2>', 'Language: English (en)', 'Duration: 00:01:01'])
  t.match(document.html, 'href="https://example.org/talk?a=1&amp;b=%3C2%3E"')
  t.strictSame(document.headings, ['Transcript'])
  t.strictSame(document.labels, ['00:00:00', '00:01:00'])
  t.strictSame(document.texts, ['Good morning.', 'The café — it’s open — 今天.'])
})

t.test('names that are to be shown stand beside the time; other speakers do not', async (t) => {
  const segments = [...makeTranscript().segments].map((segment, index) => ({
    ...segment, words: segment.words.map((word) => ({ ...word, speaker: ['Ada & Co', 'Speaker 2'][index] ?? '' }))
  }))
  const { labels } = await read(await render(makeTranscript({ segments, shownSpeakers: new Set(['Ada & Co']) })))
  t.strictSame(labels, ['Ada & Co · 00:00:00', '00:01:00'])
})

t.test('without a source, a language or a word; a source that is no web address is no link', async (t) => {
  const silent = await read(await render(makeTranscript({ language: undefined, segments: [] })))
  t.strictSame([silent.cover, silent.labels, silent.texts], [['Duration: 00:01:01'], ['Nothing was said.'], []])
  const odd = await read(await render(makeTranscript({ sourceUrl: 'javascript:alert(1)' })))
  t.equal(odd.cover[0], 'Source: javascript:alert(1)')
  t.notMatch(odd.html, /href/)
})

t.test('long recordings have a heading every quarter of an hour', async (t) => {
  const at = (startMs: number) => ({
    startMs,
    endMs: startMs + 1000,
    text: ' Yes.',
    words: [{ text: ' Yes.', startMs, endMs: startMs + 1000, probability: 1 }]
  })
  const segments = [at(0), at(10_000), at(901_000), at(910_000), at(3_000_000)]
  t.strictSame((await read(await render(makeTranscript({ durationMs: 3_600_000, segments })))).headings, [
    'Transcript',
    '00:00:00',
    '00:15:01',
    '00:50:00'
  ])
})

t.test('mammoth reads the words of the txt export, in every script', async (t) => {
  for (const [index, language] of LANGUAGES.entries()) {
    const transcript = makeTranscript({
      fileName: '<&>\u0000"talk"\ud800',
      segments: makeSpeech({ seed: index, count: 300, languages: language === 'odd' ? LANGUAGES : [language], wild: true, speakers: 2 })
    })
    const { texts, titles, messages } = await read(await render(transcript))
    t.strictSame(messages, [])
    t.strictSame(titles, ['<&>"talk"\ufffd'])
    const txt = [...renderTxt(transcript)].join('').replaceAll('\u0000', '').replace(/\p{Cs}/gu, '\ufffd')
    t.equal(bare(texts.join(' ')), bare(txt), language)
  }
})

t.test('and word by word where words have spaces between them', async (t) => {
  const transcript = makeTranscript({
    segments: makeSpeech({ seed: 1, count: 2000, languages: ['english', 'arabic', 'hindi', 'korean'], speakers: 2 })
  })
  const { texts } = await read(await render(transcript))
  t.strictSame(texts.join(' ').split(/\s+/), [...renderTxt(transcript)].join('').trim().split(/\s+/))
})

t.test('text from right to left says so, and every language is named to the spelling checker', async (t) => {
  for (const [language, mark] of [['ar', 'w:bidi="ar"'], ['ja', 'w:eastAsia="ja"'], ['de', 'w:val="de"']] as const) {
    const parts = unzipSync(await render(makeTranscript({ language })))
    t.match(strFromU8(parts['word/styles.xml'] ?? new Uint8Array()), new RegExp(`<w:lang [^>]*${mark}`))
    t.equal(strFromU8(parts['word/document.xml'] ?? new Uint8Array()).includes('<w:bidi/>'), language === 'ar')
  }
})

t.test('after the first document of a language, nothing is waited for: a rendering stays in its turn of the event loop', async (t) => {
  await render(makeTranscript())
  let isLater = false
  const turn = setImmediate(() => { isLater = true })
  const files = await Promise.all(Array.from({ length: 8 }, async () => await render(makeTranscript())))
  clearImmediate(turn)
  t.notOk(isLater)
  t.equal(files.length, 8)
})

t.test('documents share styles and nothing else', async (t) => {
  const sources = ['https://one.example/?a="b"&c', undefined, 'https://two.example/$&$1']
  for (const [index, sourceUrl] of sources.entries()) {
    const file = await render(makeTranscript({
      fileName: `${index} $& "x" & co.mp3`, ...(sourceUrl === undefined ? {} : { sourceUrl })
    }))
    const parts = Object.entries(unzipSync(file)).map(([name, bytes]) => [name, strFromU8(bytes)] as const)
    t.strictSame(parts.filter(([, xml]) => xml.includes('stenobox-')).map(([name]) => name), [], 'no mark is left')
    t.notOk(parts.some(([, xml]) => xml.includes('stenobox.invalid')), 'nor its link')
    const { titles, cover, html } = await read(file)
    t.strictSame(titles, [`${index} $& "x" & co.mp3`])
    t.equal(cover[0], sourceUrl === undefined ? 'Language: English (en)' : `Source: ${sourceUrl}`)
    t.equal(/href="([^"]*)"/.exec(html)?.[1], sourceUrl === undefined ? undefined : new URL(sourceUrl).href.replaceAll('&', '&amp;'))
  }
})
