/**
 * Which terms of a query are in a text, also where the text has another form of the word, or speech recognition wrote a name or term as
 * it sounds: `met for men` for `metformin`. Pure.
 */
import { editDistance } from './edit-distance.js'
import { listTerms } from './search-terms.js'
import { soundOf } from './sounds.js'
import { isStopWord } from './stop-words.js'

/** Words of fewer letters are compared whole: too many short words are alike. */
const SHORTEST_STEM = 4
const SHORTEST_ALIKE = 5
/** Two forms of a word begin alike: with at least this share of the longer one. */
const STEM_SHARE = 0.6
/** A term that was heard wrongly became at most this many words. */
const MAX_PIECES = 4
/** Spellings that are less alike than this have nothing to do with each other. 1: equal. */
const LEAST_ALIKE = 0.55
/** What `LEAST_ALIKE` is worth: a near miss says less than a word that is there. */
const ALIKE_FROM = 0.4
/** Shorter sounds are those of too many words. */
const SHORTEST_SOUND = 6
/** One sound of at least seven may differ. */
const LEAST_SOUNDING_ALIKE = 0.84
/** What a term is worth that sounds exactly as the text. */
const SAME_SOUND = 0.9
/** Neighbouring terms of a query are together in a text if the second is at most this many words after the first. */
const REACH = 3
const LETTERS = /^\p{L}+$/u

/** The share of the longer word that both begin with; 0 when that is too little to be two forms of a word. */
function stemShare (a: string, b: string): number {
  const longest = Math.max(a.length, b.length)
  let equal = 0
  while (equal < a.length && a[equal] === b[equal]) equal++
  return equal >= SHORTEST_STEM && equal >= STEM_SHARE * longest ? equal / longest : 0
}

/** The letters of a word as bits, several letters to a bit. */
function lettersOf (word: string): number {
  let letters = 0
  for (let index = 0; index < word.length; index++) letters |= 1 << (word.charCodeAt(index) & 31)
  return letters
}

function countBits (bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Letters in a row, and which ones they are as bits. */
type Spelling = { text: string, letters: number }
/** A word as it is written and as it sounds. */
type Word = { written: Spelling, sound: Spelling }

const spell = (text: string): Spelling => ({ text, letters: lettersOf(text) })
const toWord = (text: string): Word => ({ written: spell(text), sound: spell(soundOf(text)) })

/** How alike the term and the most similar run of words are: 1 is equal. 0 when nothing is as similar as `least`. */
function alikeness (term: Spelling, words: readonly Spelling[], least: number): number {
  let best = 0
  for (let first = 0; first < words.length; first++) {
    let length = 0
    let letters = 0
    for (let end = first; end < words.length && end < first + MAX_PIECES; end++) {
      length += words[end]?.text.length ?? 0
      letters |= words[end]?.letters ?? 0
      const longest = Math.max(term.text.length, length)
      const most = longest * (1 - Math.max(least, best))
      if (length - term.text.length > most) break
      // The distance is at least the number of missing letters, and counting them is much faster.
      if (term.text.length - length > most || countBits(term.letters & ~letters) > most) continue
      const joined = words.slice(first, end + 1).map(({ text }) => text).join('')
      best = Math.max(best, 1 - editDistance(term.text, joined) / longest)
    }
  }
  return best >= least ? best : 0
}

/** What a near miss is worth. */
const worthOf = (alike: number): number => alike === 0 ? 0 : (alike - ALIKE_FROM) / (1 - ALIKE_FROM)

/** The words of a text: all in order, and the different ones. */
type Words = { written: readonly Spelling[], sounds: readonly Spelling[], different: ReadonlySet<string> }

/** How certain it is that the term is among the words: 1 when it is. `isMissing`: no passage of the library has the term. */
function presenceOf ({ written: term, sound }: Word, { written, sounds, different }: Words, isMissing: boolean): number {
  if (different.has(term.text)) return 1
  if (term.text.length < SHORTEST_STEM || !LETTERS.test(term.text)) return 0
  let stem = 0
  for (const word of different) stem = Math.max(stem, stemShare(term.text, word))
  if (stem > 0 || term.text.length < SHORTEST_ALIKE) return stem
  const alike = worthOf(alikeness(term, written, LEAST_ALIKE))
  if (!isMissing || sound.text.length < SHORTEST_SOUND) return alike
  return Math.max(alike, SAME_SOUND * worthOf(alikeness(sound, sounds, LEAST_SOUNDING_ALIKE)))
}

/**
 * What a text has of a query. `coverage`: the share of the query's terms that is in it, each weighted by its rarity. `together`: the share
 * of neighbouring terms of the query that are near each other in the text too, in the same order. Both 0..1. `words`: how many it has.
 */
export type Match = { coverage: number, together: number, words: number }

/** The share of neighbouring terms that follow each other in the text within a few words. */
function togetherness (terms: readonly string[], words: readonly string[]): number {
  const near = terms.slice(1).filter((second, index) => {
    const first = terms[index]
    return words.some((word, at) => word === first && words.slice(at + 1, at + 1 + REACH).includes(second))
  })
  return near.length / Math.max(1, terms.length - 1)
}

/** Matches a text in a language, Whisper's code. Stop words of the language count nothing: nearly every text in it has them. */
export type Matcher = (text: string, language?: string) => Match

/**
 * A function that matches texts with a query. A word that is only similar counts as a part of a term. `rarities`: of the terms, in the
 * order of the query. `missing`: terms that no passage of the library has as they are written: for these, words that sound the same count
 * too. Elsewhere that would mix up words that only sound alike.
 */
export function createMatcher (rarities: ReadonlyMap<string, number>, missing: ReadonlySet<string>): Matcher {
  // Passages that answer the same query have many words in common.
  const known = new Map<string, Word>()
  const wordOf = (text: string): Word => {
    const word = known.get(text) ?? toWord(text)
    known.set(text, word)
    return word
  }
  const all = [...rarities].map(([text, rarity]) => ({ term: toWord(text), rarity, isMissing: missing.has(text) }))
  const tellIn = (language: string | undefined) => {
    const terms = all.filter(({ term }) => !isStopWord(term.written.text, language))
    return { terms, texts: terms.map(({ term }) => term.written.text), total: terms.reduce((sum, { rarity }) => sum + rarity, 0) }
  }
  const telling = new Map<string | undefined, ReturnType<typeof tellIn>>()
  return (text, language) => {
    const { terms, texts, total } = telling.get(language) ?? tellIn(language)
    telling.set(language, { terms, texts, total })
    const words = [...listTerms(text)].map((term) => wordOf(term.text))
    const written = words.map((word) => word.written)
    const found: Words = { written, sounds: words.map(({ sound }) => sound), different: new Set(written.map(({ text }) => text)) }
    const covered = terms.reduce((sum, { term, rarity, isMissing }) => sum + rarity * presenceOf(term, found, isMissing), 0)
    const together = togetherness(texts, written.map(({ text }) => text))
    return { coverage: total === 0 ? 0 : covered / total, together, words: words.length }
  }
}
