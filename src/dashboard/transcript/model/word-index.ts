/** Which word is spoken at a time: the words of all segments in order of their starts, searched by halving. Pure. */
import type { Segment } from './segment.ts'

/** Segment and word as indexes. */
export type WordPlace = { segment: number, word: number }

/** Equally long arrays, in order of the starts. Times in seconds. */
export type WordIndex = { starts: Float64Array, ends: Float64Array, segments: Uint32Array, words: Uint32Array }

/** In place of a word: what is spoken then is not loaded. */
const NOT_LOADED = 0xFFFFFFFF

/**
 * Segments of two channels overlap, so their words need sorting; others are in order already. Segments that are not loaded (undefined) are
 * one word, as long as the time between their neighbours.
 */
export function buildWordIndex (segments: ReadonlyArray<Pick<Segment, 'start' | 'end' | 'words'> | undefined>): WordIndex {
  const isGap = (place: number): boolean => segments[place] === undefined && (place === 0 || segments[place - 1] !== undefined)
  const count = segments.reduce((sum, segment, place) => sum + (segment?.words.length ?? (isGap(place) ? 1 : 0)), 0)
  const index = {
    starts: new Float64Array(count), ends: new Float64Array(count), segments: new Uint32Array(count), words: new Uint32Array(count)
  }
  let [next, isOrdered, endedAt] = [0, true, -Infinity]
  function add (start: number, end: number, segment: number, word: number): void {
    if (next > 0 && start < (index.starts[next - 1] ?? 0)) isOrdered = false
    index.starts[next] = start
    index.ends[next] = end
    index.segments[next] = segment
    index.words[next] = word
    next++
  }
  for (const [place, segment] of segments.entries()) {
    if (isGap(place)) add(endedAt, Infinity, place, NOT_LOADED)
    if (!segment) continue
    if (place > 0 && segments[place - 1] === undefined) index.ends[next - 1] = segment.start
    for (const [word, { start, end }] of segment.words.entries()) add(start, end, place, word)
    endedAt = Math.max(endedAt, segment.end)
  }
  return isOrdered ? index : sort(index)
}

function sort ({ starts, ends, segments, words }: WordIndex): WordIndex {
  const order = Uint32Array.from(starts.keys()).sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0) || a - b)
  const pick = <A extends Float64Array | Uint32Array>(from: A, to: A): A => {
    for (const [place, source] of order.entries()) to[place] = from[source] ?? 0
    return to
  }
  const count = starts.length
  return {
    starts: pick(starts, new Float64Array(count)),
    ends: pick(ends, new Float64Array(count)),
    segments: pick(segments, new Uint32Array(count)),
    words: pick(words, new Uint32Array(count))
  }
}

/** The number of words that have begun at a time. */
function countBegun (starts: Float64Array, seconds: number): number {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? 0) <= seconds) low = middle + 1
    else high = middle
  }
  return low
}

/** Tolerance in seconds: players set a time that is a little earlier than the one they were asked for. */
const TOLERANCE = 0.01

/** The word that is spoken, or was spoken last. Undefined before the first word. `missing`: what is spoken then is not loaded. */
export function findWord (index: WordIndex, seconds: number): WordPlace | 'missing' | undefined {
  const place = countBegun(index.starts, seconds + TOLERANCE) - 1
  const [segment, word] = [index.segments[place], index.words[place]]
  if (segment === undefined || word === undefined) return undefined
  if (word !== NOT_LOADED) return { segment, word }
  return (index.ends[place] ?? 0) > seconds + TOLERANCE ? 'missing' : undefined
}

/**
 * Where the next word begins, if nobody speaks now and for at least `least` seconds more; else undefined. Words of a second channel count,
 * and so does what is not loaded.
 */
export function findPauseEnd (index: WordIndex, seconds: number, least: number): number | undefined {
  const next = countBegun(index.starts, seconds)
  const start = index.starts[next]
  if (start === undefined || start - seconds < least) return undefined
  // Words of another channel may have begun earlier and not have ended; no word lasts longer than the few that are looked at.
  for (let place = next - 1; place >= Math.max(0, next - 8); place--) if ((index.ends[place] ?? 0) > seconds) return undefined
  return start
}
