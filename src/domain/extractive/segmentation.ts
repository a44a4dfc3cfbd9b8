/**
 * Divides a transcript into topics. Words of a topic recur inside it and nowhere else, so the division is chosen under which the text is
 * most likely when each topic has its own word frequencies (Utiyama and Isahara, "A Statistical Model for Domain-Independent Text
 * Segmentation", ACL 2001). Announcements, pauses and changes in the meaning of passages move the places where topics change. Pure.
 */
import type { Analysed, Analysis } from './analysis.js'

/** Sentences `first` to `last`, both included. */
export type Stretch = { first: number, last: number }
/** How many topics there may be. */
export type TopicCount = { min: number, max: number }

/** Units of the search. More sentences than this are grouped, so that time and memory do not grow with the square of the length. */
const MAX_UNITS = 400
/** Evidence for a change before a sentence, in nats. */
const ANNOUNCEMENT_NATS = 7
const PAUSE_NATS = 4
const MEANING_NATS = 2
/** A pause this many times the median says nothing; one twice as long counts fully. */
const LONG_PAUSE = 2
/** A topic has at least so many sentences, and this share of the recording. */
const LEAST_SENTENCES = 4
const LEAST_SHARE = 1 / 40

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** For each sentence, how far the meaning changes there, 0 to 1: passages before it against passages after it. */
function rateMeaning ({ source: { passages = [] }, sentences }: Analysis): Float64Array {
  const rates = new Float64Array(sentences.length)
  let place = 0
  for (const { startMs, index } of sentences) {
    while (place < passages.length && (passages[place]?.startMs ?? 0) < startMs) place++
    const mean = (side: typeof passages): Float64Array => {
      const sum = new Float64Array(side[0]?.vector.length ?? 0)
      for (const { vector } of side) {
        const length = Math.sqrt(vector.reduce((total, value) => total + value * value, 0)) || 1
        for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0) / length
      }
      return sum
    }
    const [before, after] = [mean(passages.slice(Math.max(0, place - 3), place)), mean(passages.slice(place, place + 3))]
    const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
    const norm = Math.sqrt(dot(before, before) * dot(after, after))
    rates[index] = norm > 0 ? Math.max(0, 1 - dot(before, after) / norm) : 0
  }
  // The usual change from passage to passage says nothing.
  const most = rates.reduce((best, rate) => Math.max(best, rate), 0)
  const usual = rates.reduce((sum, rate) => sum + rate, 0) / Math.max(1, rates.length)
  return rates.map((rate) => most > usual ? Math.max(0, rate - usual) / (most - usual) : 0)
}

/** For each sentence, the evidence in nats that a topic begins with it, besides its words. */
function rateChanges (analysis: Analysis): Float64Array {
  const { sentences } = analysis
  const pauses = sentences.map(({ startMs }, index) => index === 0 ? 0 : startMs - (sentences[index - 1]?.endMs ?? 0))
  const usual = Math.max(100, median(pauses.slice(1)))
  const meaning = rateMeaning(analysis)
  return Float64Array.from(sentences, ({ announces, index }) => {
    const pause = Math.min(1, Math.max(0, (pauses[index] ?? 0) / usual / LONG_PAUSE - 1))
    return (announces === undefined ? 0 : ANNOUNCEMENT_NATS) + PAUSE_NATS * pause + MEANING_NATS * (meaning[index] ?? 0)
  })
}

/** Counts words of a growing stretch, and the cost of describing it by its own word frequencies. */
function createStretchCost (vocabulary: number) {
  const counts = new Map<string, number>()
  let total = 0
  let fit = 0
  return {
    add (terms: readonly string[]): void {
      for (const term of terms) {
        const count = counts.get(term) ?? 0
        // The sum over words of f log (f + 1), kept up to date.
        fit += (count + 1) * Math.log(count + 2) - count * Math.log(count + 1)
        counts.set(term, count + 1)
        total++
      }
    },
    nats: (): number => total * Math.log(total + vocabulary) - fit
  }
}

type Unit = { first: number, last: number, terms: string[] }

function toUnits (sentences: readonly Analysed[]): Unit[] {
  const size = Math.ceil(sentences.length / MAX_UNITS)
  const units: Unit[] = []
  for (let first = 0; first < sentences.length; first += size) {
    const last = Math.min(sentences.length, first + size) - 1
    units.push({ first, last, terms: sentences.slice(first, last + 1).flatMap(({ terms }) => terms) })
  }
  return units
}

/** The strongest evidence inside a unit counts for its beginning; `refine` finds the sentence later. */
const evidenceOf = ({ first, last }: Unit, changes: Float64Array): number => Math.max(...changes.subarray(first, last + 1))

/** Costs of all stretches of units, in nats; Infinity for those that are too short. Row: first unit. Column: last unit. */
function measureStretches (units: readonly Unit[], { sentences, source }: Analysis): Float64Array[] {
  const vocabulary = new Set(units.flatMap(({ terms }) => terms)).size
  const leastMs = source.durationMs * LEAST_SHARE
  return units.map((from, row) => {
    const costs = new Float64Array(units.length).fill(Infinity)
    const cost = createStretchCost(vocabulary)
    for (let column = row; column < units.length; column++) {
      const to = units[column]
      if (!to) break
      cost.add(to.terms)
      const lengthMs = (sentences[to.last]?.endMs ?? 0) - (sentences[from.first]?.startMs ?? 0)
      if (to.last - from.first + 1 >= LEAST_SENTENCES && lengthMs >= leastMs) costs[column] = cost.nats()
    }
    return costs
  })
}

/**
 * The cheapest division into each number of stretches up to `max`.
 * `ends[k][i]`: the unit after which the last of k + 1 stretches begins,
 * when they cover units 0 to i.
 */
function divide (costs: readonly Float64Array[], evidence: Float64Array, max: number) {
  const count = costs.length
  const totals: Float64Array[] = [costs[0] ?? new Float64Array()]
  const ends: Int32Array[] = [new Int32Array(count)]
  for (let parts = 1; parts < max; parts++) {
    const before = totals[parts - 1] ?? new Float64Array()
    const best = new Float64Array(count).fill(Infinity)
    const end = new Int32Array(count).fill(-1)
    for (let first = 1; first < count; first++) {
      const soFar = (before[first - 1] ?? Infinity) - (evidence[first] ?? 0)
      if (soFar === Infinity) continue
      const row = costs[first] ?? best
      for (let last = first; last < count; last++) {
        const total = soFar + (row[last] ?? Infinity)
        if (total < (best[last] ?? Infinity)) {
          best[last] = total
          end[last] = first - 1
        }
      }
    }
    totals.push(best)
    ends.push(end)
  }
  return { totals, ends }
}

/** Moves each border to the sentence near it that makes both neighbours cheapest. */
function refine (stretches: Stretch[], size: number, changes: Float64Array, sentences: readonly Analysed[]): Stretch[] {
  if (size === 1) return stretches
  const vocabulary = new Set(sentences.flatMap(({ terms }) => terms)).size
  const measure = (first: number, last: number): number => {
    const cost = createStretchCost(vocabulary)
    for (const { terms } of sentences.slice(first, last + 1)) cost.add(terms)
    return cost.nats()
  }
  const moved = stretches.map((stretch) => ({ ...stretch }))
  for (let index = 1; index < moved.length; index++) {
    const [left, right] = [moved[index - 1], moved[index]]
    if (!left || !right) continue
    let best = { at: right.first, nats: Infinity }
    for (let at = Math.max(left.first + 1, right.first - size); at <= Math.min(right.last, right.first + size); at++) {
      const nats = measure(left.first, at - 1) + measure(at, right.last) - (changes[at] ?? 0)
      if (nats < best.nats) best = { at, nats }
    }
    left.last = best.at - 1
    right.first = best.at
  }
  return moved
}

/**
 * Divides the sentences into topics, in order. The number is the one with the lowest cost inside `count`; a new topic must save more than
 * it costs to describe where it begins. Fewer when the transcript is too short. Without sentences there are no topics.
 */
export function divideTopics (analysis: Analysis, count: TopicCount): Stretch[] {
  const { sentences } = analysis
  if (sentences.length === 0) return []
  const units = toUnits(sentences)
  const changes = rateChanges(analysis)
  const evidence = Float64Array.from(units, (unit) => evidenceOf(unit, changes))
  const { totals, ends } = divide(measureStretches(units, analysis), evidence, Math.min(count.max, units.length))
  const lastUnit = units.length - 1
  const penalty = 2 * Math.log(Math.max(2, sentences.length))
  const priced = totals.map((total, index) => ({ parts: index + 1, nats: (total[lastUnit] ?? Infinity) + index * penalty }))
  const possible = priced.filter(({ nats }) => nats < Infinity)
  const wanted = possible.filter(({ parts }) => parts >= count.min)
  const choices = wanted.length > 0 ? wanted : possible.slice(-1)
  const best = choices.reduce((a, b) => b.nats < a.nats ? b : a, { parts: 1, nats: Infinity })
  const stretches: Stretch[] = []
  for (let [parts, last] = [best.parts - 1, lastUnit]; parts >= 0; parts--) {
    const end = parts === 0 ? -1 : ends[parts]?.[last] ?? -1
    stretches.unshift({ first: units[end + 1]?.first ?? 0, last: units[last]?.last ?? 0 })
    last = end
  }
  return refine(stretches, (units[0]?.last ?? 0) + 1, changes, sentences)
}
