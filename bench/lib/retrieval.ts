/** Search of the labelled retrieval set through the real store, indexing and search. */
import { createSearch } from '../../dist/service/search.js'
import type { RankedPassage, Search } from '../../dist/service/search.js'
import type { Embedder } from '../../dist/engine/text/embedder.js'
import { createLibrary } from '../../dist/store/library.js'
import { openSteps } from '../../test/support/steps.ts'
import { nameOf } from '../../test/support/store.ts'
import type { LabelledQuery, LabelledTranscript, SearchSet } from '../../test/support/search-set.ts'

const OWNER = 'retrieval'
/** Speech of about 150 words a minute. */
const WORD_MS = 400
/** The default of a search. */
const LIMIT = 10

export const METHODS = ['hybrid', 'vectors', 'words'] as const
export type Method = typeof METHODS[number]

/** Where a labelled passage is. */
type Place = { id: string, transcript: string, startMs: number, endMs: number }
/** A passage of the index that search found. `label`: the labelled passage that it is mostly made of. */
export type Found = RankedPassage & { transcript: string, label: string }
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

  function label (passage: RankedPassage): Found {
    const { jobId, startMs, sentences } = passage.candidate
    const span = { startMs, endMs: sentences.at(-1)?.endMs ?? startMs }
    const [best] = (places.get(jobId) ?? []).toSorted((a, b) => overlapMs(b, span) - overlapMs(a, span))
    return { ...passage, transcript: best?.transcript ?? '', label: best?.id ?? '' }
  }

  return {
    passageCount: steps.db.prepare<[], { total: number }>('SELECT count(*) AS total FROM passage').get()?.total ?? 0,
    async ask (query: LabelledQuery): Promise<Answer> {
      const { ranked, byMeaning, byWords } = await search.rank(ownerId, { query: query.text, limit: LIMIT })
      const found = ranked.map(label)
      const byId = new Map(found.map((passage) => [passage.candidate.passageId, passage]))
      const pick = (ids: readonly number[]): Found[] => ids.flatMap((id) => byId.get(id) ?? [])
      const lists: Record<Method, Found[]> = { hybrid: found, vectors: pick(byMeaning), words: pick(byWords) }
      const listIds = (key: 'label' | 'transcript'): Record<Method, string[]> => ({
        hybrid: unique(lists.hybrid.map((passage) => passage[key])),
        vectors: unique(lists.vectors.map((passage) => passage[key])),
        words: unique(lists.words.map((passage) => passage[key]))
      })
      return { query, found, passages: listIds('label'), transcripts: listIds('transcript') }
    }
  }
}
