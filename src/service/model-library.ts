/** The models of this box: fetch, add, export, import, verify, remove; model-catalogue.ts lists them. */
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { isNoRoom } from '../domain/errors.js'
import { BusyError, ModelError, NoRoomError } from '../domain/model-error.js'
import { isFile, prepareDirectory, removeEmptyFolder, removeFile, removeFolder } from '../engine/models/files.js'
import { acceptedBy, isBinding } from '../engine/models/lock.js'
import type { ModelLock } from '../engine/models/lock.js'
import { partsOf } from '../engine/models/manifest.js'
import type { ModelEntry } from '../engine/models/manifest.js'
import { removePart } from '../engine/models/part.js'
import { BUNDLED_MODELS_DIR } from '../engine/models/models.js'
import type { Models } from '../engine/models/models.js'
import type { Addition } from './model-add.js'
import { createModelArchives } from './model-archives.js'
import { createModelCatalogue } from './model-catalogue.js'
import { pullWhenUnlocked } from './model-lock-wait.js'
import { workDirOf } from './model-pull.js'

export type Verdict = { name: string, ok: boolean, detail: string }

/** Receives the progress of long work. */
export type Watcher = {
  begin (label: string): void
  progress (doneBytes: number, totalBytes: number | undefined): void
  note (sentence: string): void
  end (sentence: string): void
  /** Stops the work; what has arrived is kept. */
  readonly signal?: AbortSignal
}

/** Small enough for every machine; knows 99 languages. */
const FIRST_MODEL = 'base'

type Deps = {
  models: Models
  lock: ModelLock
  /** Installs one model; see model-pull.ts. */
  pullOne: (entry: ModelEntry, watcher: Watcher) => Promise<void>
  /** Adds one model; see model-add.ts. */
  addOne: (given: string, addition: Addition, watcher: Watcher) => Promise<void>
  /** Takes the lock on the models directory; undefined while another process holds it. */
  tryLock: () => { release (): void } | undefined
  offline: boolean
  /** Free bytes of a directory, as far as models may use them. */
  freeBytes?: (directory: string) => Promise<number>
  now: () => number
}

export function createModelLibrary ({ models, lock, pullOne, addOne, tryLock, offline, freeBytes, now }: Deps) {
  const { modelsDir } = models
  const { findLocal, isKnown, list, resolveNames, targetOf } = createModelCatalogue(models)

  /** Throws `ModelError` for unknown names, and while nothing may be fetched. */
  function requireFetchable (names: readonly string[]): ModelEntry[] {
    const entries = resolveNames(names)
    if (!offline) return entries
    throw new ModelError('nothing is fetched while STENOBOX_OFFLINE is true; carry models over with `stenobox models export` and `import`')
  }

  const archives = createModelArchives({ models, lock, ...(freeBytes ? { freeBytes } : {}), now })

  /** Throws `NoRoomError` when the disk is too full for a lock file. */
  function takeLock (): { release (): void } | undefined {
    try {
      return tryLock()
    } catch (error) {
      throw isNoRoom(error) ? new NoRoomError(`the disk of ${modelsDir} is full; free some space and try again`, { cause: error }) : error
    }
  }

  async function withLock<T> (work: () => Promise<T>): Promise<T> {
    await prepareDirectory(modelsDir)
    const held = takeLock()
    if (!held) throw new BusyError(`another \`stenobox models\` command is writing to ${modelsDir}; try again when it is done`)
    try {
      return await work()
    } finally {
      held.release()
    }
  }

  // ---------------------------------------------------------------- verify, remove

  async function verifyOne (entry: ModelEntry): Promise<Verdict> {
    const path = models.locate(entry) ?? (isFile(targetOf(entry)) ? targetOf(entry) : undefined)
    if (path === undefined) return { name: entry.name, ok: false, detail: 'is not installed' }
    const fault = await models.verify({ entry, path })
    if (fault !== undefined) return { name: entry.name, ok: false, detail: fault }
    const published = describeMatch(entry, (await models.digests.check(path)).sha256)
    const pin = lock.find(entry)
    const pinned = pin && isBinding(entry, pin) ? `SHA-256 as pinned on ${pin.pinnedAt.slice(0, 10)}` : undefined
    return {
      name: entry.name,
      ok: true,
      detail: [published, pinned].filter(Boolean).join(', ') || 'not checked: no checksum is published or pinned'
    }
  }

  /** Which checksum the file matches. */
  function describeMatch (entry: ModelEntry, sha256: string): string | undefined {
    if (findLocal(entry.name)) return 'SHA-256 as when it was added'
    if (acceptedBy(entry).includes(sha256)) return 'SHA-256 as in the manifest'
    return entry.sha1 === undefined ? undefined : 'SHA-1 as in the manifest'
  }

  const comesWithProgram = (entry: ModelEntry): boolean =>
    entry.bundled === true && (join(modelsDir) === join(BUNDLED_MODELS_DIR) || !isFile(targetOf(entry)))

  async function removeOne (entry: ModelEntry): Promise<string> {
    const wasThere = await removeFile(targetOf(entry))
    await removeFolder(workDirOf(modelsDir, entry))
    for (const file of [entry, ...partsOf(entry)]) {
      await removeFile(targetOf(file))
      await removePart(targetOf(file))
      await lock.remove(file.name)
    }
    if (entry.parts) for (const up of ['..', '../..']) await removeEmptyFolder(join(targetOf(entry), up))
    await models.local.remove(entry.name)
    const left = models.locate(entry)
    return `${entry.name} ${wasThere ? 'is removed' : 'was not installed'}` + (left ? `; another copy is in ${left}` : '')
  }

  return {
    list,
    isKnown,

    /**
     * Installs the model for a first start, unless a real one is there already. Returns which kind can be used now. Throws `ModelError`.
     */
    async setUp (wanted: 'auto' | 'base' | 'tiny.en' | 'starter' | 'none', watcher: Watcher): Promise<'real' | 'starter'> {
      await models.prepare()
      const isReady = (): boolean => wanted === 'base' || wanted === 'tiny.en'
        ? models.listInstalled().some((model) => model.entry.name === wanted && models.inspect(model).state !== 'wrong')
        : models.choose('balanced')?.isStarter === false
      const isWanted = wanted !== 'starter' && wanted !== 'none' && !isReady()
      if (isWanted) await pullWhenUnlocked(this.pull, wanted === 'auto' ? FIRST_MODEL : wanted, watcher)
      return models.choose('balanced')?.isStarter === false ? 'real' : 'starter'
    },

    requireFetchable,

    /** Fetches models that are missing or damaged. Throws `ModelError`, or the reason of the watcher's signal. */
    async pull (names: readonly string[], watcher: Watcher): Promise<void> {
      const entries = requireFetchable(names)
      await withLock(async () => { for (const entry of entries.flatMap((one) => [...partsOf(one), one])) await pullOne(entry, watcher) })
    },

    /** Adds a model that is in no manifest; see model-add.ts. Throws `ModelError`. */
    async add (given: string, addition: Addition, watcher: Watcher): Promise<void> {
      await withLock(async () => { await addOne(given, addition, watcher) })
    },

    /** Writes an archive to a path or a stream and returns its SHA-256. Throws `ModelError`. */
    exportTo: async (names: readonly string[], output: string | Writable, watcher: Watcher): Promise<string> =>
      await archives.write(resolveNames(names), output, watcher),

    /** Installs the models of an archive, all or none, and returns their names. Throws `ModelError`. */
    importFrom: async (source: AsyncIterable<Uint8Array>, sha256: string | undefined, watcher: Watcher): Promise<string[]> =>
      await withLock(async () => await archives.read(source, sha256?.toLowerCase(), watcher)),

    /** Verifies the named models, or all installed ones. */
    async * verify (names: readonly string[]): AsyncGenerator<Verdict> {
      const isThere = (entry: ModelEntry): boolean => models.locate(entry) !== undefined || isFile(targetOf(entry))
      const entries = names.length > 0 ? resolveNames(names) : models.entries().filter(isThere)
      for (const entry of entries) yield await verifyOne(entry)
    },

    /** Deletes models and their pins. Returns one sentence for each. Throws `ModelError`. */
    async remove (names: readonly string[]): Promise<string[]> {
      const entries = resolveNames(names)
      const kept = entries.find(comesWithProgram)
      if (kept) throw new ModelError(`${kept.name} comes with the program and stays`)
      return await withLock(async () => {
        const sentences: string[] = []
        for (const entry of entries) sentences.push(await removeOne(entry))
        return sentences
      })
    }
  }
}
export type ModelLibrary = ReturnType<typeof createModelLibrary>
