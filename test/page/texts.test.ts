/** The texts of the page: every key is used, and all languages fill in the same names. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

type Text = string | Readonly<Record<string, string>>
type Catalogue = Readonly<Record<string, Text>>
const FOLDER = 'src/dashboard'

/** Parts of the texts that pages bring, besides those of every page, which hold the library's. */
const PARTS = readdirSync(`${FOLDER}/i18n`, { withFileTypes: true })
  .flatMap((entry) => entry.isDirectory() && entry.name !== 'library' ? [entry.name] : [])

/** By its address, so that the compiler of the tests, which knows no pages, does not follow it. */
async function readTexts (file: string, name: string): Promise<Catalogue> {
  const module = await import(new URL(`../../${FOLDER}/i18n/${file}.ts`, import.meta.url).href) as Record<string, Catalogue>
  return module[name] ?? {}
}

async function readCatalogue (language: string): Promise<Catalogue> {
  const parts = await Promise.all(PARTS.map(async (part) => await readTexts(`${part}/${language}`, part)))
  return Object.assign({}, await readTexts(language, language), ...parts) as Catalogue
}

const [en, de, es] = [await readCatalogue('en'), await readCatalogue('de'), await readCatalogue('es')]
const KEYS = Object.keys(en)

/** The source of the page without its catalogues. */
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/^i18n\/(?!index)/.test(name) && name !== 'api/schema.ts')
  .map((name) => ({ name, source: readFileSync(`${FOLDER}/${name}`, 'utf8') }))

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const toPattern = (text: string): RegExp => new RegExp(`^${text.split(/\$\{[^}]*\}/).map(escape).join('.+')}$`)

/** Keys that are written out. */
const writtenIn = (source: string): string[] => [...source.matchAll(/'([\w-]+(?:\.[\w:-]+)+)'/g)].map(([, key = '']) => key)
/** Keys that are put together, as in `settings.scope.${scope}`. */
const joinedIn = (source: string): string[] =>
  [...source.matchAll(/`((?:\$\{\w+\}|[\w-]+\.)[^`]*\$\{[^`]*|\$\{\w+\}[\w.]+)`/g)].map(([, text = '']) => text)

const formsOf = (text: Text): string[] => typeof text === 'string' ? [text] : Object.values(text)
const namesIn = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort()
/** Names that every form of a text has; the count may be left out, as in "once". */
const namesOf = (text: Text): string[] => [...new Set(formsOf(text).flatMap(namesIn))].filter((name) => name !== 'count')

t.test('every text is used', async (t) => {
  const written = new Set(sources.flatMap(({ source }) => writtenIn(source)))
  const patterns = sources.flatMap(({ source }) => joinedIn(source).map(toPattern))
  t.strictSame(KEYS.filter((key) => !written.has(key) && !patterns.some((pattern) => pattern.test(key))), [])
})

/** The files that are loaded with a part of the texts. */
const LOADED_WITH: Readonly<Record<string, RegExp>> = {
  admin: /^admin\//, options: /^recordings\/(OptionsDialog|OptionFields|NextLine|AddressDialog)\./,
  search: /^library\/(FilterChips|FiltersButton|FiltersDialog|SearchResults)\./, settings: /^settings\//, transcript: /^transcript\//,
  setup: /^account\/(SetupPage|FirstAccountForm|InstalledStep)\./
}

t.test('a text is used only by pages that load it', async (t) => {
  t.strictSame([...PARTS].sort(), Object.keys(LOADED_WITH).sort())
  const used = sources.map(({ name, source }) => {
    const patterns = joinedIn(source).filter((text) => !text.startsWith('$')).map(toPattern)
    const written = new Set(writtenIn(source))
    return { name, isUsed: (key: string): boolean => written.has(key) || patterns.some((pattern) => pattern.test(key)) }
  })
  for (const [part, files] of Object.entries(LOADED_WITH)) {
    const keys = Object.keys(await readTexts(`${part}/en`, part))
    const others = used.filter(({ name }) => !files.test(name))
    t.strictSame(others.flatMap(({ name, isUsed }) => keys.filter(isUsed).map((key) => `${name}: ${key}`)), [], part)
  }
})

t.test('all languages have the same keys and fill in the same names', async (t) => {
  t.ok(KEYS.length > 0)
  for (const [language, catalogue] of Object.entries({ de, es })) {
    t.strictSame(Object.keys(catalogue).sort(), [...KEYS].sort(), language)
    const isOther = (key: string): boolean => namesOf(catalogue[key] ?? '').join() !== namesOf(en[key] ?? '').join()
    t.strictSame(KEYS.filter(isOther), [], language)
  }
})

/** The texts of all languages that have a form for which this holds. */
const textsWith = (isWrong: (form: string, text: Text) => boolean): string[] => [en, de, es].flatMap((catalogue) =>
  Object.entries(catalogue)
    .flatMap(([key, text]) => formsOf(text).some((form) => isWrong(form, text)) ? [`${key}: ${formsOf(text).join(' | ')}`] : []))

t.test('every form of a plural fills in the same names', async (t) => {
  const named = (form: string): string => namesIn(form).filter((name) => name !== 'count').join()
  t.strictSame(textsWith((form, text) => named(form) !== named(formsOf(text)[0] ?? '')), [])
})

t.test('no text has a space at its ends or two in a row', async (t) => {
  t.strictSame(textsWith((form) => /^\s|\s$|\s\s/.test(form)), [])
})
