/** What works in the background on jobs and artifacts. */
import { startFilterProxy } from '../engine/http/filter-proxy.js'
import { createSourceDownloads } from '../engine/http/source-download.js'
import { decodeAudio, probeMedia } from '../engine/media/ffmpeg.js'
import { createArtifacts } from '../service/artifacts.js'
import { createDecoding } from '../service/decoding.js'
import { createDeliveries } from '../service/deliveries.js'
import { createDiarizing } from '../service/diarizing.js'
import { createEnding } from '../service/ending.js'
import { createFetching } from '../service/fetching.js'
import { createIndexing } from '../service/indexing.js'
import type { Plans } from '../service/plans.js'
import { createQueue } from '../service/queue.js'
import type { Queue } from '../service/queue.js'
import type { Removal } from '../service/removal.js'
import { createRetention } from '../service/retention.js'
import { createSound } from '../service/sound.js'
import { createStages } from '../service/stages.js'
import type { Submit } from '../service/submit.js'
import { createTranscribing } from '../service/transcribing.js'
import { tryWorkLock } from '../store/work-lock.js'
import type { WorkLock } from '../store/work-lock.js'
import { createKinds } from '../work/kinds/index.js'
import { createLoop } from '../work/loop.js'
import type { Base } from './base.js'
import type { Engines } from './engines.js'

/** How long the proxy of one run of yt-dlp may stay open. */
const MAX_FETCH_MS = 24 * 3_600_000

type Needs = {
  submit: Submit
  removal: Removal
  plans: Plans
  engines: Engines
}

/** Creates what all steps of a job depend on. */
function createSteps ({ config, stores, inTransaction, files, fetcher, audit, log, now }: Base, queue: Queue, removal: Removal) {
  const { keepMedia, retentionDays: mediaDays, transcriptRetentionDays: transcriptDays, maxMediaBytes, maxMediaSeconds } = config
  const retention = createRetention({ ...stores, keepMedia, mediaDays, transcriptDays, files, removal, audit, now })
  const deliveries = createDeliveries({ ...stores, queue, inTransaction, fetcher, now, log })
  const stages = createStages({ ...stores, now })
  const ending = createEnding({ ...stores, queue, files, retention, deliveries, inTransaction, now, log })
  return { ...stores, queue, retention, deliveries, stages, ending, files, inTransaction, maxMediaBytes, maxMediaSeconds, now, log }
}

/** Creates artifacts, the steps of jobs, webhook deliveries, and the loop that runs them. Does not start the loop. */
export function createWork (base: Base, { submit, removal, plans, engines }: Needs) {
  const { config, stores, inTransaction, files, fetcher, log, now } = base
  const { speech, ytDlp } = engines
  const queue = createQueue({ work: stores.work, inTransaction, now })
  const { listVectors } = stores.passages
  const artifacts = createArtifacts({ ...stores, queue, plans, engines: engines.artifacts, listVectors, inTransaction, now, log })
  const steps = { ...createSteps(base, queue, removal), speech }
  const { deliveries, ending, retention, maxMediaBytes, maxMediaSeconds } = steps
  const ways = { allow: config.allow, offline: config.offline }
  const proxyLimits = { totalMs: MAX_FETCH_MS, maxBytes: 2 * maxMediaBytes }
  const fetching = createFetching({
    ...steps, submit, ytDlp, downloads: createSourceDownloads({ fetcher }),
    startProxy: async (share) => await startFilterProxy({ ...ways, purpose: 'sources', share, limits: proxyLimits })
  })
  const sound = createSound({ media: stores.media, files, submit, ffmpeg: { probeMedia, decodeAudio }, maxMediaSeconds })
  const indexing = createIndexing({ ...steps, embedder: engines.embedding.current })
  const diarizing = createDiarizing({ ...steps, engines: engines.speakers, sound, plans, indexing })
  const decoding = createDecoding({ ...steps, sound, diarizing })
  const transcribing = createTranscribing(steps)
  const { slots } = speech
  const kinds = createKinds({ fetching, decoding, transcribing, diarizing, indexing, ending, deliveries, artifacts, slots, log })
  const onTakeOver = (): void => {
    speech.warmUp().catch((error: unknown) => { log.error({ err: error }, 'the speech model could not be loaded') })
  }
  const tryLock = (): WorkLock | undefined => tryWorkLock(config.dataDir)
  const loop = createLoop({ kinds, queue, recover: ending.recover, tryLock, canWrite: files.canWrite, onTakeOver, log })
  ending.onEnded((jobId) => {
    loop.abandon(jobId)
    loop.wake()
  })
  return { artifacts, deliveries, ending, indexing, loop, retention }
}
