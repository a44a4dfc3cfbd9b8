/** Figures of search on the labelled retrieval set: how far up the right passages are, and what scores from 0.7 on are worth. */
import type { Table } from '../../dist/evaluate/report.js'
import { METHODS } from './retrieval.ts'
import type { Answer, Method } from './retrieval.ts'
import type { Believed, Case } from './fit.ts'

const DEPTH = 10
const BELIEVED = 0.7

/** Means over queries. `recall`: share of the relevant passages among the first ten. `mrr`: of 1 / rank of the first relevant one. */
export type Figures = { queries: number } & Record<Method, { recall: number, mrr: number }>

const transcriptOf = (passage: string): string => passage.split('.')[0] ?? ''
const relevantTranscripts = ({ query }: Answer): Set<string> => new Set(query.relevant.map(transcriptOf))

/** Figures of the queries that have relevant passages, over labelled passages or over transcripts. */
export function figuresOf (answers: readonly Answer[], unit: 'passages' | 'transcripts'): Figures {
  const asked = answers.filter(({ query }) => query.relevant.length > 0)
  const mean = (value: (answer: Answer, relevant: ReadonlySet<string>) => number): number =>
    asked.reduce((sum, answer) => {
      const relevant = unit === 'passages' ? new Set(answer.query.relevant) : relevantTranscripts(answer)
      return sum + value(answer, relevant)
    }, 0) / Math.max(1, asked.length)
  const of = (method: Method): { recall: number, mrr: number } => ({
    recall: mean((answer, relevant) => answer[unit][method].slice(0, DEPTH).filter((id) => relevant.has(id)).length / relevant.size),
    mrr: mean((answer, relevant) => {
      const index = answer[unit][method].findIndex((id) => relevant.has(id))
      return index === -1 ? 0 : 1 / (index + 1)
    })
  })
  return { queries: asked.length, hybrid: of('hybrid'), vectors: of('vectors'), words: of('words'), BM25: of('BM25') }
}

/** What results that score at least `least` are worth: one result for each transcript, as search shows them. */
export function believedOf (answers: readonly Answer[], least = BELIEVED): Believed {
  let [shown, right, relevant] = [0, 0, 0]
  for (const answer of answers) {
    const wanted = relevantTranscripts(answer)
    const results = new Set(answer.found.filter(({ score }) => score >= least).map(({ transcript }) => transcript))
    relevant += wanted.size
    shown += results.size
    right += [...results].filter((transcript) => wanted.has(transcript)).length
  }
  return { shown, right, relevant, precision: right / Math.max(1, shown), recall: right / Math.max(1, relevant) }
}

/** The answer to a query as the fit takes it. */
export const toCase = (answer: Answer): Case => ({
  relevant: relevantTranscripts(answer),
  found: answer.found.map(({ transcript, evidence }) => ({ transcript, evidence }))
})

/** One line for each group of answers, with the three ways to search side by side. */
export function toTable (title: string, groups: ReadonlyArray<[name: string, figures: Figures]>): Table {
  return {
    title,
    columns: ['queries', 'count', ...METHODS.flatMap((method) => [`${method} recall@10`, 'MRR'])],
    rows: groups.map(([name, figures]) => [
      name, figures.queries, ...METHODS.flatMap((method) => [figures[method].recall.toFixed(3), figures[method].mrr.toFixed(3)])
    ])
  }
}
