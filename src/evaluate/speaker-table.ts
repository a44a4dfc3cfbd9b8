/** The tables of speakers. */
import { formatPercent } from './report.js'
import type { Table } from './report.js'
import { errorRate, sumSpeakerErrors } from './speakers/der.js'
import type { SpeakerErrors } from './speakers/der.js'
import { RULES } from './speaker-scores.js'
import type { EngineScore, ExportedScore, SpeakerScore } from './speaker-scores.js'

const formatRule = (collarMs: number, overlap: 'count' | 'leave'): string =>
  `DER ±${collarMs / 1000} s${overlap === 'leave' ? ', no overlap' : ''}`

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

const share = (part: number, whole: number): string => whole === 0 ? '-' : formatPercent(part / whole)

function toRates (errors: readonly SpeakerErrors[]): string[] {
  const { speechMs, missedMs, falseAlarmMs, confusionMs } = errors[0] ?? { speechMs: 0, missedMs: 0, falseAlarmMs: 0, confusionMs: 0 }
  const rates = errors.map((one) => share(errorRate(one) * one.speechMs, one.speechMs))
  return [...rates, [missedMs, falseAlarmMs, confusionMs].map((ms) => share(ms, speechMs)).join(' / ')]
}

const COLUMNS = [
  'file', 'speakers', ...RULES.map(({ collarMs, overlap }) => formatRule(collarMs, overlap)), 'missed / false alarm / confused'
]

const toRow = ({ name, said, heard, errors }: SpeakerScore): string[] => [name, `${heard} / ${said}`, ...toRates(errors)]

/** The row of all recordings together. */
const toSum = (scores: readonly SpeakerScore[]): string[] =>
  ['all', '', ...toRates(RULES.map((_, index) => sumSpeakerErrors(scores.flatMap(({ errors }) => errors[index] ?? []))))]

/** What users get: one row for each recording, and one for all together. */
export function toExported (scores: readonly ExportedScore[]): Table {
  const rows = scores.map((one) => [...toRow(one), `${share(one.words.wrong, one.words.words)} (${one.words.by})`])
  const [wrong, all] = [sum(scores.map(({ words }) => words.wrong)), sum(scores.map(({ words }) => words.words))]
  return {
    title: 'Speakers of the words in the JSON export: heard / said, diarization error rate, and words with the wrong speaker',
    columns: [...COLUMNS, 'WDER'],
    rows: scores.length < 2 ? rows : [...rows, [...toSum(scores), share(wrong, all)]]
  }
}

/** The turns of the engine alone: the same. */
export function toEngine (scores: readonly EngineScore[]): Table {
  const rows = scores.map((one) => [...toRow(one), one.realTimeFactor.toFixed(3)])
  return {
    title: 'Turns of the speaker engine alone, outside the server: heard / said, diarization error rate',
    columns: [...COLUMNS, 'RTF'],
    rows: scores.length < 2 ? rows : [...rows, [...toSum(scores), '']]
  }
}
