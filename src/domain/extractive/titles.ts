/** Titles of topics: what the speaker announced or asked, else the words that are characteristic of it. Pure. */
import { joinList, phrasesFor } from '../artifact-phrases.js'
import { countWords, listWords, shorten } from '../text-words.js'
import { UNSPACED } from '../scripts.js'
import { toStem } from './analysis.js'
import type { Analysed, Analysis } from './analysis.js'
import type { Lexicon } from './lexicon.js'
import type { Stretch } from './segmentation.js'

export type Topic = Stretch & {
  title: string
  /** The most characteristic word or pair of words. */
  keyword: string
  /** True when the title is what the speaker said, not a list of words. */
  isSaid: boolean
  /** How characteristic each stem is of the topic, in nats. */
  terms: ReadonlyMap<string, number>
}

const MAX_LENGTH = 60
const MAX_WORDS = 10
/** An announcement or question is looked for in so many first sentences. */
const OPENING = 8
const WORDS_IN_TITLE = 3

const capitalise = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase())

function countTerms (sentences: readonly Analysed[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of sentences.flatMap(({ terms }) => terms)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((total, count) => total + count, 0)

/** How much more often each word is said here than elsewhere, weighted by how often. */
function rateTerms (inside: ReadonlyMap<string, number>, everywhere: ReadonlyMap<string, number>): Map<string, number> {
  const [size, total] = [sum(inside), sum(everywhere)]
  return new Map([...inside].map(([term, count]) => {
    // Smoothed, so that a word that is said once is not the most characteristic one.
    const outside = (everywhere.get(term) ?? 0) - count
    return [term, count * Math.log(((count + 0.5) / (size + 1)) / ((outside + 0.5) / (total - size + 1)))]
  }))
}

type Candidate = { text: string, stems: string[], count: number, nouns: number }

/** A word inside a clause, as a candidate for a title. */
type Place = { words: readonly string[], index: number, found: string }

/** True when a word looks like a noun: it has a capital letter inside a sentence, or stands at the end of a phrase with a determiner. */
function looksLikeNoun ({ words, index }: Place, { lexicon, source: { language } }: Analysis): boolean {
  const word = words[index] ?? ''
  if (isName(words, index)) return language !== 'de' || /\p{L}{3}/u.test(word)
  // German nouns have capital letters.
  if (language === 'de') return false
  if (lexicon.determiners.size === 0) return true
  const isDetermined = (at: number): boolean => lexicon.determiners.has((words[at] ?? '').toLowerCase())
  if (isDetermined(index - 1) || lexicon.elisions.test(word)) return !precedesNoun(words, index, lexicon)
  const isSecond = toStem(words[index - 1] ?? '', lexicon) !== undefined && isDetermined(index - 2)
  return isSecond && !lexicon.nounsFirst && !precedesNoun(words, index, lexicon)
}

/** "the young people", "the apple trees": the last word is the noun. */
function precedesNoun (words: readonly string[], index: number, lexicon: Lexicon): boolean {
  const next = words[index + 1] ?? ''
  return !lexicon.nounsFirst && (lexicon.generic.has(next.toLowerCase()) || toStem(next, lexicon) !== undefined)
}

const isName = (words: readonly string[], index: number): boolean => index > 0 && /^\p{Lu}/u.test(words[index] ?? '')

/** Without an article that is written together with the word, and without the ending of English possessives. */
const toBare = (word: string, { elisions }: Lexicon): string => word.replace(elisions, '').replace(/[’']s$/u, '')

/** Words and pairs of words of a stretch, with how often they look like nouns. */
function listCandidates (sentences: readonly Analysed[], analysis: Analysis): Candidate[] {
  const { lexicon, source: { language } } = analysis
  const candidates = new Map<string, Candidate>()
  function note (text: string, stems: string[], isNoun: boolean): void {
    const key = stems.join(' ')
    const known = candidates.get(key) ?? { text, stems, count: 0, nouns: 0 }
    candidates.set(key, { ...known, count: known.count + 1, nouns: known.nouns + Number(isNoun) })
  }
  const write = (words: readonly string[], index: number): string => {
    const bare = toBare(words[index] ?? '', lexicon)
    return isName(words, index) ? bare : bare.toLowerCase()
  }
  function notePlace (place: Place): void {
    const { words, index, found } = place
    const isNoun = looksLikeNoun(place, analysis)
    const written = write(words, index)
    note(written, [found], isNoun)
    const before = toStem(words[index - 1] ?? '', lexicon)
    if (before === undefined || lexicon.elisions.test(words[index] ?? '')) return
    // A pair of a noun and its adjective is a phrase, whichever comes first.
    const isPhrase = isNoun || (language !== 'de' && lexicon.determiners.has((words[index - 2] ?? '').toLowerCase()))
    note([isName(words, index) ? toBare(words[index - 1] ?? '', lexicon) : write(words, index - 1), written]
      .join(UNSPACED.test(written) ? '' : ' '), [before, found], isPhrase)
  }
  for (const { clean } of sentences.filter(({ isCourtesy }) => !isCourtesy)) {
    // Pairs do not cross punctuation.
    for (const part of clean.split(/[,.;:!?…()]+\s|[、。！？，；：「」]/u)) {
      const words = listWords(part)
      for (const [index, word] of words.entries()) {
        const found = toStem(word, lexicon)
        if (found !== undefined) notePlace({ words, index, found })
      }
    }
  }
  return [...candidates.values()]
}

/** The most characteristic words, best first. No stem twice. */
function listKeywords (sentences: readonly Analysed[], terms: ReadonlyMap<string, number>, analysis: Analysis): string[] {
  const rated = listCandidates(sentences, analysis).flatMap((candidate) => {
    const { stems, count, nouns } = candidate
    if (stems.length > 1 && count < 2) return []
    const weight = stems.reduce((total, stem) => total + Math.max(0, terms.get(stem) ?? 0), 0) / stems.length
    const share = stems.length > 1 ? 1.3 * count / Math.max(...stems.map((stem) => countOf(stem, sentences))) : 1
    return [{ candidate, rating: weight * share * (0.15 + nouns / count) }]
  }).sort((a, b) => b.rating - a.rating)
  const taken: Candidate[] = []
  for (const { candidate, rating } of rated) {
    const isNew = candidate.stems.every((stem) => taken.every((other) => !other.stems.includes(stem)))
    if (isNew && rating > 0 && taken.length < WORDS_IN_TITLE) taken.push(candidate)
  }
  return taken.map(({ text }) => text)
}

const countOf = (stem: string, sentences: readonly Analysed[]): number =>
  sentences.reduce((count, { terms }) => count + terms.filter((term) => term === stem).length, 0)

/** Ends an announced topic where its first clause ends. */
function trimTopic (topic: string): string {
  const clause = topic.replace(/[.!?…]["'”’»]?$/u, '').split(/[.!?;:–—]\s|,\s(?=\p{Ll})|[。！？、，]/u)[0]?.trim() ?? ''
  return shorten(clause, MAX_LENGTH)
}

type Heading = { title: string, rating: number }

/** What was announced or asked in the first sentences, if it is about the topic. */
function findHeading (sentences: readonly Analysed[], terms: ReadonlyMap<string, number>, lexicon: Lexicon): string | undefined {
  const most = Math.max(0, ...terms.values())
  const headings = sentences.slice(0, OPENING).flatMap((sentence, index): Heading[] => {
    const asked = sentence.isQuestion && index < 6 && sentence.independence > 0.3 ? sentence.clean : undefined
    const title = sentence.announces === undefined ? asked : trimTopic(sentence.announces)
    if (title === undefined || title.endsWith('…') || title.length > MAX_LENGTH) return []
    const words = countWords(title)
    const topical = listWords(title).filter((word) => toStem(word, lexicon) !== undefined).length
    if (topical < 1 || words > MAX_WORDS) return []
    const about = sentence.terms.reduce((best, term) => Math.max(best, terms.get(term) ?? 0), 0)
    const [first = ''] = title.toLowerCase().split(' ')
    // In German, "den Problemen" is not how a title begins.
    const isPhrase = /^\p{Lu}/u.test(title) || lexicon.elisions.test(title) ||
      (lexicon.determiners.has(first) && !/^(?:de[mnrs]|eine[mnrs])$/u.test(first))
    const isThin = sentence.announces !== undefined && words < 3 && !isPhrase
    const cost = 0.04 * index + (sentence.announces === undefined ? 0.25 : 0) + (isThin ? 0.3 : 0)
    return [{ title, rating: about / Math.max(1e-9, most) - cost }]
  }).filter(({ rating }) => rating > 0.1)
  return headings.sort((a, b) => b.rating - a.rating)[0]?.title
}

/** Names the topics of a transcript. */
export function nameTopics (stretches: readonly Stretch[], analysis: Analysis): Topic[] {
  const { sentences, source } = analysis
  const everywhere = countTerms(sentences)
  const phrases = phrasesFor(source.language)
  return stretches.map((stretch, index) => {
    const inside = sentences.slice(stretch.first, stretch.last + 1)
    const terms = stretches.length > 1 ? rateTerms(countTerms(inside), everywhere) : countTerms(inside)
    const keywords = listKeywords(inside, terms, analysis)
    const heading = findHeading(inside, terms, analysis.lexicon)
    const fallback = keywords.length > 0 ? joinList(keywords, phrases) : inside[0]?.clean ?? ''
    const title = shorten(capitalise(heading ?? fallback), MAX_LENGTH) || source.title || String(index + 1)
    return { ...stretch, title, keyword: keywords[0] ?? title, isSaid: heading !== undefined, terms }
  })
}

/** A title inside a sentence begins with a small letter, unless it begins with an acronym or is German. */
export function lowerFirst (title: string, language: string | undefined): string {
  const [first = ''] = title.split(' ')
  const stays = language === 'de' || (first.length > 1 && /^\p{Lu}+$/u.test(first))
  return stays ? title : title.replace(/^\p{Lu}/u, (letter) => letter.toLocaleLowerCase())
}
