import { readFileSync } from 'node:fs'
import t from 'tap'
import { AppError } from '../../dist/domain/errors.js'
import { assignLanguages, averagePosteriors, languageSamples, parseLanguage, toIsoCode, voteLanguage } from '../../dist/domain/language.js'

/** Code and name of every language, as whisper.cpp itself lists them. */
function listWhisperLanguages (): Array<[code: string, name: string]> {
  const source = readFileSync(new URL('../../node_modules/nodejs-whisper/cpp/whisper.cpp/src/whisper.cpp', import.meta.url), 'utf8')
  const table = /g_lang = \{(.*?)\n\};/s.exec(source)?.[1] ?? ''
  return [...table.matchAll(/\{ "(\w+)",\s*\{ \d+,\s*"([\w ]+)",?\s*\} \}/g)].map(([, code = '', name = '']) => [code, name])
}

t.test('every language of Whisper is known by its code and its name', async (t) => {
  const languages = listWhisperLanguages()
  t.equal(languages.length, 100)
  for (const [code, name] of languages) {
    t.equal(parseLanguage(code), code)
    t.equal(parseLanguage(name), code, name)
  }
})

t.test('case, space and region make no difference', async (t) => {
  for (const text of ['de', 'DE', ' German ', 'GERMAN', 'de-AT', 'de_CH', 'de-Latn-DE']) t.equal(parseLanguage(text), 'de', text)
  t.equal(parseLanguage('zh-Hant'), 'zh')
  t.equal(parseLanguage('Haitian Creole'), 'ht')
})

t.test('other codes and names of a language', async (t) => {
  const aliases = {
    jv: 'jw',
    iw: 'he',
    in: 'id',
    nb: 'no',
    'nb-NO': 'no',
    fil: 'tl',
    filipino: 'tl',
    mandarin: 'zh',
    castilian: 'es',
    valencian: 'ca',
    flemish: 'nl',
    burmese: 'my',
    moldovan: 'ro',
    moldavian: 'ro',
    panjabi: 'pa',
    pushto: 'ps',
    sinhalese: 'si',
    letzeburgesch: 'lb',
    haitian: 'ht'
  }
  for (const [alias, code] of Object.entries(aliases)) t.equal(parseLanguage(alias), code, alias)
})

t.test('auto means: detect it', async (t) => {
  t.equal(parseLanguage('auto'), undefined)
  t.equal(parseLanguage(' AUTO '), undefined)
})

t.test('anything else is refused, with the name of the field', async (t) => {
  for (const text of ['', ' ', 'xx', 'klingon', '-', '_', 'constructor', '__proto__', 'toString', 'de,en', 'e\u0000n']) {
    const error = t.throws(
      () => parseLanguage(text),
      { name: 'AppError', code: 'invalid_request', message: /^language: / },
      JSON.stringify(text)
    )
    t.ok(error instanceof AppError)
  }
})

t.test('a transcript carries the ISO code', async (t) => {
  t.equal(toIsoCode('jw'), 'jv')
  t.equal(toIsoCode('en'), 'en')
  for (const [code] of listWhisperLanguages()) t.match(toIsoCode(code), /^(?:[a-z]{2}|haw|yue)$/)
  t.equal(parseLanguage(toIsoCode('jw')), 'jw', 'and what it carries can be given back')
})

t.test('the language with the highest mean over the samples wins, not the highest single one', async (t) => {
  const first = [{ language: 'en', probability: 0.9 }, { language: 'de', probability: 0.1 }]
  const second = [{ language: 'de', probability: 0.7 }, { language: 'en', probability: 0.2 }, { language: 'nl', probability: 0.1 }]
  t.equal(voteLanguage([first]), 'en')
  t.equal(voteLanguage([second]), 'de')
  t.equal(voteLanguage([first, second, second]), 'de')
  t.equal(voteLanguage([first, second]), 'en')
  t.equal(voteLanguage([]), 'en', 'without a sample it is what most models know best')
})

t.test('up to three windows are sampled, spread over the recording', async (t) => {
  t.strictSame([0, 1, 2, 3].map(languageSamples), [[], [0], [0, 1], [0, 1, 2]])
  for (let count = 4; count < 500; count++) {
    const samples = languageSamples(count)
    const [first = -1, second = -1, third = -1] = samples
    t.ok(samples.length === 3 && first >= 0 && first < second && second < third && third < count, `${count}: ${samples.join(', ')}`)
  }
  t.strictSame(languageSamples(600), [100, 300, 500], 'one in the middle of each third')
})

const says = (speechMs: number, ...likely: Array<[language: string, probability: number]>) =>
  ({ speechMs, posteriors: likely.map(([language, probability]) => ({ language, probability })) })
const ENGLISH = [{ language: 'en', probability: 0.9 }, { language: 'de', probability: 0.1 }]

t.test('a sentence in another language is told from one odd phrase', async (t) => {
  const around = says(3000, ['en', 0.99])
  t.same(assignLanguages([around, says(4000, ['de', 0.99]), around], ENGLISH), ['en', 'de', 'en'])
  t.same(assignLanguages([around, says(1200, ['he', 0.78]), around], ENGLISH), ['en', 'en', 'en'], 'a name, say')
  t.same(assignLanguages([around, says(200), around], ENGLISH), ['en', 'en', 'en'], 'a phrase that tells nothing goes with its neighbours')
})

t.test('short phrases of one language make up a sentence together', async (t) => {
  const phrases = [
    says(2000, ['en', 0.99]), says(2200, ['es', 0.98]), says(1300, ['es', 0.7]), says(2100, ['es', 0.4], ['pt', 0.4]),
    says(2000, ['en', 0.95])
  ]
  t.same(assignLanguages(phrases, ENGLISH), ['en', 'es', 'es', 'es', 'en'])
})

t.test('without phrases there is nothing to assign, without a prior the phrases decide', async (t) => {
  t.same(assignLanguages([], ENGLISH), [])
  t.same(assignLanguages([says(2000, ['fr', 0.9])], []), ['fr'])
})

t.test('samples are averaged, likeliest first', async (t) => {
  const averaged = averagePosteriors([
    [{ language: 'en', probability: 1 }], [{ language: 'de', probability: 0.8 }, { language: 'en', probability: 0.2 }]
  ])
  t.same(averaged, [{ language: 'en', probability: 0.6 }, { language: 'de', probability: 0.4 }])
  t.same(averagePosteriors([]), [])
})
