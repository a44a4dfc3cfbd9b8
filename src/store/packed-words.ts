/** How the words of a segment are stored: one JSON list. */
import type { TimedWord } from '../domain/transcript.js'

type PackedWord = [
  text: string, startMs: number, endMs: number, probability: number, speaker?: string | null, confidence?: number | null, isOverlap?: 1
]
/** Names by stored label; labels without a name stand for themselves. */
export type Names = ReadonlyMap<string, string>
export const NO_NAMES: Names = new Map()

function pack ({ text, startMs, endMs, probability, speaker, speakerConfidence, isOverlap }: TimedWord): PackedWord {
  const packed: PackedWord = [text, startMs, endMs, probability]
  if (speaker === undefined && !isOverlap) return packed
  packed.push(speaker ?? null)
  if (speakerConfidence !== undefined || isOverlap) packed.push(speakerConfidence ?? null)
  if (isOverlap) packed.push(1)
  return packed
}

function unpack ([text, startMs, endMs, probability, label, confidence, isOverlap]: PackedWord, names: Names): TimedWord {
  const word: TimedWord = { text, startMs, endMs, probability }
  if (typeof label === 'string') word.speaker = names.get(label) ?? label
  if (typeof confidence === 'number') word.speakerConfidence = confidence
  if (isOverlap) word.isOverlap = true
  return word
}

export const packWords = (words: readonly TimedWord[]): string => JSON.stringify(words.map(pack))

/** Speakers have these names. */
export const unpackWords = (words: string, names: Names = NO_NAMES): TimedWord[] =>
  (JSON.parse(words) as PackedWord[]).map((word) => unpack(word, names))
