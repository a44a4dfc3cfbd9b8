/** Search of an owner's library: by words and by meaning, one best passage of each transcription. */
import { AppError } from '../domain/errors.js'
import { parseLanguage } from '../domain/language.js'
import { knowsLanguage, similarityOf } from '../domain/embedding.js'
import { shownTitle } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import type { Candidate, LibraryFilter, LibraryReader } from '../domain/library-search.js'
import type { Log } from '../domain/log.js'
import { createMatcher } from '../domain/near-terms.js'
import type { Matcher } from '../domain/near-terms.js'
import { fuseRanks, logOddsOf, relevanceOf } from '../domain/relevance.js'
import type { Evidence } from '../domain/relevance.js'
import { queryTerms } from '../domain/search-terms.js'
import { makeSnippet } from '../domain/snippet.js'
import type { Highlight } from '../domain/snippet.js'
import { toShownSource } from '../domain/source.js'
import type { Embedder } from '../engine/text/embedder.js'
import type { JobStore } from '../store/jobs.js'
import { createSentenceFinder } from './matching-sentence.js'
import { createTurns } from './turns.js'

export const SEARCH_LIMIT = { min: 1, max: 50, default: 10 } as const
export const DEFAULT_MIN_SCORE = 0.7

/** Candidates of each kind of search: for one result, several passages of the same transcription may be ahead of the next one. */
const wantedFor = (limit: number): number => 40 + 4 * limit

export type SearchRequest = { query: string, limit?: number, minScore?: number, filter?: LibraryFilter }

/** `score`: 0..1, the probability that the passage is about the query. `timestampMs`: the start of the matching sentence. */
export type SearchHit = {
  transcriptionId: number
  score: number
  snippet: string
  highlights: Highlight[]
  title: string
  sourceUrl: string | undefined
  timestampMs: number
}

/** A passage with its evidence, for the calibration. */
export type RankedPassage = { candidate: Candidate, evidence: Evidence, fused: number, score: number }

type Deps = {
  library: LibraryReader
  /** The embedder of a model, if it is installed. */
  embedderOf: (model: string) => Embedder | undefined
  jobs: Pick<JobStore, 'findOwned'>
  log: Log
}

/** Languages are stored as Whisper's codes. Throws `invalid_request`. */
function toStored ({ language, sourceUrl, ...filter }: LibraryFilter): LibraryFilter {
  return {
    ...filter,
    language: language === undefined ? undefined : parseLanguage(language),
    sourceUrl: sourceUrl === undefined ? undefined : toShownSource(sourceUrl)
  }
}

/** The log-odds of the best passage of each transcription, best first. */
function listBest (passages: ReadonlyArray<Pick<RankedPassage, 'candidate' | 'evidence'>>): Array<{ jobId: number, logOdds: number }> {
  const best = new Map<number, number>()
  for (const { candidate: { jobId }, evidence } of passages) {
    best.set(jobId, Math.max(best.get(jobId) ?? -Infinity, logOddsOf(evidence)))
  }
  return [...best].map(([jobId, logOdds]) => ({ jobId, logOdds })).sort((a, b) => b.logOdds - a.logOdds)
}

type Shown = { passage: RankedPassage, job: Job }

export function createSearch ({ library, embedderOf, jobs, log }: Deps) {
  const inTurn = createTurns()

  /** The vectors of a query by the models of the library. A model that fails leaves the search to words. */
  async function embed (query: string): Promise<Array<{ model: string, vector: Float32Array }>> {
    const vectors: Array<{ model: string, vector: Float32Array }> = []
    for (const model of await library.listModels()) {
      try {
        const [vector] = await embedderOf(model)?.embed([query], 'query') ?? []
        if (vector) vectors.push({ model, vector })
      } catch (error) {
        log.warn({ model, err: error }, 'the query has no vector, so words alone are searched')
      }
    }
    return vectors
  }

  function weigh (candidate: Candidate, match: Matcher): Evidence {
    const { similarity: cosine, context, model: name, language } = candidate
    const model = cosine === undefined || name === undefined ? undefined : embedderOf(name)?.model
    const toSimilarity = (given: number | undefined): number | undefined =>
      given === undefined ? undefined : similarityOf(given, model ?? {})
    const isFluent = knowsLanguage(model ?? {}, language)
    return { similarity: toSimilarity(cosine), context: toSimilarity(context), ...match(candidate.text, language), isFluent }
  }

  /** Passages that may answer the query, the best first. Several may belong to one transcription. */
  async function rank (ownerId: number, { query, limit = SEARCH_LIMIT.default, filter = {} }: SearchRequest) {
    const vectors = await embed(query)
    const finding = await library.find({
      ownerId, terms: queryTerms(query), vectors, filter: toStored(filter), wanted: wantedFor(limit)
    })
    const fused = fuseRanks([finding.byMeaning, finding.byWords])
    const match = createMatcher(finding.rarities, finding.missing)
    const weighed = finding.candidates.map((candidate) => ({ candidate, evidence: weigh(candidate, match) }))
    const best = listBest(weighed)
    const ranked = weighed.map(({ candidate, evidence }): RankedPassage => {
      const rivals = best.flatMap(({ jobId, logOdds }) => jobId === candidate.jobId ? [] : [logOdds])
      return { candidate, evidence, fused: fused.get(candidate.passageId) ?? 0, score: relevanceOf(evidence, rivals) }
    })
    const { byWords, byMeaning, rarities } = finding
    return { ranked: ranked.sort((a, b) => b.score - a.score || b.fused - a.fused), byWords, byMeaning, rarities, vectors }
  }

  function toHit ({ passage: { candidate, score }, job }: Shown, sentence: number, rarities: ReadonlyMap<string, number>): SearchHit {
    const { text, sentences } = candidate
    const snippet = makeSnippet(text, sentences, sentence, new Set(rarities.keys()))
    return {
      transcriptionId: job.id,
      score: Math.round(1000 * score) / 1000,
      snippet: snippet.text,
      highlights: snippet.highlights,
      title: shownTitle(job),
      sourceUrl: job.source?.url,
      timestampMs: sentences[sentence]?.startMs ?? candidate.startMs
    }
  }

  /** The best passage of each transcription that still exists. */
  function choose (ownerId: number, ranked: readonly RankedPassage[], minScore: number, limit: number): Shown[] {
    const chosen = new Map<number, Shown>()
    for (const passage of ranked) {
      const { jobId } = passage.candidate
      if (passage.score < minScore || chosen.size >= limit) break
      if (chosen.has(jobId)) continue
      const job = jobs.findOwned(jobId, ownerId)
      if (job) chosen.set(jobId, { passage, job })
    }
    return [...chosen.values()]
  }

  return {
    rank,
    /** The best passage of each transcription that scores at least `minScore`, best first. Throws `invalid_request` for an empty query. */
    async search (ownerId: number, request: SearchRequest): Promise<SearchHit[]> {
      const { limit = SEARCH_LIMIT.default, minScore = DEFAULT_MIN_SCORE } = request
      const query = request.query.trim()
      if (query === '') throw new AppError('invalid_request', 'The query is empty. Say what to look for.')
      return await inTurn(ownerId, async () => {
        const { ranked, rarities, vectors } = await rank(ownerId, { ...request, query })
        const findSentence = createSentenceFinder({ embedderOf, log }, { rarities, vectors })
        const hits: SearchHit[] = []
        for (const shown of choose(ownerId, ranked, minScore, limit)) {
          hits.push(toHit(shown, await findSentence(shown.passage.candidate), rarities))
        }
        return hits
      })
    }
  }
}
export type Search = ReturnType<typeof createSearch>
