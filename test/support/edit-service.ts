/** The service of edits over real stores. */
import type { TimedSegment } from '../../dist/domain/transcript.js'
import { createEdits } from '../../dist/service/edits.js'
import { createPlans } from '../../dist/service/plans.js'
import { createSegments } from '../../dist/service/segments.js'
import type { openStores } from './store.ts'

export const READER = { ownerId: 1, plan: 'enterprise' } as const
type Stores = ReturnType<typeof openStores>

/** A completed transcription with these segments, and the services that edit it. */
export function buildEdits (stores: Stores, segments: readonly TimedSegment[]) {
  const { edits, jobs, transcripts, speakers, planLimits, inTransaction, addDecodedJob } = stores
  const id = inTransaction(() => {
    const jobId = addDecodedJob('a', 0)
    jobs.setDecoded(jobId, (segments.at(-1)?.endMs ?? 0) + 1000, 0)
    transcripts.insertWindow(jobId, 0, segments)
    jobs.complete(jobId, 0)
    return jobId
  })
  const plans = createPlans({ planLimits, now: () => 0 } as unknown as Parameters<typeof createPlans>[0])
  const shown = createSegments({ jobs, edits, speakers, plans })
  const service = createEdits({ jobs, edits, requests: stores.idempotency, segments: shown, inTransaction, now: () => 0 })
  const list = (limit = 2000) => shown.list(id, READER, { start: { offset: 0 }, limit }).segments
  return { id, edits, service, shown, list }
}
