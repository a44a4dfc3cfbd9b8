/** The texts of the page: every key is used, and all languages fill in the same names. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

type Text = string | Readonly<Record<string, string>>
type Catalogue = Readonly<Record<string, Text>>
const FOLDER = 'src/dashboard'

/** By its address, so that the compiler of the tests, which knows no pages, does not follow it. */
async function readCatalogue (language: string): Promise<Catalogue> {
  const module = await import(new URL(`../../${FOLDER}/i18n/${language}.ts`, import.meta.url).href) as Record<string, Catalogue>
  return module[language] ?? {}
}

const [en, de, es] = [await readCatalogue('en'), await readCatalogue('de'), await readCatalogue('es')]
const KEYS = Object.keys(en)

/** The source of the page without its catalogues. */
const source = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/^i18n\/(?!index)/.test(name) && name !== 'api/schema.ts')
  .map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8')).join('\n')

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const toPattern = (text: string): RegExp => new RegExp(`^${text.split(/\$\{[^}]*\}/).map(escape).join('.+')}$`)

/** Keys that are written out, and patterns of those that are put together as in `settings.scope.${scope}`. */
const written = new Set([...source.matchAll(/'([\w-]+(?:\.[\w:-]+)+)'/g)].map(([, key]) => key))
const patterns = [...source.matchAll(/`((?:\$\{\w+\}|[\w-]+\.)[^`]*\$\{[^`]*|\$\{\w+\}[\w.]+)`/g)].map(([, text = '']) => toPattern(text))

const formsOf = (text: Text): string[] => typeof text === 'string' ? [text] : Object.values(text)
const namesIn = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort()
/** Names that every form of a text has; the count may be left out, as in "once". */
const namesOf = (text: Text): string[] => [...new Set(formsOf(text).flatMap(namesIn))].filter((name) => name !== 'count')

t.test('every text is used', async (t) => {
  t.strictSame(KEYS.filter((key) => !written.has(key) && !patterns.some((pattern) => pattern.test(key))), [])
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
