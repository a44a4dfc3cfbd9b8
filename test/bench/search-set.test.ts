/** The labelled retrieval set is large enough and consistent. */
import t from 'tap'
import { readSearchSet } from '../support/search-set.ts'
import type { Language } from '../support/search-set.ts'

const { transcripts, queries } = readSearchSet()
const passages = transcripts.flatMap(({ language, passages }) => passages.map((passage) => ({ ...passage, language })))

t.test('the set has the passages and queries that the figures of search are about', async (t) => {
  const LEAST: ReadonlyArray<[Language, number, number]> = [['en', 400, 150], ['es', 60, 30], ['de', 60, 30]]
  for (const [language, leastPassages, leastQueries] of LEAST) {
    t.ok(passages.filter((passage) => passage.language === language).length >= leastPassages, `${language}: passages`)
    const own = queries.filter((query) => query.language === language)
    t.ok(own.length >= leastQueries, `${language}: queries`)
    t.ok(own.filter(({ kind }) => kind === 'none').length >= 10, `${language}: queries without an answer`)
  }
})

t.test('every judgement names a passage of the same language, and only queries of kind none have no judgement', async (t) => {
  const languages = new Map(passages.map(({ id, language }) => [id, language]))
  const wrong = queries.filter(({ kind, relevant, language }) =>
    (kind === 'none') !== (relevant.length === 0) || relevant.some((id) => languages.get(id) !== language))
  t.strictSame(wrong, [])
})

t.test('no query and no passage appears twice', async (t) => {
  t.equal(new Set(queries.map(({ text }) => text.toLowerCase())).size, queries.length)
  t.equal(new Set(passages.map(({ text }) => text)).size, passages.length)
})

t.test('both halves have each kind of query in each language', async (t) => {
  const count = (half: number): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const { language, kind } of queries.filter((query) => query.half === half)) {
      counts[`${language} ${kind}`] = (counts[`${language} ${kind}`] ?? 0) + 1
    }
    return counts
  }
  const [first, second] = [count(0), count(1)]
  for (const [group, number] of Object.entries(first)) t.ok(Math.abs(number - (second[group] ?? 0)) <= 1, group)
})
