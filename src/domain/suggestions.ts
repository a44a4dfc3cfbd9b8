/** Suggests names that a person may have meant. Pure. */
import { editDistance } from './edit-distance.js'

/** Up to three of `known` that are close to `wanted` (a typo) or begin with it, best first. */
export function suggestNames (wanted: string, known: readonly string[]): string[] {
  const name = wanted.toLowerCase().slice(0, 100)
  const farthest = Math.max(1, Math.floor(name.length / 3))
  const rate = (candidate: string): number => {
    const bare = candidate.replace(/^set:/, '')
    return Math.min(editDistance(name, candidate), editDistance(name, bare), name.length >= 2 && bare.startsWith(name) ? 1 : Infinity)
  }
  return known.map((candidate) => ({ candidate, distance: rate(candidate) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}
