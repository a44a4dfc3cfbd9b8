/**
 * Which terms of a query are in a text, also where the text has another form of the word, or speech recognition wrote a name or term as
 * it sounds: `met for men` for `metformin`. Pure.
 */
import { listTerms } from './search-terms.js'

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
const LETTERS = /^\p{L}+$/u

/** The share of the longer word that both begin with; 0 when that is too little to be two forms of a word. */
function stemShare (a: string, b: string): number {
  const longest = Math.max(a.length, b.length)
  let equal = 0
  while (equal < a.length && a[equal] === b[equal]) equal++
  return equal >= SHORTEST_STEM && equal >= STEM_SHARE * longest ? equal / longest : 0
}

/** Levenshtein's distance: letters to insert, remove or replace. */
function editDistance (a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
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

/** A word of a text with its letters. */
type Spelled = { text: string, letters: number }

/** How alike the term and the most similar run of words are: 1 is equal. 0 when nothing is similar. */
function alikeness (term: string, words: readonly Spelled[]): number {
  const wanted = lettersOf(term)
  let best = 0
  for (let first = 0; first < words.length; first++) {
    let length = 0
    let letters = 0
    for (let end = first; end < words.length && end < first + MAX_PIECES; end++) {
      length += words[end]?.text.length ?? 0
      letters |= words[end]?.letters ?? 0
      const longest = Math.max(term.length, length)
      const most = longest * (1 - Math.max(LEAST_ALIKE, best))
      if (length - term.length > most) break
      // The distance is at least the number of missing letters, and counting them is much faster.
      if (term.length - length > most || countBits(wanted & ~letters) > most) continue
      const joined = words.slice(first, end + 1).map(({ text }) => text).join('')
      best = Math.max(best, 1 - editDistance(term, joined) / longest)
    }
  }
  return best >= LEAST_ALIKE ? best : 0
}

/** How certain it is that the term is among the words: 1 when it is. */
function presenceOf (term: string, words: readonly Spelled[], different: ReadonlySet<string>): number {
  if (different.has(term)) return 1
  if (term.length < SHORTEST_STEM || !LETTERS.test(term)) return 0
  let stem = 0
  for (const word of different) stem = Math.max(stem, stemShare(term, word))
  if (stem > 0 || term.length < SHORTEST_ALIKE) return stem
  const alike = alikeness(term, words)
  return alike === 0 ? 0 : (alike - ALIKE_FROM) / (1 - ALIKE_FROM)
}

/** Share of the query's terms in a text, each weighted by its rarity. 0..1. A word that is only similar counts as a part of a term. */
export function coverageOf (text: string, rarities: ReadonlyMap<string, number>): number {
  const words = [...listTerms(text)].map((term) => ({ text: term.text, letters: lettersOf(term.text) }))
  const different = new Set(words.map((word) => word.text))
  let sum = 0
  let covered = 0
  for (const [term, rarity] of rarities) {
    sum += rarity
    covered += rarity * presenceOf(term, words, different)
  }
  return sum === 0 ? 0 : covered / sum
}
