/** All stores over one real database, and rows to start with. */
import type { Test } from 'tap'
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

/** The stores of a data directory or of an in-memory database. Closed when the test ends. */
export function openStores (t: Test, dataDir: string = ':memory:') {
  const db = openDatabase(dataDir)
  t.teardown(() => { db.close() })
  const apiKeys = createApiKeyStore(db)
  const media = createMediaStore(db)
  const jobs = createJobStore(db)
  const windows = createWindowStore(db)
  const sources = createSourceStore(db)
  let files = 0

  /** Creates a queued job for the named owner, with its own media row. */
  function addJob (owner: string, more: Partial<NewJob> & { sizeBytes?: number } = {}): number {
    const { sizeBytes = 1000, ...job } = more
    const ownerId = apiKeys.ensureOwner(owner, 0)
    const mediaId = media.insert({ ownerId, file: `file-${++files}`, sizeBytes, sha256: '0'.repeat(64) }, 0)
    return jobs.insert({ ownerId, mediaId, fileName: 'talk.mp3', options: { sttQuality: 'balanced', language: 'en' }, now: 0, ...job })
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
    const jobId = jobs.insert({ ownerId, mediaId, fileName: 'talk', options: { sttQuality: 'balanced', language: 'en' }, now: 0 })
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
