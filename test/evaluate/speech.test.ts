import t from 'tap'
import { scoreRecording, sumScores } from '../../dist/evaluate/score.js'
import { intersectSpans, measureKept, sumKept, uniteSpans } from '../../dist/evaluate/speech.js'
import type { Span } from '../../dist/evaluate/speech.js'

const spans = (...pairs: Array<[number, number]>): Span[] => pairs.map(([startMs, endMs]) => ({ startMs, endMs }))

t.test('spans that touch or overlap are one', async (t) => {
  t.strictSame(uniteSpans(spans([5, 6], [0, 2], [2, 3], [1, 4], [9, 9])), spans([0, 4], [5, 6]))
  t.strictSame(intersectSpans(spans([0, 10], [20, 30]), spans([5, 22], [21, 25], [30, 40])), spans([5, 10], [20, 25]))
  t.strictSame(intersectSpans([], spans([0, 1])), [])
})

t.test('speech is removed where it was skipped, within the recording', async (t) => {
  const speech = spans([1000, 3000], [5000, 9000])
  t.strictSame(measureKept(speech, spans([0, 1200], [4000, 6500], [8500, 20_000]), 8000), {
    speechMs: 5000, removedMs: 1700, longest: { startMs: 5000, endMs: 6500 }
  }, 'the third skipped span is speech only beyond the end')
  t.strictSame(measureKept(speech, [], 9000), { speechMs: 6000, removedMs: 0 })
  t.strictSame(measureKept(speech, undefined, 9000), { speechMs: 6000 }, 'not known is not nothing')
  t.strictSame(sumKept([{ speechMs: 1, removedMs: 1 }, { speechMs: 5, removedMs: 0 }]), { speechMs: 6, removedMs: 1 })
  t.strictSame(sumKept([{ speechMs: 1, removedMs: 1 }, { speechMs: 5 }]), { speechMs: 6 })
})

t.test('a recording with an RTTM is scored by what was skipped, with or without a reference', async (t) => {
  const outcome = { wallMs: 1, transcript: { text: '', words: [], durationMs: 4000, skipped: spans([0, 4000]) } }
  const recording = { name: 'm.wav', path: '', speech: spans([1000, 3000]) }
  const score = scoreRecording(recording, outcome)
  t.strictSame(score.kept, { speechMs: 2000, removedMs: 2000, longest: { startMs: 1000, endMs: 3000 } })
  const withText = scoreRecording({ ...recording, reference: { text: 'lost', unit: 'word' } }, outcome)
  t.match(withText, { kept: { removedMs: 2000 }, errors: { deletions: 1 } })
  t.strictSame(sumScores([score, score, scoreRecording({ name: 'b', path: '' }, outcome)]).kept, { speechMs: 4000, removedMs: 4000 })
})
