/** All stores over one real database, and rows to start with. */
import type { Test } from 'tap'
import { toRecordingName } from '../../dist/domain/recording-name.js'
import type { RecordingName } from '../../dist/domain/recording-name.js'
import { createQueue } from '../../dist/service/queue.js'
import { createApiKeyStore } from '../../dist/store/api-keys.js'
import { createTransaction, createUnsyncedTransaction, openDatabase } from '../../dist/store/database.js'
import { createDeliveryStore } from '../../dist/store/deliveries.js'
import { createEditStore } from '../../dist/store/edits.js'
import { createIdempotencyStore } from '../../dist/store/idempotency.js'
import { createJobStore } from '../../dist/store/jobs.js'
import type { NewJob } from '../../dist/store/jobs.js'
import { createMediaStore } from '../../dist/store/media.js'
import { createOauthStore } from '../../dist/store/oauth.js'
import { createOwnerStore } from '../../dist/store/owners.js'
import { createPassageStore } from '../../dist/store/passages.js'
import { createPeakStore } from '../../dist/store/peaks.js'
import { createPlanLimitsStore } from '../../dist/store/plan-limits.js'
import { createSessionStore } from '../../dist/store/sessions.js'
import { createShareStore } from '../../dist/store/shares.js'
import { createSourceStore } from '../../dist/store/sources.js'
import { createSpeakerStore } from '../../dist/store/speakers.js'
import { createTranscriptStore } from '../../dist/store/transcripts.js'
import { createUploadStore } from '../../dist/store/uploads.js'
import { createUsageStore } from '../../dist/store/usage.js'
import { createWebhookStore } from '../../dist/store/webhooks.js'
import { createWindowStore } from '../../dist/store/windows.js'
import { createWorkOrders } from '../../dist/store/work-orders.js'
import type { DecodeLimits, FetchLimits } from '../../dist/store/work-orders.js'
import { createWorkStore } from '../../dist/store/work.js'
import type { WorkClaim } from '../../dist/domain/work.js'

/** Limits that limit nothing. */
export const ANY_DECODE: DecodeLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxActive: 100, maxPerOwner: 100, maxRunning: 100 }
export const ANY_FETCH: FetchLimits = { maxAhead: 100, maxPerOwner: 100 }
const LEASE_MS = 1000

/** A name that must be a good one. */
export function nameOf (text: string): RecordingName {
  const name = toRecordingName(text)
  if (name === undefined) throw new Error('this name is empty')
  return name
}

/** The stores of a data directory, or of a database in memory. Closed when the test ends. */
export function openStores (t: Pick<Test, 'teardown'>, dataDir: string = ':memory:') {
  const db = openDatabase(dataDir)
  t.teardown(() => { db.close() })
  const apiKeys = createApiKeyStore(db)
  const media = createMediaStore(db)
  const jobs = createJobStore(db)
  const windows = createWindowStore(db)
  const sources = createSourceStore(db)
  const work = createWorkStore(db)
  const orders = createWorkOrders(db)
  const inTransaction = createTransaction(db)
  const nextWindow = orders.byTurn(['language', 'transcribe'])
  let files = 0

  /** A queued job of the named owner, with a new media row. */
  function addJob (owner: string, more: Partial<Omit<NewJob, 'fileName'>> & { fileName?: string, sizeBytes?: number } = {}): number {
    const { sizeBytes = 1000, fileName = 'talk.mp3', ...job } = more
    const ownerId = apiKeys.ensureOwner(owner, 0)
    const mediaId = media.insert({ ownerId, file: `file-${++files}`, sizeBytes, sha256: '0'.repeat(64) }, 0)
    return jobs.insert({
      ownerId, mediaId, fileName: nameOf(fileName), options: { sttQuality: 'balanced', language: 'en' }, now: 0, ...job
    })
  }

  /** A window of 10 s of a job, and its work. */
  function addWindow (jobId: number, idx: number, state: 'ready' | 'waiting' = 'ready'): void {
    windows.insert({ jobId, purpose: 'speech', idx }, { startSample: idx * 160_000, endSample: (idx + 1) * 160_000 })
    work.insert({ kind: 'transcribe', jobId, idx, run: jobs.find(jobId)?.retryCount ?? 0, state })
  }

  /** A sample of the language of a job, and its work. */
  function addSample (jobId: number, idx: number): void {
    windows.insert({ jobId, purpose: 'language', idx }, { startSample: 0, endSample: 1600 })
    work.insert({ kind: 'language', jobId, idx, run: jobs.find(jobId)?.retryCount ?? 0 })
  }

  /** Ends the decode of a job, as a decoder that found nothing. */
  function endDecode (id: number): void {
    db.prepare('UPDATE job SET status = \'processing\' WHERE id = ?').run(id)
    work.remove({ jobId: id, kind: 'decode' })
    jobs.begin(id, 'decode', 0)
    jobs.enterStage(id, 'decode', 'transcribe', 0)
  }

  /** A job whose decoding is done: `count` windows of 10 s wait. */
  function addDecodedJob (owner: string, count: number, more: Partial<NewJob> = {}): number {
    const id = addJob(owner, more)
    endDecode(id)
    for (let idx = 0; idx < count; idx++) addWindow(id, idx)
    return id
  }

  /** A job that only lacks its last step. */
  function addTranscribedJob (owner: string, durationMs: number): number {
    const id = addDecodedJob(owner, 0)
    jobs.setDecoded(id, durationMs, 0)
    jobs.enterStage(id, 'transcribe', 'complete', 0)
    work.insert({ kind: 'complete', jobId: id, run: 0 })
    return id
  }

  /** Claims as the steps do, for a second from `now` on; `next` chooses. */
  function claimWork (
    kinds: readonly string[], next: (now: number) => number | undefined, now: number, leaseUntil = now + LEASE_MS
  ): WorkClaim | undefined {
    return inTransaction(() => {
      for (const kind of kinds) work.expire(kind, now)
      const id = next(now)
      return id === undefined ? undefined : work.claim(id, leaseUntil)
    })
  }
  const claimWindow = (now = 1000, leaseUntil = now + LEASE_MS): WorkClaim | undefined =>
    claimWork(['language', 'transcribe'], nextWindow, now, leaseUntil)
  function claimDecode (now: number, limits = ANY_DECODE, leaseUntil = now + LEASE_MS): WorkClaim | undefined {
    const claim = claimWork(['decode'], () => orders.decode(limits), now, leaseUntil)
    if (claim) jobs.begin(claim.jobId, 'decode', now)
    return claim
  }
  function claimFetch (now: number, limits = ANY_FETCH, leaseUntil = now + LEASE_MS): WorkClaim | undefined {
    const claim = claimWork(['fetch'], () => orders.fetch(limits), now, leaseUntil)
    if (claim) jobs.begin(claim.jobId, 'fetch', now)
    return claim
  }
  /** Ends a claimed window: a sample with these posteriors, or speech without words. */
  function finishWindow (claim: WorkClaim, posteriors?: Parameters<typeof windows.setPosteriors>[1]): boolean {
    if (!work.finish(claim)) return false
    const { jobId, idx } = claim
    if (posteriors) windows.setPosteriors({ jobId, purpose: 'language', idx }, posteriors)
    else windows.setOutcome({ jobId, purpose: 'speech', idx }, { wordCount: 0, isStarter: false })
    return true
  }

  /** A queued job of an address, its media expected. */
  function addUrlJob (owner: string, url: string, isNamed = false): number {
    const ownerId = apiKeys.ensureOwner(owner, 0)
    const mediaId = media.expect(ownerId, `source-${++files}`, 0)
    const options = { sttQuality: 'balanced', language: 'en' } as const
    const jobId = jobs.insert({ ownerId, mediaId, fileName: nameOf('talk'), options, firstStage: 'fetch', now: 0 })
    sources.insert({ jobId, url, shownUrl: url, isNamed })
    return jobId
  }

  return {
    db,
    inTransaction,
    inUnsyncedTransaction: createUnsyncedTransaction(db),
    apiKeys,
    owners: createOwnerStore(db),
    sessions: createSessionStore(db),
    shares: createShareStore(db),
    idempotency: createIdempotencyStore(db),
    media,
    edits: createEditStore(db),
    passages: createPassageStore(db),
    peaks: createPeakStore(db),
    planLimits: createPlanLimitsStore(db),
    jobs,
    windows,
    sources,
    work,
    orders,
    /** Claims of a test's clock. */
    createQueue: (now: () => number) => createQueue({ work, inTransaction, now }),
    transcripts: createTranscriptStore(db),
    speakers: createSpeakerStore(db),
    oauth: createOauthStore(db),
    uploads: createUploadStore(db),
    usage: createUsageStore(db),
    webhooks: createWebhookStore(db),
    deliveries: createDeliveryStore(db),
    addJob,
    addUrlJob,
    addDecodedJob,
    addTranscribedJob,
    addWindow,
    addSample,
    endDecode,
    claimWindow,
    claimDecode,
    claimFetch,
    finishWindow
  }
}
export type Stores = ReturnType<typeof openStores>
