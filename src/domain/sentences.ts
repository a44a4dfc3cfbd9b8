/** Cuts a transcript into sentences, with the words and times of each. Pure. */
import type { Sentence } from './artifact.js'
import type { TimedSegment, TimedWord } from './transcript.js'

/** A full stop, or its like in other scripts, and the quotation marks and brackets that close after it. */
const SENTENCE_END = /[.!?…。！？｡؟۔।॥։።][\p{Pe}\p{Pf}"'”’»]*$/u
const FULL_STOP = /\.[\p{Pe}\p{Pf}"'”’»]*$/u
const LOWER_START = /^\s*[\p{Ps}\p{Pi}"'¿¡]*\p{Ll}/u
/** Words that end with a full stop inside a sentence, in the languages of our users. Single letters are initials. */
const ABBREVIATION = new RegExp(
  '^[\\p{Ps}\\p{Pi}"\']*(?:\\p{L}|mr|mrs|ms|dr|prof|st|vs|etc|e\\.g|i\\.e|no|fig|approx|z\\.b|d\\.h|u\\.a|bzw|ca|nr|sr|sra|dra|ud|p\\.ej|' +
  'mme|mlle|sig|dott|av|dhr|mevr|bijv|o\\.a)\\.$', 'iu'
)

/** A pause of this length ends a sentence that has at least `PAUSED_WORDS` words, whatever its punctuation. */
const PAUSE_MS = 2500
const PAUSED_WORDS = 4
/** Text without punctuation: a sentence of more than `LONGEST` words is cut at its longest pause after the first `SHORTEST` words. */
const LONGEST = 45
const SHORTEST = 12

type Word = TimedWord

function endsSentence (word: Word, next: Word | undefined): boolean {
  const text = word.text.trim()
  if (!SENTENCE_END.test(text)) return false
  if (!next || !FULL_STOP.test(text)) return true
  return !ABBREVIATION.test(text) && !LOWER_START.test(next.text)
}

function toSentence (words: readonly Word[], speaker: string | undefined): Sentence | undefined {
  const text = words.map((word) => word.text).join('').trim()
  const [first] = words
  if (!first || text === '') return undefined
  return {
    text,
    startMs: first.startMs,
    endMs: words.reduce((latest, { endMs }) => Math.max(latest, endMs), first.endMs),
    ...(speaker === undefined ? {} : { speaker }),
    words: words.map(({ text, startMs, endMs }) => ({ text, startMs, endMs }))
  }
}

/** Where a long run of words without punctuation is cut: before the word with the longest pause before it. */
function chooseCut (words: readonly Word[]): number {
  let cut = words.length
  let longestMs = -1
  for (let index = SHORTEST; index < words.length; index++) {
    const pauseMs = (words[index]?.startMs ?? 0) - (words[index - 1]?.endMs ?? 0)
    if (pauseMs > longestMs) [cut, longestMs] = [index, pauseMs]
  }
  return cut
}

const isLong = (words: readonly Word[], next: Word | undefined): boolean => next !== undefined && words.length >= LONGEST

/**
 * The sentences of a transcript, in order. A sentence ends at its punctuation, when the speaker or channel changes, at a long pause, or, in
 * text without punctuation, at the longest pause. Joining the words of all sentences gives the text of the transcript. A word without a
 * speaker has the speaker of the word before it.
 */
export function * toSentences (segments: Iterable<TimedSegment>): Generator<Sentence> {
  let open: Word[] = []
  let speaker: string | undefined
  let channel: number | undefined
  let previous: Word | undefined
  function * close (upTo: number): Generator<Sentence> {
    const sentence = toSentence(open.slice(0, upTo), speaker)
    open = open.slice(upTo)
    if (sentence) yield sentence
  }
  for (const segment of segments) {
    const words = segment.words.length > 0 ? segment.words : [{ ...segment, probability: 1 }]
    for (const word of words) {
      const next = word.speaker ?? speaker
      if (previous && open.length > 0) {
        const isPause = word.startMs - previous.endMs >= PAUSE_MS && open.length >= PAUSED_WORDS
        const isOther = next !== speaker || segment.channel !== channel
        if (isOther || isPause || endsSentence(previous, word)) yield * close(open.length)
        else if (isLong(open, word)) yield * close(chooseCut(open))
      }
      speaker = next
      channel = segment.channel
      open.push(word)
      previous = word
    }
  }
  yield * close(open.length)
}
