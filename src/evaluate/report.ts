/** Tables, units and the description of the machine, as reports show them. */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { readWhisperVersion } from './whisper-cli.js'

export type Cell = string | number
export type Table = { title: string, columns: readonly string[], rows: ReadonlyArray<readonly Cell[]> }

export function describeMachine (): Record<string, Cell> {
  return {
    cpu: `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores`,
    memory: formatBytes(totalmem()),
    node: process.version,
    'whisper.cpp': readWhisperVersion(),
    date: new Date().toISOString(),
    load: readLoad()
  }
}

/** Load average of the last minute: what else the machine was doing. */
function readLoad (): string {
  return (loadavg()[0] ?? 0).toFixed(2)
}

export function formatBytes (bytes: number): string {
  return bytes >= 10e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`
}

export function formatSeconds (seconds: number): string {
  return `${seconds.toFixed(2)} s`
}

export function formatMs (ms: number): string {
  return `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`
}

export function formatPercent (share: number | undefined): string {
  return share === undefined ? '-' : `${(100 * share).toFixed(1)} %`
}
