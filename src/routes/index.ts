/** Mounts every route. */
import fastifyCookie from '@fastify/cookie'
import type { FastifyPluginAsync } from 'fastify'
import type { Keys } from '../service/keys.js'
import type { Accounts } from '../service/accounts.js'
import type { Artifacts } from '../service/artifacts.js'
import type { Administration } from '../service/administration.js'
import type { Audit } from '../service/audit.js'
import type { Deliveries } from '../service/deliveries.js'
import type { Edits } from '../service/edits.js'
import type { Events } from '../service/events.js'
import type { Health } from '../service/health.js'
import type { Idempotency } from '../service/idempotency.js'
import type { Playback } from '../service/playback.js'
import type { Metrics } from '../service/metrics.js'
import type { ModelAdvice } from '../service/model-advice.js'
import type { ModelTasks } from '../service/model-tasks.js'
import type { Overview } from '../service/overview.js'
import type { Oauth } from '../service/oauth.js'
import type { Owners } from '../service/owners.js'
import type { RecordingPeaks } from '../service/peaks.js'
import type { Plans } from '../service/plans.js'
import type { ProviderSignIn } from '../service/provider-sign-in.js'
import type { Removal } from '../service/removal.js'
import type { Retention } from '../service/retention.js'
import type { Retries } from '../service/retries.js'
import type { Search } from '../service/search.js'
import type { Sessions } from '../service/sessions.js'
import type { Setup } from '../service/setup.js'
import type { Segments } from '../service/segments.js'
import type { Shares } from '../service/shares.js'
import type { Speakers } from '../service/speakers.js'
import type { Submit } from '../service/submit.js'
import type { System } from '../service/system.js'
import type { TitlesAndTags } from '../service/titles-and-tags.js'
import type { Tokens } from '../service/tokens.js'
import type { Transcripts } from '../service/transcripts.js'
import type { Uploads } from '../service/uploads.js'
import type { Usage } from '../service/usage.js'
import type { Webhooks } from '../service/webhooks.js'
import { accountRoutes } from './account.js'
import { adminRoutes } from './admin/index.js'
import { artifactRoutes } from './artifacts.js'
import { audioRoutes } from './audio.js'
import { eventRoutes } from './events.js'
import { connectionRoutes } from './connections.js'
import { healthRoutes } from './health.js'
import { jobRoutes } from './jobs.js'
import { keyRoutes } from './keys.js'
import { metricsRoutes } from './metrics.js'
import { oauthRoutes } from './oauth.js'
import type { AuthorizationServer } from './oauth.js'
import { requireOperations } from './contract/operation.js'
import { recordRequests } from './plugins/audit.js'
import { requireCredential, requireRights } from './plugins/auth.js'
import { createExposition } from './plugins/metrics.js'
import { answerOnce } from './plugins/idempotency.js'
import { meterRequests } from './plugins/metering.js'
import { collectOperations, serveDocument } from './plugins/openapi.js'
import { readPageSession } from './plugins/page-session.js'
import { requireSession } from './plugins/session.js'
import { answerInTurn } from './plugins/turns.js'
import { protectedResourceRoutes } from './protected-resource.js'
import { providerRoutes } from './provider.js'
import { ownRetentionRoutes } from './retention.js'
import { searchRoutes } from './search.js'
import { setupRoutes } from './setup.js'
import { segmentRoutes } from './segments.js'
import { shareRoutes } from './shares.js'
import { sourceRoutes } from './sources.js'
import { speakerRoutes } from './speakers.js'
import { transcriptionRoutes } from './transcriptions.js'
import { partRoutes, uploadRoutes } from './uploads.js'
import { usageRoutes } from './usage.js'
import { vocabularyRoutes } from './vocabulary.js'
import { deliveryRoutes, endpointRoutes } from './webhooks.js'

export type RouteDeps = {
  accounts: Accounts
  keys: Keys
  administration: Administration
  artifacts: Artifacts
  audit: Audit
  deliveries: Deliveries
  events: Events
  edits: Edits
  health: Health
  modelTasks: ModelTasks
  adviseModels: ModelAdvice
  overview: Overview
  owners: Owners
  plans: Plans
  /** Undefined: people do not sign in at an identity provider. */
  providerSignIn: ProviderSignIn | undefined
  idempotency: Idempotency
  playback: Playback
  peaks: RecordingPeaks
  metrics: Metrics
  oauth: Oauth
  removal: Removal
  retention: Retention
  retries: Retries
  search: Search
  sessions: Sessions
  setup: Setup
  segments: Segments
  shares: Shares
  speakers: Speakers
  submit: Submit
  system: System
  titlesAndTags: TitlesAndTags
  transcripts: Transcripts
  uploads: Uploads
  usage: Usage
  webhooks: Webhooks
  /** Undefined: nobody may read the metrics. */
  metricsToken: string | undefined
  /** When the TLS certificate expires, in ms since 1970. */
  certificateExpiresAt: (() => number) | undefined
  publicUrl: string | undefined
  /** Whether only this machine can reach the server. */
  isLocalServer: boolean
  isSharingOn: boolean
  /** Of the program. */
  version: string
  tokens: Tokens | undefined
  oauthIssuer: string | undefined
  authorizationServer: { server: AuthorizationServer, registration: boolean } | undefined
}

export const routes: FastifyPluginAsync<RouteDeps> = async (app, deps) => {
  const {
    accounts, keys, administration, artifacts, audit, deliveries, edits, events, health, idempotency, playback, peaks,
    oauth, owners, plans, providerSignIn: provider, removal, retention, retries, search, segments, sessions, setup, shares,
    speakers, submit, titlesAndTags, tokens, transcripts, uploads, usage, webhooks, metrics, metricsToken: token, publicUrl, oauthIssuer,
    authorizationServer, isLocalServer, isSharingOn, version
  } = deps
  await collectOperations(app, publicUrl)
  await serveDocument(app)
  if (authorizationServer) await app.register(oauthRoutes, authorizationServer)
  await app.register(async (operations) => {
    requireOperations(operations)
    recordRequests(operations, audit)
    const exposition = token === undefined ? undefined : createExposition(operations, metrics, deps.certificateExpiresAt)
    await operations.register(fastifyCookie)
    readPageSession(operations, { sessions, publicUrl })
    requireCredential(operations, { keys, tokens, publicUrl })
    answerInTurn(operations)
    meterRequests(operations, usage)
    requireRights(operations, publicUrl)
    requireSession(operations, administration)
    answerOnce(operations, idempotency)
    await operations.register(healthRoutes, { health })
    await operations.register(metricsRoutes, { monitoring: token && exposition ? { token, exposition } : undefined })
    await operations.register(protectedResourceRoutes, { issuer: oauthIssuer, publicUrl })
    await operations.register(async (api) => {
      await api.register(setupRoutes, { accounts, setup, isLocalServer, publicUrl })
      await api.register(accountRoutes, { accounts, publicUrl, version, isSharingOn, providerName: provider?.name })
      await api.register(providerRoutes, { accounts, provider, publicUrl })
      await api.register(keyRoutes, { keys, usage })
      await api.register(connectionRoutes, { oauth, isOn: authorizationServer !== undefined })
      await api.register(shareRoutes, { shares, publicUrl })
      await api.register(sourceRoutes, { submit })
      await api.register(uploadRoutes, { uploads, transcripts, publicUrl })
      await api.register(partRoutes, { uploads })
      await api.register(usageRoutes, { usage })
      await api.register(ownRetentionRoutes, { retention })
      await api.register(adminRoutes, { ...deps, prefix: '/admin' })
      await api.register(jobRoutes, { transcripts, retries })
      await api.register(transcriptionRoutes, { transcripts, titlesAndTags, removal })
      await api.register(audioRoutes, { playback, peaks })
      await api.register(eventRoutes, { events })
      await api.register(segmentRoutes, { edits, segments })
      await api.register(speakerRoutes, { speakers })
      await api.register(searchRoutes, { search, plans })
      await api.register(artifactRoutes, { artifacts })
      await api.register(vocabularyRoutes, { owners })
      await api.register(endpointRoutes, { webhooks })
      await api.register(deliveryRoutes, { webhooks, deliveries })
    }, { prefix: '/api/v1' })
  })
}
