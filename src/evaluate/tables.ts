/** The tables beside the scores: the joined recording, speed, speech that was removed, single errors. */
import { formatBytes, formatPercent, formatSeconds } from './report.js'
import type { Table } from './report.js'
import { medianOf, ratioOf, toRoundTable } from './rounds.js'
import type { Series } from './rounds.js'
import { errorsOf, rateOf } from './text/wer.js'
import type { WordErrors } from './text/wer.js'
import type { ListedDifference } from './text/differences.js'
import type { Effort } from './passes.js'
import type { Score } from './score.js'
import { sumKept } from './speech.js'
import type { SpeechKept } from './speech.js'
import { splitTokens } from './text/tokens.js'
import { OURS } from './transcribe.js'

/** The score of the joined recording, and what each program took for it. */
export type JoinedResult = { score: Score, efforts: readonly Effort[] }

export function toJoined ({ score, efforts }: JoinedResult): Table {
  const { name, failure, durationMs = 0, errors, rivals } = score
  const ours = { ...(failure !== undefined && { failure }), ...(errors && { errors }) }
  const results: Record<string, { failure?: string, errors?: WordErrors }> = { ...rivals, [OURS]: ours }
  return {
    title: `${name}, ${(durationMs / 1000).toFixed(1)} s, ${errors?.words ?? 0} ${score.unit ?? 'word'}s`,
    columns: ['program', 'errors', 'S/D/I', 'rate', 'time', 'processor time', 'peak memory', 'RTF'],
    rows: efforts.map((effort) => {
      const { errors: counted, failure: reason = 'not_run' } = results[effort.name] ?? {}
      return [
        effort.name,
        ...(counted ? [errorsOf(counted), formatEdits(counted), formatPercent(rateOf(counted))] : [`failed: ${reason}`, '-', '-']),
        formatSeconds(effort.seconds), formatSeconds(effort.processorSeconds), formatPeak(effort.peakBytes),
        durationMs > 0 ? (1000 * effort.seconds / durationMs).toFixed(3) : '-'
      ]
    })
  }
}

/** The median of each program, and in brackets its ratio to that of Stenobox: above 1, Stenobox takes less. */
export function toSpeed (all: readonly Series[]): Table[] {
  if (all.length === 0) return []
  const cell = (series: Series, way: string, field: 'seconds' | 'processorSeconds' | 'peakBytes'): string => {
    const value = medianOf(series, way, field)
    const text = field === 'peakBytes' ? formatPeak(value) : formatSeconds(value)
    return way === OURS ? text : `${text} (${ratioOf(series, way, field).toFixed(2)})`
  }
  const summary = {
    title: `Speed: medians of ${all[0]?.rounds.length ?? 0} alternating rounds; in brackets how many times as much as ${OURS}`,
    columns: ['recordings', 'program', 'time', 'processor time', 'peak memory'],
    rows: all.flatMap((series) => series.ways.map((way) => [
      series.work, way, cell(series, way, 'seconds'), cell(series, way, 'processorSeconds'), cell(series, way, 'peakBytes')
    ]))
  }
  return [summary, ...all.map((series) => toRoundTable(series.work, series))]
}

/** How much speech was left out, of recordings whose reference says when somebody speaks. */
export function toKept (scores: readonly Score[]): Table {
  const told = scores.flatMap(({ name, kept, text = '' }) => kept ? [{ name, kept, words: splitTokens(text, 'word').length }] : [])
  const row = (name: string, kept: SpeechKept, words: number): string[] => {
    const { longest } = kept
    const where = longest ? `${formatSpan(longest.endMs - longest.startMs)} at ${formatSpan(longest.startMs)}` : ''
    return [name, formatSpan(kept.speechMs), ...formatRemoved(kept), where, String(words)]
  }
  const all = told.length < 2 ? [] : [row('all', sumKept(told.map(({ kept }) => kept)), told.reduce((sum, { words }) => sum + words, 0))]
  return {
    title: 'Speech that never reached the decoder',
    columns: ['file', 'speech', 'removed', 'share', 'longest piece', 'words heard'],
    rows: [...told.map(({ name, kept, words }) => row(name, kept, words)), ...all]
  }
}

/** The time of speech that was left out, and its share of the speech. */
export function formatRemoved ({ speechMs, removedMs }: SpeechKept): [string, string] {
  if (removedMs === undefined) return ['unknown', 'unknown']
  return [formatSpan(removedMs), speechMs === 0 ? '-' : formatPercent(removedMs / speechMs)]
}

export function toDifferences (listed: readonly ListedDifference[]): Table {
  return {
    title: 'Errors: said → heard, − missed, + invented',
    columns: ['file', 'program', 'errors'],
    rows: listed.map(({ file, system, differences }) => [file, system, differences.join('; ')])
  }
}

/** Substitutions, deletions and insertions, such as 3/1/0. */
export function formatEdits (errors: WordErrors | undefined): string {
  return errors ? `${errors.substitutions}/${errors.deletions}/${errors.insertions}` : '-'
}

export function formatPeak (bytes: number | undefined): string {
  return bytes === undefined || Number.isNaN(bytes) ? '-' : formatBytes(bytes)
}

function formatSpan (ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
