/** The figures as Markdown. */
import { formatBytes, formatPercent, formatSeconds } from './report.js'
import type { Table } from './report.js'
import type { Series } from './rounds.js'
import { rateOf } from './text/wer.js'
import type { WordErrors } from './text/wer.js'
import type { ListedDifference } from './text/differences.js'
import type { Effort } from './passes.js'
import { agree, isSilent, perHour } from './score.js'
import type { Invention, RivalScore, Score, Totals } from './score.js'
import type { EngineScore, ExportedScore } from './speaker-scores.js'
import { toEngine, toExported } from './speaker-table.js'
import { formatEdits, formatPeak, formatRemoved, toDifferences, toJoined, toKept, toSpeed } from './tables.js'
import type { JoinedResult } from './tables.js'
import { summarise } from './times.js'
import { splitTokens } from './text/tokens.js'
import type { Unit } from './text/tokens.js'
import { OURS } from './transcribe.js'

export type Evaluation = {
  /** What was measured with what: date, machine, versions, model, options. */
  header: Readonly<Record<string, string | number>>
  scores: readonly Score[]
  totals: Totals
  memory: { residentBytes: number, peakBytes: number }
  /** For the recordings one at a time: of Stenobox, then of each rival. */
  efforts: readonly Effort[]
  joined?: JoinedResult
  speed: readonly Series[]
  speakers: readonly ExportedScore[]
  speakerEngine: readonly EngineScore[]
  /** Absent: not asked for. */
  differences?: readonly ListedDifference[]
  /** Absent: sclite is not installed. */
  scliteVersion?: string
  language: 'given' | 'detected'
  notes: readonly string[]
}

export const TABLE_START = '<!-- evaluation:start -->'
export const TABLE_END = '<!-- evaluation:end -->'

const NAMES: Record<Unit, string> = { word: 'WER', character: 'CER' }
const DIFFERS = ' (differs)'

export function renderEvaluation (evaluation: Evaluation): string {
  const { scores, joined, speed, speakers, speakerEngine, differences } = evaluation
  const tables = [
    toWords(evaluation), toTimes(scores), toKept(scores), toNonSpeech(scores), toTotals(evaluation),
    toExported(speakers),
    toEngine(speakerEngine),
    ...joined ? [toJoined(joined)] : [],
    ...toSpeed(speed),
    ...differences ? [toDifferences(differences)] : []
  ]
  return [
    '# Evaluation', renderHeader(evaluation),
    ...tables.filter(({ rows }) => rows.length > 0).map((table) => `## ${table.title}\n\n${renderTable(table)}`),
    evaluation.notes.map((note) => `- ${note}`).join('\n')
  ].join('\n\n') + '\n'
}

/** The part that `--table` writes into a document: totals, and a row for each recording with words. */
export function renderSummary (evaluation: Evaluation): string {
  const tables = [toTotals(evaluation), toWords(evaluation)].filter(({ rows }) => rows.length > 0)
  return [renderHeader(evaluation), ...tables.map(renderTable)].join('\n\n')
}

/** Puts the text between the markers. Throws an Error when they are missing. */
export function replaceSection (document: string, text: string): string {
  const start = document.indexOf(TABLE_START)
  const end = document.indexOf(TABLE_END)
  if (start < 0 || end < start) throw new Error(`the document has no ${TABLE_START} … ${TABLE_END}`)
  return `${document.slice(0, start + TABLE_START.length)}\n${text.trim()}\n${document.slice(end)}`
}

export function renderTable ({ columns, rows }: Table): string {
  const escape = (cell: string | number): string => String(cell).replaceAll('|', '\\|')
  const line = (cells: ReadonlyArray<string | number>): string => `| ${cells.map(escape).join(' | ')} |`
  return [line(columns), line(columns.map((_, index) => index === 0 ? '-' : '-:')), ...rows.map(line)].join('\n')
}

function renderHeader ({ header }: Evaluation): string {
  return Object.entries(header).map(([key, value]) => `${key}: ${value}`).join(' · ')
}

function toWords ({ scores, scliteVersion, totals }: Evaluation): Table {
  const names = Object.keys(totals.rivals)
  const second = scliteVersion === undefined ? [] : ['sclite']
  return {
    title: 'Words',
    columns: ['file', 'counted', 'WER/CER', 'S/D/I', ...second, 'language', 'RTF', ...names.flatMap((name) => [name, 'its RTF'])],
    rows: scores.filter((score) => !isSilent(score)).map((score) => {
      const { name, failure, unit = 'word', errors, sclite, language, text } = score
      return [
        name, errors ? `${errors.words} ${unit}s` : '-',
        failure === undefined ? formatRate(errors, text) : `failed: ${failure}`,
        formatEdits(errors),
        ...second.map(() => formatSecond(errors, sclite)),
        formatLanguage(language),
        formatRtf(score.wallMs, score.durationMs),
        ...names.flatMap((rival) => formatRival(score.rivals[rival], score.durationMs))
      ]
    })
  }
}

function formatRival (result: RivalScore | undefined, durationMs: number | undefined): [string, string] {
  if (!result || 'failure' in result) return [result ? 'failed' : '-', '-']
  return [formatRate(result.errors, result.text), formatRtf(result.wallMs, durationMs)]
}

/** Without a reference there is no rate, but a number of words. */
function formatRate (errors: WordErrors | undefined, text = ''): string {
  return errors ? formatPercent(rateOf(errors)) : `${splitTokens(text, 'word').length} heard`
}

function toTimes (scores: readonly Score[]): Table {
  const side = (found: string): string[] => [found, 'mean', 'median', 'p95', 'bias']
  return {
    title: 'Word times against sentence times, ms',
    columns: ['file', 'sentences', ...side('starts found'), ...side('ends found'), 'outlasts by', 'words outside', 'of them invented'],
    rows: scores.flatMap(({ name, times }) => {
      if (!times) return []
      const outlasting = times.outlasting ? `${times.outlasting.ms} (${times.outlasting.word})` : 0
      const [starts, ends] = [formatErrors(times.startErrorsMs), formatErrors(times.endErrorsMs)]
      return [[name, times.sentences, ...starts, ...ends, outlasting, `${times.outside} of ${times.words}`, times.invented]]
    })
  }
}

function toNonSpeech (scores: readonly Score[]): Table {
  const silent = scores.filter(isSilent)
  const names = [...new Set(silent.flatMap(({ rivals }) => Object.keys(rivals)))]
  const wordsOf = (result: RivalScore | undefined): number | string =>
    result && 'invention' in result ? result.invention?.words ?? '-' : '-'
  return {
    title: 'Recordings in which nobody speaks',
    columns: ['file', 'length', 'words', 'words per hour', 'RTF', 'the text', ...names.map((name) => `${name} words`)],
    rows: silent.flatMap(({ name, invention, text = '', rivals, wallMs, durationMs }) => {
      if (!invention) return []
      const [length, rate] = [formatLength(invention.ms), formatPerHour(invention)]
      const theirs = names.map((rival) => wordsOf(rivals[rival]))
      return [[name, length, invention.words, rate, formatRtf(wallMs, durationMs), shorten(text), ...theirs]]
    })
  }
}

type RivalTotals = Totals['rivals'][string]
/** Of each rival, in order. */
type Theirs = (cell: (rival: RivalTotals, name: string) => string) => string[]

function toTotals (evaluation: Evaluation): Table {
  const { totals, memory, scliteVersion, language: knownHow, efforts } = evaluation
  const { errors, sclite, times, invention, language, kept } = totals
  const names = Object.keys(totals.rivals)
  const theirs: Theirs = (cell) => names.map((name) => cell(totals.rivals[name] as RivalTotals, name))
  const effortOf = (name: string): Effort | undefined => efforts.find((effort) => effort.name === name)
  const rate = (counted: WordErrors): string => `${formatPercent(rateOf(counted))} (S/D/I ${formatEdits(counted)})`
  const rows: string[][] = [['recordings', `${totals.recordings}, ${totals.failed} failed, ${formatLength(totals.audioMs)}`]]
  for (const unit of ['word', 'character'] as const) {
    if (errors[unit].words === 0) continue
    rows.push([`${NAMES[unit]} over ${errors[unit].words} ${unit}s`, rate(errors[unit]), ...theirs((rival) => rate(rival.errors[unit]))])
    if (scliteVersion !== undefined) rows.push([`${NAMES[unit]} by sclite`, formatSecond(errors[unit], sclite?.[unit])])
  }
  if (knownHow === 'detected' && language.known > 0) rows.push(['language detected', `${language.right} of ${language.known} right`])
  if (times.sentences > 0) rows.push(...toTimeRows(times))
  if (kept) rows.push(['speech that never reached the decoder', [...new Set(formatRemoved(kept))].join(', ')])
  const { silent, pauses } = invention
  const inSilence = theirs((rival) => formatInvention(rival.silent))
  if (silent.ms > 0) rows.push(['words per hour in recordings without speech', formatInvention(silent), ...inSilence])
  if (pauses.ms > 0) rows.push(['words per hour between sentences', formatInvention(pauses)])
  const theirRtf = theirs((rival) => formatRtf(rival.wallMs, rival.audioMs))
  rows.push(['RTF, one recording at a time', formatRtf(totals.wallMs, totals.audioMs), ...theirRtf])
  rows.push(['processor time', ...[OURS, ...names].map((name) => formatEffort(effortOf(name)))])
  const [peak, end] = [memory.peakBytes, memory.residentBytes].map(formatBytes)
  rows.push(['memory at the peak (and at the end)', `${peak} (${end})`, ...names.map((name) => formatPeak(effortOf(name)?.peakBytes))])
  const width = 2 + names.length
  const fill = (row: string[]): string[] => [...row, ...Array<string>(width - row.length).fill('')]
  return { title: 'Totals', columns: ['all', OURS, ...names], rows: rows.map(fill) }
}

function formatEffort (effort: Effort | undefined): string {
  return effort ? formatSeconds(effort.processorSeconds) : '-'
}

function toTimeRows (times: Totals['times']): string[][] {
  const row = (name: string, errorsMs: readonly number[]): string[] => {
    const [count, mean, middle, p95, bias] = formatErrors(errorsMs)
    return [`${name}, ms: mean, median, p95, bias`, `${mean}, ${middle}, ${p95}, ${bias} (${count} of ${times.sentences} sentences)`]
  }
  const worst = times.outlasting
  const outlasts = worst ? `${worst.ms} ms (${worst.word}, ${worst.name} at ${formatLength(worst.atMs)})` : '0 ms'
  return [
    row('start of sentences', times.startErrorsMs),
    row('end of sentences', times.endErrorsMs),
    ['a word outlasts its sentence by at most', outlasts],
    ['words outside any sentence', `${times.outside} of ${times.words}`]
  ]
}

/** Count, then mean, median, 95th percentile and bias in whole ms. */
function formatErrors (errorsMs: readonly number[]): Array<string | number> {
  const { count, meanMs, medianMs, p95Ms, biasMs } = summarise(errorsMs)
  if (count === 0) return [0, '-', '-', '-', '-']
  return [count, meanMs.toFixed(0), medianMs.toFixed(0), p95Ms.toFixed(0), (biasMs > 0 ? '+' : '') + Math.round(biasMs)]
}

function formatSecond (errors: WordErrors | undefined, sclite: WordErrors | undefined): string {
  if (!errors || !sclite) return '-'
  return formatPercent(rateOf(sclite)) + (agree(errors, sclite) ? '' : DIFFERS)
}

function formatLanguage (language: Score['language']): string {
  const { said, heard = '-' } = language ?? {}
  return said === undefined || said === heard ? heard : `${heard}, not ${said}`
}

function formatRtf (wallMs: number | undefined, audioMs: number | undefined): string {
  return wallMs === undefined || !audioMs ? '-' : (wallMs / audioMs).toFixed(3)
}

function formatLength (ms: number): string {
  return ms < 600_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

function formatPerHour (invention: Invention): string {
  return perHour(invention)?.toFixed(1) ?? '-'
}

function formatInvention (invention: Invention): string {
  return `${formatPerHour(invention)} (${invention.words} in ${formatLength(invention.ms)})`
}

function shorten (text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 60 ? line.slice(0, 59) + '…' : line
}
