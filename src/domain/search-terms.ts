/**
 * The words of texts and queries as full-text search sees them. Scripts without spaces become pairs of neighbouring characters: that needs
 * no dictionary, and finds words of two characters, which most words of Chinese are. Pure.
 */
import { isStopWord } from './stop-words.js'

/** Marks belong to their letters: without them, words of Hindi and Thai fall apart. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu
const UNSPACED_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu
const DIACRITICS = /[\u0300-\u036f]/g

/** More terms of a query than this are ignored. */
const MAX_TERMS = 24
/** More characters of a query than this are ignored. */
const MAX_QUERY_LENGTH = 2000

/** `text`: as the index has it. `start` and `end`: where it is in its text, in UTF-16 code units. */
export type Term = { text: string, start: number, end: number }

/** Lower case, without diacritics: equal for texts that the full-text index considers equal. */
export const fold = (word: string): string => word.normalize('NFD').replace(DIACRITICS, '').normalize('NFC').toLowerCase()

function * pairsOf (run: string, start: number): Generator<Term> {
  const characters = [...run]
  let at = start
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1] ?? ''
    if (next !== '' || characters.length === 1) {
      yield { text: fold(character + next), start: at, end: at + character.length + next.length }
    }
    at += character.length
  }
}

/** The terms of a text, in order. */
export function * listTerms (text: string): Generator<Term> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    let from = 0
    for (const { 0: run, index: at } of word.matchAll(UNSPACED_RUN)) {
      if (at > from) yield { text: fold(word.slice(from, at)), start: index + from, end: index + at }
      yield * pairsOf(run, index + at)
      from = at + run.length
    }
    if (from < word.length) yield { text: fold(word.slice(from)), start: index + from, end: index + word.length }
  }
}

/** What the full-text index stores of a text. */
export const toIndexText = (text: string): string => [...listTerms(text)].map((term) => term.text).join(' ')

/** The different terms of a query that say something. A query of nothing but stop words keeps them. */
export function queryTerms (query: string): string[] {
  const terms = [...new Set([...listTerms(query.slice(0, MAX_QUERY_LENGTH))].map(({ text }) => text))]
  const telling = terms.filter((text) => !isStopWord(text))
  return (telling.length > 0 ? telling : terms).slice(0, MAX_TERMS)
}
