/** Summaries, chapters, quotes and posts, made from completed transcripts. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ArtifactError } from '../domain/artifact-error.js'
import { toTitle } from '../domain/artifact-title.js'
import { STORED_MODES } from '../domain/artifact.js'
import type { Artifact, ArtifactMode, ArtifactSource, PassageVector, StoredMode } from '../domain/artifact.js'
import { AppError } from '../domain/errors.js'
import type { Job } from '../domain/job.js'
import { toIsoCode } from '../domain/language.js'
import type { Log } from '../domain/log.js'
import { toSentences } from '../domain/sentences.js'
import type { WorkClaim } from '../domain/work.js'
import type { ArtifactEngine } from '../engine/text/artifact-engine.js'
import { finishArtifact } from '../formats/artifact.js'
import type { ArtifactStore } from '../store/artifacts.js'
import type { InTransaction } from '../store/database.js'
import type { JobStore } from '../store/jobs.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { WorkOrders } from '../store/work-orders.js'
import type { WorkStore } from '../store/work.js'
import type { Plans } from './plans.js'
import type { Queue } from './queue.js'
import { collectInSlices } from './slices.js'
import { findOwnedJob } from './transcripts.js'
import type { Reader } from './transcripts.js'
import { createTurns } from './turns.js'

/**
 * `replyMs`: the time of an engine for a caller who waits; the last engine then answers within seconds, so that a reply takes at most 15 s.
 * `prepareMs`: its time in the background.
 */
export type ArtifactLimits = { replyMs: number, prepareMs: number }
const ARTIFACT_LIMITS: ArtifactLimits = { replyMs: 10_000, prepareMs: 10 * 60_000 }
/** How much longer than `replyMs` a caller waits for an artifact that is already being made. */
const JOIN_MS = 1500
/** Attempts to prepare the artifacts of a job; each may end in a crash. */
const MAX_PREPARATIONS = 3
/** How often an artifact is made again because its transcript was edited meanwhile. */
const MAX_EDITS = 2

type Deps = {
  jobs: Pick<JobStore, 'find' | 'findOwned' | 'countActive'>
  transcripts: Pick<TranscriptStore, 'iterate'>
  artifacts: ArtifactStore
  work: Pick<WorkStore, 'find' | 'finish' | 'insert'>
  orders: Pick<WorkOrders, 'oldest'>
  queue: Pick<Queue, 'claim' | 'release'>
  plans: Pick<Plans, 'limitsOf'>
  /** Best first. The last one must always answer, within seconds. */
  engines: readonly [...ArtifactEngine[], ArtifactEngine]
  /** Vectors of the search index; absent: there is no index. */
  listVectors?: (jobId: number) => PassageVector[] | undefined
  inTransaction: InTransaction
  limits?: ArtifactLimits
  now: () => number
  log: Log
}

/**
 * `limit`: the time for all engines but the last one. `signal`: aborts when the result is no longer needed. `again`: when the time runs
 * out, the background makes the artifact a second time, with more time.
 */
type Patience = { limit: AbortSignal, signal: AbortSignal, again?: true }
type Made = { artifact: Artifact, isLate: boolean }

export function createArtifacts (deps: Deps) {
  const { jobs, transcripts, artifacts, work, orders, queue, plans, engines, inTransaction, now, log, limits = ARTIFACT_LIMITS } = deps
  const never = new AbortController().signal
  const last = engines.at(-1) as ArtifactEngine
  /** Artifacts being made, by job and mode. */
  const underWay = new Map<string, Promise<Artifact>>()
  const inTurn = createTurns()

  /** Throws `not_found` and `not_completed`. */
  function findCompleted (id: number, ownerId: number): Job {
    const job = findOwnedJob(jobs, id, ownerId)
    if (job.status === 'completed') return job
    throw new AppError('not_completed', `The transcription is ${job.status}. Artifacts are made from completed transcriptions only.`)
  }

  async function readSource (job: Job): Promise<ArtifactSource> {
    const sentences = await collectInSlices(toSentences(transcripts.iterate(job.id)))
    const passages = deps.listVectors?.(job.id)
    return {
      language: job.language === undefined ? undefined : toIsoCode(job.language),
      title: job.title ?? job.source?.title ?? toTitle(job.fileName),
      durationMs: job.durationMs ?? 0,
      sentences,
      ...(passages === undefined ? {} : { passages })
    }
  }

  function logRefusal (error: unknown, engine: ArtifactEngine, jobId: number, mode: ArtifactMode): void {
    if (error instanceof ArtifactError && error.code === 'unavailable') return
    log.warn({ jobId, mode, engine: engine.name, err: error }, 'the engine made no artifact; the next one does')
  }

  /** Asks all engines but the last one. `isLate`: one of them ran out of time. */
  async function askBetter (
    job: Job, mode: ArtifactMode, source: ArtifactSource, { limit, signal }: Patience
  ): Promise<{ artifact?: Artifact, isLate: boolean }> {
    let isLate = false
    for (const engine of engines.slice(0, -1)) {
      try {
        const draft = await engine.create(mode, source, AbortSignal.any([signal, limit]))
        return { artifact: { mode, ...finishArtifact(mode, draft, source), engine: engine.name, generatedAt: now() }, isLate: false }
      } catch (error) {
        if (signal.aborted) throw error
        isLate ||= limit.aborted
        logRefusal(error, engine, job.id, mode)
      }
    }
    return { isLate }
  }

  /** Asks the engine that always answers at once. */
  async function askLast (mode: ArtifactMode, source: ArtifactSource, signal: AbortSignal): Promise<Artifact> {
    const draft = source.sentences.length === 0 ? undefined : await last.create(mode, source, signal)
    return { mode, ...finishArtifact(mode, draft, source, 'any'), engine: last.name, generatedAt: now() }
  }

  /** Asks one engine after the other. */
  async function ask (job: Job, mode: ArtifactMode, patience: Patience): Promise<Made> {
    const source = await readSource(job)
    const { artifact, isLate } = source.sentences.length === 0 ? { isLate: false } : await askBetter(job, mode, source, patience)
    return { artifact: artifact ?? await askLast(mode, source, patience.signal), isLate }
  }

  /** The artifact from the engine that always answers at once. Not stored. */
  const makeQuickly = async (job: Job, mode: ArtifactMode): Promise<Artifact> => await askLast(mode, await readSource(job), never)

  /** Begins an attempt. Throws `not_found` when the transcription has been deleted. */
  function begin (jobId: number, mode: StoredMode): string {
    const attempt = randomUUID()
    inTransaction(() => {
      if (!jobs.find(jobId)) throw new AppError('not_found', 'There is no such transcription.')
      artifacts.begin({ jobId, mode }, attempt)
    })
    return attempt
  }

  /** Stores the result of an attempt. One that ran out of time is queued to be made again in the background. False: it is outdated. */
  function store (jobId: number, attempt: string, mode: StoredMode, { artifact, isLate }: Made, again: boolean): boolean {
    return inTransaction(() => {
      if (!artifacts.finish(jobId, attempt, { ...artifact, mode })) return false
      const isQueued = work.find({ jobId, kind: 'artifact' }, 0) !== undefined
      if (isLate && again && !isQueued) work.insert({ kind: 'artifact', jobId, run: undefined })
      return true
    })
  }

  /** Makes and stores an artifact; again, when the transcript was edited meanwhile. */
  async function makeAndStore (job: Job, mode: StoredMode, patience: Patience): Promise<Artifact> {
    for (let edits = 0; ; edits++) {
      const attempt = begin(job.id, mode)
      const made = await ask(job, mode, patience)
      if (store(job.id, attempt, mode, made, patience.again ?? false) || edits === MAX_EDITS) return made.artifact
    }
  }

  /** Replaces a stored artifact of the last engine by one of a better engine, if that makes one. */
  async function improve (job: Job, mode: StoredMode, patience: Patience): Promise<void> {
    const attempt = begin(job.id, mode)
    const { artifact, isLate } = await askBetter(job, mode, await readSource(job), patience)
    if (artifact) store(job.id, attempt, mode, { artifact, isLate }, false)
  }

  /** Makes an artifact that is not stored yet. Callers who come meanwhile wait for the same one. */
  async function start (job: Job, mode: StoredMode, patience: Patience): Promise<Artifact> {
    const key = `${job.id} ${mode}`
    const running = underWay.get(key)
    if (running) return await running
    const made = makeAndStore(job, mode, patience)
    underWay.set(key, made)
    try {
      return await made
    } finally {
      underWay.delete(key)
    }
  }

  /** Waits for an artifact, but not as long as the background may take for it. */
  async function waitFor (made: Promise<Artifact>, job: Job, mode: ArtifactMode): Promise<Artifact> {
    const waiting = new AbortController()
    try {
      const late = sleep(limits.replyMs + JOIN_MS, undefined, { signal: waiting.signal }).catch(() => undefined)
      return await Promise.race([made, late]) ?? await makeQuickly(job, mode)
    } catch (error) {
      // It was being made in the background, which has stopped.
      if (error instanceof ArtifactError && error.code === 'aborted') return await makeQuickly(job, mode)
      throw error
    } finally {
      waiting.abort()
    }
  }

  /** The time limit of an engine while a caller waits, starting now. */
  const hurry = (): Patience => ({ limit: AbortSignal.timeout(limits.replyMs), signal: never })

  /** Makes the stored artifact of a mode if it is missing or was made under a short time limit. */
  async function prepareMode (job: Job, mode: StoredMode, signal: AbortSignal): Promise<void> {
    const patience = { limit: AbortSignal.timeout(limits.prepareMs), signal }
    const found = artifacts.find({ jobId: job.id, mode })
    if (!found) await start(job, mode, patience)
    else if (found.engine === last.name && engines.length > 1) await improve(job, mode, patience)
  }

  /** Speakers are shown on plans with diarization. */
  function show (artifact: Artifact, { plan }: Reader): Artifact {
    if (!artifact.quotes || plans.limitsOf(plan).diarization) return artifact
    return { ...artifact, quotes: artifact.quotes.map(({ speaker: _, ...quote }) => quote) }
  }

  return {
    /**
     * A stored artifact; made and stored at the first call. Two first calls at once do the work once. Throws `not_found`, and
     * `not_completed` while there is no transcript.
     */
    async read (id: number, reader: Reader, mode: StoredMode): Promise<Artifact> {
      const job = findCompleted(id, reader.ownerId)
      const found = artifacts.find({ jobId: id, mode })
      if (found) return show(found, reader)
      const patience: Patience = { ...hurry(), again: true }
      const made = underWay.get(`${id} ${mode}`) ??
        inTurn(reader.ownerId, async () => artifacts.find({ jobId: id, mode }) ?? await start(job, mode, patience))
      return show(await waitFor(made, job, mode), reader)
    },
    /** Makes an artifact and does not store it. Throws `not_found`, and `not_completed` while there is no transcript. */
    async repurpose (id: number, reader: Reader, mode: ArtifactMode): Promise<Artifact> {
      const job = findCompleted(id, reader.ownerId)
      // The time runs while other requests of the owner are answered.
      const patience = hurry()
      const { artifact } = await inTurn(reader.ownerId, async () => await ask(job, mode, patience))
      return show(artifact, reader)
    },
    /** Claims the preparation of a job's artifacts, if no job is waiting or being transcribed. */
    claim: (): WorkClaim | undefined => jobs.countActive() > 0
      ? undefined
      : queue.claim({ kinds: ['artifact'], next: () => orders.oldest('artifact') }),
    /** Makes the artifacts that are stored, so that the first call answers at once. Ends when `signal` aborts, to be continued later. */
    async prepare (claim: WorkClaim, signal: AbortSignal): Promise<void> {
      const job = jobs.find(claim.jobId)
      try {
        if (job?.status === 'completed' && claim.attempt <= MAX_PREPARATIONS) {
          for (const mode of STORED_MODES) {
            await prepareMode(job, mode, signal)
            signal.throwIfAborted()
          }
        }
      } catch (error) {
        if (signal.aborted) return queue.release(claim)
        // The first call will try again, and reports what it meets.
        log.warn({ jobId: claim.jobId, err: error }, 'artifacts could not be prepared')
      }
      work.finish(claim)
    }
  }
}
export type Artifacts = ReturnType<typeof createArtifacts>
