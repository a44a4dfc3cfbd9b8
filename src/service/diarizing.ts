/**
 * The stage `speakers`: observes a recording piece by piece and finds who talks when, both beside its windows, and labels the words after
 * the last window. A failure never fails the job: the transcript completes without speakers, and they can be identified again.
 */
import { labelChannels, markOverlaps } from '../domain/channel-words.js'
import { FAILURE_MESSAGES, JobFailure } from '../domain/errors.js'
import type { FailureCode } from '../domain/errors.js'
import { hasEnded, MAX_ATTEMPTS } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import type { Log } from '../domain/log.js'
import { assignSpeakers } from '../domain/speaker.js'
import type { SpeakerTurn } from '../domain/speaker.js'
import { keepNames } from '../domain/speaker-names.js'
import { areChannelsSpeakers } from '../domain/speaker-options.js'
import type { SpeakerCount } from '../domain/speaker-clusters.js'
import { SpeechError } from '../domain/speech-error.js'
import type { TimedSegment } from '../domain/transcript.js'
import type { WorkClaim } from '../domain/work.js'
import type { SpeakerChoice, SpeakerEngines } from '../engine/speech/speaker-choice.js'
import type { SpeakerEngine } from '../engine/speech/speakers.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { Diarization, SpeakerStore } from '../store/speakers.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { SpeakerLimits, WorkOrders } from '../store/work-orders.js'
import type { WorkStore } from '../store/work.js'
import { runWithin } from './deadline.js'
import { stepFailureCode } from './ending.js'
import type { Ending } from './ending.js'
import type { Indexing } from './indexing.js'
import type { Plans } from './plans.js'
import type { Queue } from './queue.js'
import type { Sound } from './sound.js'
import type { Stages } from './stages.js'

/** Errors (not crashes) of one piece after which the speakers are given up. */
const MAX_ERRORS = 2
/** A piece that takes longer is stuck: an idle machine needs seconds. `turnsMs`: the same for deciding who talks when, at any length. */
const LIMITS = { pieceMs: 15 * 60_000, turnsMs: 60 * 60_000 }

type Deps = {
  engines: SpeakerEngines
  speakers: SpeakerStore
  jobs: Pick<JobStore, 'find'>
  transcripts: Pick<TranscriptStore, 'nameSpeakers'>
  work: Pick<WorkStore, 'insert' | 'finish' | 'isClaim' | 'noteError' | 'release'>
  orders: Pick<WorkOrders, 'speakers'>
  queue: Pick<Queue, 'claim'>
  stages: Pick<Stages, 'turnsFound' | 'diarized' | 'decodeAgain'>
  ending: Pick<Ending, 'removeEnded'>
  plans: Pick<Plans, 'limitsOf'>
  indexing: Pick<Indexing, 'refresh'>
  sound: Sound
  files: Pick<Files, 'audioPath'>
  inTransaction: InTransaction
  log: Log
  limits?: typeof LIMITS
}

/** A claimed piece with its job, and what observes it. */
type Step = { claim: WorkClaim, job: Job, wanted: Diarization, choice: SpeakerChoice, signal: AbortSignal }

export function createDiarizing (deps: Deps) {
  const { engines, speakers, jobs, transcripts, work, orders, queue, stages, ending, plans, sound, files, inTransaction, log } = deps
  const { indexing, limits = LIMITS } = deps
  /** Ended jobs whose sound this process has decoded again. Sound from an earlier process may be incomplete. */
  const decoded = new Set<number>()

  const firstMissing = ({ id, durationMs = 0 }: Job, engine: SpeakerEngine): number | undefined =>
    speakers.firstMissing(id, engine.id, Math.ceil(durationMs / engine.pieceMs))

  function insertNext ({ jobId, run }: Pick<WorkClaim, 'jobId' | 'run'>): void {
    work.insert({ kind: 'speakers', jobId, run })
  }

  /** The decoded sound of an ended job was removed when it ended. */
  async function requireSound ({ job, signal }: Step): Promise<void> {
    if (!hasEnded(job) || decoded.has(job.id)) return
    await sound.write(job, signal, 'mixed')
    decoded.add(job.id)
  }

  async function observe (step: Step, idx: number): Promise<void> {
    const { claim, job, choice: { engine }, signal } = step
    await requireSound(step)
    const startMs = idx * engine.pieceMs
    const source = { path: files.audioPath(job.id), startMs, endMs: Math.min(startMs + engine.pieceMs, job.durationMs ?? 0) }
    const observations = await runWithin(limits.pieceMs, signal, async (either) => await engine.observe(source, either))
    inTransaction(() => {
      if (!work.finish(claim)) return
      speakers.storePiece(job.id, idx, { engineId: engine.id, observations })
      insertNext(claim)
    })
  }

  /** Needs no words, so it can be done before the last window. */
  async function findTurns ({ claim, job, wanted: { count }, choice: { engine }, signal }: Step): Promise<void> {
    const evidence = { pieces: speakers.listPieces(job.id), count }
    const turns = await runWithin(limits.turnsMs, signal, async (either) => await engine.findTurns(evidence, either))
    inTransaction(() => {
      if (!work.finish(claim)) return
      speakers.storeTurns(job.id, turns)
      stages.turnsFound(claim)
    })
  }

  /** Stores labels and ends the stage. A speaker who has mostly the same words as before keeps the name. */
  function store ({ claim, job }: Step, isSubstitute: boolean, label: (segments: readonly TimedSegment[]) => TimedSegment[]): void {
    inTransaction(() => {
      if (!work.finish(claim)) return
      transcripts.nameSpeakers(job.id, (before) => {
        const labelled = label(before)
        speakers.replace(job.id, keepNames(speakers.list(job.id), before, labelled))
        return labelled
      })
      speakers.setDone(job.id, { isSubstitute })
      indexing.refresh(job.id)
      stages.diarized(claim)
    })
  }

  function nameByVoice (step: Step, turns: readonly SpeakerTurn[]): void {
    const { job, choice: { engine, defect } } = step
    store(step, defect !== undefined, (segments) => {
      // Words of different channels overlap in time.
      const words = segments.flatMap((segment) => segment.words).sort((a, b) => a.startMs - b.startMs)
      const labelled = assignSpeakers(segments, engine.fitToWords(turns, words))
      return job.channels > 1 ? markOverlaps(labelled) : labelled
    })
  }

  /** Does the next part of the work: a piece, or, when all are observed, the turns, or, when those are found, the labels. */
  async function advance (step: Step): Promise<void> {
    const { job, wanted, choice } = step
    if (areChannelsSpeakers(job.channels, wanted.count)) return store(step, false, labelChannels)
    const idx = firstMissing(job, choice.engine)
    if (idx !== undefined) return await observe(step, idx)
    const turns = speakers.findTurns(job.id)
    if (turns) nameByVoice(step, turns)
    else await findTurns(step)
  }

  function giveUp (claim: WorkClaim, code: FailureCode, cause: unknown): void {
    const isMine = inTransaction(() => {
      if (!work.finish(claim)) return false
      speakers.setFailed(claim.jobId, code)
      stages.diarized(claim)
      return true
    })
    if (isMine) log.warn({ jobId: claim.jobId, code, err: cause }, 'speakers could not be identified')
  }

  /** Sound that is gone is decoded again; other errors are tried again, unless trying again cannot help. */
  function failed ({ claim, job, choice, signal }: Step, error: unknown): void {
    if (!work.isClaim(claim)) return
    const isGone = error instanceof SpeechError && error.code === 'audio_missing'
    const code = isGone ? 'internal_error' : stepFailureCode(error)
    if (signal.aborted || (error instanceof SpeechError && error.code === 'aborted')) return work.release(claim)
    if (code === 'model_unavailable' && engines.setAside(choice.engine, error instanceof Error ? error.message : String(error))) {
      log.warn({ jobId: job.id, code, err: error }, 'speaker models cannot be used, going on with the bundled one')
      return work.release(claim)
    }
    if (code === 'model_unavailable' || error instanceof JobFailure || claim.errors + 1 >= MAX_ERRORS) return giveUp(claim, code, error)
    decoded.delete(job.id)
    inTransaction(() => {
      if (work.noteError(claim) !== undefined && isGone && !hasEnded(job)) stages.decodeAgain(claim)
    })
    log.warn({ jobId: job.id, code, err: error }, 'a piece of the speakers failed, trying again')
  }

  /** Files of an ended job are removed as soon as nothing more is to be done with them. */
  async function tidyUp (jobId: number): Promise<void> {
    const job = jobs.find(jobId)
    if (job && !hasEnded(job)) return
    await ending.removeEnded(jobId)
    if (speakers.find(jobId)?.state !== 'pending') decoded.delete(jobId)
  }

  /** Whether the speakers of a job are to be identified: its options allow it, and its plan includes it. */
  function isWanted (jobId: number, wish: false | SpeakerCount | undefined): boolean {
    const plan = speakers.planOf(jobId)
    return wish !== false && plan !== undefined && plans.limitsOf(plan).diarization
  }

  return {
    /** Whether voices are needed to tell the speakers of a job apart if its channels are transcribed separately. */
    needsMix: ({ id, options: { speakers: wish } }: Job, channels: number): boolean =>
      isWanted(id, wish) && !areChannelsSpeakers(channels, wish || {}),

    /** Call this in the transaction that ends the decoding. A recording without windows has no speakers. */
    begin (claim: WorkClaim, windowCount: number): void {
      const job = jobs.find(claim.jobId)
      if (!job || !isWanted(job.id, job.options.speakers)) return
      const count = job.options.speakers || {}
      speakers.request(job.id, count)
      if (windowCount === 0) speakers.setDone(job.id, { isSubstitute: false })
      else if (!areChannelsSpeakers(job.channels, count)) insertNext(claim)
    },

    /** Claims the next piece of a recording within these limits, by fair turn of owner and job. */
    claim: (limits: SpeakerLimits): WorkClaim | undefined => queue.claim({
      kinds: ['speakers'], next: () => orders.speakers(limits), begin: ({ jobId }) => { speakers.takeTurn(jobId) }
    }),

    /** Observes the next piece, finds the turns, or labels the words. When `signal` aborts, the piece is given back undone. */
    async run (claim: WorkClaim, signal: AbortSignal): Promise<void> {
      const job = jobs.find(claim.jobId)
      const wanted = speakers.find(claim.jobId)
      if (job && wanted) {
        const step = { claim, job, wanted, choice: engines.choose(), signal }
        try {
          if (claim.attempt > MAX_ATTEMPTS) throw new JobFailure('worker_crashed', FAILURE_MESSAGES.worker_crashed)
          await advance(step)
        } catch (error) {
          failed(step, error)
        }
      }
      await tidyUp(claim.jobId)
    }
  }
}
export type Diarizing = ReturnType<typeof createDiarizing>
