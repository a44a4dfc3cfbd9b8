/** Sentences as vectors of weighted words, and how well each stands by itself. Pure. */
import { countWords, listWords, toLine } from '../text-words.js'
import type { PassageVector } from '../artifact.js'
import { lexiconFor } from './lexicon.js'
import type { Lexicon } from './lexicon.js'

/** A sentence without its words: all that the engine needs. */
export type PlainSentence = { text: string, startMs: number, endMs: number, speaker?: string }
export type PlainSource = {
  language: string | undefined
  title: string
  durationMs: number
  sentences: readonly PlainSentence[]
  passages?: readonly PassageVector[]
}

export type Analysed = PlainSentence & {
  index: number
  /** Without fillers and lead-ins; may be empty. For texts that are not claimed to be verbatim. */
  clean: string
  /** Number of words of `clean`. */
  length: number
  /** Stems of the words with a topic, in order, repeated as often as they occur. */
  terms: string[]
  /** Weights of the terms; the vector has length 1, or no entries. */
  vector: ReadonlyMap<string, number>
  /** 0 to 1: how well the sentence stands by itself. */
  independence: number
  isCourtesy: boolean
  isQuestion: boolean
  /** What the sentence announces as the next topic. */
  announces: string | undefined
}

export type Analysis = {
  source: PlainSource
  lexicon: Lexicon
  sentences: Analysed[]
  /** How rare a stem is: natural logarithm of stretches over stretches with the stem. */
  rarity: ReadonlyMap<string, number>
}

/** Stems are the first letters of words: crude, but the same for all languages, and right for most inflection. */
const STEM_LENGTH = 6
/** A word that is in more than this share of all stretches has no topic. Replaces stop words in languages without a list. */
const COMMON_SHARE = 0.4
/** Sentences of a stretch, for counting how rare words are. */
const STRETCH = 6

const stem = (word: string): string => {
  const plain = word.toLowerCase().replace(/[’']s$/u, '')
  const short = plain.length > 4 ? plain.replace(/(?:ies|es|s)$/u, (ending) => ending === 'ies' ? 'y' : '') : plain
  return [...short].slice(0, STEM_LENGTH).join('')
}

/** Numbers, single letters, and words in hiragana, which are grammar. */
const WITHOUT_TOPIC = /^(?:\P{L}*|\p{Script=Latin}|\p{Script=Hiragana}+)$/u

/** The stem of a word with a topic; undefined for stop words, numbers and single letters. */
export function toStem (word: string, { stopWords, elisions }: Lexicon): string | undefined {
  const whole = word.toLowerCase()
  const lower = whole.replace(elisions, '')
  if (stopWords.has(whole) || stopWords.has(lower) || WITHOUT_TOPIC.test(lower)) return undefined
  return stem(lower)
}

const capitalise = (text: string): string => text.replace(/^[\p{Ps}\p{Pi}"'¿¡]*\p{Ll}/u, (start) => start.toLocaleUpperCase())

/** "the the", "I, I". */
const REPEATED_WORD = /(?<![\p{L}\p{M}])([\p{L}\p{M}]{1,12})(?:,? \1)+(?![\p{L}\p{M}])/giu

/** "we had a we had a" */
const REPEATED_PHRASE = /(?<![\p{L}\p{M}])((?:[\p{L}\p{M}'’]{1,12}\s){1,3}[\p{L}\p{M}'’]{1,12})[,\s]+\1(?![\p{L}\p{M}])/giu

/** Removes fillers, repeated words and lead-ins, as an editor would. */
function cleanSentence (text: string, { fillers, leadIns }: Lexicon): string {
  const said = toLine(toLine(text).replace(fillers, ' ').replace(REPEATED_WORD, '$1').replace(REPEATED_PHRASE, '$1'))
  const begun = said.replace(leadIns, '').replace(/^[,;:.…\s]+/u, '')
  return capitalise(begun.replace(/\s+([,.;:!?…])/gu, '$1').replace(/,(?:\s*,)+/gu, ','))
}

function listAnnouncement (text: string, lexicon: Lexicon): string | undefined {
  return lexicon.announcement.exec(text)?.groups?.['topic']
}

/** Good lengths of a sentence by itself, in words. */
const LENGTHS = { least: 6, low: 9, high: 28, most: 45 }

function rateLength (words: number): number {
  const { least, low, high, most } = LENGTHS
  if (words < least) return 0.3 * words / least
  if (words < low) return 0.3 + 0.7 * (words - least + 1) / (low - least + 1)
  return words <= high ? 1 : Math.max(0.2, 1 - (words - high) / (most - high))
}

/** Factors for sentences that depend on an earlier one: those that begin like "after that", and those with "it" before any noun. */
const [REFERENCE_SHARE, PRONOUN_SHARE] = [0.45, 0.5]

/** True when a pronoun comes before every word that it could refer to. */
function hasOpenPronoun (words: readonly string[], lexicon: Lexicon): boolean {
  const pronoun = words.findIndex((word) => lexicon.pronouns.has(word))
  return pronoun > 0 && words.slice(0, pronoun).every((word) => toStem(word, lexicon) === undefined)
}

/** How well a sentence begins: "it" and "but" refer to the sentence before; "this house" does so less; "it is better to" does not. */
function rateStart (clean: string, [first = '', second = '']: readonly string[], lexicon: Lexicon): number {
  if (lexicon.impersonal.test(clean)) return 1
  if (lexicon.references.test(clean)) return REFERENCE_SHARE
  if (!lexicon.dangling.has(first)) return 1
  return lexicon.determiners.has(first) && toStem(second, lexicon) !== undefined ? 0.6 : 0.25
}

function rateIndependence (clean: string, length: number, lexicon: Lexicon): number {
  const words = listWords(clean).map((word) => word.toLowerCase())
  const open = hasOpenPronoun(words, lexicon) && !lexicon.impersonal.test(clean) ? PRONOUN_SHARE : 1
  const start = rateStart(clean, words, lexicon) * open
  const pronouns = words.slice(1).filter((word) => lexicon.dangling.has(word) && !lexicon.determiners.has(word)).length
  const ending = /[.!?…。！？।]["'”’»]?$/u.test(clean) ? 1 : 0.6
  return start * ending * rateLength(length) * Math.max(0.5, 1 - pronouns / Math.max(8, words.length))
}

function countStretches (terms: readonly string[][]): Map<string, number> {
  const found = new Map<string, number>()
  for (let first = 0; first < terms.length; first += STRETCH) {
    for (const term of new Set(terms.slice(first, first + STRETCH).flat())) found.set(term, (found.get(term) ?? 0) + 1)
  }
  return found
}

function toVector (terms: readonly string[], rarity: ReadonlyMap<string, number>): Map<string, number> {
  const weights = new Map<string, number>()
  for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + (rarity.get(term) ?? 0))
  const norm = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0))
  if (norm > 0) for (const [term, weight] of weights) weights.set(term, weight / norm)
  return weights
}

/** An answer needs its question. */
function withContext (sentence: Analysed, before: Analysed | undefined): Analysed {
  const isAnswer = before?.isQuestion === true && before.speaker !== sentence.speaker
  return isAnswer ? { ...sentence, independence: 0.6 * sentence.independence } : sentence
}

export function analyse (source: PlainSource): Analysis {
  const lexicon = lexiconFor(source.language)
  const all = source.sentences.map(({ text }) => listWords(text).flatMap((word) => toStem(word, lexicon) ?? []))
  const stretches = Math.ceil(all.length / STRETCH)
  const counts = countStretches(all)
  const needsCount = stretches >= 10 && lexicon.stopWords.size === 0
  const isCommon = (term: string): boolean => needsCount && (counts.get(term) ?? 0) > COMMON_SHARE * stretches
  const rarity = new Map([...counts].map(([term, count]) => [term, Math.log(1 + stretches / count)]))
  const sentences = source.sentences.map((sentence, index): Analysed => {
    const terms = (all[index] ?? []).filter((term) => !isCommon(term))
    const clean = cleanSentence(sentence.text, lexicon)
    const length = countWords(clean)
    return {
      ...sentence,
      index,
      clean,
      length,
      terms,
      vector: toVector(terms, rarity),
      independence: rateIndependence(clean, length, lexicon),
      isCourtesy: lexicon.courtesy.test(clean) || length < 3,
      isQuestion: /[?？؟]["'”’»]?$/u.test(clean),
      announces: listAnnouncement(clean, lexicon) ?? listAnnouncement(sentence.text, lexicon)
    }
  })
  return { source, lexicon, sentences: sentences.map((sentence, index) => withContext(sentence, sentences[index - 1])), rarity }
}

/** Cosine of two vectors of length 1. */
export function similarity (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let sum = 0
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0)
  return sum
}
