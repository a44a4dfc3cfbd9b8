/** Speakers of words: each word gets the speaker who talks during it. Pure. */
import type { TimedSegment, TimedWord } from './transcript.js'

/** A stretch of a turn in which the voice is less clear than in the rest: `confidence` is below `DOUBTFUL`. */
export type Doubt = { startMs: number, endMs: number, confidence: number }

/**
 * A stretch in which one voice talks. Turns of different voices overlap where people talk at once; those stretches are turns with
 * `isOverlap`. `voice` identifies a voice within one recording only. `confidence`: 0..1, how clearly it is this voice and no other.
 */
export type SpeakerTurn = { startMs: number, endMs: number, voice: number, confidence: number, isOverlap?: boolean, doubts?: Doubt[] }

/** Numbers voices from 0 in the order of their first turns. */
export function renumberVoices (turns: readonly SpeakerTurn[]): SpeakerTurn[] {
  const numbers = new Map<number, number>()
  return turns.map((turn) => {
    const voice = numbers.get(turn.voice) ?? numbers.size
    numbers.set(turn.voice, voice)
    return { ...turn, voice }
  })
}

/** Who says a word. `isOverlap`: somebody else talks during most of it, too. */
export type WordSpeaker = { voice: number, confidence: number, isOverlap: boolean }

/** A label below this confidence is doubtful, and readers are told. docs/accuracy.md says how often doubtful labels are wrong. */
export const DOUBTFUL = 0.5

/** A word in a pause belongs to the nearest turn. If that is farther away than this, its label is doubtful. */
const NEAR_MS = 500
/** A word is never given to a speaker whose turn is farther away than this, the length of a transcription window. */
const FAR_MS = 30_000

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
  return (span: Span, withinMs: number): SpeakerTurn[] => {
    const found: SpeakerTurn[] = []
    for (let index = firstAfter(span.endMs + withinMs) - 1; index >= 0 && (ends[index] ?? 0) > span.startMs - withinMs; index--) {
      const turn = sorted[index]
      if (turn && turn.endMs > span.startMs - withinMs) found.push(turn)
    }
    return found.reverse()
  }
}

/** The confidence of a turn at the middle of a word; 0 far away from the turn. */
function confidenceAt ({ confidence, doubts = [] }: SpeakerTurn, word: Span, ms: number): number {
  if (ms <= -NEAR_MS) return 0
  const middle = (word.startMs + word.endMs) / 2
  const doubt = doubts.find(({ startMs, endMs }) => startMs <= middle && middle < endMs)
  if (doubt) return doubt.confidence
  // A turn with doubtful stretches is clear everywhere else, whatever its mean.
  return doubts.length > 0 ? Math.max(confidence, DOUBTFUL) : confidence
}

/** A function that tells who says a word: the voice with the most time in it, or the nearest. Undefined: nobody is near. */
export function createWordSpeakers (turns: readonly SpeakerTurn[]): (word: Span) => WordSpeaker | undefined {
  const turnsNear = createTurnIndex(turns)
  return (word) => {
    let best: { turn: SpeakerTurn, ms: number } | undefined
    const near = turnsNear(word, NEAR_MS)
    const candidates = near.length > 0 ? near : turnsNear(word, FAR_MS)
    for (const turn of candidates) {
      const ms = overlapMs(turn, word)
      if (!best || ms > best.ms) best = { turn, ms }
    }
    if (!best) return undefined
    const { voice } = best.turn
    const confidence = confidenceAt(best.turn, word, best.ms)
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
 * Adds speakers to segments and words, "Speaker 1" to "Speaker n" in the order of their first words. A word far from all turns gets none.
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
