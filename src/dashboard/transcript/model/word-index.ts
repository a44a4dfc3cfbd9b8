/** Which word is spoken at a time: the words of all segments in order of their starts, searched by halving. Pure. */
import type { Segment } from './segment.ts'

/** Segment and word as indexes. */
export type WordPlace = { segment: number, word: number }

/** Equally long arrays, in order of the starts. Times in seconds. */
export type WordIndex = { starts: Float64Array, ends: Float64Array, segments: Uint32Array, words: Uint32Array }

/** Segments of two channels overlap, so their words need sorting; others are in order already. */
export function buildWordIndex (segments: ReadonlyArray<Pick<Segment, 'words'>>): WordIndex {
  const count = segments.reduce((sum, { words }) => sum + words.length, 0)
  const index = {
    starts: new Float64Array(count), ends: new Float64Array(count), segments: new Uint32Array(count), words: new Uint32Array(count)
  }
  let [next, isOrdered] = [0, true]
  for (const [segment, { words }] of segments.entries()) {
    for (const [word, { start, end }] of words.entries()) {
      if (next > 0 && start < (index.starts[next - 1] ?? 0)) isOrdered = false
      index.starts[next] = start
      index.ends[next] = end
      index.segments[next] = segment
      index.words[next] = word
      next++
    }
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

/** The word that is spoken, or was spoken last. Undefined before the first word. */
export function findWord (index: WordIndex, seconds: number): WordPlace | undefined {
  const place = countBegun(index.starts, seconds + TOLERANCE) - 1
  const [segment, word] = [index.segments[place], index.words[place]]
  return segment === undefined || word === undefined ? undefined : { segment, word }
}

/**
 * Where the next word begins, if nobody speaks now and for at least `least` seconds more; else undefined. Words of a second channel count.
 */
export function findPauseEnd (index: WordIndex, seconds: number, least: number): number | undefined {
  const next = countBegun(index.starts, seconds)
  const start = index.starts[next]
  if (start === undefined || start - seconds < least) return undefined
  // Words of another channel may have begun earlier and still go on; no word lasts longer than the few that are looked at.
  for (let place = next - 1; place >= Math.max(0, next - 8); place--) if ((index.ends[place] ?? 0) > seconds) return undefined
  return start
}

/** The segment that is spoken at a time, or was spoken last; 0 before the first. For texts whose words are not looked at. */
export function findSegment (segments: ReadonlyArray<Pick<Segment, 'start'>>, seconds: number): number {
  let [low, high] = [0, segments.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((segments[middle]?.start ?? 0) <= seconds + TOLERANCE) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}
