/** Model archives: writes them, and checks and installs what is in them. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isNoRoom } from '../domain/errors.js'
import { ModelError, NoRoomError } from '../domain/model-error.js'
import { withoutSecrets } from '../domain/model-source.js'
import { packModels, unpackModels } from '../engine/models/archive.js'
import type { ArchivedFile, StagedFile } from '../engine/models/archive.js'
import { digestFile, moveInto, writeDurably } from '../engine/models/files.js'
import type { FileFacts } from '../engine/models/files.js'
import { acceptedBy, findFault, fitsSize, isBinding } from '../engine/models/lock.js'
import type { ModelLock, Pin } from '../engine/models/lock.js'
import { hubOf, partsOf } from '../engine/models/manifest.js'
import type { LocalModel, ModelEntry } from '../engine/models/manifest.js'
import { removePart } from '../engine/models/part.js'
import type { Models } from '../engine/models/models.js'
import type { Watcher } from './model-library.js'
import { makePin } from './model-pull.js'

/** Where an archive may put a model that is in no manifest: never in the place of a file with our lists. */
const LOCAL_PLACE = /^(added\/)?[^/]+\.(bin|gguf)$/

type Deps = { models: Models, lock: ModelLock, freeBytes?: (directory: string) => Promise<number>, now: () => number }

export function createModelArchives ({ models, lock, freeBytes, now }: Deps) {
  const { modelsDir } = models
  const targetOf = (entry: ModelEntry): string => join(modelsDir, entry.file)
  const findEntry = (name: string): ModelEntry | undefined =>
    models.entries().flatMap((entry) => [entry, ...partsOf(entry)]).find((entry) => entry.name === name)
  const findLocal = (name: string): LocalModel | undefined => models.local.list().find(({ entry }) => entry.name === name)

  async function describeForArchive (entry: ModelEntry): Promise<{ file: ArchivedFile, path: string }> {
    const path = models.locate(entry)
    if (path === undefined) throw new ModelError(`${entry.name} is not installed; first: stenobox models pull ${entry.name}`)
    const facts = await digestFile(path)
    const pin = lock.find(entry)
    const fault = findFault(entry, pin, facts)
    if (fault !== undefined) throw new ModelError(fault)
    const hub = hubOf(entry)
    const source = hub === undefined ? pin?.source : withoutSecrets(new URL(hub))
    const { name, file, licence, attribution } = entry
    const local = findLocal(name)
    if (local?.entry.parts) {
      throw new ModelError(`${name} was added as a folder and cannot be exported; copy that folder and add it on the other machine`)
    }
    const optional = { ...(source ? { source } : {}), ...(attribution ? { attribution } : {}), ...(local ? { local } : {}) }
    return { path, file: { name, path: file, bytes: facts.bytes, sha256: facts.sha256, licence, ...optional } }
  }

  /** Why a locally added model in the archive is refused; undefined when it is not. */
  function whyLocalRefused ({ name, path, bytes, sha256, local }: ArchivedFile): string | undefined {
    if (!local) return `the archive holds the model ${JSON.stringify(name)}, which is not in the manifest here`
    const { entry } = local
    const agrees = entry.name === name && entry.file === path && entry.bytes === bytes && entry.sha256 === sha256
    if (!agrees || entry.bundled || !LOCAL_PLACE.test(path)) return `the archive contradicts itself about ${name}`
    const other = models.entries().find((one) => one.file === path)
    return other && `the archive would overwrite ${other.name} with ${name}`
  }

  function whyRefused (file: ArchivedFile): string | undefined {
    const entry = findEntry(file.name)
    if (!entry) return whyLocalRefused(file)
    if (file.path !== entry.file) return `the archive puts ${entry.name} in a different place than ${entry.file}`
    if (!fitsSize(entry, file.bytes)) return `the archive's ${entry.name} has ${file.bytes} bytes; the manifest here says ${entry.bytes}`
    const differs = entry.sha256 !== undefined && !acceptedBy(entry).includes(file.sha256)
    if (differs) return `the checksum of ${entry.name} in the archive differs from the one in the manifest here`
    const pin = lock.find(entry)
    if (!isBinding(entry, pin) || pin.sha256 === file.sha256 || acceptedBy(entry).includes(file.sha256)) return undefined
    return `the archive's ${entry.name} is not the file that was pinned here on ${pin.pinnedAt.slice(0, 10)}; ` +
      `to replace it, run \`stenobox models remove ${entry.name}\` first`
  }

  async function installStaged (staged: readonly StagedFile[]): Promise<void> {
    const pins: Array<Record<string, Pin>> = []
    const added: LocalModel[] = []
    for (const { file, facts, path } of staged) {
      const known = findEntry(file.name)
      const entry = known ?? file.local?.entry
      if (!entry) continue
      await moveInto(path, targetOf(entry))
      await removePart(targetOf(entry))
      await models.digests.record(targetOf(entry), facts)
      const isPinned = findLocal(file.name) !== undefined || lock.find(entry)?.sha256 === facts.sha256
      if (!known && file.local) added.push(file.local)
      else if (!isPinned) pins.push(makePin(entry, facts, file.source ?? 'an imported archive', now()))
    }
    if (added.length > 0) await models.local.put(added)
    if (pins.length > 0) await lock.put(Object.assign({}, ...pins) as Record<string, Pin>)
  }

  return {
    /** Writes an archive to a path or a stream and returns its SHA-256. Throws `ModelError`. */
    async write (wanted: readonly ModelEntry[], output: string | Writable, watcher: Watcher): Promise<string> {
      const entries: Array<{ file: ArchivedFile, path: string }> = []
      for (const entry of wanted.flatMap((one) => [...partsOf(one), one])) entries.push(await describeForArchive(entry))
      const total = entries.reduce((sum, { file }) => sum + file.bytes, 0)
      const hash = createHash('sha256')
      async function * watched (): AsyncGenerator<Uint8Array> {
        let done = 0
        for await (const chunk of packModels(entries)) {
          hash.update(chunk)
          done += chunk.length
          watcher.progress(Math.min(done, total), total)
          yield chunk
        }
      }
      watcher.begin(`writing ${entries.map(({ file }) => file.name).join(', ')}`)
      try {
        if (typeof output === 'string') await writeDurably(output, watched())
        else await pipeline(watched(), output, { end: false })
      } catch (error) {
        throw isNoRoom(error) ? new ModelError('the disk is full; the archive was not written', { cause: error }) : error
      }
      return hash.digest('hex')
    },

    /**
     * Installs the models of an archive, all or none, and returns their names. `sha256`: of the archive, in lower case. Call it while
     * holding the directory's lock. Throws `ModelError`.
     */
    async read (source: AsyncIterable<Uint8Array>, sha256: string | undefined, watcher: Watcher): Promise<string[]> {
      const names: string[] = []
      const checks = {
        refuse: whyRefused,
        findFault: (file: ArchivedFile, facts: FileFacts): string | undefined => {
          const entry = findEntry(file.name) ?? file.local?.entry
          return entry && findFault(entry, lock.find(entry), facts)
        },
        onProgress: watcher.progress,
        ...(freeBytes ? { freeBytes } : {})
      }
      watcher.begin('reading the archive')
      try {
        await unpackModels(source, modelsDir, sha256, checks, async (staged) => {
          await installStaged(staged)
          names.push(...staged.map(({ file }) => file.name))
        })
      } catch (error) {
        throw isNoRoom(error) ? new NoRoomError(`the disk of ${modelsDir} is full; nothing was installed`, { cause: error }) : error
      }
      return names
    }
  }
}
