/** Speakers of words: each word gets the speaker who talks during it. Pure. */
import type { TimedSegment, TimedWord } from './transcript.js'

/** A stretch in which one voice talks. Turns may overlap. `voice` identifies a voice within one recording only. */
export type SpeakerTurn = { startMs: number, endMs: number, voice: number }

/** A word in a pause belongs to the nearest turn, if that is at most this far away. */
const NEAR_MS = 500

/** How long a turn and a word overlap; negative: how far apart they are. */
const overlapMs = (turn: SpeakerTurn, word: TimedWord): number => Math.min(turn.endMs, word.endMs) - Math.max(turn.startMs, word.startMs)

function findVoice (word: TimedWord, turns: readonly SpeakerTurn[]): number | undefined {
  let best: { voice: number, ms: number } | undefined
  for (const turn of turns) {
    const ms = overlapMs(turn, word)
    if (ms > -NEAR_MS && (!best || ms > best.ms)) best = { voice: turn.voice, ms }
  }
  return best?.voice
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
 * A segment gets the speaker of most of its time.
 */
export function assignSpeakers (segments: readonly TimedSegment[], turns: readonly SpeakerTurn[]): TimedSegment[] {
  const labels = new Map<number, string>()
  const labelOf = (voice: number): string => {
    const label = labels.get(voice) ?? `Speaker ${labels.size + 1}`
    labels.set(voice, label)
    return label
  }
  return segments.map((segment) => {
    const words = segment.words.map(({ speaker: _, ...word }) => {
      const voice = findVoice(word, turns)
      return voice === undefined ? word : { ...word, speaker: labelOf(voice) }
    })
    const { speaker: _, ...rest } = segment
    const speaker = mostSpoken(words)
    return { ...rest, words, ...(speaker === undefined ? {} : { speaker }) }
  })
}
