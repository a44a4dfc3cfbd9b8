import t from 'tap'
import { renderTxt } from '../../dist/formats/txt.js'
import { transcriptText } from '../../dist/domain/transcript.js'
import { LANGUAGES, makeSpeech } from '../support/captions.ts'
import { makeTranscript } from '../support/transcript.ts'
import type { TimedSegment } from '../../dist/domain/transcript.js'

const render = (segments: TimedSegment[]): string => [...renderTxt(makeTranscript({ segments }))].join('')

t.test('the text is one paragraph and a final newline', async (t) => {
  t.equal([...renderTxt(makeTranscript())].join(''), 'Good morning. The café — it’s open — 今天.\n')
})

t.test('an empty transcript is an empty file', async (t) => {
  t.equal(render([]), '')
  t.equal(render([{ startMs: 0, endMs: 1, text: ' \n ', words: [] }]), '')
})

t.test('the pieces are the text that polling gives, white space at both ends left out', async (t) => {
  for (const [index, language] of LANGUAGES.entries()) {
    const segments = makeSpeech({ seed: index, count: 200, languages: [language, 'odd'], wild: true })
    t.equal(render(segments), transcriptText(segments) + '\n', language)
  }
})
