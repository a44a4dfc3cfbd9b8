/** The language of the page: one catalogue, chosen by the person or by the browser. Another language is loaded when it is chosen. */
import { createContext, useContext } from 'react'
import { en } from './en.ts'
import type { Plural } from './en.ts'

export type TextKey = keyof typeof en
/** Where English has plural forms, every language has them. */
export type Catalogue = { readonly [K in TextKey]: (typeof en)[K] extends string ? string : Plural }
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español' } as const
export type Language = keyof typeof LANGUAGES
type Values = Readonly<Record<string, string | number>>

export type Texts = {
  language: Language
  /** The text of a key, with its `{names}` filled in; `count` chooses the plural form. Numbers are written as in the language. */
  t (key: TextKey, values?: Values): string
}

const PLACE = 'stenobox.language'
const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(LANGUAGES, name)

/** The language that this browser remembers, else the first of its own that we know, else English. */
export function readLanguage (): Language {
  const stored = localStorage.getItem(PLACE)
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'
}

async function loadCatalogue (language: Language): Promise<Catalogue> {
  if (language === 'de') return (await import('./de.ts')).de
  if (language === 'es') return (await import('./es.ts')).es
  return en
}

export function createTexts (language: Language, catalogue: Catalogue): Texts {
  const plurals = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return {
    language,
    t (key, values = {}) {
      const text: string | Plural = catalogue[key]
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
  const texts = createTexts(language, await loadCatalogue(language))
  document.documentElement.lang = language
  return texts
}

export const rememberLanguage = (language: Language): void => { localStorage.setItem(PLACE, language) }

export const TextsContext = createContext<(Texts & { change (language: Language): Promise<void> }) | undefined>(undefined)

export function useTexts () {
  const texts = useContext(TextsContext)
  if (!texts) throw new Error('useTexts outside App')
  return texts
}
