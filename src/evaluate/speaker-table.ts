/** The table of speakers. */
import { formatPercent } from './report.js'
import type { Table } from './report.js'
import { errorRate, sumSpeakerErrors } from './speakers/der.js'
import type { SpeakerErrors } from './speakers/der.js'
import { RULES } from './speaker-scores.js'
import type { SpeakerScore } from './speaker-scores.js'

const formatRule = (collarMs: number, overlap: 'count' | 'leave'): string =>
  `DER ±${collarMs / 1000} s${overlap === 'leave' ? ', no overlap' : ''}`

const share = (part: number, whole: number): string => whole === 0 ? '-' : formatPercent(part / whole)

function toRates (errors: readonly SpeakerErrors[]): string[] {
  const { speechMs, missedMs, falseAlarmMs, confusionMs } = errors[0] ?? { speechMs: 0, missedMs: 0, falseAlarmMs: 0, confusionMs: 0 }
  const rates = errors.map((one) => share(errorRate(one) * one.speechMs, one.speechMs))
  return [...rates, [missedMs, falseAlarmMs, confusionMs].map((ms) => share(ms, speechMs)).join(' / ')]
}

/** One row for each recording, and one for all together. */
export function toSpeakers (scores: readonly SpeakerScore[]): Table {
  const rows = scores.map(({ name, said, heard, errors, words, realTimeFactor }) => [
    name, `${heard} / ${said}`, ...toRates(errors),
    words ? `${share(words.wrong, words.words)} (${words.by})` : '-',
    realTimeFactor.toFixed(3)
  ])
  const counted = scores.flatMap(({ words }) => words ?? [])
  const [wrong, all] = [counted.reduce((sum, one) => sum + one.wrong, 0), counted.reduce((sum, one) => sum + one.words, 0)]
  const sums = RULES.map((_, index) => sumSpeakerErrors(scores.flatMap(({ errors }) => errors[index] ?? [])))
  return {
    title: 'Speakers: heard / said, diarization error rate, and words with the wrong speaker',
    columns: [
      'file', 'speakers', ...RULES.map(({ collarMs, overlap }) => formatRule(collarMs, overlap)),
      'missed / false alarm / confused', 'WDER', 'RTF'
    ],
    rows: scores.length < 2 ? rows : [...rows, ['all', '', ...toRates(sums), share(wrong, all), '']]
  }
}
