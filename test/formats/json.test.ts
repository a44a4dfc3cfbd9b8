import t from 'tap'
import { Value } from 'typebox/value'
import { TranscriptDocument } from '../../dist/domain/transcript.js'
import type { Transcript } from '../../dist/domain/transcript.js'
import { renderJson } from '../../dist/formats/json.js'
import { makeSegments, makeTranscript } from '../support/transcript.ts'

const render = (transcript: Transcript): TranscriptDocument => JSON.parse([...renderJson(transcript)].join('')) as TranscriptDocument

t.test('segments and words with times in seconds', async (t) => {
  const { segments: [first, second], ...rest } = render(makeTranscript())
  t.strictSame(rest, { transcriptionId: 7, language: 'en', durationSeconds: 61.855, warnings: [], skipped: [] })
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
  for (const { text, words } of render(makeTranscript()).segments) t.equal(words.map(({ word }) => word).join(''), text)
})

t.test('the document is what its schema says', async (t) => {
  for (const transcript of [makeTranscript(), makeTranscript({ segments: [], language: undefined, durationMs: 0 })]) {
    t.strictSame([...Value.Errors(TranscriptDocument, render(transcript))], [])
  }
})

t.test('an empty transcript has no segments, and no language where none was named', async (t) => {
  t.strictSame(render(makeTranscript({ segments: [], language: undefined })), {
    transcriptionId: 7, durationSeconds: 61.855, warnings: [], skipped: [], segments: []
  })
  t.notOk('language' in render(makeTranscript({ language: undefined })))
})

t.test('what was left out, in seconds, and what a reader should know', async (t) => {
  const warnings = [{ code: 'little_text' as const, message: 'There is little text.' }]
  const skipped = [{ startMs: 1536, endMs: 9600, reason: 'noise' as const, probability: 0.03125, levelDb: -31.7 }]
  const document = render(makeTranscript({ warnings, skipped }))
  t.strictSame(document.warnings, warnings)
  t.strictSame(document.skipped, [{ start: 1.536, end: 9.6, reason: 'noise', speechProbability: 0.031, levelDb: -32 }])
  t.strictSame([...Value.Errors(TranscriptDocument, document)], [])
})

t.test('speakers of segments and words', async (t) => {
  const segments = makeSegments().map((segment) => ({
    ...segment,
    speaker: 'Speaker 1',
    words: segment.words.map((word) => ({ ...word, speaker: 'Speaker 2' }))
  }))
  const document = render(makeTranscript({ segments }))
  t.strictSame([...Value.Errors(TranscriptDocument, document)], [])
  t.ok(document.segments.every(({ speaker, words }) => speaker === 'Speaker 1' && words.every((word) => word.speaker === 'Speaker 2')))
})
