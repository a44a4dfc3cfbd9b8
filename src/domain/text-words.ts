/** Words and sentences of free text, in every script. Pure. */
import { UNSPACED } from './scripts.js'

// Word boundaries in Chinese, Japanese and Thai come from dictionaries, whatever the locale.
const words = new Intl.Segmenter('en', { granularity: 'word' })
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
const SPACED_WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu

/** The words of a text, without punctuation. Scripts without spaces are cut by dictionary. */
export function listWords (text: string): string[] {
  if (!UNSPACED.test(text)) return text.match(SPACED_WORD) ?? []
  return [...words.segment(text)].flatMap(({ segment, isWordLike }) => isWordLike ? [segment] : [])
}

export const countWords = (text: string): number => listWords(text).length

/** The sentences of a text, without white space at either end. */
export function splitSentences (text: string): string[] {
  return [...sentences.segment(text)].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== '')
}

/** Sentences as prose: separated by spaces, except after the full stops of scripts without spaces. */
export const joinSentences = (texts: readonly string[]): string => texts.join(' ').replace(/(?<=[。！？])\s(?=\S)/gu, '')

/** Removes control characters and lone surrogates, and collapses white space. */
export function toLine (text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd').replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

/** Cuts a text at a word so that it has at most `length` UTF-16 code units, an ellipsis included. */
export function shorten (text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length - 1)
  const space = cut.search(/\s\S*$/u)
  const end = space > length / 2 ? space : cut.length
  return cut.slice(0, end).replace(/[\uD800-\uDBFF]$/u, '').replace(/[\s,;:.–—-]+$/u, '') + '…'
}
