/** What the extractive engine knows about a language. Pure. */
import { DUTCH, ENGLISH, GERMAN } from './lexicon-germanic.js'
import { FRENCH, ITALIAN, PORTUGUESE, SPANISH } from './lexicon-romance.js'

/** As written in the files of the languages: words separated by spaces. */
export type Entry = {
  /** Words without a topic of their own. */
  stopWords: string
  /** Words that stand before nouns. They are stop words too. */
  determiners: string
  /** A sentence that begins with one of these depends on the sentence before it. */
  dangling: string
  // The following are alternatives of regular expressions; whole words, in any case.
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

export type Lexicon = Record<'stopWords' | 'determiners' | 'dangling' | 'emphasis' | 'weight', ReadonlySet<string>> & {
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
/** A word of alternatives; matches nothing if there are none. */
const word = (alternatives: string): string => alternatives === '' ? '(?!)' : `${BEFORE}(?:${alternatives})${AFTER}`

const ENTRIES: Readonly<Record<string, Entry>> = {
  en: ENGLISH, de: GERMAN, nl: DUTCH, es: SPANISH, fr: FRENCH, it: ITALIAN, pt: PORTUGUESE
}

function build (entry: Entry): Lexicon {
  const { stopWords, determiners, dangling, emphasis, weight } = entry
  const { leadIns, connectives, sounds, asides, announcement, greetings, thanks } = entry
  return {
    stopWords: toSet(`${stopWords} ${determiners} ${dangling}`),
    determiners: toSet(determiners),
    dangling: toSet(dangling),
    emphasis: toSet(emphasis),
    weight: toSet(weight),
    leadIns: new RegExp(`^(?:(?:${word(leadIns)},|${word(connectives)},?)\\s+)+`, 'iu'),
    fillers: new RegExp(`(?:,\\s*)?${word(sounds)}(?:,|\\.{3}|…)*|(?:^|,\\s*)${word(asides)},\\s*`, 'giu'),
    announcement: announcement === '' ? /(?!)/u : new RegExp(`${BEFORE}(?:${announcement})\\s+(?<topic>.+)$`, 'iu'),
    courtesy: new RegExp(`^${word(greetings)}|${word(thanks)}`, 'iu'),
    impersonal: new RegExp(`^${word(entry.impersonal)}`, 'iu')
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
