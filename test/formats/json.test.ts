import t from 'tap'
import { Value } from 'typebox/value'
import { TranscriptDocument } from '../../dist/domain/transcript.js'
import { EXPORT_FORMATS, FORMATS } from '../../dist/formats/index.js'
import { renderJson, toDocument } from '../../dist/formats/json.js'
import { makeTranscript } from '../support/transcript.ts'

t.test('segments and words with times in seconds', async (t) => {
  const { segments: [first, second], ...rest } = JSON.parse(renderJson(makeTranscript())) as TranscriptDocument
  t.strictSame(rest, { transcriptionId: 7, language: 'en', durationSeconds: 61.855 })
  t.strictSame(first, {
    id: 0,
    start: 0.3,
    end: 1.5,
    text: ' Good morning.',
    words: [{ word: ' Good', start: 0.3, end: 0.7, probability: 0.98 }, { word: ' morning.', start: 0.72, end: 1.5, probability: 0.5 }]
  })
  t.match(second, { id: 1, start: 60.001, end: 61.855 })
})

t.test('the words of a segment, joined, are its text', async (t) => {
  for (const { text, words } of toDocument(makeTranscript()).segments) t.equal(words.map(({ word }) => word).join(''), text)
})

t.test('the document is what its schema says', async (t) => {
  for (const transcript of [makeTranscript(), makeTranscript({ segments: [], language: undefined, durationMs: 0 })]) {
    t.strictSame([...Value.Errors(TranscriptDocument, JSON.parse(renderJson(transcript)))], [])
  }
})

t.test('an empty transcript has no segments, and no language where none was named', async (t) => {
  const document: unknown = JSON.parse(renderJson(makeTranscript({ segments: [], language: undefined })))
  t.strictSame(document, { transcriptionId: 7, durationSeconds: 61.855, segments: [] })
  t.notOk('language' in toDocument(makeTranscript({ language: undefined })))
})

t.test('every format says what it is', async (t) => {
  t.strictSame(EXPORT_FORMATS, ['txt', 'json'])
  for (const name of EXPORT_FORMATS) {
    const { contentType, extension } = FORMATS[name].render(makeTranscript())
    t.equal(extension, name)
    t.equal(contentType, FORMATS[name].contentType)
    t.match(contentType, /; charset=utf-8$/)
  }
})
