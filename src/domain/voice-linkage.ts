/**
 * Groups voice prints of an embedding model by agglomerative clustering with centroid linkage, as pyannote's pipeline 3.1 does. Pure.
 * Bredin, "pyannote.audio 2.1 speaker diarization pipeline", 2023.
 */
import type { SpeakerCount } from './speaker-clusters.js'
import { toUnitLength } from './speaker-observation.js'

/** The mean of `weight` voice prints. */
export type VoiceGroup = { mean: Float32Array, weight: number }

/**
 * `maxDistance`: groups of unit-length voice prints are one voice if their centroids are nearer than this. `minWeight`: groups of fewer
 * voice prints are noise.
 */
export type LinkageRules = { maxDistance: number, minWeight: number }

/** At most this many prints are compared with each other. More are first grouped in blocks, so that time is linear in the length. */
const BLOCK = 300

function distance (a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2
  return Math.sqrt(sum)
}

function merge (one: VoiceGroup, other: VoiceGroup): VoiceGroup {
  const weight = one.weight + other.weight
  return { weight, mean: one.mean.map((value, i) => (value * one.weight + other.mean[i]! * other.weight) / weight) }
}

/** Joins two groups, given by index; the result takes the index of the first. `gap`: the distance of their centroids. */
type Join = { from: number, to: number, gap: number }

/** The joins of the closest groups, in order, until one group is left. `check` may throw to stop. */
function findJoins (start: readonly VoiceGroup[], check: () => void): Join[] {
  const groups: Array<VoiceGroup | undefined> = [...start]
  /** The closest later group of each group. */
  const nearest = new Int32Array(start.length)
  const gaps = new Float64Array(start.length)
  const gapOf = (one: number, other: number): number => {
    const [a, b] = [groups[one], groups[other]]
    return a && b ? distance(a.mean, b.mean) : Infinity
  }
  const lookUp = (from: number): void => {
    gaps[from] = Infinity
    for (let other = from + 1; other < groups.length; other++) {
      const gap = gapOf(from, other)
      if (gap < gaps[from]!) [nearest[from], gaps[from]] = [other, gap]
    }
  }
  for (const from of groups.keys()) {
    check()
    lookUp(from)
  }
  return Array.from({ length: Math.max(0, groups.length - 1) }, (): Join => {
    check()
    const from = gaps.reduce((best, gap, each) => gap < gaps[best]! ? each : best, 0)
    const join = { from, to: nearest[from]!, gap: gaps[from]! }
    groups[from] = merge(groups[from]!, groups[join.to]!)
    groups[join.to] = undefined
    gaps[join.to] = Infinity
    for (let each = 0; each < join.to; each++) {
      if (!groups[each]) continue
      if (each === from || nearest[each] === from || nearest[each] === join.to) lookUp(each)
      else if (each < from) {
        const gap = gapOf(each, from)
        if (gap < gaps[each]!) [nearest[each], gaps[each]] = [from, gap]
      }
    }
    return join
  })
}

/** The groups after the first `count` joins. */
function applyJoins (start: readonly VoiceGroup[], joins: readonly Join[], count: number): VoiceGroup[] {
  const groups: Array<VoiceGroup | undefined> = [...start]
  for (const { from, to } of joins.slice(0, count)) {
    groups[from] = merge(groups[from]!, groups[to]!)
    groups[to] = undefined
  }
  return groups.filter((group) => group !== undefined)
}

/** Joins prints that certainly belong to one voice, block by block, until few enough are left. */
function reduce (prints: readonly VoiceGroup[], sureDistance: number, check: () => void): VoiceGroup[] {
  let groups = [...prints]
  while (groups.length > BLOCK) {
    const blocks = Array.from({ length: Math.ceil(groups.length / BLOCK) }, (_, block) => groups.slice(block * BLOCK, (block + 1) * BLOCK))
    groups = blocks.flatMap((block) => {
      const joins = findJoins(block, check)
      const count = joins.findIndex(({ gap }, index) => gap > sureDistance && block.length - index <= BLOCK / 2)
      return applyJoins(block, joins, count < 0 ? joins.length : count)
    })
  }
  return groups
}

const countLarge = (groups: readonly VoiceGroup[], minWeight: number): number =>
  groups.filter(({ weight }) => weight >= minWeight).length

/** The number of joins: all below the distance limit, or fewer if the caller knows of more voices. */
function chooseJoins (
  groups: readonly VoiceGroup[], joins: readonly Join[], { maxDistance, minWeight }: LinkageRules, min: number
): number {
  const far = joins.findIndex(({ gap }) => gap > maxDistance)
  const wanted = far < 0 ? joins.length : far
  if (min <= 1) return wanted
  for (let count = wanted; count >= 0; count--) {
    if (countLarge(applyJoins(groups, joins, count), minWeight) >= min) return count
  }
  return minWeight > 1 ? chooseJoins(groups, joins, { maxDistance, minWeight: Math.floor(minWeight / 2) }, min) : wanted
}

/**
 * The mean voice print of each speaker, of unit length. `prints`: of unit length. None when there are no prints. `check` is called often
 * and may throw to stop the work.
 */
export function linkVoices (
  prints: readonly Float32Array[], { min = 1, max = Infinity }: SpeakerCount, rules: LinkageRules, check: () => void = () => {}
): Float32Array[] {
  if (prints.length === 0) return []
  const groups = reduce(prints.map((mean) => ({ mean, weight: 1 })), rules.maxDistance / 2, check)
  // In a short recording, a tenth of the prints is enough for a speaker.
  const minWeight = Math.min(rules.minWeight, Math.max(1, Math.round(0.1 * prints.length)))
  const joins = findJoins(groups, check)
  const chosen = chooseJoins(groups, joins, { ...rules, minWeight }, Math.min(min, groups.length))
  const joined = applyJoins(groups, joins, chosen).sort((a, b) => b.weight - a.weight)
  const large = joined.slice(0, Math.max(min, countLarge(joined, minWeight)))
  const kept = large.length <= max ? large : applyJoins(large, findJoins(large, check), large.length - max)
  return kept.map(({ mean }) => toUnitLength(Float32Array.from(mean)))
}
