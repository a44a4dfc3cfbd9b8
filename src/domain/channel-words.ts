/** Transcripts of recordings whose channels were transcribed one by one: orders segments by time and marks words said at once. Pure. */
import type { SkippedSpan, TimedSegment, TimedWord } from './transcript.js'

/** A segment is cut in a pause of at least this length if another channel begins to talk in it. */
const PAUSE_MS = 300
/** The times of two channels are measured separately, so an answer may seem to begin this long before the question ends. */
const EARLY_MS = 200

type Span = { startMs: number, endMs: number }

const SENTENCE_END = /[.!?…。！？][\p{Pe}\p{Pf}"']*$/u

/** How many of these ascending numbers are below `value`. */
function countBelow (ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ascending[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

const wordsOf = (segments: readonly TimedSegment[], isOf: (channel: number | undefined) => boolean): TimedWord[] =>
  segments.filter(({ channel }) => isOf(channel)).flatMap(({ words }) => words).sort((a, b) => a.startMs - b.startMs)

/** The words of every other channel, for each channel. */
function othersOf (segments: readonly TimedSegment[]): Map<number | undefined, TimedWord[]> {
  const channels = new Set(segments.map(({ channel }) => channel))
  return new Map([...channels].map((own) => [own, wordsOf(segments, (channel) => channel !== own)]))
}

/** The times at which somebody begins to talk after a pause. */
function startsOf (words: readonly TimedWord[]): number[] {
  let endMs = -Infinity
  return words.flatMap((word) => {
    const isStart = word.startMs - endMs >= PAUSE_MS
    endMs = Math.max(endMs, word.endMs)
    return isStart ? [word.startMs] : []
  })
}

/** Whether a segment is cut between two of its words: somebody else begins to talk there. */
function isCut (before: TimedWord, after: TimedWord, starts: readonly number[]): boolean {
  if (after.startMs - before.endMs < PAUSE_MS && !SENTENCE_END.test(before.text)) return false
  return countBelow(starts, after.startMs) > countBelow(starts, before.endMs - EARLY_MS)
}

function cutSegment (segment: TimedSegment, starts: readonly number[]): TimedSegment[] {
  const groups: TimedWord[][] = []
  for (const [index, word] of segment.words.entries()) {
    const before = segment.words[index - 1]
    if (!before || isCut(before, word, starts)) groups.push([word])
    else groups.at(-1)?.push(word)
  }
  if (groups.length <= 1) return [segment]
  return groups.map((words, index) => ({
    ...segment,
    startMs: index === 0 ? segment.startMs : words[0]!.startMs,
    endMs: index === groups.length - 1 ? segment.endMs : words.at(-1)!.endMs,
    text: words.map(({ text }) => text).join(''),
    words
  }))
}

/**
 * Cuts segments where somebody on another channel begins to talk, in a pause or after a sentence, so that segments can be read in the order
 * of their starts. A second call changes nothing. Each result keeps the other fields of its segment.
 */
export function cutAtTurns<T extends { segment: TimedSegment }> (placed: readonly T[]): T[] {
  const others = othersOf(placed.map(({ segment }) => segment))
  const starts = new Map([...others].map(([channel, words]) => [channel, startsOf(words)]))
  return placed
    .flatMap((each) => cutSegment(each.segment, starts.get(each.segment.channel) ?? []).map((segment) => ({ ...each, segment })))
    .sort((a, b) => a.segment.startMs - b.segment.startMs)
}

/** The part of a span that these words fill, in ms. Words that touch it are near each other, because people say one word at a time. */
function filledMs (span: Span, words: readonly Span[], starts: readonly number[]): number {
  let filled = 0
  for (let index = countBelow(starts, span.endMs) - 1; index >= 0; index--) {
    const { startMs, endMs } = words[index]!
    if (endMs <= span.startMs) break
    filled += Math.min(endMs, span.endMs) - Math.max(startMs, span.startMs)
  }
  return filled
}

/** Marks the words during most of which somebody talks on another channel. */
export function markOverlaps (segments: readonly TimedSegment[]): TimedSegment[] {
  const others = new Map([...othersOf(segments)].map(([channel, words]) =>
    [channel, { words, starts: words.map(({ startMs }) => startMs) }]))
  return segments.map((segment) => {
    const other = others.get(segment.channel)
    if (!other) return segment
    return {
      ...segment,
      words: segment.words.map(({ isOverlap: _, ...word }): TimedWord => {
        const isOverlap = 2 * filledMs(word, other.words, other.starts) >= Math.max(1, word.endMs - word.startMs)
        return isOverlap ? { ...word, isOverlap } : word
      })
    }
  })
}

/** Labels every word by its channel, "Speaker 1" for the channel that is heard first. */
export function labelChannels (segments: readonly TimedSegment[]): TimedSegment[] {
  const order = [...new Set(segments.filter(({ words }) => words.length > 0).map(({ channel }) => channel))]
  return segments.map((segment) => {
    const speaker = `Speaker ${order.indexOf(segment.channel) + 1}`
    const words = segment.words.map(({ speaker: _, speakerConfidence: __, ...word }) => ({ ...word, speaker }))
    return { ...segment, words, ...(words.length > 0 ? { speaker } : {}) }
  })
}

/** The intersection of two lists of skipped spans. */
function intersect (some: readonly SkippedSpan[], others: readonly SkippedSpan[]): SkippedSpan[] {
  const shared: SkippedSpan[] = []
  for (let [one, other] = [0, 0]; one < some.length && other < others.length;) {
    const [a, b] = [some[one]!, others[other]!]
    const [startMs, endMs] = [Math.max(a.startMs, b.startMs), Math.min(a.endMs, b.endMs)]
    if (startMs < endMs) {
      shared.push({
        startMs,
        endMs,
        reason: a.reason === 'noise' || b.reason === 'noise' ? 'noise' : 'silence',
        probability: Math.max(a.probability, b.probability),
        levelDb: Math.max(a.levelDb, b.levelDb)
      })
    }
    if (a.endMs <= b.endMs) one++
    if (b.endMs <= a.endMs) other++
  }
  return shared
}

/** The spans that every channel skipped. */
export function sharedSkips (channels: ReadonlyArray<readonly SkippedSpan[]>): SkippedSpan[] {
  const [first = [], ...rest] = channels
  return rest.reduce<SkippedSpan[]>(intersect, [...first])
}
