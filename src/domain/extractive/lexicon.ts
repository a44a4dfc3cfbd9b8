/** What the extractive engine knows about a language. Pure. */
import { UNSPACED } from '../scripts.js'
import { DUTCH, ENGLISH, GERMAN } from './lexicon-germanic.js'
import { CHINESE, JAPANESE } from './lexicon-east-asian.js'
import { FRENCH, ITALIAN, PORTUGUESE, SPANISH } from './lexicon-romance.js'

/** As written in the files of the languages: words separated by spaces. */
export type Entry = {
  /** Words without a topic of their own. */
  stopWords: string
  /** Words that stand before nouns. They are stop words too. */
  determiners: string
  /** A sentence that begins with one of these depends on the sentence before it. */
  dangling: string
  /** Words that refer to somebody or something named earlier. */
  pronouns?: string
  /** Nouns without a topic: the word before one of them is not a noun. */
  generic?: string
  /** Adjectives stand after their nouns. */
  nounsFirst?: true
  // The following are alternatives of regular expressions; whole words, in any case.
  /** Words that are written together with the word after them. */
  elisions?: string
  /** Beginnings of several words that refer to the previous sentence. */
  references?: string
  /** What an editor cuts from the start of a sentence, if a comma follows. */
  leadIns: string
  /** The same without a comma: only where the rest is still a sentence. */
  connectives: string
  /** Sounds without meaning, anywhere. */
  sounds: string
  /** Fillers between commas. */
  asides: string
  /** Announces a topic, up to the topic itself. */
  announcement: string
  /** The same as a whole expression, for languages in which the topic comes first. Group `topic`: what is announced. */
  announced?: RegExp
  /** Starts of greetings and thanks. */
  greetings: string
  /** Thanks and talk about the event, anywhere. */
  thanks: string
  /** Starts of sentences that look like `dangling`, but need no sentence before them. */
  impersonal: string
  /** Words of sentences that people like to quote. */
  emphasis: string
  /** Words of sentences that matter: decisions, results. */
  weight: string
}

type WordLists = 'stopWords' | 'determiners' | 'dangling' | 'pronouns' | 'generic' | 'emphasis' | 'weight'
export type Lexicon = Record<WordLists, ReadonlySet<string>> & {
  nounsFirst: boolean
  /** At the start of a word. */
  elisions: RegExp
  references: RegExp
  /** At the start of a sentence. */
  leadIns: RegExp
  fillers: RegExp
  /** Group `topic`: what is announced. */
  announcement: RegExp
  courtesy: RegExp
  impersonal: RegExp
}

const toSet = (words: string): Set<string> => new Set(words.split(' ').filter((word) => word !== ''))

/** For languages without an entry: frequent words are found by counting instead. */
const NEUTRAL: Entry = {
  stopWords: '',
  determiners: '',
  dangling: '',
  leadIns: '',
  connectives: '',
  sounds: 'u+h+m*|e+h+m*|h+m+',
  asides: '',
  announcement: '',
  greetings: '',
  thanks: '',
  impersonal: '',
  emphasis: '',
  weight: ''
}

/** Limits of a word. `\\b` knows only ASCII letters. */
const [BEFORE, AFTER] = ['(?<![\\p{L}\\p{M}])', '(?![\\p{L}\\p{M}])']
/** `\\b` and `\\w` for all letters. */
const withAllLetters = (expression: string): string => expression
  .replaceAll('\\b', '(?:(?<![\\p{L}\\p{M}])(?=\\p{L})|(?<=[\\p{L}\\p{M}])(?![\\p{L}\\p{M}]))')
  .replaceAll('\\w', '[\\p{L}\\p{M}\\p{N}]')
/** A whole word out of alternatives; matches nothing if there are none. Scripts without spaces have no word boundaries. */
const word = (alternatives: string): string => alternatives === ''
  ? '(?!)'
  : UNSPACED.test(alternatives) ? `(?:${alternatives})` : `${BEFORE}(?:${alternatives})${AFTER}`

const ENTRIES: Readonly<Record<string, Entry>> = {
  en: ENGLISH, de: GERMAN, ja: JAPANESE, zh: CHINESE, nl: DUTCH, es: SPANISH, fr: FRENCH, it: ITALIAN, pt: PORTUGUESE
}

function build (entry: Entry): Lexicon {
  const { stopWords, determiners, dangling, emphasis, weight } = entry
  const { leadIns, connectives, sounds, asides, announcement, greetings, thanks } = entry
  return {
    stopWords: toSet(`${stopWords} ${determiners} ${dangling}`),
    determiners: toSet(determiners),
    dangling: toSet(dangling),
    pronouns: toSet(entry.pronouns ?? ''),
    generic: toSet(entry.generic ?? ''),
    nounsFirst: entry.nounsFirst ?? false,
    elisions: entry.elisions === undefined ? /(?!)/u : new RegExp(`^(?:${entry.elisions})[’']`, 'iu'),
    references: new RegExp(`^${word(entry.references ?? '')}`, 'iu'),
    emphasis: toSet(emphasis),
    weight: toSet(weight),
    leadIns: new RegExp(`^(?:(?:${word(leadIns)},|${word(connectives)},?)\\s+)+`, 'iu'),
    fillers: new RegExp(`(?:,\\s*)?${word(sounds)}(?:,|\\.{3}|…)*|(?:^|,\\s*)${word(asides)},\\s*`, 'giu'),
    announcement: entry.announced ?? (announcement === ''
      ? /(?!)/u
      : new RegExp(`${BEFORE}(?:${withAllLetters(announcement)})\\s+(?<topic>.+)$`, 'iu')),
    courtesy: new RegExp(`^${word(greetings)}|${word(thanks)}`, 'iu'),
    impersonal: new RegExp(`^${word(withAllLetters(entry.impersonal))}`, 'iu')
  }
}

const built = new Map<string, Lexicon>()

export function lexiconFor (language = ''): Lexicon {
  const known = built.get(language)
  if (known) return known
  const lexicon = build(ENTRIES[language] ?? NEUTRAL)
  built.set(language, lexicon)
  return lexicon
}
