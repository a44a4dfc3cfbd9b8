/** Indexes transcripts for search. An index that fails never fails the transcript. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Sentence } from '../domain/artifact.js'
import { EmbeddingError } from '../domain/embedding.js'
import { isNoRoom } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import { toPassages, toStretches } from '../domain/passages.js'
import type { CountedSentence, Passage } from '../domain/passages.js'
import { toSentences } from '../domain/sentences.js'
import type { WorkClaim } from '../domain/work.js'
import type { Embedder } from '../engine/text/embedder.js'
import type { InTransaction } from '../store/database.js'
import type { JobStore } from '../store/jobs.js'
import type { IndexedPassage, PassageStore } from '../store/passages.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { WorkOrders } from '../store/work-orders.js'
import type { WorkStore } from '../store/work.js'
import type { Queue } from './queue.js'
import { collectInSlices, workFor } from './slices.js'
import type { Stages } from './stages.js'

/** Tokens of a passage: one to three sentences. The vector of a longer passage mixes its subjects, and is near to no query about one. */
const PASSAGE_TOKENS = 40
/** An index that failed is tried again after this time. */
const RETRY_MS = 60 * 60_000
/** Jobs of the library that are queued for indexing at once. */
const STALE_AT_ONCE = 8
/** How long after an edit a transcript is indexed again. */
const EDIT_DELAY_MS = 5000
/** A piece that was begun this often, and has ended the process each time, makes no more vectors. */
const MAX_ATTEMPTS = 4
/** Other requests get a turn after so many ms of storing, and the stretch that is begun. Merging and committing take as long again. */
const SLICE_MS = 4
/** Characters of a token, roughly, where no model counts them. */
const CHARACTERS_PER_TOKEN = 4

type Deps = {
  jobs: Pick<JobStore, 'find'>
  transcripts: Pick<TranscriptStore, 'iterate'>
  passages: Pick<PassageStore, 'add' | 'show' | 'removeHidden' | 'mergeTerms' | 'listStale' | 'iterateVectors'>
  work: WorkStore
  orders: Pick<WorkOrders, 'index'>
  queue: Pick<Queue, 'claim'>
  stages: Pick<Stages, 'finished'>
  /** Undefined: no embedding model is installed; transcripts are found by their words. */
  embedder: () => Embedder | undefined
  inTransaction: InTransaction
  now: () => number
  log: Log
}

type Made = { passages: IndexedPassage[], model: Embedder['model'] | undefined, fault: string | undefined }
const BROKEN: Made = { passages: [], model: undefined, fault: 'internal_error' }

const countRoughly = ({ text }: Sentence): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN)
const toCounted = ({ words: _, ...sentence }: Sentence, tokens: number): CountedSentence => ({ ...sentence, tokens })

export function createIndexing (deps: Deps) {
  const { jobs, transcripts, passages, work, orders, queue, stages, embedder, inTransaction, now, log } = deps
  /** Jobs that were edited since their index was begun. In memory: what a process leaves unfinished is begun again with the new text. */
  const edited = new Set<number>()

  /** The passages of a job, sized by the tokens of the model, if there is one. */
  async function cut (jobId: number, model: Embedder | undefined, signal: AbortSignal): Promise<Passage[]> {
    const sentences = await collectInSlices(toSentences(transcripts.iterate(jobId)), signal)
    const counts = await model?.countTokens(sentences.map(({ text }) => text), signal)
    const counted = sentences.map((sentence, index) => toCounted(sentence, counts?.[index] ?? countRoughly(sentence)))
    return await collectInSlices(toPassages(counted, { tokens: Math.min(PASSAGE_TOKENS, model?.model.maxTokens ?? Infinity) }), signal)
  }

  async function makeVectors (jobId: number, model: Embedder, signal: AbortSignal): Promise<Made> {
    const cutPassages = await cut(jobId, model, signal)
    // After an edit, nearly all passages are as before. If storing was interrupted, they are what was being stored.
    const known = new Map(await collectInSlices(passages.iterateVectors(jobId, model.model.id), signal))
    const texts = [...new Set(cutPassages.map(({ text }) => text))].filter((text) => !known.has(text))
    const vectors = texts.length === 0 ? [] : await model.embed(texts, 'passage', signal)
    const made = new Map(texts.map((text, index) => [text, vectors[index]]))
    return {
      passages: cutPassages.map((passage) => ({ ...passage, vector: known.get(passage.text) ?? made.get(passage.text) })),
      model: model.model,
      fault: undefined
    }
  }

  /** With vectors if that works, otherwise words only. Rejects when the signal aborts. */
  async function make ({ jobId, attempt }: WorkClaim, signal: AbortSignal): Promise<Made> {
    const model = embedder()
    if (!model) return { passages: await cut(jobId, undefined, signal), model: undefined, fault: undefined }
    try {
      if (attempt > MAX_ATTEMPTS) throw new EmbeddingError('internal_error', 'begun too often without finishing')
      return await makeVectors(jobId, model, signal)
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.code === 'aborted') throw error
      log.warn({ jobId, code: error.code, err: error }, 'no vectors could be made, the transcript is found by its words')
      return { passages: await cut(jobId, undefined, signal), model: undefined, fault: error.code }
    }
  }

  /** Calls `step` until it returns false, in transactions of a few ms. False when the claim was lost: then nothing more is stored. */
  async function inSlices (claim: WorkClaim, signal: AbortSignal, step: () => boolean): Promise<boolean> {
    for (;;) {
      const isMore = inTransaction(() => {
        if (!work.isClaim(claim)) return undefined
        const hasMore = workFor(SLICE_MS, step)
        passages.mergeTerms()
        return hasMore
      })
      if (isMore !== true) return isMore === false
      await yieldToOthers()
      signal.throwIfAborted()
    }
  }

  /** Stores an index beside the old one, then puts it in its place, and ends the piece. */
  async function replace (claim: WorkClaim, { passages: made, model, fault }: Made, signal: AbortSignal): Promise<void> {
    const { jobId } = claim
    const ownerId = jobs.find(jobId)?.ownerId
    if (ownerId === undefined) return
    const stretches = toStretches(made).values()
    const isStored = await inSlices(claim, signal, () => passages.removeHidden(jobId)) &&
      await inSlices(claim, signal, () => {
        const stretch = stretches.next()
        if (!stretch.done) passages.add({ jobId, ownerId }, stretch.value, model)
        return !stretch.done
      }) &&
      await inSlices(claim, signal, () => {
        passages.show(jobId, { model, fault, now: now() })
        return false
      }) &&
      await inSlices(claim, signal, () => passages.removeHidden(jobId))
    if (!isStored) return
    inTransaction(() => {
      if (!work.finish(claim)) return
      if (claim.run !== undefined) stages.finished('index', claim)
      if (edited.delete(jobId)) refreshSoon(jobId)
    })
  }

  /** Indexes a job; without passages if that fails. Rejects when the signal aborts, and when the disk is full. */
  async function indexJob (claim: WorkClaim, signal: AbortSignal): Promise<void> {
    try {
      await replace(claim, await make(claim, signal), signal)
    } catch (error) {
      if (signal.aborted || isNoRoom(error)) throw error
      // A transcript is worth more than its index.
      log.error({ jobId: claim.jobId, err: error }, 'the transcript could not be indexed')
      await replace(claim, BROKEN, signal)
    }
  }

  function refreshSoon (jobId: number): void {
    const piece = { jobId, kind: 'index' }
    if (jobs.find(jobId)?.status !== 'completed' || work.isReady(piece)) return
    // An index that is being made is finished first. If each edit ended it, it would never be complete while somebody edits.
    if (work.hasOpen(piece)) edited.add(jobId)
    else work.insert({ ...piece, run: undefined, dueAt: now() + EDIT_DELAY_MS })
  }

  /** Queues completed jobs whose index is missing, faulty or of another model. Returns how many. */
  function enqueueStale (): number {
    return inTransaction(() => {
      const ids = passages.listStale(embedder()?.model.id, now() - RETRY_MS, STALE_AT_ONCE)
      for (const jobId of ids) work.insert({ kind: 'index', jobId, run: undefined })
      return ids.length
    })
  }

  return {
    /** Claims the next job to index: first those that are in progress, by turn of their owners, then those of the library. */
    claim: (): WorkClaim | undefined => queue.claim({ kinds: ['index'], next: (at) => orders.index(at) }),
    /** Indexes a job. When `signal` aborts, the piece is given back undone. */
    async index (claim: WorkClaim, signal: AbortSignal): Promise<void> {
      edited.delete(claim.jobId)
      try {
        await indexJob(claim, signal)
      } catch (error) {
        if (!signal.aborted) throw error
        return work.release(claim)
      }
      if (claim.run === undefined && orders.index(now()) === undefined) enqueueStale()
    },
    /** Indexes a completed job again, because its text or its speakers have changed. Call it in the transaction of the change. */
    refresh (jobId: number): void {
      // A job in progress is indexed when its text is complete.
      if (jobs.find(jobId)?.status !== 'completed') return
      // An index that is being made is of the old text: its claim is lost.
      work.remove({ jobId, kind: 'index' })
      work.insert({ kind: 'index', jobId, run: undefined })
    },
    /**
     * The same after an edit, a moment later: people make many edits one after the other. Call it in the transaction of the change.
     */
    refreshSoon,
    /** Queues jobs of the library that lack a good index. */
    sweep (): void { enqueueStale() }
  }
}
export type Indexing = ReturnType<typeof createIndexing>
