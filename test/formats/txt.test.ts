import t from 'tap'
import { FORMATS } from '../../dist/formats/index.js'
import { renderTxt } from '../../dist/formats/txt.js'
import { makeTranscript } from '../support/transcript.ts'

t.test('the text is one paragraph and a final newline', async (t) => {
  t.equal(renderTxt(makeTranscript()), 'Good morning. The café — it’s open — 今天.\n')
  t.strictSame(FORMATS.txt.render(makeTranscript()), {
    body: 'Good morning. The café — it’s open — 今天.\n', contentType: 'text/plain; charset=utf-8', extension: 'txt'
  })
})

t.test('an empty transcript is an empty file', async (t) => {
  t.equal(renderTxt(makeTranscript({ segments: [] })), '')
})
