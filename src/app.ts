/** Composition root: joins the areas of src/wiring/ to the appliance, and puts HTTP over it. Wires, and decides nothing. */
import { Ajv } from 'ajv'
import Fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Config } from './config.js'
import { isLocalHost } from './domain/local-request.js'
import { createFetcher } from './engine/http/fetcher.js'
import type { Models } from './engine/models/models.js'
import { readDisk, readMemory } from './engine/machine.js'
import { createPageFiles } from './engine/page-files.js'
import { readPressure } from './engine/pressure.js'
import { programVersion } from './engine/process.js'
import { createSweep } from './work/sweep.js'
import { createUsageWriter } from './work/usage.js'
import type { Logger } from './logger.js'
import { routes } from './routes/index.js'
import { BODY_LIMITS, limitBodies } from './routes/plugins/body-pace.js'
import type { BodyLimits } from './routes/plugins/body-pace.js'
import { readClientAddresses } from './routes/plugins/client-address.js'
import { connectionLimits, limitConnections } from './routes/plugins/connections.js'
import type { ConnectionLimits } from './routes/plugins/connections.js'
import { createErrors, sendError } from './routes/plugins/errors.js'
import { createPage } from './routes/plugins/page.js'
import { createBottleneckWatch } from './service/bottleneck.js'
import { createErasing } from './service/erasing.js'
import { createEvents, HEARTBEAT_MS } from './service/events.js'
import { createHealth } from './service/health.js'
import type { Health } from './service/health.js'
import { createModelAdvice } from './service/model-advice.js'
import { createModelTasks } from './service/model-tasks.js'
import { createOverview } from './service/overview.js'
import { createQuarantine } from './service/quarantine.js'
import { createSearch } from './service/search.js'
import { createSystem } from './service/system.js'
import { watchChanges } from './store/changes.js'
import { createLazyTransaction, createTransaction, createUnsyncedTransaction, openDatabase } from './store/database.js'
import { createErasure } from './store/erasure.js'
import { createFiles } from './store/files.js'
import { createLibraryPool } from './store/library-pool.js'
import { createMetricsStore } from './store/metrics.js'
import { createStores } from './store/stores.js'
import { tryServerLock } from './store/work-lock.js'
import type { WorkLock } from './store/work-lock.js'
import { openAudit } from './wiring/audit.js'
import type { Base } from './wiring/base.js'
import { createEngines } from './wiring/engines.js'
import { createGate } from './wiring/gate.js'
import { createLibrary } from './wiring/library.js'
import { measure } from './wiring/metrics.js'
import { createTls } from './wiring/tls.js'
import { createWork } from './wiring/work.js'

/** How long the headers of a request may take to arrive. */
const HEADERS_MS = 20_000
/** How often bottlenecks are looked for. */
const WATCH_MS = 60_000
/** Where set-up builds the page. */
const PAGE_FOLDER = fileURLToPath(new URL('../build/page', import.meta.url))
/** Limit of a JSON body. */
const JSON_BODY_BYTES = 1024 * 1024
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/**
 * Makes this process the only server of the data directory, until the lock is released or the process ends. Throws an Error that says what
 * to do when another server has it.
 */
export function takeServerLock ({ dataDir }: Config): WorkLock {
  const lock = tryServerLock(dataDir)
  if (lock) return lock
  throw new Error(`another server is running on the data directory ${dataDir}; stop it, or set STENOBOX_DATA_DIR to another directory`)
}

/** What fetches, imports and removes models, with an archiver and an HTTP client of its own. */
async function openModelTools (config: Config, shared: { models: Models, reservedBytes: number }) {
  const { createModelTools } = await import('./model-tools.js')
  return createModelTools(config, shared)
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
  const audit = openAudit(config, log, now)
  const db = openDatabase(config.dataDir)
  const files = createFiles(config.dataDir)
  await files.prepare()
  const fetcher = createFetcher({ allow: config.allow, offline: config.offline })
  const metricsStore = createMetricsStore(db)
  const measured = measure({
    config, engines: await createEngines(config, log), stores: createStores(db), store: metricsStore, files, version, now
  })
  const { engines, metrics, stores } = measured
  const [inTransaction, inUnsyncedTransaction] = [createTransaction(db), createUnsyncedTransaction(db)]
  const base: Base = { config, stores, inTransaction, inUnsyncedTransaction, files, fetcher, audit, log, now }
  const gate = await createGate(base, createLazyTransaction(db))
  const library = createLibrary(base, gate)
  const { artifacts, deliveries, ending, indexing, loop, retention } = createWork(base, { ...library, plans: gate.plans, engines })
  const reader = createLibraryPool(config.dataDir)
  const search = createSearch({ library: reader, embedderOf: engines.embedding.find, jobs: base.stores.jobs, log })
  const { gpu, llmThreads, threadsPerWorker, minFreeBytes, workers } = config
  const runtime = { nodeVersion: process.version, workers, threadsPerWorker }
  const health = createHealth({
    ...engines, speakerEngines: engines.speakers, files, programVersion, minFreeBytes, gpu, llmThreads, runtime
  })
  const overview = createOverview({ overview: stores.overview, jobs: base.stores.jobs, metrics: metricsStore, retries: library.retries })
  const { dataDir } = config
  const system = createSystem({ health, ...engines, readMemory, readDisk, dataDir, version, minFreeBytes, now })
  let modelTools: ReturnType<typeof openModelTools> | undefined
  const modelTasks = createModelTasks({
    open: async () => (await (modelTools ??= openModelTools(config, { models: engines.models, reservedBytes: minFreeBytes }))).library,
    log,
    now
  })
  const adviseModels = createModelAdvice({
    ...engines, threads: workers * threadsPerWorker, memoryBytes: () => readMemory().availableBytes
  })
  const usageWriter = createUsageWriter({ usage: gate.usage, log })
  const erasure = createErasure(db)
  const erasing = createErasing({ erasure, log })
  const quarantine = createQuarantine({ media: base.stores.media, files, now, log })
  const places = [
    library.uploads, quarantine, ending, indexing, gate.usage, gate.idempotency, gate.oauth, gate.sessions, library.shares, retention,
    deliveries, erasing
  ]
  const sweep = createSweep({ places, log })
  const bottleneck = createBottleneckWatch({ readPressure, isBusy: loop.isBusy, log, now })
  const watch = createSweep({ places: [bottleneck], log, everyMs: WATCH_MS })
  const events = createEvents({ jobs: base.stores.jobs, log })
  const heartbeat = createSweep({ places: [events], log, everyMs: HEARTBEAT_MS })
  watchChanges(db, events.note)
  ending.onEnded(metrics.addEnded)
  library.submit.onQueued(loop.wake)
  library.speakers.onRequested(loop.wake)
  library.speakers.onChanged(indexing.refresh)
  library.edits.onChanged(indexing.refreshSoon)
  library.removal.onRemoved(loop.abandon)
  library.removal.onRemoved(library.shares.endStreams)
  library.removal.onRemoved(library.playback.end)
  library.removal.onRemoved(erasing.request)

  return {
    ...gate,
    ...library,
    adviseModels,
    artifacts,
    audit,
    deliveries,
    erasing,
    events,
    health,
    indexing,
    metrics,
    modelTasks,
    overview,
    retention,
    search,
    system,
    /** Begins to work on jobs. */
    start (): void {
      loop.start()
      sweep.start()
      watch.start()
      heartbeat.start()
      usageWriter.start()
      warnOfModels(health, log)
    },
    /** Stops working; what runs is queued again. Requests are still answered. */
    async stopWork (): Promise<void> {
      events.stop()
      library.shares.endStreams()
      library.playback.end()
      library.peaks.stop()
      await Promise.all([sweep.stop(), watch.stop(), heartbeat.stop(), erasing.stop(), modelTasks.stop()])
      await loop.stop()
    },
    async close (): Promise<void> {
      await this.stopWork()
      usageWriter.stop()
      await Promise.all([engines.close(), reader.close(), fetcher.close(), modelTools?.then(async ({ close }) => { await close() })])
      db.close()
      erasure.close()
      audit.close()
    }
  }
}
export type Appliance = Awaited<ReturnType<typeof createAppliance>>

/** Our own authorization server, where it is switched on; its packages are loaded only then. */
async function createOwnServer ({ audit, oauth, owners, ownerLoginLimit: loginLimit }: Appliance, { oauth: config }: Config, log: Logger) {
  if (!config?.server) return undefined
  const { createAuthorizationServer } = await import('./oauth/server.js')
  const { issuer, registration } = config
  return { server: createAuthorizationServer({ issuer, registration, oauth, owners, loginLimit, audit, log }), registration }
}

/** How many files this process may open. Linux has no call for it in Node. */
function openFileLimit (): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return limit === undefined ? Infinity : Number(limit)
}

/** The path of the configured address, without a trailing slash: a proxy may publish the appliance in a folder. */
const pathOf = (publicUrl: string | undefined): string => publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')

/** Reloads the certificate when its files change, while the server listens. Returns a function that tells when it expires. */
function followCertificate (app: FastifyInstance, tls: NonNullable<Awaited<ReturnType<typeof createTls>>>): () => number {
  const watch = tls.watch(app.server as HttpsServer)
  app.addHook('onListen', async () => { watch.start() })
  app.addHook('onClose', async () => { await watch.stop() })
  return watch.expiresAt
}

/** Limits of time and connections, and the folder of the page, that tests change. */
export type HttpLimits = { bodies?: BodyLimits, connections?: ConnectionLimits, pageFolder?: string }

/** The HTTP side over an appliance. Not listening yet. */
export async function createHttp (
  appliance: Appliance, config: Config, log: Logger, limits: HttpLimits = {}
): Promise<FastifyInstance> {
  const errors = createErrors()
  const tls = await createTls(config, log, Date.now)
  const app = Fastify<HttpServer>({
    // As Fastify's own type, which is all that plugins use of a logger.
    loggerInstance: log as FastifyBaseLogger,
    // One line per request would say less than the job's own lines, and hold addresses of uploads.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: JSON_BODY_BYTES,
    // A slow machine starts late rather than not at all.
    pluginTimeout: 0,
    // Keep-alive connections of a poller must not hold up a stop.
    forceCloseConnections: 'idle',
    // Headers of a request, and the first byte of a connection, must arrive in this time.
    [tls ? 'https' : 'http']: {
      ...tls?.options, requireHostHeader: false, headersTimeout: HEADERS_MS, connectionsCheckingInterval: HEADERS_MS / 4
    },
    frameworkErrors: sendError,
    clientErrorHandler: errors.answerClientError
  })
  // Query and path are text, so their values are converted to the type in the schema. JSON has types: in a body, "1" is not 1.
  const shared = { useDefaults: true, removeAdditional: false, formats: { 'date-time': true, uri: true } } as const
  const strict = new Ajv({ ...shared, coerceTypes: false })
  // "1e999" is read as Infinity, which ajv compares with no maximum unless told to.
  const lenient = new Ajv({ ...shared, coerceTypes: true, strictNumbers: false })
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? strict : lenient).compile(schema as object))
  // Fastify takes plain text for a body by default; ours are JSON, or a part's raw bytes.
  app.removeContentTypeParser('text/plain')
  readClientAddresses(app, config.trustedProxies)
  limitConnections(app, limits.connections ?? connectionLimits(openFileLimit(), config.workers), config.trustedProxies)
  errors.install(app, createPage(createPageFiles(limits.pageFolder ?? PAGE_FOLDER, pathOf(config.publicUrl))))
  limitBodies(app, limits.bodies ?? BODY_LIMITS)
  const authorizationServer = await createOwnServer(appliance, config, log)
  const certificateExpiresAt = tls && followCertificate(app, tls)
  const { metricsToken } = config
  const isLocalServer = isLocalHost(config.host) && config.trustedProxies.length === 0 &&
    (config.publicUrl === undefined || isLocalHost(new URL(config.publicUrl).hostname))
  const settings = {
    metricsToken, publicUrl: config.publicUrl, oauthIssuer: config.oauth?.issuer, isLocalServer, isSharingOn: config.sharing, version
  }
  await app.register(routes, { ...appliance, ...settings, certificateExpiresAt, authorizationServer })
  return app
}
