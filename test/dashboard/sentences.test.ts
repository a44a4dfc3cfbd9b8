/** What the appliance says, in the language of the page. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { FAILURE_CODES, FAILURE_MESSAGES } from '../../dist/domain/errors.js'
import { explainSpeakersFailure } from '../../dist/domain/warnings.js'

type Sentences = Readonly<Record<string, string>>
/** By their addresses, so that the compiler of the tests, which knows no pages, does not follow them. */
const load = async (name: string): Promise<unknown> => await import(new URL(`../../src/dashboard/i18n/${name}.ts`, import.meta.url).href)
const { createSay } = await load('sentences') as { createSay (sentences: Sentences): (sentence: string) => string }
const read = async (language: string): Promise<Sentences> => (await load(`sentences-${language}`) as { sentences: Sentences }).sentences
const [en, de, es] = [await read('en'), await read('de'), await read('es')]

/** Put together from parts that other sentences share. */
const JOINED = /^The \{count\} (requests|minutes)/
/** Rules of the schema check, which are not ours. */
const RULES = /^must (NOT|match)/

const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()

t.test('a sentence is translated, and filled in', async (t) => {
  const say = createSay(de)
  t.equal(say('The name or the password is wrong.'), 'Der Name oder das Passwort ist falsch.')
  const wanted = 'Zu viele falsche Passwörter. Versuchen Sie es in 12 Minuten noch einmal.'
  t.equal(say('Too many wrong passwords. Try again in 12 minutes.'), wanted)
})

t.test('a rule keeps the field before it, by which a form finds its place', async (t) => {
  t.equal(createSay(es)('password: must NOT have fewer than 12 characters'), 'password: Se necesitan al menos 12 caracteres.')
})

t.test('a reason is translated with and without a full stop, also where it ends with what is filled in', async (t) => {
  const say = createSay(de)
  t.equal(say('the archive is damaged or cut short'), 'Das Archiv ist beschädigt oder unvollständig')
  t.equal(say('the archive is damaged or cut short.'), 'Das Archiv ist beschädigt oder unvollständig.')
  t.equal(say('the archive ends before en/a.bin.'), 'Das Archiv ist unvollständig: en/a.bin fehlt.')
  t.equal(say('the archive\'s models.json is damaged, or from another version of Stenobox.'),
    'models.json im Archiv ist beschädigt oder stammt aus einer anderen Version von Stenobox.')
})

t.test('an unknown sentence stays as it is', async (t) => {
  t.equal(createSay(de)('url: must be blue'), 'url: must be blue')
  t.equal(createSay(de)('toString'), 'toString')
})

t.test('every reason of a failure is known in German and in Spanish', async (t) => {
  for (const sentence of [...Object.values(FAILURE_MESSAGES), ...FAILURE_CODES.map(explainSpeakersFailure)]) {
    t.ok(sentence in de && sentence in es, sentence)
  }
})

t.test('all languages know the same sentences, and fill in what these have', async (t) => {
  t.strictSame(Object.keys(de).sort(), Object.keys(es).sort())
  for (const [from, to] of [en, de, es].flatMap((sentences) => Object.entries(sentences))) {
    t.ok(namesIn(to).every((name) => namesIn(from).includes(name)), to)
  }
})

t.test('the appliance still says every sentence', async (t) => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && !name.includes('i18n'))
  const source = files.map((name) => readFileSync(`src/${name}`, 'utf8')).join('\n')
    .replace(/' \+\n\s*'/g, '').replace(/\$\{\w+ === 1 \? '' : 's'\}/g, 's').replace(/\$\{[^}]*\}/g, '{}').replaceAll('\\`', '`')
  const isSaid = (sentence: string): boolean => source.includes(sentence.replace(/\{\w+\}/g, '{}').replace(/minute\.$/, 'minutes.'))
  t.strictSame(Object.keys(de).filter((sentence) => !JOINED.test(sentence) && !RULES.test(sentence) && !isSaid(sentence)), [])
})
