/** Speakers of words: each word gets the speaker who talks during it. Pure. */
import type { TimedSegment, TimedWord } from './transcript.js'

/**
 * A stretch in which one voice talks. Turns of different voices overlap where people talk at once; those stretches are turns with
 * `isOverlap`. `voice` identifies a voice within one recording only. `confidence`: 0..1, how clearly it is this voice and no other.
 */
export type SpeakerTurn = { startMs: number, endMs: number, voice: number, confidence: number, isOverlap?: boolean }

/** Who says a word. `isOverlap`: somebody else talks during most of it, too. */
export type WordSpeaker = { voice: number, confidence: number, isOverlap: boolean }

/** A label below this confidence is doubtful, and readers are told. */
const DOUBTFUL = 0.5

/** A word in a pause belongs to the nearest turn, if that is at most this far away. */
const NEAR_MS = 500

type Span = { startMs: number, endMs: number }

/** How long a turn and a word overlap; negative: how far apart they are. */
const overlapMs = (turn: Span, word: Span): number => Math.min(turn.endMs, word.endMs) - Math.max(turn.startMs, word.startMs)

/** The turns that are near a time, without reading all of them for each word. */
function createTurnIndex (turns: readonly SpeakerTurn[]) {
  const sorted = turns.toSorted((a, b) => a.startMs - b.startMs)
  // A long turn may still run when later ones have begun: the latest end of all turns up to each one finds it.
  let latest = -Infinity
  const ends = sorted.map(({ endMs }) => { latest = Math.max(latest, endMs); return latest })
  const firstAfter = (ms: number): number => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle]?.startMs ?? Infinity) < ms) low = middle + 1
      else high = middle
    }
    return low
  }
  return (span: Span): SpeakerTurn[] => {
    const found: SpeakerTurn[] = []
    for (let index = firstAfter(span.endMs + NEAR_MS) - 1; index >= 0 && (ends[index] ?? 0) > span.startMs - NEAR_MS; index--) {
      const turn = sorted[index]
      if (turn && turn.endMs > span.startMs - NEAR_MS) found.push(turn)
    }
    return found.reverse()
  }
}

/** A function that tells who says a word: the voice with the most time in it, or the nearest. Undefined: nobody is near. */
export function createWordSpeakers (turns: readonly SpeakerTurn[]): (word: Span) => WordSpeaker | undefined {
  const near = createTurnIndex(turns)
  return (word) => {
    let best: { turn: SpeakerTurn, ms: number } | undefined
    const candidates = near(word)
    for (const turn of candidates) {
      const ms = overlapMs(turn, word)
      if (!best || ms > best.ms) best = { turn, ms }
    }
    if (!best) return undefined
    const { voice, confidence } = best.turn
    const half = Math.max(1, word.endMs - word.startMs) / 2
    const isOverlap = candidates.some((turn) => turn.voice !== voice && overlapMs(turn, word) >= half) && best.ms >= half
    return { voice, confidence, isOverlap }
  }
}

/** The speaker with the most time in these words. On a tie, the first one. */
function mostSpoken (words: readonly TimedWord[]): string | undefined {
  const spokenMs = new Map<string, number>()
  for (const { speaker, startMs, endMs } of words) {
    if (speaker !== undefined) spokenMs.set(speaker, (spokenMs.get(speaker) ?? 0) + Math.max(1, endMs - startMs))
  }
  return [...spokenMs].sort(([, a], [, b]) => b - a)[0]?.[0]
}

/**
 * Adds speakers to segments and words, "Speaker 1" to "Speaker n" in the order of their first words. A word with no turn near it gets none.
 * A segment gets the speaker of most of its time. A word has `speakerConfidence` only if its speaker is doubtful.
 */
export function assignSpeakers (segments: readonly TimedSegment[], turns: readonly SpeakerTurn[]): TimedSegment[] {
  const speakerOf = createWordSpeakers(turns)
  const labels = new Map<number, string>()
  const labelOf = (voice: number): string => {
    const label = labels.get(voice) ?? `Speaker ${labels.size + 1}`
    labels.set(voice, label)
    return label
  }
  return segments.map((segment) => {
    const words = segment.words.map(({ text, startMs, endMs, probability }): TimedWord => {
      const word = { text, startMs, endMs, probability }
      const found = speakerOf(word)
      if (!found) return word
      const { voice, confidence, isOverlap } = found
      return {
        ...word,
        speaker: labelOf(voice),
        ...(confidence < DOUBTFUL ? { speakerConfidence: confidence } : {}),
        ...(isOverlap ? { isOverlap } : {})
      }
    })
    const { speaker: _, ...rest } = segment
    const speaker = mostSpoken(words)
    return { ...rest, words, ...(speaker === undefined ? {} : { speaker }) }
  })
}
