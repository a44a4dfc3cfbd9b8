/**
 * The language of the page, chosen by the person or by the browser, and its texts in parts: a page brings its part, which is loaded before
 * the page is shown.
 */
import { createContext, useContext } from 'react'
import type { Plural } from './en.ts'

/** Where English has plural forms, every language has them. */
type Translated<E> = { readonly [K in keyof E]: E[K] extends string ? string : Plural }
type Loaders<E> = { en (): Promise<E>, de (): Promise<Translated<NoInfer<E>>>, es (): Promise<Translated<NoInfer<E>>> }
const part = <E,>(loaders: Loaders<E>): Loaders<E> => loaders

/** `first` is what every page needs, with the library. */
const PARTS = {
  first: part({
    en: async () => (await import('./en.ts')).en,
    de: async () => (await import('./de.ts')).de,
    es: async () => (await import('./es.ts')).es
  }),
  admin: part({
    en: async () => (await import('./admin/en.ts')).admin,
    de: async () => (await import('./admin/de.ts')).admin,
    es: async () => (await import('./admin/es.ts')).admin
  }),
  options: part({
    en: async () => (await import('./options/en.ts')).options,
    de: async () => (await import('./options/de.ts')).options,
    es: async () => (await import('./options/es.ts')).options
  }),
  search: part({
    en: async () => (await import('./search/en.ts')).search,
    de: async () => (await import('./search/de.ts')).search,
    es: async () => (await import('./search/es.ts')).search
  }),
  settings: part({
    en: async () => (await import('./settings/en.ts')).settings,
    de: async () => (await import('./settings/de.ts')).settings,
    es: async () => (await import('./settings/es.ts')).settings
  }),
  setup: part({
    en: async () => (await import('./setup/en.ts')).setup,
    de: async () => (await import('./setup/de.ts')).setup,
    es: async () => (await import('./setup/es.ts')).setup
  }),
  transcript: part({
    en: async () => (await import('./transcript/en.ts')).transcript,
    de: async () => (await import('./transcript/de.ts')).transcript,
    es: async () => (await import('./transcript/es.ts')).transcript
  })
}
export type TextPart = keyof typeof PARTS
type English = { [P in TextPart]: Awaited<ReturnType<typeof PARTS[P]['en']>> }
export type TextKey = { [P in TextPart]: keyof English[P] }[TextPart]
type Catalogue = Partial<Record<TextKey, string | Plural>>

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español' } as const
export type Language = keyof typeof LANGUAGES
type Values = Readonly<Record<string, string | number>>

export type Texts = {
  language: Language
  /** The text of a key, with its `{names}` filled in; `count` chooses the plural form. Numbers are written as in the language. */
  t (key: TextKey, values?: Values): string
}

/** They are loaded with the first refusal: most people meet none. */
const SENTENCES: { readonly [L in Language]: () => Promise<{ say (sentence: string): string }> } = {
  en: async () => await import('./sentences-en.ts'),
  de: async () => await import('./sentences-de.ts'),
  es: async () => await import('./sentences-es.ts')
}

const catalogues: Readonly<Record<Language, Catalogue>> = { en: {}, de: {}, es: {} }
/** The parts of the pages that were opened: a language that is chosen later needs them too. */
const opened = new Set<TextPart>(['first'])
let current: Language = 'en'

async function load (language: Language, part: TextPart): Promise<void> {
  Object.assign(catalogues[language], await PARTS[part][language]())
}

/** Loads the texts of a part of the page, in the language of the page. */
export async function loadTexts (part: TextPart): Promise<void> {
  opened.add(part)
  await load(current, part)
}

/** Loads a part of the page together with its texts. */
export async function withTexts<P> (part: TextPart, page: Promise<P>): Promise<P> {
  const [loaded] = await Promise.all([page, loadTexts(part)])
  return loaded
}

const PLACE = 'stenobox.language'
const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(LANGUAGES, name)

/** The language that this browser remembers, else the first of its own that we know, else English. */
export function readLanguage (): Language {
  const stored = localStorage.getItem(PLACE)
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'
}

function createTexts (language: Language): Texts {
  const plurals = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return {
    language,
    t (key, values = {}) {
      const text = catalogues[language][key]
      if (text === undefined) {
        reportError(new Error(`The text ${key} is used by a page that does not load it.`))
        return key
      }
      const form = typeof text === 'string' ? text : text[plurals.select(Number(values['count'] ?? 0))] ?? text.other
      return form.replace(/\{(\w+)\}/g, (hole: string, name: string) => {
        const value = values[name]
        return typeof value === 'number' ? numbers.format(value) : value ?? hole
      })
    }
  }
}

/** Loads a language and tells the browser of it, for speech output and hyphenation. */
export async function startLanguage (language: Language = readLanguage()): Promise<Texts> {
  // One after another: a page that is opened meanwhile adds its part, and the loop comes to it.
  for (const part of opened) await load(language, part)
  current = language
  document.documentElement.lang = language
  return createTexts(language)
}

export const rememberLanguage = (language: Language): void => { localStorage.setItem(PLACE, language) }

export const TextsContext = createContext<(Texts & { change (language: Language): Promise<void> }) | undefined>(undefined)

export function useTexts () {
  const texts = useContext(TextsContext)
  if (!texts) throw new Error('useTexts outside App')
  return texts
}

/** A sentence of the appliance in the language of the page; in the appliance's own words if the page does not know it. */
export async function say (sentence: string): Promise<string> {
  // Without a connection the sentences cannot be loaded, and the appliance's own is better than none.
  const sentences = await SENTENCES[current]().catch(() => undefined)
  return sentences?.say(sentence) ?? sentence
}
