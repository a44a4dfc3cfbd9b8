/** The engine without a language model, on its thread. */
import t from 'tap'
import { ARTIFACT_MODES } from '../../../dist/domain/artifact.js'
import type { ArtifactSource } from '../../../dist/domain/artifact.js'
import { createExtractiveEngine, createExtractivePool } from '../../../dist/engine/text/extractive.js'
import { finishArtifact } from '../../../dist/formats/artifact.js'
import { makeLong, makeSource, readLibrary, readSpoken, readText, speak, talkTopicsMs } from '../../support/artifact-sources.ts'
import { findArtifactFaults, testArtifactEngine } from '../../support/contracts/artifact-engine.ts'

const pool = createExtractivePool()
const engine = createExtractiveEngine(pool)
t.teardown(pool.close)

const make = async (mode: typeof ARTIFACT_MODES[number], source: ArtifactSource) =>
  finishArtifact(mode, await engine.create(mode, source, new AbortController().signal), source)

t.test('it keeps the contract of engines', async (t) => {
  await testArtifactEngine(t, engine, {
    sources: {
      'a council meeting': () => readText('council', 'en'),
      'a German interview': () => readText('interview-de', 'de'),
      'a lecture': () => readText('lecture', 'en'),
      'a Spanish talk': () => readText('charla-es', 'es'),
      'a French talk': () => readText('talk-fr', 'fr'),
      'a Japanese lecture': () => readText('lecture-ja', 'ja'),
      'an hour with many topics': () => readLibrary(9000),
      'two hours': () => makeLong(2)
    }
  })
})

t.test('ten hours', async (t) => {
  const source = makeLong(10)
  for (const mode of ['chapters', 'show-notes'] as const) t.strictSame(findArtifactFaults(mode, await make(mode, source), source), [], mode)
})

t.test('chapters of the four-topic talk start where the topics change', async (t) => {
  const { chapters = [] } = await make('chapters', readSpoken('talk'))
  const truth = talkTopicsMs()
  t.equal(chapters.length, truth.length)
  for (const [index, startMs] of truth.entries()) {
    t.ok(Math.abs((chapters[index]?.startMs ?? Infinity) - startMs) < 10_000, `topic ${index + 1} starts at ${startMs} ms`)
  }
})

t.test('chapters of the council meeting are its items', async (t) => {
  const { chapters = [] } = await make('chapters', readText('council', 'en'))
  t.strictSame(chapters.map(({ title }) => title), [
    'The old bridge on Mill Road', 'The new library', 'Waste collection', 'The swimming pool', 'The summer festival'
  ])
})

t.test('chapters have the names that speakers give to their topics, in their languages', async (t) => {
  for (const [name, language, expected] of [
    ['charla-es', 'es', ['Cómo ahorrar agua en casa', 'Las averías', 'El oficio']],
    ['talk-fr', 'fr', ['Les chèvres', 'L\'eau', 'Les voisins']],
    ['lecture-ja', 'ja', ['お米', '味噌', '包丁の手入れ']]
  ] as const) {
    const titles = (await make('chapters', readText(name, language))).chapters?.map(({ title }) => title) ?? []
    t.strictSame(titles.filter((title) => expected.some((one) => one === title)), expected, titles.join('; '))
  }
})

t.test('a quote takes the sentence along that says the same words again', async (t) => {
  const [ask, said] = ['And so, my fellow Americans, ask not what your country can do for you.', 'Ask what you can do for your country.']
  const around = 'The roads were dry in the morning. We had bread and cheese at noon. A letter came from the north in the evening.'
  const source = makeSource({ language: 'en', title: 'speech', sentences: speak(`${around} ${ask} ${said} ${around}`) })
  const { quotes = [] } = await make('quotes', source)
  t.ok(quotes.some(({ text }) => text === `${ask} ${said}`), quotes.map(({ text }) => text).join(' / '))
})

t.test('no summary and no quote begins with a word for something that was said before', async (t) => {
  for (const [name, language] of [['council', 'en'], ['lecture', 'en'], ['interview-de', 'de'], ['charla-es', 'es'], ['talk-fr', 'fr']]) {
    const source = readText(name ?? '', language ?? '')
    const { quotes = [] } = await make('quotes', source)
    const { content } = await make('summary', source)
    for (const text of [content, ...quotes.map((quote) => quote.text)]) {
      t.notMatch(text, /^(?:It|They|He|She|This|That|And|But|So|After that|Er|Sie|Das|Und|Aber|Eso|Ello|Y|Pero|Elle|Ils?|Cela|Et|Mais)\b/)
    }
  }
})

t.test('fillers are said in quotes only', async (t) => {
  const source = readText('council', 'en')
  for (const mode of ['summary', 'thread', 'blog'] as const) t.notMatch((await make(mode, source)).content, /\bum\b|you know,/i, mode)
})

t.test('what it makes', async (t) => {
  const sources = {
    talk: readSpoken('talk'),
    council: readText('council', 'en'),
    lecture: readText('lecture', 'en'),
    interview: readText('interview-de', 'de'),
    spanish: readText('charla-es', 'es'),
    french: readText('talk-fr', 'fr'),
    japanese: readText('lecture-ja', 'ja'),
    'two sentences': readSpoken('es-1')
  }
  for (const [name, source] of Object.entries(sources)) {
    for (const mode of ARTIFACT_MODES) t.matchSnapshot((await make(mode, source)).content, `${mode} of ${name}`)
  }
})
