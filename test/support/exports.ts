/** A completed transcription, stored directly without running the pipeline. */
import type { Test } from 'tap'
import { nameOf, openStores } from './store.ts'
import type { TimedSegment } from '../../dist/domain/transcript.js'

/** The id, and the stores of the data directory as another process would open them. */
export function addCompleted (
  t: Test,
  dataDir: string,
  owner: string,
  transcript: { fileName: string, durationMs: number, segments: readonly TimedSegment[] }
) {
  const stores = openStores(t, dataDir)
  const { jobs, transcripts, addDecodedJob, inTransaction, db } = stores
  const id = inTransaction(() => {
    const jobId = addDecodedJob(owner, 0)
    jobs.setDecoded(jobId, transcript.durationMs, 0)
    transcripts.insertWindow(jobId, 0, transcript.segments)
    transcripts.nameSpeakers(jobId, () => [...transcript.segments])
    jobs.complete(jobId, 0)
    db.prepare('UPDATE job SET file_name = ? WHERE id = ?').run(nameOf(transcript.fileName), jobId)
    return jobId
  })
  return { id, stores }
}
