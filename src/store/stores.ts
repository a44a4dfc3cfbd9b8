/** Every store over one database. */
import { createApiKeyStore } from './api-keys.js'
import { createArtifactStore } from './artifacts.js'
import type { Database } from './database.js'
import { createDeliveryStore } from './deliveries.js'
import { createEditStore } from './edits.js'
import { createIdempotencyStore } from './idempotency.js'
import { createIdentityStore } from './identities.js'
import { createJobList } from './job-list.js'
import { createJobStore } from './jobs.js'
import { createMediaStore } from './media.js'
import { createOauthStore } from './oauth.js'
import { createOverviewStore } from './overview.js'
import { createOwnerStore } from './owners.js'
import { createPassageStore } from './passages.js'
import { createPeakStore } from './peaks.js'
import { createPlanLimitsStore } from './plan-limits.js'
import { createSessionStore } from './sessions.js'
import { createShareStore } from './shares.js'
import { createSourceStore } from './sources.js'
import { createSpeakerStore } from './speakers.js'
import { createTagStore } from './tags.js'
import { createTranscriptStore } from './transcripts.js'
import { createUploadStore } from './uploads.js'
import { createUsageStore } from './usage.js'
import { createWebhookStore } from './webhooks.js'
import { createWindowStore } from './windows.js'
import { createWorkOrders } from './work-orders.js'
import { createWorkStore } from './work.js'

export function createStores (db: Database) {
  return {
    apiKeys: createApiKeyStore(db),
    artifacts: createArtifactStore(db),
    deliveries: createDeliveryStore(db),
    edits: createEditStore(db),
    identities: createIdentityStore(db),
    jobs: createJobStore(db),
    jobList: createJobList(db),
    media: createMediaStore(db),
    oauth: createOauthStore(db),
    overview: createOverviewStore(db),
    owners: createOwnerStore(db),
    passages: createPassageStore(db),
    peaks: createPeakStore(db),
    planLimits: createPlanLimitsStore(db),
    requests: createIdempotencyStore(db),
    sessions: createSessionStore(db),
    shares: createShareStore(db),
    sources: createSourceStore(db),
    speakers: createSpeakerStore(db),
    tags: createTagStore(db),
    transcripts: createTranscriptStore(db),
    uploads: createUploadStore(db),
    usage: createUsageStore(db),
    webhooks: createWebhookStore(db),
    windows: createWindowStore(db),
    work: createWorkStore(db),
    orders: createWorkOrders(db)
  }
}
export type Stores = ReturnType<typeof createStores>
