/** Cuts a transcript into passages: a few sentences each, which are found together. Pure. */
import type { Sentence } from './artifact.js'

/** A sentence inside a passage. `offset`: where it begins in the text of the passage, in UTF-16 code units. */
export type PassageSentence = { offset: number, startMs: number, endMs: number }

/** Text that search finds as one. `speakers`: who talks in it, in order of appearance. */
export type Passage = {
  startMs: number
  endMs: number
  text: string
  speakers: string[]
  sentences: PassageSentence[]
}

/** A sentence, and how many tokens the embedding model makes of it. */
export type CountedSentence = Omit<Sentence, 'words'> & { tokens: number }

/** `tokens`: the most that a passage may have, unless one sentence alone has more. */
export type PassageLimits = { tokens: number }

/**
 * The share of a passage that the end of the previous one may take: nearly every sentence begins a passage, so that for any two or
 * three sentences that answer a query, there is a passage with little else.
 */
const OVERLAP = 0.75
/** A passage of at least this share of the limit ends when the speaker changes or pauses; a shorter one goes on. */
const CLOSABLE = 0.4
/** A pause of this length is a boundary like a change of the speaker. */
const PAUSE_MS = 4000

/** Sentences of scripts without spaces are joined without one. */
const UNSPACED_END = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}。！？｡]$/u

function toPassage (sentences: readonly CountedSentence[]): Passage {
  let text = ''
  let endMs = 0
  const placed: PassageSentence[] = []
  for (const sentence of sentences) {
    if (text !== '' && !UNSPACED_END.test(text)) text += ' '
    placed.push({ offset: text.length, startMs: sentence.startMs, endMs: sentence.endMs })
    text += sentence.text
    endMs = Math.max(endMs, sentence.endMs)
  }
  const speakers = [...new Set(sentences.flatMap(({ speaker }) => speaker === undefined ? [] : [speaker]))]
  return { startMs: placed[0]?.startMs ?? 0, endMs, text, speakers, sentences: placed }
}

const sumTokens = (sentences: readonly CountedSentence[]): number => sentences.reduce((sum, { tokens }) => sum + tokens, 0)

/** The sentences at the end of a passage with which the next one begins. */
function overlapOf (sentences: readonly CountedSentence[], maxTokens: number): CountedSentence[] {
  const kept: CountedSentence[] = []
  // The first sentence is never repeated: a passage must not contain the whole previous one.
  for (const sentence of sentences.slice(1).reverse()) {
    if (sumTokens(kept) + sentence.tokens > maxTokens) break
    kept.unshift(sentence)
  }
  return kept
}

/**
 * The passages of a transcript, in order. A passage ends at a sentence: before it has too many tokens, or, when it is not too short, where
 * the speaker changes or pauses. After a cut inside a speech, the next passage repeats the last sentences, up to three quarters of its
 * length.
 */
export function * toPassages (sentences: Iterable<CountedSentence>, { tokens: limit }: PassageLimits): Generator<Passage> {
  let open: CountedSentence[] = []
  /** Sentences in `open` that the previous passage has as well. */
  let repeated = 0
  for (const sentence of sentences) {
    const last = open.at(-1)
    if (last && open.length > repeated) {
      const length = sumTokens(open)
      const isBoundary = sentence.speaker !== last.speaker || sentence.startMs - last.endMs >= PAUSE_MS
      if (isBoundary && length >= CLOSABLE * limit) {
        yield toPassage(open)
        open = []
      } else if (length + sentence.tokens > limit) {
        yield toPassage(open)
        open = isBoundary ? [] : overlapOf(open, Math.min(OVERLAP * limit, limit - sentence.tokens))
      }
      if (open.at(-1) !== last || sumTokens(open) !== length) repeated = open.length
    }
    open.push(sentence)
  }
  if (open.length > repeated) yield toPassage(open)
}

/** Passages of a stretch, about. */
const STRETCH = 16

/** Neighbouring passages together, a minute or two each, all of about the same number. */
export function toStretches<T> (passages: readonly T[]): T[][] {
  const count = Math.max(1, Math.round(passages.length / STRETCH))
  const startOf = (index: number): number => Math.round(index * passages.length / count)
  return Array.from({ length: count }, (_, index) => passages.slice(startOf(index), startOf(index + 1)))
}
