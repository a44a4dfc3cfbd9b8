/** Lists the errors of a text, token by token: what was said, and what was heard instead. */
import { alignTokens } from './alignment.js'

/** A run of neighbouring errors. `at`: the index of its first spoken token; for invented words, of the spoken token after them. */
export type Difference = { at: number, said: string[], heard: string[] }

/** The differences of the alignment that keeps most tokens right. */
export function listDifferences (said: readonly string[], heard: readonly string[]): Difference[] {
  const pairs = alignTokens(said, heard)
  const differences: Difference[] = []
  let current: Difference = { at: 0, said: [], heard: [] }
  const flush = (next: number): void => {
    if (current.said.length > 0 || current.heard.length > 0) differences.push(current)
    current = { at: next, said: [], heard: [] }
  }
  let next = 0
  const missUntil = (end: number): void => { current.said.push(...said.slice(next, end)) }
  for (const [index, token] of heard.entries()) {
    const pair = pairs[index] ?? -1
    if (pair >= 0) {
      missUntil(pair)
      next = pair
    }
    if (pair >= 0 && said[pair] === token) {
      flush(pair + 1)
      next = pair + 1
      continue
    }
    current.heard.push(token)
    if (pair >= 0) {
      current.said.push(said[pair] as string)
      next = pair + 1
    }
  }
  missUntil(said.length)
  flush(said.length)
  return differences
}

/** Formats a difference: `ask → thats`, `− missed words`, `+ invented words`. */
export function formatDifference ({ said, heard }: Pick<Difference, 'said' | 'heard'>): string {
  if (heard.length === 0) return `− ${said.join(' ')}`
  if (said.length === 0) return `+ ${heard.join(' ')}`
  return `${said.join(' ')} → ${heard.join(' ')}`
}

/** A text with its reference, and what each program heard. */
export type Comparison = {
  /** Where the reference comes from, in order: one recording, or the parts of a joined one. */
  parts: ReadonlyArray<{ name: string, said: readonly string[] }>
  heard: ReadonlyArray<{ system: string, tokens: readonly string[] }>
}
export type ListedDifference = { file: string, system: string, differences: string[] }

/** Differences by file, then by program; programs without errors are left out. Invented words count for the part in which they are. */
export function compareTexts ({ parts, heard }: Comparison): ListedDifference[] {
  const said = parts.flatMap((part) => part.said)
  const ends = parts.map((_, index) => parts.slice(0, index + 1).reduce((sum, part) => sum + part.said.length, 0))
  const partOf = (at: number): number => Math.max(0, Math.min(parts.length - 1, ends.findIndex((end) => at < end) >>> 0))
  const all = heard.map(({ system, tokens }) => ({ system, differences: listDifferences(said, tokens) }))
  return parts.flatMap(({ name }, index) => all.flatMap(({ system, differences }) => {
    const own = differences.filter(({ at }) => partOf(at) === index)
    return own.length === 0 ? [] : [{ file: name, system, differences: own.map(formatDifference) }]
  }))
}
