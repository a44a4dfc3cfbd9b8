import t from 'tap'
import { assignBest } from '../../../dist/evaluate/speakers/assignment.js'
import { errorRate, measureSpeakerErrors } from '../../../dist/evaluate/speakers/der.js'
import { parseLabelledRttm } from '../../../dist/evaluate/speakers/rttm.js'
import type { LabelledSpan } from '../../../dist/evaluate/speakers/rttm.js'
import { uniteSpans } from '../../../dist/evaluate/speech.js'

/** Spans such as "A 0 10" in seconds. */
const spans = (...lines: string[]): LabelledSpan[] => lines.map((line) => {
  const [speaker = '', start, end] = line.split(' ')
  return { speaker, startMs: 1000 * Number(start), endMs: 1000 * Number(end) }
})
const ALL = { collarMs: 0, overlap: 'count' } as const

t.test('an RTTM says who speaks when', async (t) => {
  const lines = [
    'SPEAKER m 1 3.000 1.000 <NA> <NA> B <NA> <NA>', 'SPEAKER m 1 0.5 2.25 <NA> <NA> A <NA> <NA>', 'LEXEME m 1 9 1 word lex A <NA>', '',
    'SPEAKER m 1 2.7 0.2 <NA> <NA> A <NA> <NA>', 'SPEAKER m 1 5 0 <NA> <NA> A <NA> <NA>'
  ]
  const turns = parseLabelledRttm(lines.join('\r\n'))
  t.strictSame(turns, spans('B 3 4', 'A 0.5 2.75', 'A 2.7 2.9'))
  t.strictSame(uniteSpans(turns), [{ startMs: 500, endMs: 2900 }, { startMs: 3000, endMs: 4000 }])
  t.strictSame(parseLabelledRttm(''), [])
  t.throws(() => parseLabelledRttm('SPEAKER m 1 0.5\n'), /line 1/)
  t.throws(() => parseLabelledRttm('\nSPEAKER m 1 -0.5 1'), /line 2/)
})

t.test('missed speech, false alarms and confusion, by hand', async (t) => {
  const reference = spans('A 0 10', 'B 10 20')
  // 1 = A: 0 to 8; 8 to 12 is 2, of which 2 s are wrong; 19 to 20 is missed; 20 to 23 is a false alarm.
  const hypothesis = spans('1 0 8', '2 8 19', '1 20 23')
  const errors = measureSpeakerErrors(reference, hypothesis, 30_000, ALL)
  t.strictSame(errors, { speechMs: 20_000, missedMs: 1000, falseAlarmMs: 3000, confusionMs: 2000 })
  t.equal(errorRate(errors), 0.3)
})

t.test('a collar leaves out time around the boundaries of the reference', async (t) => {
  const errors = measureSpeakerErrors(spans('A 0 10', 'B 10 20'), spans('1 0 8', '2 8 19', '1 20 23'), 30_000, {
    collarMs: 250, overlap: 'count'
  })
  t.strictSame(errors, { speechMs: 19_000, missedMs: 750, falseAlarmMs: 2750, confusionMs: 1750 })
})

t.test('time with two speakers counts twice, or not at all', async (t) => {
  const [reference, hypothesis] = [spans('A 0 10', 'B 6 16'), spans('1 0 8', '2 8 16')]
  t.strictSame(measureSpeakerErrors(reference, hypothesis, 16_000, ALL), {
    speechMs: 20_000, missedMs: 4000, falseAlarmMs: 0, confusionMs: 0
  }, 'both are said from 6 to 10, one of them is heard')
  t.strictSame(measureSpeakerErrors(reference, hypothesis, 16_000, { collarMs: 0, overlap: 'leave' }), {
    speechMs: 12_000, missedMs: 0, falseAlarmMs: 0, confusionMs: 0
  })
})

t.test('speakers are matched so that the error is smallest', async (t) => {
  // One after another, 1 would take A, with 4 s, and leave 2 s to B and 2; the other way 3 + 3 s are right.
  t.strictSame(measureSpeakerErrors(spans('A 0 7', 'B 7 11'), spans('1 0 4', '2 4 7', '1 7 10', '2 10 11'), 11_000, ALL), {
    speechMs: 11_000, missedMs: 0, falseAlarmMs: 0, confusionMs: 5000
  })
  t.strictSame(assignBest([[4, 3], [3, 1]]), [1, 0])
  t.strictSame(assignBest([[1, 2, 9]]), [2])
  t.strictSame(assignBest([[5], [7], [1]]).filter((column) => column === 0).length, 1, 'a column is assigned once')
  t.strictSame(assignBest([]), [])
})

t.test('nobody says anything', async (t) => {
  t.equal(errorRate(measureSpeakerErrors([], [], 1000, ALL)), 0)
  t.equal(errorRate(measureSpeakerErrors([], spans('1 0 1'), 1000, ALL)), Infinity)
})
