import t from 'tap'
import { toParagraphs } from '../../dist/formats/paragraphs.js'
import { renderTxt } from '../../dist/formats/txt.js'
import { transcriptText } from '../../dist/domain/transcript.js'
import { bare, LANGUAGES, makeSpeech } from '../support/captions.ts'
import { makeTranscript } from '../support/transcript.ts'
import type { TimedSegment } from '../../dist/domain/transcript.js'

const render = (segments: TimedSegment[]): string => [...renderTxt(makeTranscript({ segments }))].join('')

t.test('paragraphs have a blank line between them, and the last one ends with a line break', async (t) => {
  t.equal([...renderTxt(makeTranscript())].join(''), 'Good morning.\n\nThe café — it’s open — 今天.\n')
})

t.test('an empty transcript is an empty file', async (t) => {
  t.equal(render([]), '')
  t.equal(render([{ startMs: 0, endMs: 1, text: ' \n ', words: [] }]), '')
})

t.test('the file has exactly the paragraphs of the other formats, one a line', async (t) => {
  for (const [index, language] of LANGUAGES.entries()) {
    const segments = makeSpeech({ seed: index, count: 200, languages: [language, 'odd'], wild: true, speakers: 2 })
    const paragraphs = [...toParagraphs(segments)].map(({ text }) => text)
    t.ok(paragraphs.length > 1)
    t.strictSame(render(segments).slice(0, -1).split('\n\n'), paragraphs, language)
  }
})

t.test('the words are those of the text that polling gives', async (t) => {
  for (const [index, language] of LANGUAGES.filter((language) => language !== 'odd').entries()) {
    const segments = makeSpeech({ seed: index, count: 200, languages: [language] })
    t.equal(bare(render(segments)), bare(transcriptText(segments)), language)
  }
})
