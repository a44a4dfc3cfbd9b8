/** Several ways to do the same work, timed in alternating rounds, and compared by their medians with the first. */
import { measureOthers } from './machine/load.js'
import type { Measured } from './machine/load.js'
import { formatPercent, formatSeconds } from './report.js'
import type { Table } from './report.js'
import { median } from './machine/statistics.js'

/** What a run may report besides its time. */
export type Told = { words?: number, peakBytes?: number }
export type Timed = Measured & Told
export type Way = {
  name: string
  /** Long-lived processes whose processor time belongs to it. */
  pids: readonly number[]
  run: () => Promise<Told>
}
/** One for each way, in their order. */
export type Round = readonly Timed[]
export type Series = { work: string, ways: readonly string[], rounds: readonly Round[] }

/** Each round runs all ways, one after another, so that a slow minute of the machine meets them all. */
export async function timeRounds (work: string, ways: readonly Way[], count: number, log: (line: string) => void): Promise<Series> {
  const rounds: Round[] = []
  while (rounds.length < count) {
    const round: Timed[] = []
    for (const { pids, run } of ways) {
      const { result, ...measured } = await measureOthers(pids, run)
      round.push({ ...measured, ...result })
    }
    rounds.push(round)
    const times = ways.map(({ name }, index) => `${name} ${formatSeconds(round[index]?.seconds ?? NaN)}`)
    log(`${work}, round ${rounds.length}: ${times.join(', ')}`)
  }
  return { work, ways: ways.map(({ name }) => name), rounds }
}

/** The median of all rounds; NaN for a way that is not in the series, or does not report the field. */
export function medianOf ({ ways, rounds }: Series, way: string, field: keyof Timed): number {
  return median(rounds.map((round) => round[ways.indexOf(way)]?.[field] ?? NaN))
}

/** How many times as much of `field` another way takes as the first one. */
export function ratioOf (series: Series, way: string, field: keyof Timed = 'seconds'): number {
  return medianOf(series, way, field) / medianOf(series, series.ways[0] ?? '', field)
}

/** Every round: seconds, and in brackets what other programs used of the processors meanwhile. */
export function toRoundTable (title: string, { ways, rounds }: Series): Table {
  const cell = ({ seconds, othersShare }: Timed): string => `${formatSeconds(seconds)} (${formatPercent(othersShare)})`
  return {
    title: `${title}: seconds of each round; in brackets what other programs used of the processors meanwhile`,
    columns: ['round', ...ways],
    rows: rounds.map((round, index) => [index + 1, ...round.map(cell)])
  }
}
