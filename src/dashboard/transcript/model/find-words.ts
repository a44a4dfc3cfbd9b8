/** Which words of a segment are to be marked: those of a search, or the matches of find and replace. Pure. */
import type { Word } from './segment.ts'

/** Whether a part of a text matches: the spans [from, to) in it. */
export type Matcher = (text: string) => Array<[number, number]>
export type FindOptions = { matchCase: boolean, wholeWords: boolean }

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const WORD_EDGE = ['(?<![\\p{L}\\p{N}\\p{M}_])', '(?![\\p{L}\\p{N}\\p{M}_])'] as const

function matcherOf (source: string, flags: string): Matcher {
  const pattern = new RegExp(source, flags)
  return (text) => [...text.matchAll(pattern)].map(({ index, 0: { length } }) => [index, index + length])
}

/** Matches of find and replace, as the appliance finds them: white space finds any. Undefined for a text without visible characters. */
export function findMatcher (find: string, { matchCase, wholeWords }: FindOptions): Matcher | undefined {
  const parts = find.normalize('NFC').trim().split(/\s+/u).map(escape)
  if (parts.join('') === '') return undefined
  const [before, after] = wholeWords ? WORD_EDGE : ['', '']
  return matcherOf(before + parts.join('\\s+') + after, matchCase ? 'gu' : 'giu')
}

/** Words that begin with a word of a search, in either case. Undefined if the search has no words. */
export function searchMatcher (query: string): Matcher | undefined {
  const terms = query.match(/[\p{L}\p{N}]+/gu) ?? []
  if (terms.length === 0) return undefined
  // Scripts without spaces have words that do not begin at an edge.
  const spaced = terms.map((term) => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(term)
    ? escape(term)
    : `${WORD_EDGE[0]}${escape(term)}[\\p{L}\\p{M}]{0,3}${WORD_EDGE[1]}`)
  return matcherOf(spaced.join('|'), 'giu')
}

/** Indexes of the words that a match covers at least in part. */
export function foundWords (words: readonly Word[], match: Matcher): ReadonlySet<number> {
  const spans = match(words.map(({ word }) => word).join(''))
  const found = new Set<number>()
  let [from, next] = [0, 0]
  for (const [index, { word }] of words.entries()) {
    const to = from + word.length
    while (next < spans.length && (spans[next]?.[1] ?? 0) <= from) next++
    // Spaces at the edge of a word are no part of it.
    const [start] = spans[next] ?? [Infinity]
    if (start < from + word.trimEnd().length) found.add(index)
    from = to
  }
  return found
}
