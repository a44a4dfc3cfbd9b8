/** All stores over one real database, and rows to start with. */
import type { Test } from 'tap'
import { toRecordingName } from '../../dist/domain/recording-name.js'
import type { RecordingName } from '../../dist/domain/recording-name.js'
import { createApiKeyStore } from '../../dist/store/api-keys.js'
import { createTransaction, openDatabase } from '../../dist/store/database.js'
import { createDeliveryStore } from '../../dist/store/deliveries.js'
import { createIdempotencyStore } from '../../dist/store/idempotency.js'
import { createJobStore } from '../../dist/store/jobs.js'
import type { NewJob } from '../../dist/store/jobs.js'
import { createMediaStore } from '../../dist/store/media.js'
import { createOauthStore } from '../../dist/store/oauth.js'
import { createOwnerStore } from '../../dist/store/owners.js'
import { createPlanLimitsStore } from '../../dist/store/plan-limits.js'
import { createSourceStore } from '../../dist/store/sources.js'
import { createTranscriptStore } from '../../dist/store/transcripts.js'
import { createUploadStore } from '../../dist/store/uploads.js'
import { createUsageStore } from '../../dist/store/usage.js'
import { createWebhookStore } from '../../dist/store/webhooks.js'
import { createWindowStore } from '../../dist/store/windows.js'

/** A name that must be a good one. */
export function nameOf (text: string): RecordingName {
  const name = toRecordingName(text)
  if (name === undefined) throw new Error('this name is empty')
  return name
}

/** The stores of a data directory, or of a database in memory. Closed when the test ends. */
export function openStores (t: Test, dataDir: string = ':memory:') {
  const db = openDatabase(dataDir)
  t.teardown(() => { db.close() })
  const apiKeys = createApiKeyStore(db)
  const media = createMediaStore(db)
  const jobs = createJobStore(db)
  const windows = createWindowStore(db)
  const sources = createSourceStore(db)
  let files = 0

  /** A queued job of the owner named so, with a media row of its own. */
  function addJob (owner: string, more: Partial<Omit<NewJob, 'fileName'>> & { fileName?: string, sizeBytes?: number } = {}): number {
    const { sizeBytes = 1000, fileName = 'talk.mp3', ...job } = more
    const ownerId = apiKeys.ensureOwner(owner, 0)
    const mediaId = media.insert({ ownerId, file: `file-${++files}`, sizeBytes, sha256: '0'.repeat(64) }, 0)
    return jobs.insert({ ownerId, mediaId, fileName: nameOf(fileName), options: { sttQuality: 'balanced', language: 'en' }, now: 0, ...job })
  }

  /** A decoded job with `count` waiting windows of 10 s. */
  function addDecodedJob (owner: string, count: number): number {
    const id = addJob(owner)
    db.prepare('UPDATE job SET status = \'processing\' WHERE id = ?').run(id)
    jobs.enterStage(id, 'decode', 'transcribe', 0)
    for (let idx = 0; idx < count; idx++) {
      windows.insert({ jobId: id, purpose: 'speech', idx }, { startSample: idx * 160_000, endSample: (idx + 1) * 160_000 })
    }
    return id
  }

  /** A queued job of an address, with expected media. */
  function addUrlJob (owner: string, url: string, isNamed = false): number {
    const ownerId = apiKeys.ensureOwner(owner, 0)
    const mediaId = media.expect(ownerId, `source-${++files}`, 0)
    const jobId = jobs.insert({ ownerId, mediaId, fileName: nameOf('talk'), options: { sttQuality: 'balanced', language: 'en' }, now: 0 })
    sources.insert({ jobId, url, shownUrl: url, isNamed })
    return jobId
  }

  return {
    db,
    inTransaction: createTransaction(db),
    apiKeys,
    owners: createOwnerStore(db),
    idempotency: createIdempotencyStore(db),
    media,
    planLimits: createPlanLimitsStore(db),
    jobs,
    windows,
    sources,
    transcripts: createTranscriptStore(db),
    oauth: createOauthStore(db),
    uploads: createUploadStore(db),
    usage: createUsageStore(db),
    webhooks: createWebhookStore(db),
    deliveries: createDeliveryStore(db),
    addJob,
    addUrlJob,
    addDecodedJob
  }
}
export type Stores = ReturnType<typeof openStores>
