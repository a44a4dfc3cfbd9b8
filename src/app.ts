/** Composition root: the only file that sees every layer. Wires, and decides nothing; what no server needs is wired in model-tools.ts. */
import { Ajv } from 'ajv'
import Fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Config } from './config.js'
import { decodeAudio, probeMedia } from './engine/ffmpeg.js'
import { createModels } from './engine/models.js'
import { createDetectorPool, createSpeechPool } from './engine/pool.js'
import { programVersion } from './engine/process.js'
import { createAbort, createSpeechEngine } from './engine/speech.js'
import { createLoop } from './jobs/loop.js'
import { createSweep } from './jobs/sweep.js'
import { createUsageWriter } from './jobs/usage.js'
import type { Logger } from './logger.js'
import { routes } from './routes/index.js'
import { installErrors, rawErrorResponse, sendError } from './routes/plugins/errors.js'
import { createAccess } from './service/access.js'
import { createAdministration } from './service/administration.js'
import { createHealth } from './service/health.js'
import { createIdempotency } from './service/idempotency.js'
import { createIngest } from './service/ingest.js'
import { createLoginLimit } from './service/login-limit.js'
import { createOwners } from './service/owners.js'
import { createPasswords } from './service/passwords.js'
import { createPipeline } from './service/pipeline.js'
import { createPlans } from './service/plans.js'
import { createRemoval } from './service/removal.js'
import { createRetries } from './service/retries.js'
import { createScheduling } from './service/scheduling.js'
import { createTranscripts } from './service/transcripts.js'
import { createUploads } from './service/uploads.js'
import { createUsage } from './service/usage.js'
import { createApiKeyStore } from './store/api-keys.js'
import { createLazyTransaction, createTransaction, openDatabase } from './store/database.js'
import { createFiles } from './store/files.js'
import { createIdempotencyStore } from './store/idempotency.js'
import { createJobStore } from './store/jobs.js'
import { createMediaStore } from './store/media.js'
import { createOwnerStore } from './store/owners.js'
import { createPlanLimitsStore } from './store/plan-limits.js'
import { createTranscriptStore } from './store/transcripts.js'
import { createUploadStore } from './store/uploads.js'
import { createUsageStore } from './store/usage.js'
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

/** Everything but HTTP. Threads and timers start with `start`. */
export async function createAppliance (config: Config, log: Logger, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const inTransaction = createTransaction(db)
  const files = createFiles(config.dataDir)
  await files.prepare()
  const media = createMediaStore(db)
  const jobs = createJobStore(db)
  const windows = createWindowStore(db)
  const transcriptStore = createTranscriptStore(db)
  const usageStore = createUsageStore(db)

  const models = createModels(config.modelsDir)
  const pool = createSpeechPool(config.workers)
  const detector = createDetectorPool()
  const speech = createSpeechEngine({ pool, detector, models, gpu: config.gpu !== 'off', threadsPerWorker: config.threadsPerWorker })

  const access = createAccess({ apiKeys: createApiKeyStore(db), inTransaction, now })
  const plans = createPlans({ planLimits: createPlanLimitsStore(db) })
  const usage = createUsage({ usage: usageStore, plans, inLazyTransaction: createLazyTransaction(db), now })
  const passwords = createPasswords()
  const owners = createOwners({ owners: createOwnerStore(db), passwords, inTransaction, now })
  const passwordHash = config.adminPassword === undefined ? undefined : await passwords.hash(config.adminPassword)
  const administration = createAdministration({ passwordHash, passwords, loginLimit: createLoginLimit({ now }), now, log })
  const { maxMediaBytes, minFreeBytes, maxQueued } = config
  const ingest = createIngest({ jobs, media, files, inTransaction, maxMediaBytes, minFreeBytes, maxQueued, now })
  const uploadStore = createUploadStore(db)
  const uploads = createUploads({ uploads: uploadStore, media, files, ingest, maxMediaBytes, now })
  const retries = createRetries({ jobs, windows, media, files, ingest, inTransaction, now })
  const removal = createRemoval({ jobs, media, uploads: uploadStore, files, inTransaction })
  const transcripts = createTranscripts({ jobs, transcripts: transcriptStore, plans, isRetryable: retries.isRetryable })
  const idempotency = createIdempotency({ requests: createIdempotencyStore(db), inTransaction, now, log })
  const runtime = { nodeVersion: process.version, workers: config.workers, threadsPerWorker: config.threadsPerWorker }
  const health = createHealth({ files, models, speech, programVersion, minFreeBytes, gpu: config.gpu, runtime })
  const pipeline = createPipeline({
    jobs, windows, transcripts: transcriptStore, media, usage: usageStore, files, inTransaction, speech, ffmpeg: { probeMedia, decodeAudio }, maxMediaSeconds: config.maxMediaSeconds, now, log
  })
  const scheduling = createScheduling({ jobs, windows, inTransaction, now })
  const warmUp = (): void => {
    speech.warmUp().catch((error: unknown) => { log.error({ err: error }, 'the speech model could not be loaded') })
  }
  const loop = createLoop({ pipeline, scheduling, createAbort, tryLock: () => tryWorkLock(config.dataDir), slots: speech.slots, onTakeOver: warmUp, log })
  const usageWriter = createUsageWriter({ usage, log })
  const sweep = createSweep({ places: [uploads, pipeline, usage, idempotency], log })
  ingest.onSubmitted(loop.wake)
  retries.onQueued(loop.wake)
  removal.onRemoved(loop.abandon)

  return {
    access,
    administration,
    health,
    idempotency,
    ingest,
    plans,
    owners,
    removal,
    retries,
    transcripts,
    uploads,
    usage,
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
      await loop.stop()
    },
    async close (): Promise<void> {
      await this.stopWork()
      usageWriter.stop()
      await Promise.all([pool.close(), detector.close()])
      db.close()
    }
  }
}
export type Appliance = Awaited<ReturnType<typeof createAppliance>>

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
  const shared = { useDefaults: true, removeAdditional: false, formats: { 'date-time': true } } as const
  const strict = new Ajv({ ...shared, coerceTypes: false })
  // "1e999" is read as Infinity, which ajv compares with no maximum unless told to.
  const lenient = new Ajv({ ...shared, coerceTypes: true, strictNumbers: false })
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? strict : lenient).compile(schema as object))
  // Fastify takes plain text for a body by default; ours are JSON, or a part's raw bytes.
  app.removeContentTypeParser('text/plain')
  installErrors(app)
  await app.register(routes, { ...appliance, publicUrl: config.publicUrl })
  return app
}
