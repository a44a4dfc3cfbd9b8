/** Adds an embedding model from a folder: copies its files, tries it, and lists it. */
import { basename, dirname, join } from 'node:path'
import { ModelError } from '../domain/model-error.js'
import { copyCounted, moveInto } from '../engine/models/files.js'
import type { FileFacts } from '../engine/models/files.js'
import type { ModelLock } from '../engine/models/lock.js'
import { partsOf } from '../engine/models/manifest.js'
import type { ModelEntry, ModelPart } from '../engine/models/manifest.js'
import type { Models } from '../engine/models/models.js'
import { listEmbeddingFiles, readEmbeddingFacts, toEmbeddingFiles } from '../engine/text/embedding-models.js'
import type { EmbeddingModelFiles } from '../engine/text/embedding-models.js'
import type { Addition } from './model-add.js'
import type { Watcher } from './model-library.js'
import { makePin } from './model-pull.js'

type Deps = {
  models: Models
  lock: ModelLock
  tryEmbeddingModel: (files: EmbeddingModelFiles) => Promise<void>
  now: () => number
}

/** A copied file. `name`: its path inside the folder. */
type Copied = { name: string, path: string, facts: FileFacts }

export function createEmbeddingAdd ({ models, lock, tryEmbeddingModel, now }: Deps) {
  const { modelsDir } = models

  async function copy (folder: string, stage: string, watcher: Watcher): Promise<[Copied, ...Copied[]]> {
    const copied: Copied[] = []
    for (const name of listEmbeddingFiles(folder) ?? []) {
      const path = join(stage, name)
      copied.push({ name, path, facts: await copyCounted(join(folder, name), path, watcher.progress) })
    }
    const [weights, ...others] = copied
    if (!weights) throw new ModelError(`${folder} holds no embedding model`)
    return [weights, ...others]
  }

  async function put (file: Copied, place: string): Promise<void> {
    await moveInto(file.path, join(modelsDir, place))
    await models.digests.record(join(modelsDir, place), file.facts)
  }

  /** Installs a model that the manifest knows, under its name. Throws `ModelError` when a file beside the weights is another one. */
  async function installPublished (entry: ModelEntry, copied: readonly Copied[]): Promise<string> {
    const files = [entry, ...partsOf(entry)].map((expected) => {
      const found = copied.find(({ path }) => basename(path) === basename(expected.file))
      if (found && found.facts.sha256 === expected.sha256) return { expected, found }
      throw new ModelError(`these are the weights of ${entry.name}, but ${basename(expected.file)} is missing or not the published file`)
    })
    for (const { expected, found } of files) {
      await put(found, expected.file)
      await lock.put(makePin(expected, found.facts, 'added by hand', now()))
    }
    return `these are the weights of ${entry.name} from the manifest; installed under that name`
  }

  /** Call it while holding the directory's lock. `stage`: an empty folder. Throws `ModelError`; nothing is installed then. */
  return async function add (folder: string, stage: string, { name, languages, licence }: Addition, watcher: Watcher): Promise<void> {
    const copied = await copy(folder, stage, watcher)
    const [weights, ...others] = copied
    const published = models.entries().find(({ kind, sha256 }) => kind === 'embedding' && sha256 === weights.facts.sha256)
    if (published) return watcher.end(await installPublished(published, copied))
    const place = (file: Copied): string => `added/${name}/${file.name}`
    const parts = others.map((file): ModelPart => ({ file: place(file), bytes: file.facts.bytes, sha256: file.facts.sha256 }))
    const { bytes, sha256 } = weights.facts
    const entry = {
      name, kind: 'embedding' as const, file: place(weights), bytes, sha256, licence, note: 'added by hand', parts,
      embedding: await readEmbeddingFacts(dirname(dirname(weights.path))), ...(languages ? { languages } : {})
    }
    watcher.note('trying it: it has to make the vector of a sentence')
    const files = toEmbeddingFiles({ entry, path: weights.path })
    if (files) await tryEmbeddingModel(files)
    for (const file of copied) await put(file, place(file))
    await models.local.put([{ entry, use: [] }])
    watcher.end(
      `${name} is installed: ${bytes} bytes, SHA-256 ${sha256}. It is an embedding model (${entry.embedding.dimensions} dimensions). ` +
        'Search uses it from now on; the library is indexed again in the background, and can be searched meanwhile'
    )
  }
}
