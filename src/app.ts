/** Composition root: the only file that sees every layer. Wires, and decides nothing; what no server needs is wired in model-tools.ts. */
import { Ajv } from 'ajv'
import Fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Config, OauthConfig } from './config.js'
import { createDownloads } from './engine/download.js'
import { createFetcher } from './engine/fetcher.js'
import type { Fetcher } from './engine/fetcher.js'
import { decodeAudio, probeMedia } from './engine/ffmpeg.js'
import { startFilterProxy } from './engine/filter-proxy.js'
import { createLocalKeys, createRemoteKeys } from './engine/jwks.js'
import { createTokenVerifier } from './engine/jwt.js'
import { createModels } from './engine/models.js'
import { createDetectorPool, createSpeechPool } from './engine/pool.js'
import { programVersion } from './engine/process.js'
import { createAbort, createSpeechEngine } from './engine/speech.js'
import { createYtDlp } from './engine/yt-dlp.js'
import { createDeliveryLoop } from './jobs/deliveries.js'
import { createLoop } from './jobs/loop.js'
import { createSweep } from './jobs/sweep.js'
import { createUsageWriter } from './jobs/usage.js'
import type { Logger } from './logger.js'
import { routes } from './routes/index.js'
import { installErrors, rawErrorResponse, sendError } from './routes/plugins/errors.js'
import { createAccess } from './service/access.js'
import { createAdministration } from './service/administration.js'
import { createDeliveries } from './service/deliveries.js'
import { createFetching } from './service/fetching.js'
import { createHealth } from './service/health.js'
import { createIdempotency } from './service/idempotency.js'
import { createIngest } from './service/ingest.js'
import { createLoginLimit } from './service/login-limit.js'
import { createOauth, publicPart } from './service/oauth.js'
import type { Oauth } from './service/oauth.js'
import { createOwners } from './service/owners.js'
import { createPasswords } from './service/passwords.js'
import { createPipeline } from './service/pipeline.js'
import { createPlans } from './service/plans.js'
import { createRemoval } from './service/removal.js'
import { createRetention } from './service/retention.js'
import { createRetries } from './service/retries.js'
import { createScheduling } from './service/scheduling.js'
import { createTokens, ownersByClaim, ownersById } from './service/tokens.js'
import type { Tokens } from './service/tokens.js'
import { createTranscripts } from './service/transcripts.js'
import { createUploads } from './service/uploads.js'
import { createUsage } from './service/usage.js'
import { createWebhooks } from './service/webhooks.js'
import { createApiKeyStore } from './store/api-keys.js'
import { createLazyTransaction, createTransaction, openDatabase } from './store/database.js'
import { createDeliveryStore } from './store/deliveries.js'
import { createFiles } from './store/files.js'
import { createIdempotencyStore } from './store/idempotency.js'
import { createJobStore } from './store/jobs.js'
import { createMediaStore } from './store/media.js'
import { createOauthStore } from './store/oauth.js'
import { createOwnerStore } from './store/owners.js'
import type { OwnerStore } from './store/owners.js'
import { createPlanLimitsStore } from './store/plan-limits.js'
import { createSourceStore } from './store/sources.js'
import { createTranscriptStore } from './store/transcripts.js'
import { createUploadStore } from './store/uploads.js'
import { createUsageStore } from './store/usage.js'
import { createWebhookStore } from './store/webhooks.js'
import { createWindowStore } from './store/windows.js'
import { tryWorkLock } from './store/work-lock.js'

/** Limit of a JSON body. */
const JSON_BODY_BYTES = 1024 * 1024

/** Keys alone: what `stenobox keys` needs. Opens the database and nothing else. */
export function createKeyring (config: Config, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const access = createAccess({ apiKeys: createApiKeyStore(db), inTransaction: createTransaction(db), now })
  return { access, close: (): void => { db.close() } }
}

/** Clients and grants of our own authorization server: what `stenobox oauth` needs. Opens the database and nothing else. */
export function createOauthTools (config: Config, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const oauth = createOauth({ oauth: createOauthStore(db), inTransaction: createTransaction(db), now })
  return { oauth, close: (): void => { db.close() } }
}

/** What judges OAuth tokens: our own by the key at hand, a provider's by the keys it publishes. */
function createTokenService (
  config: OauthConfig,
  { owners, oauth, fetcher, log, now }: { owners: OwnerStore, oauth: Oauth, fetcher: Fetcher, log: Logger, now: () => number }
): Tokens {
  const { issuer, audiences, server, ownerClaim: claim, createOwners: create } = config
  const findKey = server ? createLocalKeys(publicPart(oauth.signingKey())) : createRemoteKeys({ issuer, fetcher, now, log })
  const findOwner = server ? ownersById(owners) : ownersByClaim({ owners, claim, create, now })
  return createTokens({ verify: createTokenVerifier({ issuer, audiences, findKey, now }), findOwner })
}

/** Everything but HTTP. Threads and timers start with `start`. */
export async function createAppliance (config: Config, log: Logger, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const inTransaction = createTransaction(db)
  const files = createFiles(config.dataDir)
  await files.prepare()
  const media = createMediaStore(db)
  const jobs = createJobStore(db)
  const sources = createSourceStore(db)
  const windows = createWindowStore(db)
  const transcriptStore = createTranscriptStore(db)
  const usageStore = createUsageStore(db)
  const webhookStore = createWebhookStore(db)
  const deliveryStore = createDeliveryStore(db)
  const apiKeys = createApiKeyStore(db)

  const models = createModels(config.modelsDir)
  const pool = createSpeechPool(config.workers)
  const detector = createDetectorPool()
  const speech = createSpeechEngine({ pool, detector, models, gpu: config.gpu !== 'off', threadsPerWorker: config.threadsPerWorker })

  const access = createAccess({ apiKeys, inTransaction, now })
  const plans = createPlans({ planLimits: createPlanLimitsStore(db) })
  const usage = createUsage({ usage: usageStore, plans, inLazyTransaction: createLazyTransaction(db), now })
  const passwords = createPasswords()
  const ownerStore = createOwnerStore(db)
  const owners = createOwners({ owners: ownerStore, passwords, inTransaction, now })
  const passwordHash = config.adminPassword === undefined ? undefined : await passwords.hash(config.adminPassword)
  const administration = createAdministration({ passwordHash, passwords, loginLimit: createLoginLimit({ now }), now, log })
  const { maxMediaBytes, minFreeBytes, maxQueued } = config
  const ingest = createIngest({ jobs, media, sources, files, inTransaction, maxMediaBytes, minFreeBytes, maxQueued, now })
  const uploadStore = createUploadStore(db)
  const uploads = createUploads({ uploads: uploadStore, media, files, ingest, maxMediaBytes, now })
  const retries = createRetries({ jobs, sources, windows, transcripts: transcriptStore, media, files, ingest, inTransaction, now })
  const removal = createRemoval({ jobs, media, uploads: uploadStore, files, inTransaction })
  const transcripts = createTranscripts({ jobs, transcripts: transcriptStore, deliveries: deliveryStore, plans, isRetryable: retries.isRetryable })
  const idempotency = createIdempotency({ requests: createIdempotencyStore(db), inTransaction, now, log })
  const oauth = createOauth({ oauth: createOauthStore(db), inTransaction, now })
  const outside = { allow: config.allow, offline: config.offline }
  const fetcher = createFetcher(outside)
  const tokens = config.oauth && createTokenService(config.oauth, { owners: ownerStore, oauth, fetcher, log, now })
  const retention = createRetention({ jobs, media, files, keepMedia: config.keepMedia, retentionDays: config.retentionDays, now })
  const ytDlp = createYtDlp({ program: config.ytDlp, searchPath: config.searchPath })
  const runtime = { nodeVersion: process.version, workers: config.workers, threadsPerWorker: config.threadsPerWorker }
  const health = createHealth({ files, models, speech, ytDlp, programVersion, minFreeBytes, gpu: config.gpu, runtime })
  const webhooks = createWebhooks({ webhooks: webhookStore, deliveries: deliveryStore, apiKeys, inTransaction, fetcher, now })
  const deliveries = createDeliveries({ jobs, deliveries: deliveryStore, webhooks: webhookStore, inTransaction, fetcher, now, log })
  const deliveryLoop = createDeliveryLoop({ deliveries, log })
  const pipeline = createPipeline({
    jobs, windows, transcripts: transcriptStore, media, usage: usageStore, files, retention, deliveries, inTransaction, speech, ffmpeg: { probeMedia, decodeAudio }, maxMediaSeconds: config.maxMediaSeconds, now, log
  })
  const fetching = createFetching({
    jobs, sources, media, files, inTransaction, ingest, pipeline, ytDlp, now, log,
    downloads: createDownloads({ fetcher }),
    startProxy: async () => await startFilterProxy({ ...outside, purpose: 'sources', limits: { totalMs: 24 * 3_600_000, maxBytes: 2 * config.maxMediaBytes } }),
    maxMediaBytes: config.maxMediaBytes,
    maxMediaSeconds: config.maxMediaSeconds
  })
  const scheduling = createScheduling({ jobs, sources, windows, inTransaction, now })
  const takeOver = (): void => {
    deliveryLoop.start()
    speech.warmUp().catch((error: unknown) => { log.error({ err: error }, 'the speech model could not be loaded') })
  }
  const loop = createLoop({ fetching, pipeline, scheduling, createAbort, tryLock: () => tryWorkLock(config.dataDir), slots: speech.slots, onTakeOver: takeOver, log })
  const usageWriter = createUsageWriter({ usage, log })
  const sweep = createSweep({ places: [uploads, pipeline, usage, idempotency, oauth, retention], log })
  ingest.onSubmitted(loop.wake)
  retries.onQueued(loop.wake)
  removal.onRemoved(loop.abandon)
  pipeline.onEnded(deliveryLoop.wake)

  return {
    access,
    administration,
    deliveries,
    health,
    idempotency,
    ingest,
    plans,
    owners,
    removal,
    retries,
    oauth,
    ownerLoginLimit: createLoginLimit({ now }),
    tokens,
    transcripts,
    uploads,
    usage,
    webhooks,
    /** Begins to work on jobs. */
    start (): void {
      loop.start()
      sweep.start()
      usageWriter.start()
      for (const warning of health.starterWarning()) log.warn({}, warning)
      health.gpuWarning().then((warnings) => {
        for (const warning of warnings) log.warn({}, warning)
      }, (error: unknown) => { log.error({ err: error }, 'the speech library could not be asked for its devices') })
    },
    /** Stops working; what runs is queued again. Answers go on. */
    async stopWork (): Promise<void> {
      await sweep.stop()
      await deliveryLoop.stop()
      await loop.stop()
    },
    async close (): Promise<void> {
      await this.stopWork()
      usageWriter.stop()
      await Promise.all([pool.close(), detector.close(), fetcher.close()])
      db.close()
    }
  }
}
export type Appliance = Awaited<ReturnType<typeof createAppliance>>

/** Our own authorization server, where it is switched on; its packages are loaded only then. */
async function createOwnServer ({ oauth, owners, ownerLoginLimit: loginLimit }: Appliance, { oauth: config }: Config, log: Logger) {
  if (!config?.server) return undefined
  const { createAuthorizationServer } = await import('./oauth/server.js')
  const { issuer, registration } = config
  return { server: createAuthorizationServer({ issuer, registration, oauth, owners, loginLimit, log }), registration }
}

/** The HTTP side over an appliance. Not listening yet. */
export async function createHttp (appliance: Appliance, config: Config, log: Logger): Promise<FastifyInstance> {
  const app = Fastify({
    // As the framework's own type: a plugin cares for nothing more of a logger.
    loggerInstance: log as FastifyBaseLogger,
    // One line per request would say less than the job's own lines, and hold addresses of uploads.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: JSON_BODY_BYTES,
    // Keep-alive connections of a poller must not hold up a stop.
    forceCloseConnections: 'idle',
    http: { requireHostHeader: false },
    frameworkErrors: sendError,
    clientErrorHandler (error, socket) {
      if (socket.writable) socket.end(rawErrorResponse(error.code, randomUUID()))
      else socket.destroy()
    }
  })
  // Query and path are text and are read as what they mean; a JSON body says what it means, so "1" is not 1 there.
  const shared = { useDefaults: true, removeAdditional: false, formats: { 'date-time': true, uri: true } } as const
  const strict = new Ajv({ ...shared, coerceTypes: false })
  // "1e999" is read as Infinity, which ajv compares with no maximum unless told to.
  const lenient = new Ajv({ ...shared, coerceTypes: true, strictNumbers: false })
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? strict : lenient).compile(schema as object))
  // Fastify takes plain text for a body by default; ours are JSON, or a part's raw bytes.
  app.removeContentTypeParser('text/plain')
  installErrors(app)
  const authorizationServer = await createOwnServer(appliance, config, log)
  await app.register(routes, { ...appliance, publicUrl: config.publicUrl, oauthIssuer: config.oauth?.issuer, authorizationServer })
  return app
}
