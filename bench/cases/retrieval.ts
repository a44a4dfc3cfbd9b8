/** Search of the labelled retrieval set: hybrid against vectors alone and words alone, and what scores from 0.7 on are worth. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createEmbedding } from '../../dist/engine/text/embedder.js'
import { formatPercent } from '../../dist/evaluate/report.js'
import type { Table } from '../../dist/evaluate/report.js'
import { openRetrieval } from '../lib/retrieval.ts'
import type { Answer } from '../lib/retrieval.ts'
import { believedOf, figuresOf, toTable } from '../lib/retrieval-figures.ts'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { LANGUAGES, QUERY_KINDS, readSearchSet } from '../../test/support/search-set.ts'

const PERCENT = 80
const LEAST_SCORES = [0.5, 0.6, 0.7, 0.8, 0.9]

export const retrieval: Benchmark = {
  name: 'retrieval',
  summary: 'search of a labelled set: recall and rank of hybrid, vectors and words; what scores from 0.7 on are worth',
  minutes: 2,
  run
}

/** Asks all queries of the set. */
export async function askAll ({ scratch, log }: Pick<BenchContext, 'scratch' | 'log'>): Promise<{ answers: Answer[], passages: number }> {
  const cleanups: Array<() => void> = []
  const embedding = createEmbedding()
  try {
    const embedder = embedding.current()
    if (!embedder) throw new Error('The bundled embedding model is missing.')
    const set = readSearchSet()
    log(`indexing ${set.transcripts.length} transcripts …`)
    const holder = { teardown: (run: () => void) => { cleanups.push(run) }, testdir: () => mkdtempSync(join(scratch, 'retrieval-')) }
    const { ask, passageCount } = await openRetrieval(holder, embedder, set)
    log(`${set.queries.length} queries …`)
    const answers: Answer[] = []
    for (const query of set.queries) answers.push(await ask(query))
    return { answers, passages: passageCount }
  } finally {
    for (const cleanup of cleanups) cleanup()
    await embedding.close()
  }
}

async function run (context: BenchContext): Promise<Report> {
  const { answers, passages } = await askAll(context)
  const groups = LANGUAGES.flatMap((language): Array<[string, Answer[]]> => {
    const own = answers.filter(({ query }) => query.language === language)
    const kinds = QUERY_KINDS.filter((kind) => kind !== 'none')
    return [
      [`${language}, all`, own],
      ...kinds.map((kind): [string, Answer[]] => [`${language}, ${kind}`, own.filter(({ query }) => query.kind === kind)])
    ]
  })
  const totals = groups.filter(([name]) => name.endsWith('all'))
  const checked = answers.filter(({ query }) => query.half === 1)
  const english = believedOf(checked.filter(({ query }) => query.language === 'en'))
  return {
    result: `English, the half that was not used to fit: ${formatPercent(english.precision)} of the results from 0.7 on are relevant, ` +
      `and ${formatPercent(english.recall)} of the relevant are among them.`,
    passed: 100 * english.precision >= PERCENT && 100 * english.recall >= PERCENT,
    tables: [
      toTable('By labelled passage', groups.map(([name, own]) => [name, figuresOf(own, 'passages')])),
      toTable('By transcription', totals.map(([name, own]) => [name, figuresOf(own, 'transcripts')])),
      toBelieved(checked),
      toCurve(checked.filter(({ query }) => query.language === 'en'))
    ],
    notes: [
      `${passages} passages in the index. Recall and MRR are over all queries that have an answer.`,
      'Words: the ranking by words that search uses. BM25: that of FTS5 over the same passages, with all terms of the query.',
      'The bundled model knows English only: in other languages, words decide.'
    ],
    figures: { groups: groups.map(([name, own]) => ({ name, ...figuresOf(own, 'passages') })), english }
  }
}

function toBelieved (checked: readonly Answer[]): Table {
  return {
    title: 'Results from 0.7 on, queries that were not used to fit',
    columns: ['language', 'shown', 'relevant of these', 'share', 'relevant in the library', 'share shown', 'shown without an answer'],
    rows: LANGUAGES.map((language) => {
      const own = checked.filter(({ query }) => query.language === language)
      const { shown, right, relevant, precision, recall } = believedOf(own)
      const none = believedOf(own.filter(({ query }) => query.kind === 'none'))
      return [language, shown, right, formatPercent(precision), relevant, formatPercent(recall), none.shown]
    })
  }
}

/** What a caller gets who asks for another least score. */
function toCurve (english: readonly Answer[]): Table {
  return {
    title: 'English, by least score, queries that were not used to fit',
    columns: ['least score', 'shown', 'share that is relevant', 'share of the relevant that is shown'],
    rows: LEAST_SCORES.map((least) => {
      const { shown, precision, recall } = believedOf(english, least)
      return [least.toFixed(1), shown, formatPercent(precision), formatPercent(recall)]
    })
  }
}
