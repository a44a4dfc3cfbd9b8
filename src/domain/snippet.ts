/** What a search shows of a passage: a piece of its text around the best sentence, and where the query's terms are in it. Pure. */
import type { PassageSentence } from './passages.js'
import { listTerms } from './search-terms.js'

/** A stretch of a snippet, in UTF-16 code units, as JavaScript counts. Stretches never overlap. */
export type Highlight = { start: number, end: number }
export type Snippet = { text: string, highlights: Highlight[] }

/** Length of a snippet in UTF-16 code units, without the marks of what was cut off. */
const MAX_LENGTH = 320
const ELLIPSIS = '…'

/** The summed rarity of the terms that are in a text. Words that are only similar do not count: they would point to a wrong moment. */
function weightOf (text: string, rarities: ReadonlyMap<string, number>): number {
  const found = new Set([...listTerms(text)].map((term) => term.text))
  let sum = 0
  for (const [term, rarity] of rarities) if (found.has(term)) sum += rarity
  return sum
}

const sentenceText = (text: string, sentences: readonly PassageSentence[], index: number): string =>
  text.slice(sentences[index]?.offset ?? 0, sentences[index + 1]?.offset ?? text.length).trimEnd()

/** The texts of a passage's sentences. */
export const listSentences = (text: string, sentences: readonly PassageSentence[]): string[] =>
  sentences.map((_, index) => sentenceText(text, sentences, index))

/** The share of the query's terms, weighed by rarity, that each sentence has: 0..1. */
export function shareOfTerms (sentences: readonly string[], rarities: ReadonlyMap<string, number>): number[] {
  const all = [...rarities.values()].reduce((sum, rarity) => sum + rarity, 0)
  return sentences.map((sentence) => all === 0 ? 0 : weightOf(sentence, rarities) / all)
}

/** Merges stretches that overlap: the pairs of a word in a script without spaces. */
function mergeStretches (stretches: readonly Highlight[]): Highlight[] {
  const merged: Highlight[] = []
  for (const { start, end } of stretches) {
    const last = merged.at(-1)
    if (last && start < last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** Splits text into characters as people see them: a letter with its accents, an emoji of several parts. */
const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** The character that contains the index `at`. Undefined at the end of the text. */
const characterAt = (text: string, at: number): Highlight | undefined => {
  const found = GRAPHEMES.segment(text).containing(at)
  return found && { start: found.index, end: found.index + found.segment.length }
}

/** Extends a stretch to whole characters. Terms of scripts without spaces may begin or end inside a character. */
function toWhole (text: string, { start, end }: Highlight): Highlight {
  const last = characterAt(text, end)
  return { start: characterAt(text, start)?.start ?? start, end: last && last.start < end ? last.end : end }
}

/** The nearest place at or after `at` where a word begins; `at` itself in a long text without spaces. */
function wordStart (text: string, at: number): number {
  if (at <= 0) return 0
  const space = text.indexOf(' ', at - 1)
  if (space !== -1 && space - at < 40) return space + 1
  const character = characterAt(text, at)
  return character && character.start < at ? character.end : at
}

/** The nearest place at or before `at` where a word ends. */
function wordEnd (text: string, at: number): number {
  if (at >= text.length) return text.length
  const space = text.lastIndexOf(' ', at)
  if (space !== -1 && at - space < 40) return space
  return characterAt(text, at)?.start ?? at
}

/** Cuts a passage to the length of a snippet, around the sentence at `index`. `terms`: of the query. */
export function makeSnippet (text: string, sentences: readonly PassageSentence[], index: number, terms: ReadonlySet<string>): Snippet {
  const [start, end] = place(text, sentences, index)
  const before = start > 0 ? ELLIPSIS : ''
  const shown = text.slice(start, end)
  const found = [...listTerms(shown)].filter((term) => terms.has(term.text)).map((term) => toWhole(shown, term))
  return {
    text: before + shown + (end < text.length ? ELLIPSIS : ''),
    highlights: mergeStretches(found).map((stretch) => ({ start: stretch.start + before.length, end: stretch.end + before.length }))
  }
}

/** Where the snippet begins and ends: the sentence, and as much around it as there is room for. */
function place (text: string, sentences: readonly PassageSentence[], index: number): [start: number, end: number] {
  if (text.length <= MAX_LENGTH) return [0, text.length]
  const from = sentences[index]?.offset ?? 0
  const to = Math.min(from + MAX_LENGTH, from + sentenceText(text, sentences, index).length)
  // One third of the room before the sentence, the rest after it.
  const spare = MAX_LENGTH - (to - from)
  const start = Math.max(0, Math.min(from - Math.floor(spare / 3), text.length - MAX_LENGTH))
  const begin = start === from ? start : wordStart(text, start)
  return [begin, wordEnd(text, Math.min(text.length, begin + MAX_LENGTH))]
}
