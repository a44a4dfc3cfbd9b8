/** How a job moves from stage to stage: when the last piece of a stage is finished, the work of the next stage becomes claimable. */
import { cutAtTurns, markOverlaps } from '../domain/channel-words.js'
import type { Stage } from '../domain/job.js'
import { voteLanguage } from '../domain/language.js'
import type { WorkClaim } from '../domain/work.js'
import type { JobStore } from '../store/jobs.js'
import type { SpeakerStore } from '../store/speakers.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { WindowStore } from '../store/windows.js'
import type { WorkStore } from '../store/work.js'

/** The stages after windows and speakers, in order, with one piece of work each. Add a new one here and in `STAGES`. */
const FINAL_STAGES: readonly Stage[] = ['index', 'complete']

type Deps = {
  jobs: Pick<JobStore, 'enterStage' | 'setHeardLanguage' | 'find' | 'listStages'>
  windows: Pick<WindowStore, 'listPosteriors'>
  speakers: Pick<SpeakerStore, 'find'>
  transcripts: Pick<TranscriptStore, 'rearrange'>
  work: Pick<WorkStore, 'hasOpen' | 'makeReady' | 'insert' | 'find'>
  now: () => number
}

export function createStages ({ jobs, windows, speakers, transcripts, work, now }: Deps) {
  function enterAfter (stage: Stage, { jobId, run }: WorkClaim): void {
    const next = FINAL_STAGES[FINAL_STAGES.indexOf(stage) + 1]
    if (next === undefined) return
    jobs.enterStage(jobId, stage, next, now())
    work.insert({ kind: next, jobId, run })
  }

  /** Merges the texts of separately transcribed channels. */
  function joinChannels (jobId: number): void {
    if ((jobs.find(jobId)?.channels ?? 1) === 1) return
    transcripts.rearrange(jobId, (placed) => {
      const cut = cutAtTurns(placed)
      const marked = markOverlaps(cut.map(({ segment }) => segment))
      return cut.map((each, index) => ({ ...each, segment: marked[index] ?? each.segment }))
    })
  }

  /** Who talks when is found beside the windows. Words are labelled after the last window. */
  function enterAfterWindows (claim: WorkClaim): void {
    const { jobId, run } = claim
    if ((['decode', 'language', 'transcribe', 'speakers'] as const).some((kind) => work.hasOpen({ jobId, kind }))) return
    joinChannels(jobId)
    if (speakers.find(jobId)?.state !== 'pending') return enterAfter('transcribe', claim)
    jobs.enterStage(jobId, 'transcribe', 'speakers', now())
    work.insert({ kind: 'speakers', jobId, run })
  }

  function enterTranscribe (from: Stage, claim: WorkClaim): void {
    work.makeReady({ jobId: claim.jobId, kind: 'transcribe' })
    jobs.enterStage(claim.jobId, from, 'transcribe', now())
    enterAfterWindows(claim)
  }

  return {
    /** Call this after a fetch. Each of these functions is called in the transaction that finishes the piece. */
    fetched: ({ jobId, run }: WorkClaim): void => { work.insert({ kind: 'decode', jobId, run }) },
    /** Call this after a decode. The language stage is next if it has work, otherwise the windows. */
    decoded (claim: WorkClaim): void {
      if (work.hasOpen({ jobId: claim.jobId, kind: 'language' })) jobs.enterStage(claim.jobId, 'decode', 'language', now())
      else enterTranscribe('decode', claim)
    },
    /** Call this after a language sample. The last sample decides the language, unless the recording must be decoded again. */
    sampled (claim: WorkClaim): void {
      const { jobId } = claim
      if (work.hasOpen({ jobId, kind: 'language' }) || work.hasOpen({ jobId, kind: 'decode' })) return
      jobs.setHeardLanguage(jobId, voteLanguage(windows.listPosteriors(jobId)), now())
      enterTranscribe('language', claim)
    },
    /** Call this after a window. */
    transcribed: (claim: WorkClaim): void => { enterAfterWindows(claim) },
    /** Call this when the turns of the speakers are found. Of a job that was completed before, the words are only labelled. */
    turnsFound (claim: WorkClaim): void {
      const { jobId, run } = claim
      if (jobs.find(jobId)?.status === 'processing') enterAfterWindows(claim)
      else work.insert({ kind: 'speakers', jobId, run })
    },
    /** Call this when the speakers are known, or are given up. Nothing follows if the job was completed before. */
    diarized (claim: WorkClaim): void {
      const { jobId } = claim
      if (jobs.find(jobId)?.status !== 'processing') return
      // Given up while a piece was observed: what follows the last window has not been done.
      if (!jobs.listStages(jobId).some(({ stage }) => stage === 'speakers')) return enterAfterWindows(claim)
      if ((['decode', 'language', 'transcribe'] as const).some((kind) => work.hasOpen({ jobId, kind }))) return
      enterAfter('speakers', claim)
    },
    /** Call this after one of `FINAL_STAGES`. */
    finished: (stage: Stage, claim: WorkClaim): void => { enterAfter(stage, claim) },
    /** Sends a job back to decoding because its decoded sound is gone. Finished windows stay finished. */
    decodeAgain (claim: WorkClaim): void {
      const { jobId, run } = claim
      const job = jobs.find(jobId)
      if (!job || work.hasOpen({ jobId, kind: 'decode' })) return
      work.insert({ kind: 'decode', jobId, run })
      jobs.enterStage(jobId, job.stage, 'decode', now())
    }
  }
}
export type Stages = ReturnType<typeof createStages>
