/** Composition root: the only file that sees every layer. Wires, and decides nothing; what no server needs is wired in model-tools.ts. */
import { Ajv } from 'ajv'
import Fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config, OauthConfig } from './config.js'
import { createFetcher } from './engine/http/fetcher.js'
import type { Fetcher } from './engine/http/fetcher.js'
import { decodeAudio, probeMedia } from './engine/media/ffmpeg.js'
import { startFilterProxy } from './engine/http/filter-proxy.js'
import { createSourceDownloads } from './engine/http/source-download.js'
import { createLocalKeys, createRemoteKeys } from './engine/tokens/jwks.js'
import { createTokenVerifier } from './engine/tokens/jwt.js'
import { createModels } from './engine/models/models.js'
import { createDetectorPool, createSpeakerPool, createSpeechPool } from './engine/speech/pool.js'
import { programVersion } from './engine/process.js'
import { createSpeechEngine } from './engine/speech/engine.js'
import { createEmbedding } from './engine/text/embedder.js'
import type { Embedder } from './engine/text/embedder.js'
import type { SpeechEngine } from './engine/speech/engine.js'
import { createSpeakerEngine } from './engine/speech/speakers.js'
import type { SpeakerEngine } from './engine/speech/speakers.js'
import { createExtractiveEngine, createExtractivePool } from './engine/text/extractive.js'
import { createLlmEngine } from './engine/text/llm/engine.js'
import { createResidentModel } from './engine/text/llm/resident-model.js'
import type { ResidentModel } from './engine/text/llm/resident-model.js'
import { createYtDlp } from './engine/media/yt-dlp.js'
import type { YtDlp } from './engine/media/yt-dlp.js'
import { createKinds } from './work/kinds/index.js'
import { createLoop } from './work/loop.js'
import { createSweep } from './work/sweep.js'
import { createUsageWriter } from './work/usage.js'
import type { Logger } from './logger.js'
import { routes } from './routes/index.js'
import { BODY_LIMITS, limitBodies } from './routes/plugins/body-pace.js'
import type { BodyLimits } from './routes/plugins/body-pace.js'
import { connectionLimits, limitConnections } from './routes/plugins/connections.js'
import type { ConnectionLimits } from './routes/plugins/connections.js'
import { createErrors, sendError } from './routes/plugins/errors.js'
import { createKeys } from './service/keys.js'
import { createArtifacts } from './service/artifacts.js'
import type { Artifacts } from './service/artifacts.js'
import { createAdministration } from './service/administration.js'
import { createBackups } from './service/backups.js'
import type { Backups } from './service/backups.js'
import { createDecoding } from './service/decoding.js'
import { createDeliveries } from './service/deliveries.js'
import { createDiarizing } from './service/diarizing.js'
import { createEnding } from './service/ending.js'
import { createErasing } from './service/erasing.js'
import { createFetching } from './service/fetching.js'
import { createHealth } from './service/health.js'
import type { Health } from './service/health.js'
import { createIndexing } from './service/indexing.js'
import { createIdempotency } from './service/idempotency.js'
import { createLoginLimit } from './service/login-limit.js'
import { createOauth, publicPart } from './service/oauth.js'
import type { Oauth } from './service/oauth.js'
import { createOwners } from './service/owners.js'
import { createPasswords } from './service/passwords.js'
import { createPlans } from './service/plans.js'
import type { Plans } from './service/plans.js'
import { createQuarantine } from './service/quarantine.js'
import { createQueue } from './service/queue.js'
import { createRemoval } from './service/removal.js'
import type { Removal } from './service/removal.js'
import { createRetention } from './service/retention.js'
import { createRetries } from './service/retries.js'
import { createSearch } from './service/search.js'
import { createSound } from './service/sound.js'
import { createSpeakers } from './service/speakers.js'
import { createStages } from './service/stages.js'
import { createSubmit } from './service/submit.js'
import type { Submit } from './service/submit.js'
import { createTokens, ownersByClaim, ownersById } from './service/tokens.js'
import type { Tokens } from './service/tokens.js'
import { createTranscribing } from './service/transcribing.js'
import { createTranscripts } from './service/transcripts.js'
import { createUploads } from './service/uploads.js'
import { createUsage } from './service/usage.js'
import type { Usage } from './service/usage.js'
import { createWebhooks } from './service/webhooks.js'
import { createApiKeyStore } from './store/api-keys.js'
import { createLazyTransaction, createTransaction, openDatabase } from './store/database.js'
import type { InTransaction } from './store/database.js'
import { createErasure } from './store/erasure.js'
import { createFiles } from './store/files.js'
import { createLibraryPool } from './store/library-pool.js'
import type { Files } from './store/files.js'
import { createJobStore } from './store/jobs.js'
import { createOauthStore } from './store/oauth.js'
import { createOwnerStore } from './store/owners.js'
import type { OwnerStore } from './store/owners.js'
import { createStores } from './store/stores.js'
import type { Stores } from './store/stores.js'
import { tryServerLock, tryWorkLock } from './store/work-lock.js'
import type { WorkLock } from './store/work-lock.js'

/** How long the headers of a request may take to arrive. */
const HEADERS_MS = 20_000
/** Limit of a JSON body. */
const JSON_BODY_BYTES = 1024 * 1024
/** yt-dlp's connections of one source, all together. */
const MAX_FETCH_MS = 24 * 3_600_000

/** Keys alone: what `stenobox keys` needs. Opens the database and nothing else. */
export function createKeyring (config: Config, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const inTransaction = createTransaction(db)
  const keys = createKeys({ apiKeys: createApiKeyStore(db), inTransaction, now })
  const owners = createOwners({ owners: createOwnerStore(db), passwords: createPasswords(), inTransaction, now })
  return { keys, owners, close: (): void => { db.close() } }
}

/** Search alone: what `stenobox search` needs. */
export function createSearchTools (config: Config, log: Logger, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const keys = createKeys({ apiKeys: createApiKeyStore(db), inTransaction: createTransaction(db), now })
  const embedding = createEmbedding()
  const library = createLibraryPool(config.dataDir)
  return {
    keys,
    search: createSearch({ library, embedderOf: embedding.find, jobs: createJobStore(db), log }),
    async close (): Promise<void> {
      await Promise.all([embedding.close(), library.close()])
      db.close()
    }
  }
}

/** Clients and grants of our own authorization server: what `stenobox oauth` needs. Opens the database and nothing else. */
export function createOauthTools (config: Config, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const oauth = createOauth({ oauth: createOauthStore(db), inTransaction: createTransaction(db), now })
  return { oauth, close: (): void => { db.close() } }
}

/** What `stenobox backup` and `stenobox restore` need. */
export const createBackupTools = ({ dataDir }: Config): Backups => createBackups({ openDatabase, dataDir, now: Date.now })

/**
 * Makes this process the only server of the data directory, until the lock is released or the process ends. Throws an Error that says what
 * to do when another server has it.
 */
export function takeServerLock ({ dataDir }: Config): WorkLock {
  const lock = tryServerLock(dataDir)
  if (lock) return lock
  throw new Error(`another server is running on the data directory ${dataDir}; stop it, or set STENOBOX_DATA_DIR to another directory`)
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

/** What everything below stands on. */
type Base = {
  config: Config
  stores: Stores
  inTransaction: InTransaction
  files: Files
  /** The way out. */
  fetcher: Fetcher
  log: Logger
  now: () => number
}

/** Who may call, and how much. */
async function createGate ({ config, stores, inTransaction, fetcher, log, now }: Base, inLazyTransaction: InTransaction) {
  const passwords = createPasswords()
  const passwordHash = config.adminPassword === undefined ? undefined : await passwords.hash(config.adminPassword)
  const oauth = createOauth({ oauth: stores.oauth, inTransaction, now })
  const plans = createPlans({ planLimits: stores.planLimits })
  return {
    keys: createKeys({ apiKeys: stores.apiKeys, inTransaction, now }),
    administration: createAdministration({ passwordHash, passwords, loginLimit: createLoginLimit({ now }), now, log }),
    idempotency: createIdempotency({ requests: stores.requests, inTransaction, now, log }),
    oauth,
    ownerLoginLimit: createLoginLimit({ now }),
    owners: createOwners({ owners: stores.owners, passwords, inTransaction, now }),
    plans,
    tokens: config.oauth && createTokenService(config.oauth, { owners: stores.owners, oauth, fetcher, log, now }),
    usage: createUsage({ usage: stores.usage, plans, inLazyTransaction, now })
  }
}

/** How recordings come in, are seen, and go. */
function createLibrary ({ config, stores, inTransaction, files, fetcher, now }: Base, { plans, usage }: { plans: Plans, usage: Usage }) {
  const { jobs, media, sources, speakers, transcripts, windows } = stores
  const { maxMediaBytes, minFreeBytes, maxQueued } = config
  const webhooks = createWebhooks({ ...stores, inTransaction, fetcher, now })
  const submit = createSubmit({ ...stores, usage, plans, webhooks, files, inTransaction, maxMediaBytes, minFreeBytes, maxQueued, now })
  const retries = createRetries({ jobs, sources, windows, transcripts, speakers, media, files, submit, now })
  return {
    submit,
    removal: createRemoval({ jobs, media, uploads: stores.uploads, files, inTransaction }),
    retries,
    speakers: createSpeakers({ ...stores, plans, files, submit, inTransaction }),
    transcripts: createTranscripts({ ...stores, plans, isRetryable: retries.isRetryable }),
    uploads: createUploads({ uploads: stores.uploads, files, submit, inTransaction, now }),
    webhooks
  }
}

/** What makes summaries, chapters, quotes and posts. */
function createArtifactSide ({ stores, inTransaction, log, now }: Base, plans: Plans, model: ResidentModel) {
  const pool = createExtractivePool()
  const queue = createQueue({ work: stores.work, inTransaction, now })
  const engines = [createLlmEngine({ model }), createExtractiveEngine(pool)] as const
  const { listVectors } = stores.passages
  const artifacts = createArtifacts({ ...stores, queue, plans, engines, listVectors, inTransaction, now, log })
  return { artifacts, closeArtifacts: pool.close }
}

type Engines = {
  submit: Submit, removal: Removal, plans: Plans, speech: SpeechEngine, speakerEngine: SpeakerEngine, ytDlp: YtDlp
  embedder: () => Embedder | undefined, artifacts: Artifacts
}

/** What works on jobs: their steps, telling receivers, and the loop that drives them. */
function createWork (base: Base, { submit, removal, plans, speech, speakerEngine, ytDlp, embedder, artifacts }: Engines) {
  const { config, stores, inTransaction, files, fetcher, log, now } = base
  const { maxMediaBytes, maxMediaSeconds } = config
  const queue = createQueue({ work: stores.work, inTransaction, now })
  const { keepMedia, retentionDays: mediaDays, transcriptRetentionDays: transcriptDays } = config
  const retention = createRetention({ ...stores, keepMedia, mediaDays, transcriptDays, files, removal, now })
  const deliveries = createDeliveries({ ...stores, queue, inTransaction, fetcher, now, log })
  const stages = createStages({ ...stores, now })
  const ending = createEnding({ ...stores, queue, files, retention, deliveries, inTransaction, now, log })
  const steps = { ...stores, queue, stages, ending, files, inTransaction, speech, maxMediaBytes, maxMediaSeconds, now, log }
  const ways = { allow: config.allow, offline: config.offline }
  const proxyLimits = { totalMs: MAX_FETCH_MS, maxBytes: 2 * maxMediaBytes }
  const fetching = createFetching({
    ...steps, submit, ytDlp, downloads: createSourceDownloads({ fetcher }),
    startProxy: async (share) => await startFilterProxy({ ...ways, purpose: 'sources', share, limits: proxyLimits })
  })
  const sound = createSound({ media: stores.media, files, submit, ffmpeg: { probeMedia, decodeAudio }, maxMediaSeconds })
  const indexing = createIndexing({ ...steps, embedder })
  const diarizing = createDiarizing({ ...steps, engine: speakerEngine, sound, plans, indexing })
  const decoding = createDecoding({ ...steps, sound, diarizing })
  const transcribing = createTranscribing(steps)
  const { slots } = speech
  const kinds = createKinds({ fetching, decoding, transcribing, diarizing, indexing, ending, deliveries, artifacts, slots, log })
  const onTakeOver = (): void => {
    speech.warmUp().catch((error: unknown) => { log.error({ err: error }, 'the speech model could not be loaded') })
  }
  const loop = createLoop({ kinds, queue, recover: ending.recover, tryLock: () => tryWorkLock(config.dataDir), onTakeOver, log })
  ending.onEnded((jobId) => {
    loop.abandon(jobId)
    loop.wake()
  })
  return { deliveries, ending, indexing, loop, retention }
}

/** What the administrator should know of models and devices. */
function warnOfModels (health: Health, log: Logger): void {
  for (const warning of [...health.starterWarning(), ...health.modelWarnings()]) log.warn({}, warning)
  health.gpuWarning().then((warnings) => {
    for (const warning of warnings) log.warn({}, warning)
  }, (error: unknown) => { log.error({ err: error }, 'the speech library could not be asked for its devices') })
}

/** Everything but HTTP. Threads and timers start with `start`. */
export async function createAppliance (config: Config, log: Logger, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const files = createFiles(config.dataDir)
  await files.prepare()
  const fetcher = createFetcher({ allow: config.allow, offline: config.offline })
  const base: Base = { config, stores: createStores(db), inTransaction: createTransaction(db), files, fetcher, log, now }

  const models = createModels(config.modelsDir)
  await models.prepare()
  const pool = createSpeechPool(config.workers)
  const detector = createDetectorPool()
  const languageModel = createResidentModel({
    find: models.chooseLanguageModel, gpu: config.gpu, threads: config.llmThreads, onUnusable: models.markUnusable
  })
  const { gpu, threadsPerWorker, minFreeBytes } = config
  const speech = createSpeechEngine({ pool, detector, models, gpu: gpu !== 'off', threadsPerWorker, freeMemory: languageModel.free })
  const speakerPool = createSpeakerPool()
  const speakerEngine = createSpeakerEngine({ pool: speakerPool })
  const ytDlp = createYtDlp({ program: config.ytDlp, searchPath: config.searchPath })

  const gate = await createGate(base, createLazyTransaction(db))
  const library = createLibrary(base, gate)
  const embedding = createEmbedding()
  const { artifacts, closeArtifacts } = createArtifactSide(base, gate.plans, languageModel)
  const engines = { ...library, plans: gate.plans, speech, speakerEngine, ytDlp, embedder: embedding.current, artifacts }
  const { deliveries, ending, indexing, loop, retention } = createWork(base, engines)
  const reader = createLibraryPool(config.dataDir)
  const search = createSearch({ library: reader, embedderOf: embedding.find, jobs: base.stores.jobs, log })
  const runtime = { nodeVersion: process.version, workers: config.workers, threadsPerWorker }
  const health = createHealth({
    files, models, speech, speakerEngine, languageModel, ytDlp, programVersion, minFreeBytes, gpu, runtime
  })
  const usageWriter = createUsageWriter({ usage: gate.usage, log })
  const erasure = createErasure(db)
  const erasing = createErasing({ erasure, log })
  const quarantine = createQuarantine({ media: base.stores.media, files, now, log })
  const places = [library.uploads, quarantine, ending, indexing, gate.usage, gate.idempotency, gate.oauth, retention, deliveries, erasing]
  const sweep = createSweep({ places, log })
  library.submit.onQueued(loop.wake)
  library.speakers.onRequested(loop.wake)
  library.speakers.onChanged(indexing.refresh)
  library.removal.onRemoved(loop.abandon)
  library.removal.onRemoved(erasing.request)

  return {
    ...gate,
    ...library,
    artifacts,
    deliveries,
    erasing,
    health,
    indexing,
    search,
    /** Begins to work on jobs. */
    start (): void {
      loop.start()
      sweep.start()
      usageWriter.start()
      warnOfModels(health, log)
    },
    /** Stops working; what runs is queued again. Answers go on. */
    async stopWork (): Promise<void> {
      await Promise.all([sweep.stop(), erasing.stop()])
      await loop.stop()
    },
    async close (): Promise<void> {
      await this.stopWork()
      usageWriter.stop()
      await Promise.all([pool, detector, speakerPool, embedding, reader, fetcher].map(async (each) => { await each.close() }))
      await Promise.all([closeArtifacts(), languageModel.free()])
      db.close()
      erasure.close()
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

/** How many files this process may open. Linux has no call for it in Node. */
function openFileLimit (): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return limit === undefined ? Infinity : Number(limit)
}

/** Limits of time and connections that tests change. */
export type HttpLimits = { bodies?: BodyLimits, connections?: ConnectionLimits }

/** The HTTP side over an appliance. Not listening yet. */
export async function createHttp (
  appliance: Appliance, config: Config, log: Logger, limits: HttpLimits = {}
): Promise<FastifyInstance> {
  const errors = createErrors()
  const app = Fastify({
    // As the framework's own type: a plugin cares for nothing more of a logger.
    loggerInstance: log as FastifyBaseLogger,
    // One line per request would say less than the job's own lines, and hold addresses of uploads.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: JSON_BODY_BYTES,
    // Keep-alive connections of a poller must not hold up a stop.
    forceCloseConnections: 'idle',
    // Headers of a request, and the first byte of a connection, must arrive in this time.
    http: { requireHostHeader: false, headersTimeout: HEADERS_MS, connectionsCheckingInterval: HEADERS_MS / 4 },
    frameworkErrors: sendError,
    clientErrorHandler: errors.answerClientError
  })
  // Query and path are text and are read as what they mean; a JSON body says what it means, so "1" is not 1 there.
  const shared = { useDefaults: true, removeAdditional: false, formats: { 'date-time': true, uri: true } } as const
  const strict = new Ajv({ ...shared, coerceTypes: false })
  // "1e999" is read as Infinity, which ajv compares with no maximum unless told to.
  const lenient = new Ajv({ ...shared, coerceTypes: true, strictNumbers: false })
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? strict : lenient).compile(schema as object))
  // Fastify takes plain text for a body by default; ours are JSON, or a part's raw bytes.
  app.removeContentTypeParser('text/plain')
  limitConnections(app, limits.connections ?? connectionLimits(openFileLimit(), config.workers))
  errors.install(app)
  limitBodies(app, limits.bodies ?? BODY_LIMITS)
  const authorizationServer = await createOwnServer(appliance, config, log)
  await app.register(routes, { ...appliance, publicUrl: config.publicUrl, oauthIssuer: config.oauth?.issuer, authorizationServer })
  return app
}
