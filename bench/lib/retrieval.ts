/** Search of the labelled retrieval set through the real store, indexing and search. */
import { createSearch } from '../../dist/service/search.js'
import type { RankedPassage, Search } from '../../dist/service/search.js'
import type { Embedder } from '../../dist/engine/text/embedder.js'
import { queryTerms } from '../../dist/domain/search-terms.js'
import { createLibrary } from '../../dist/store/library.js'
import type { Database } from '../../dist/store/database.js'
import { openSteps } from '../../test/support/steps.ts'
import { nameOf } from '../../test/support/store.ts'
import type { LabelledQuery, LabelledTranscript, SearchSet } from '../../test/support/search-set.ts'

const OWNER = 'retrieval'
/** Speech of about 150 words a minute. */
const WORD_MS = 400
/** The default of a search. */
const LIMIT = 10
/** As many passages as search takes by words. */
const RANKED = 80

/** `words`: as search ranks passages by words. `BM25`: as the full-text index does, which has one owner here. */
export const METHODS = ['hybrid', 'vectors', 'words', 'BM25'] as const
export type Method = typeof METHODS[number]

/** Where a labelled passage is. */
type Place = { id: string, transcript: string, startMs: number, endMs: number }
type PassageRow = { id: number, jobId: number, startMs: number, endMs: number }
/** `label`: the labelled passage that a passage of the index is mostly made of. */
type Label = { transcript: string, label: string }
/** A passage of the index that search found. */
export type Found = RankedPassage & Label
/** `passages` and `transcripts`: ids, best first, by each way to search. */
export type Answer = {
  query: LabelledQuery
  found: Found[]
  passages: Record<Method, string[]>
  transcripts: Record<Method, string[]>
}

type Cleanup = { teardown: (run: () => void) => void, testdir: () => string }
/** What the store needs of a test: what to close at its end, and a folder. Tests pass their `t`. */
export type Holder = Parameters<typeof openSteps>[0] | Cleanup

type Steps = Awaited<ReturnType<typeof openSteps>>

/** Stores a transcript as transcription does, one segment for each labelled passage, and indexes it. */
async function addTranscript (
  steps: Steps, { title, language, passages }: LabelledTranscript
): Promise<{ jobId: number, places: Place[] }> {
  const jobId = steps.addDecodedJob(OWNER, 1, { fileName: nameOf(title), options: { sttQuality: 'balanced', language } })
  const claim = steps.claimWindow(steps.clock.now())
  if (!claim) throw new Error('no window to fill')
  let atMs = 0
  const segments = passages.map(({ text }) => {
    const startMs = atMs
    const words = text.split(' ').map((word, index) => ({
      text: ` ${word}`, startMs: startMs + WORD_MS * index, endMs: startMs + WORD_MS * (index + 1), probability: 1
    }))
    atMs = words.at(-1)?.endMs ?? startMs
    return { startMs, endMs: atMs, text: ` ${text}`, words }
  })
  steps.inTransaction(() => {
    steps.jobs.setDecoded(jobId, atMs, 0)
    steps.transcripts.insertWindow(jobId, 0, segments)
    steps.finishWindow(claim)
    steps.stages.transcribed(claim)
  })
  await steps.completeAll()
  return {
    jobId,
    places: passages.map(({ id }, index) => ({
      id, transcript: id.split('.')[0] ?? '', startMs: segments[index]?.startMs ?? 0, endMs: segments[index]?.endMs ?? 0
    }))
  }
}

const overlapMs = (a: { startMs: number, endMs: number }, b: { startMs: number, endMs: number }): number =>
  Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs)

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]

/** The labelled passage that each passage of the index is mostly made of. */
function labelAll (db: Database, places: ReadonlyMap<number, readonly Place[]>): Map<number, Label> {
  const passages = db.prepare<[], PassageRow>('SELECT id, job_id AS jobId, start_ms AS startMs, end_ms AS endMs FROM passage').all()
  return new Map(passages.map((passage) => {
    const [best] = (places.get(passage.jobId) ?? []).toSorted((a, b) => overlapMs(b, passage) - overlapMs(a, passage))
    return [passage.id, { transcript: best?.transcript ?? '', label: best?.id ?? '' }]
  }))
}

/** A function that ranks passages with all terms of a query as the full-text index does. */
function createBm25 (db: Database): (query: string) => number[] {
  const rank = db.prepare<[string, number], number>(`
    SELECT rowid FROM passage_terms WHERE passage_terms MATCH ? ORDER BY rank LIMIT ?
  `).pluck()
  return (query) => {
    const match = queryTerms(query).map((term) => `"${term}"`).join(' OR ')
    return match === '' ? [] : rank.all(match, RANKED)
  }
}

/** Indexes the transcripts of a set, and returns a function that searches them. `holder` closes the store. */
export async function openRetrieval (holder: Holder, embedder: Embedder, { transcripts }: Pick<SearchSet, 'transcripts'>) {
  const steps = await openSteps(holder as Parameters<typeof openSteps>[0], { embedder })
  const places = new Map<number, Place[]>()
  for (const transcript of transcripts) {
    const { jobId, places: own } = await addTranscript(steps, transcript)
    places.set(jobId, own)
  }
  const library = createLibrary(steps.db)
  const search: Search = createSearch({
    library: { listModels: async () => library.listModels(), find: async (query) => library.find(query) },
    embedderOf: (id) => embedder.model.id === id ? embedder : undefined,
    jobs: steps.jobs,
    log: { info () {}, warn () {}, error () {} }
  })
  const ownerId = steps.apiKeys.ensureOwner(OWNER, 0)
  const labels = labelAll(steps.db, places)
  const rankByBm25 = createBm25(steps.db)

  return {
    passageCount: labels.size,
    async ask (query: LabelledQuery): Promise<Answer> {
      const { ranked, byMeaning, byWords } = await search.rank(ownerId, { query: query.text, limit: LIMIT })
      const labelOf = (id: number): Label => labels.get(id) ?? { transcript: '', label: '' }
      const found = ranked.map((passage) => ({ ...passage, ...labelOf(passage.candidate.passageId) }))
      const lists: Record<Method, Label[]> = {
        hybrid: found, vectors: byMeaning.map(labelOf), words: byWords.map(labelOf), BM25: rankByBm25(query.text).map(labelOf)
      }
      const listIds = (key: keyof Label) =>
        Object.fromEntries(METHODS.map((method) => [method, unique(lists[method].map((one) => one[key]))])) as Record<Method, string[]>
      return { query, found, passages: listIds('label'), transcripts: listIds('transcript') }
    }
  }
}
