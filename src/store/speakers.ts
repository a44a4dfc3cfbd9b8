/** Speakers of transcriptions: whether they are wanted, what was observed, and who was found. */
import type { Plan } from '../domain/access.js'
import type { FailureCode } from '../domain/errors.js'
import type { Speaker } from '../domain/speaker-names.js'
import type { SpeakerTurn } from '../domain/speaker.js'
import type { SpeakerCount } from '../domain/speaker-clusters.js'
import type { Database } from './database.js'

/**
 * The state of identifying the speakers of a job. `isSubstitute`: the bundled model found them, because installed speaker models
 * could not be used.
 */
export type Diarization = {
  state: 'pending' | 'done' | 'failed', failure: FailureCode | undefined, count: SpeakerCount, isSubstitute: boolean
}
type DiarizationRow = { state: Diarization['state'], failure_code: FailureCode | null, speaker_count: string, is_substitute: 0 | 1 }
type SpeakerRow = { number: number, name: string | null, merged_into: number | null, talk_ms: number }
type OfJob = { jobId: number }

const toSpeaker = ({ number, name, merged_into: mergedInto, talk_ms: talkMs }: SpeakerRow): Speaker =>
  ({ number, talkMs, ...(name === null ? {} : { name }), ...(mergedInto === null ? {} : { mergedInto }) })

export function createSpeakerStore (db: Database) {
  const request = db.prepare<OfJob & { count: string }>(`
    INSERT INTO diarization (job_id, state, speaker_count)
    VALUES (:jobId, 'pending', :count)
    ON CONFLICT (job_id) DO UPDATE SET state = 'pending', failure_code = NULL, speaker_count = :count, turns = NULL
  `)
  const find = db.prepare<OfJob, DiarizationRow>(`
    SELECT state, failure_code, speaker_count, is_substitute FROM diarization WHERE job_id = :jobId
  `)
  const end = db.prepare<OfJob & { state: 'done' | 'failed', failure: FailureCode | null, isSubstitute: 0 | 1 }>(`
    UPDATE diarization SET state = :state, failure_code = :failure, is_substitute = :isSubstitute, turns = NULL WHERE job_id = :jobId
  `)
  const setTurns = db.prepare<OfJob & { turns: string | null }>('UPDATE diarization SET turns = :turns WHERE job_id = :jobId')
  const readTurns = db.prepare<OfJob, { turns: string }>('SELECT turns FROM diarization WHERE job_id = :jobId AND turns IS NOT NULL')
  const forget = db.prepare<OfJob>('DELETE FROM diarization WHERE job_id = :jobId')
  const takeTurn = db.prepare<OfJob>(`
    UPDATE diarization SET last_turn = (SELECT max(last_speaker_turn) + 1 FROM owner) WHERE job_id = :jobId
  `)
  const takeOwnerTurn = db.prepare<OfJob>(`
    UPDATE owner SET last_speaker_turn = (SELECT max(last_speaker_turn) + 1 FROM owner)
    WHERE id = (SELECT owner_id FROM job WHERE id = :jobId)
  `)
  const planOfJob = db.prepare<OfJob, { plan: Plan }>(`
    SELECT coalesce(k.plan, o.plan) AS plan
    FROM job j JOIN owner o ON o.id = j.owner_id LEFT JOIN api_key k ON k.id = j.api_key_id
    WHERE j.id = :jobId
  `)
  const storePiece = db.prepare<OfJob & { idx: number, engineId: string, observations: Uint8Array }>(`
    INSERT INTO speaker_piece (job_id, idx, engine_id, observations)
    VALUES (:jobId, :idx, :engineId, :observations)
    ON CONFLICT (job_id, idx) DO UPDATE SET engine_id = :engineId, observations = :observations
  `)
  const observed = db.prepare<OfJob & { engineId: string }, { idx: number }>(`
    SELECT idx FROM speaker_piece WHERE job_id = :jobId AND engine_id = :engineId ORDER BY idx
  `)
  const pieces = db.prepare<OfJob, { observations: Uint8Array }>(`
    SELECT observations FROM speaker_piece WHERE job_id = :jobId ORDER BY idx
  `)
  const removePieces = db.prepare<OfJob>('DELETE FROM speaker_piece WHERE job_id = :jobId')
  const countAgain = db.prepare<{ ownerId: number }, { n: number }>(`
    SELECT count(*) AS n
    FROM work w INDEXED BY work_ready JOIN job j ON j.id = w.job_id
    WHERE w.kind = 'speakers' AND w.state = 'ready' AND j.status = 'completed' AND j.owner_id = :ownerId
  `)
  const list = db.prepare<OfJob, SpeakerRow>('SELECT number, name, merged_into, talk_ms FROM speaker WHERE job_id = :jobId ORDER BY number')
  const insert = db.prepare<OfJob & { number: number, name: string | null, mergedInto: number | null, talkMs: number }>(`
    INSERT INTO speaker (job_id, number, name, merged_into, talk_ms) VALUES (:jobId, :number, :name, :mergedInto, :talkMs)
  `)
  const remove = db.prepare<OfJob>('DELETE FROM speaker WHERE job_id = :jobId')

  return {
    /** Notes that speakers are wanted. Observations of an earlier attempt stay; its turns may be of another number of speakers. */
    request (jobId: number, count: SpeakerCount): void {
      request.run({ jobId, count: JSON.stringify(count) })
    },
    /** Undefined: speakers are not wanted. */
    find (jobId: number): Diarization | undefined {
      const row = find.get({ jobId })
      if (!row) return undefined
      const count = JSON.parse(row.speaker_count) as SpeakerCount
      return { state: row.state, failure: row.failure_code ?? undefined, count, isSubstitute: row.is_substitute === 1 }
    },
    /** Notes that the speakers are known, and removes the observations and the turns. */
    setDone (jobId: number, { isSubstitute }: Pick<Diarization, 'isSubstitute'>): void {
      end.run({ jobId, state: 'done', failure: null, isSubstitute: isSubstitute ? 1 : 0 })
      removePieces.run({ jobId })
    },
    /** Notes why the speakers are not known. Observations stay for another attempt. */
    setFailed: (jobId: number, failure: FailureCode): void => { end.run({ jobId, state: 'failed', failure, isSubstitute: 0 }) },
    /** Removes everything about the speakers of a job, except labels of words. */
    forget (jobId: number): void {
      forget.run({ jobId })
      removePieces.run({ jobId })
      remove.run({ jobId })
    },
    /** Moves the job and its owner to the end of their queues, because they have just been served. */
    takeTurn (jobId: number): void {
      takeOwnerTurn.run({ jobId })
      takeTurn.run({ jobId })
    },
    /** The plan of the key that made the job, or of its owner. */
    planOf: (jobId: number): Plan | undefined => planOfJob.get({ jobId })?.plan,
    /** Turns that were found in earlier observations are removed. */
    storePiece: (jobId: number, idx: number, { engineId, observations }: { engineId: string, observations: Uint8Array }): void => {
      storePiece.run({ jobId, idx, engineId, observations })
      setTurns.run({ jobId, turns: null })
    },
    /** The first of `count` pieces that this engine has not observed; undefined when there is none. */
    firstMissing (jobId: number, engineId: string, count: number): number | undefined {
      const known = new Set(observed.all({ jobId, engineId }).map(({ idx }) => idx))
      for (let idx = 0; idx < count; idx++) if (!known.has(idx)) return idx
      return undefined
    },
    /** The observations of all pieces, in order. */
    listPieces: (jobId: number): Uint8Array[] => pieces.all({ jobId }).map(({ observations }) => observations),
    /** Stores who talks when until the words can be labelled. */
    storeTurns: (jobId: number, turns: readonly SpeakerTurn[]): void => { setTurns.run({ jobId, turns: JSON.stringify(turns) }) },
    /** What `storeTurns` stored; undefined when the turns are not found yet. */
    findTurns (jobId: number): SpeakerTurn[] | undefined {
      const row = readTurns.get({ jobId })
      return row && JSON.parse(row.turns) as SpeakerTurn[]
    },
    /** Completed jobs of an owner whose speakers wait to be identified again. */
    countAgain: (ownerId: number): number => countAgain.get({ ownerId })?.n ?? 0,
    /** All speakers, also those merged into others. */
    list: (jobId: number): Speaker[] => list.all({ jobId }).map(toSpeaker),
    /** Replaces the speakers of a job. */
    replace (jobId: number, speakers: readonly Speaker[]): void {
      remove.run({ jobId })
      for (const { number, name, mergedInto, talkMs } of speakers) {
        insert.run({ jobId, number, name: name ?? null, mergedInto: mergedInto ?? null, talkMs })
      }
    }
  }
}
export type SpeakerStore = ReturnType<typeof createSpeakerStore>
