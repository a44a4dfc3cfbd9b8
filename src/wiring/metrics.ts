/** Wraps engines and stores so that they count numbers for monitoring. */
import type { Config } from '../config.js'
import { createMetrics } from '../service/metrics.js'
import type { Metrics } from '../service/metrics.js'
import type { Files } from '../store/files.js'
import type { MetricsStore } from '../store/metrics.js'
import type { Stores } from '../store/stores.js'
import type { Engines } from './engines.js'

type Needs = {
  config: Pick<Config, 'minFreeBytes' | 'workers'>, engines: Engines, stores: Stores, store: MetricsStore, files: Files, version: string
  now: () => number
}

/** Wraps the engine to count what it transcribes. */
function countWindows ({ speech, ...engines }: Engines, { addWindow }: Metrics): Engines {
  const transcribe: typeof speech.transcribe = async (source, job, signal) => {
    const startedMs = performance.now()
    const output = await speech.transcribe(source, job, signal)
    const samples = source.spans.reduce((sum, { endSample, startSample }) => sum + endSample - startSample, 0)
    addWindow(job.quality, { samples, processingMs: performance.now() - startedMs })
    return output
  }
  return { ...engines, speech: { ...speech, transcribe } }
}

/** Wraps the stores to count the webhook requests that deliveries log. */
function countDeliveries (stores: Stores, { addSent }: Metrics): Stores {
  const log: Stores['deliveries']['log'] = (delivery, attempt, request) => {
    addSent(request.status)
    return stores.deliveries.log(delivery, attempt, request)
  }
  return { ...stores, deliveries: { ...stores.deliveries, log } }
}

export function measure ({ config, engines, stores, store, files, version, now }: Needs) {
  const { minFreeBytes, workers: slots } = config
  const { speech: { listLoaded: listSpeechModels }, languageModel, models } = engines
  // Not the model that would be chosen now: another one may have been installed since.
  const findLanguageModel = (): string | undefined => {
    const path = languageModel.loadedPath()
    return models.entries().find(({ file }) => path?.endsWith(`/${file}`))?.name
  }
  const metrics = createMetrics({
    store, jobs: stores.jobs, files, listSpeechModels, findLanguageModel, version, slots, minFreeBytes, now
  })
  return { metrics, engines: countWindows(engines, metrics), stores: countDeliveries(stores, metrics) }
}
