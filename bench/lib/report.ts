/** What a benchmark hands back, and how it is shown. */
import { describeMachine } from '../../dist/evaluate/report.js'
import type { Table } from '../../dist/evaluate/report.js'

export type Report = {
  /** The figure the benchmark is about, in one sentence. */
  result: string
  /** Whether the figure is what it should be; absent when there is no bound. */
  passed?: boolean
  tables: readonly Table[]
  notes: readonly string[]
  /** Everything measured, for `--json`. */
  figures: Readonly<Record<string, unknown>>
}

export type BenchOptions = {
  /** Repetitions of what is alternated. */
  repeat: number
  /** Shorter recordings and fewer moments: a check that the benchmark runs, and a first impression. */
  quick: boolean
  /** Length of the long recording of `speed`, or of each attack of `neighbours`. */
  minutes?: number
  /** Whether `speed` gives the language or has it detected. */
  language: 'given' | 'detected'
  /** Models that `speed` and `silence` run; none named: all they know. */
  models: readonly string[]
  /** Attacks that `neighbours` runs; none named: all. */
  attacks: readonly string[]
}

export type BenchContext = {
  options: BenchOptions
  /** Directory that is deleted at the end. */
  scratch: string
  log: (line: string) => void
}

export type Benchmark = {
  name: string
  summary: string
  /** Rough time on two cores; benchmarks of more than five minutes run only by name. */
  minutes: number
  run: (context: BenchContext) => Promise<Report>
}

export function printReport (name: string, report: Report): void {
  const machine = Object.entries(describeMachine()).map(([key, value]) => `${key}: ${value}`).join(' · ')
  console.log(`\n== ${name} ==\n${machine}`)
  for (const table of report.tables) console.log(`\n${table.title}\n${formatTable(table)}`)
  console.log(`\n${report.result}${report.passed === undefined ? '' : report.passed ? ' [as it should be]' : ' [NOT AS IT SHOULD BE]'}`)
  for (const note of report.notes) console.log(`- ${note}`)
}

function formatTable ({ columns, rows }: Table): string {
  const texts = [columns, ...rows].map((row) => row.map(String))
  const widths = columns.map((_, column) => Math.max(...texts.map((row) => (row[column] ?? '').length)))
  const lines = texts.map((row) =>
    row.map((text, column) => column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)).join('  '))
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '))
  return lines.map((line) => '  ' + line).join('\n')
}
