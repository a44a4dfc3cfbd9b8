/**
 * Search of the labelled set stays as good as it is, on the queries that the score was not fitted to. The floors are a few points below
 * what was measured; docs/decisions/0081-passages.md has the figures.
 */
import t from 'tap'
import { createEmbedding } from '../../dist/engine/text/embedder.js'
import { openRetrieval } from '../../bench/lib/retrieval.ts'
import type { Answer } from '../../bench/lib/retrieval.ts'
import { believedOf, figuresOf } from '../../bench/lib/retrieval-figures.ts'
import { LANGUAGES, readSearchSet } from '../support/search-set.ts'
import type { Language } from '../support/search-set.ts'

/** `precision`, `share`: of results from 0.7 on that are relevant; of the relevant that are among them. */
const FLOORS: Readonly<Record<Language, { recall: number, mrr: number, precision: number, share: number }>> = {
  en: { recall: 0.86, mrr: 0.7, precision: 0.78, share: 0.77 },
  es: { recall: 0.66, mrr: 0.56, precision: 0.6, share: 0.49 },
  de: { recall: 0.71, mrr: 0.46, precision: 0.76, share: 0.48 }
}

t.test('the right passages are found, far up, with scores that can be believed', { timeout: 600_000 }, async (t) => {
  const embedding = createEmbedding()
  t.teardown(async () => { await embedding.close() })
  const embedder = embedding.current()
  if (!embedder) throw new Error('the bundled model is missing')
  const set = readSearchSet()
  const { ask } = await openRetrieval(t, embedder, set)
  const answers: Answer[] = []
  for (const query of set.queries.filter(({ half }) => half === 1)) answers.push(await ask(query))
  for (const language of LANGUAGES) {
    const own = answers.filter(({ query }) => query.language === language)
    const { hybrid, vectors, words } = figuresOf(own, 'passages')
    const { precision, recall: share } = believedOf(own)
    t.comment(`${language}: ${JSON.stringify({ hybrid, vectors, words, precision, share })}`)
    const floor = FLOORS[language]
    t.ok(hybrid.recall >= floor.recall, `${language}: recall@10 ${hybrid.recall}`)
    t.ok(hybrid.mrr >= floor.mrr, `${language}: MRR ${hybrid.mrr}`)
    t.ok(precision >= floor.precision, `${language}: ${precision} of the results from 0.7 on are relevant`)
    t.ok(share >= floor.share, `${language}: ${share} of the relevant are among them`)
    t.ok(hybrid.recall >= Math.max(vectors.recall, words.recall) - 0.02, `${language}: both together are not worse than one alone`)
  }
})
