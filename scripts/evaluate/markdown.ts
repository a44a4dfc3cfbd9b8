/** The figures as Markdown. */
import { formatBytes, formatPercent } from '../bench/report.ts'
import type { Table } from '../bench/report.ts'
import { rateOf } from '../bench/wer.ts'
import type { WordErrors } from '../bench/wer.ts'
import { agree, isSilent, perHour } from './score.ts'
import type { Invention, Score, Totals } from './score.ts'
import { summarise } from './times.ts'
import type { Unit } from './tokens.ts'

export type Evaluation = {
  /** What was measured with what: date, machine, versions, model, options. */
  header: Readonly<Record<string, string | number>>
  scores: readonly Score[]
  totals: Totals
  memory: { residentBytes: number, peakBytes: number }
  /** Absent: sclite is not installed. */
  scliteVersion?: string
  language: 'given' | 'detected'
  notes: readonly string[]
}

export const README_START = '<!-- evaluation:start -->'
export const README_END = '<!-- evaluation:end -->'

const NAMES: Record<Unit, string> = { word: 'WER', character: 'CER' }
const DIFFERS = ' (differs)'

export function renderEvaluation (evaluation: Evaluation): string {
  const tables = [toWords(evaluation), toTimes(evaluation.scores), toNonSpeech(evaluation.scores), toTotals(evaluation)]
  return [
    '# Evaluation', renderHeader(evaluation),
    ...tables.filter(({ rows }) => rows.length > 0).map((table) => `## ${table.title}\n\n${renderTable(table)}`),
    evaluation.notes.map((note) => `- ${note}`).join('\n')
  ].join('\n\n') + '\n'
}

/** What the README shows. */
export function renderSummary (evaluation: Evaluation): string {
  return [renderHeader(evaluation), ...[toTotals(evaluation), toWords(evaluation)].filter(({ rows }) => rows.length > 0).map(renderTable)].join('\n\n')
}

/** Puts the text between the markers. Throws an Error when they are missing. */
export function replaceSection (document: string, text: string): string {
  const start = document.indexOf(README_START)
  const end = document.indexOf(README_END)
  if (start < 0 || end < start) throw new Error(`the document has no ${README_START} … ${README_END}`)
  return `${document.slice(0, start + README_START.length)}\n${text.trim()}\n${document.slice(end)}`
}

export function renderTable ({ columns, rows }: Table): string {
  const line = (cells: ReadonlyArray<string | number>): string => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(columns), line(columns.map((_, index) => index === 0 ? '-' : '-:')), ...rows.map(line)].join('\n')
}

function renderHeader ({ header }: Evaluation): string {
  return Object.entries(header).map(([key, value]) => `${key}: ${value}`).join(' · ')
}

function toWords ({ scores, scliteVersion, totals }: Evaluation): Table {
  const withCli = totals.cli !== undefined
  return {
    title: 'Words',
    columns: ['file', 'counted', 'WER/CER', 'S/D/I', ...(scliteVersion === undefined ? [] : ['sclite']), 'language', 'RTF', ...(withCli ? ['whisper-cli', 'its RTF'] : [])],
    rows: scores.filter((score) => !isSilent(score)).map((score) => {
      const { name, failure, unit = 'word', errors, sclite, language, cli } = score
      const theirs = cli === undefined || 'failure' in cli ? ['failed', '-'] : [formatPercent(cli.errors && rateOf(cli.errors)), formatRtf(cli.wallMs, score.durationMs)]
      return [
        name, errors ? `${errors.words} ${unit}s` : '-',
        failure === undefined ? formatPercent(errors && rateOf(errors)) : `failed: ${failure}`,
        formatEdits(errors),
        ...(scliteVersion === undefined ? [] : [formatSecond(errors, sclite)]),
        formatLanguage(language),
        formatRtf(score.wallMs, score.durationMs),
        ...(withCli ? theirs : [])
      ]
    })
  }
}

function toTimes (scores: readonly Score[]): Table {
  const side = (found: string): string[] => [found, 'mean', 'median', 'p95', 'bias']
  return {
    title: 'Word times against sentence times, ms',
    columns: ['file', 'sentences', ...side('starts found'), ...side('ends found'), 'outlasts by', 'words outside', 'of them invented'],
    rows: scores.flatMap(({ name, times }) => {
      if (!times) return []
      const outlasting = times.outlasting ? `${times.outlasting.ms} (${times.outlasting.word})` : 0
      return [[name, times.sentences, ...formatErrors(times.startErrorsMs), ...formatErrors(times.endErrorsMs), outlasting, `${times.outside} of ${times.words}`, times.invented]]
    })
  }
}

function toNonSpeech (scores: readonly Score[]): Table {
  const withCli = scores.some(({ cli }) => cli)
  return {
    title: 'Recordings in which nobody speaks',
    columns: ['file', 'length', 'words', 'words per hour', 'RTF', 'the text', ...(withCli ? ['whisper-cli words'] : [])],
    rows: scores.filter(isSilent).flatMap(({ name, invention, text = '', cli, wallMs, durationMs }) => {
      if (!invention) return []
      const theirs = cli && 'invention' in cli && cli.invention ? cli.invention.words : '-'
      return [[name, formatLength(invention.ms), invention.words, formatPerHour(invention), formatRtf(wallMs, durationMs), shorten(text), ...(withCli ? [theirs] : [])]]
    })
  }
}

function toTotals ({ totals, memory, scliteVersion, language: knownHow }: Evaluation): Table {
  const { errors, sclite, times, invention, cli, language } = totals
  const rows: Array<[string, string, string]> = [['recordings', `${totals.recordings}, ${totals.failed} failed, ${formatLength(totals.audioMs)}`, '']]
  const rate = (counted: WordErrors): string => `${formatPercent(rateOf(counted))} (S/D/I ${formatEdits(counted)})`
  for (const unit of ['word', 'character'] as const) {
    if (errors[unit].words === 0) continue
    rows.push([`${NAMES[unit]} over ${errors[unit].words} ${unit}s`, rate(errors[unit]), cli ? rate(cli.errors[unit]) : ''])
    if (scliteVersion !== undefined) rows.push([`${NAMES[unit]} by sclite`, formatSecond(errors[unit], sclite?.[unit]), ''])
  }
  if (knownHow === 'detected' && language.known > 0) rows.push(['language detected', `${language.right} of ${language.known} right`, ''])
  if (times.sentences > 0) rows.push(...toTimeRows(times))
  if (invention.silent.ms > 0) rows.push(['words per hour in recordings without speech', formatInvention(invention.silent), cli ? formatInvention(cli.silent) : ''])
  if (invention.pauses.ms > 0) rows.push(['words per hour between sentences', formatInvention(invention.pauses), ''])
  rows.push(['RTF, one recording at a time', formatRtf(totals.wallMs, totals.audioMs), cli ? formatRtf(cli.wallMs, cli.audioMs) : ''])
  rows.push(['memory of the server: peak, at the end', `${formatBytes(memory.peakBytes)}, ${formatBytes(memory.residentBytes)}`, ''])
  return { title: 'Totals', columns: ['all', 'Stenobox', ...(cli ? ['whisper-cli'] : [])], rows: cli ? rows : rows.map((row) => row.slice(0, 2)) }
}

function toTimeRows (times: Totals['times']): Array<[string, string, string]> {
  const row = (name: string, errorsMs: readonly number[]): [string, string, string] => {
    const [count, mean, middle, p95, bias] = formatErrors(errorsMs)
    return [`${name}, ms: mean, median, p95, bias`, `${mean}, ${middle}, ${p95}, ${bias} (${count} of ${times.sentences} sentences)`, '']
  }
  const worst = times.outlasting
  return [
    row('start of sentences', times.startErrorsMs),
    row('end of sentences', times.endErrorsMs),
    ['a word outlasts its sentence by at most', worst ? `${worst.ms} ms (${worst.word}, ${worst.name} at ${(worst.atMs / 1000).toFixed(1)} s)` : '0 ms', ''],
    ['words outside any sentence', `${times.outside} of ${times.words}`, '']
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

function formatEdits (errors: WordErrors | undefined): string {
  return errors ? `${errors.substitutions}/${errors.deletions}/${errors.insertions}` : '-'
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
