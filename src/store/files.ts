/** Files under the data directory: written to a temporary name, synced and renamed; hashed while written. */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileHandle } from 'node:fs/promises'
import { freeBytes, readChunks, syncDirectory, writeAll } from '../disk/files.js'
import type { Channel } from '../domain/channels.js'
import { errorCode, TooLong } from '../domain/errors.js'
import { explainDirectory } from './data-directory.js'
import { createDrafts } from './drafts.js'
import { pathInside } from './paths.js'
import type { StoredFile } from './paths.js'

/** Error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

/**
 * Writes chunks to a file in `directory`, named by `nameOf`. The file appears whole or not at all. Throws `TooLong` past `maxBytes`, and
 * any error of the source or the disk; then nothing is left behind. What it returned survives a power cut.
 */
async function writeFrom (
  directory: string, source: AsyncIterable<Buffer>, maxBytes: number, nameOf: (stored: StoredFile) => string
): Promise<StoredFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const temporary = join(directory, `${process.pid}-${randomUUID()}.tmp`)
  const hash = createHash('sha256')
  let sizeBytes = 0
  let handle: FileHandle | undefined
  try {
    handle = await open(temporary, 'wx', 0o600)
    for await (const chunk of source) {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) throw new TooLong(`more than ${maxBytes} bytes`)
      hash.update(chunk)
      await writeAll(handle, chunk)
    }
    await handle.sync()
    await handle.close()
    handle = undefined
    const stored = { sizeBytes, sha256: hash.digest('hex') }
    await rename(temporary, pathInside(directory, nameOf(stored)))
    await syncDirectory(directory)
    // Every time: another request may have created the directory a moment ago, without having synced its name yet.
    await syncDirectory(dirname(directory))
    return stored
  } catch (error) {
    await handle?.close()
    await rm(temporary, { force: true })
    throw error
  }
}

/** The size of a small transaction of the database. */
const PROBE_BYTES = 64 * 1024

/** True when a file can be written and synced in `directory`. */
async function probe (directory: string): Promise<boolean> {
  const path = join(directory, 'probe.tmp')
  let handle: FileHandle | undefined
  try {
    handle = await open(path, 'w', 0o600)
    await writeAll(handle, Buffer.alloc(PROBE_BYTES))
    await handle.sync()
    return true
  } catch {
    return false
  } finally {
    await handle?.close().catch(() => {})
    await rm(path, { force: true }).catch(() => {})
  }
}

/** The decoded sound of a job, appended while it is decoded. Workers may read whatever `append` has finished writing. */
export type AudioWriter = {
  append (chunk: Uint8Array): Promise<void>
  /** Replaces bytes that were appended, `endByte` not included, by zeros. */
  clear (startByte: number, endByte: number): Promise<void>
  /** Makes the data survive a power cut. */
  sync (): Promise<void>
  close (): Promise<void>
}

const ZEROS = new Uint8Array(64 * 1024)

async function createAudioWriter (path: string): Promise<AudioWriter> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const handle = await open(path, 'w', 0o600)
  // Sync the names of the file and its directory now; `sync` does the contents later.
  await syncDirectory(dirname(path))
  await syncDirectory(dirname(dirname(path)))
  return {
    append: async (chunk) => { await writeAll(handle, chunk) },
    async clear (startByte, endByte) {
      for (let at = startByte; at < endByte; at += ZEROS.length) await handle.write(ZEROS, 0, Math.min(ZEROS.length, endByte - at), at)
    },
    sync: async () => { await handle.sync() },
    close: async () => { await handle.close() }
  }
}

/** The bytes of several files in order. */
async function * readAll (paths: readonly string[]): AsyncGenerator<Buffer> {
  for (const path of paths) yield * readChunks(path)
}

/** True when another live process has this pid. Our own pid does not count: in a container, every run of the program has the same pid. */
function isOtherProcessAlive (pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** Creates a directory and removes temporary files in it whose process is dead. */
async function prepareDirectory (directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (const name of await readdir(directory, { recursive: true })) {
    const pid = /(?:^|\/)(\d+)-[0-9a-f-]+\.tmp$/.exec(name)?.[1]
    if (pid && !isOtherProcessAlive(Number(pid))) await rm(join(directory, name), { force: true })
  }
}

/** Creates a hard link, durably. False where the file system has no hard links (network shares, exFAT). */
async function tryLink (from: string, to: string): Promise<boolean> {
  await rm(to, { force: true })
  try {
    await link(from, to)
  } catch (error) {
    if (NO_LINKS.has(errorCode(error) ?? '')) return false
    throw error
  }
  await syncDirectory(dirname(to))
  return true
}

const partName = ({ partNumber, sha256 }: { partNumber: number, sha256: string }): string => `${partNumber}-${sha256}.part`

/** The files and directories under the data directory. */
export function createFiles (dataDir: string) {
  const mediaDir = join(dataDir, 'media')
  const quarantineDir = join(dataDir, 'quarantine')
  const uploadsDir = join(dataDir, 'uploads')
  const workDir = join(dataDir, 'work')
  const audioPath = (jobId: number, channel?: Channel): string =>
    pathInside(workDir, String(jobId), channel === undefined ? 'audio.pcm' : `audio-${channel}.pcm`)
  let probing: Promise<boolean> | undefined
  const partPath = (uploadId: string, part: { partNumber: number, sha256: string }): string =>
    pathInside(uploadsDir, uploadId, partName(part))
  return {
    dataDir,
    drafts: createDrafts(workDir, mediaDir),
    mediaPath: (file: string): string => pathInside(mediaDir, file),
    hasMedia: (file: string): boolean => existsSync(pathInside(mediaDir, file)),
    /** Stores a part under its number and digest, so that sending it again, even concurrently, cannot damage it. */
    writePart: async (uploadId: string, partNumber: number, source: AsyncIterable<Buffer>, maxBytes: number): Promise<StoredFile> =>
      await writeFrom(pathInside(uploadsDir, uploadId), source, maxBytes, ({ sha256 }) => partName({ partNumber, sha256 })),
    async removePart (uploadId: string, part: { partNumber: number, sha256: string }): Promise<void> {
      await rm(partPath(uploadId, part), { force: true })
    },
    /** Joins parts into the media file `file`. A single part is linked, not copied. */
    async joinParts (
      uploadId: string,
      parts: ReadonlyArray<{ partNumber: number, sha256: string, sizeBytes: number }>,
      file: string
    ): Promise<StoredFile> {
      const paths = parts.map((part) => partPath(uploadId, part))
      const [only] = parts
      if (parts.length === 1 && only && (await tryLink(partPath(uploadId, only), pathInside(mediaDir, file)))) {
        return { sizeBytes: only.sizeBytes, sha256: only.sha256 }
      }
      return await writeFrom(mediaDir, readAll(paths), Infinity, () => file)
    },
    /** Copies a file from outside the data directory into the media file `file`. */
    copyIn: async (path: string, maxBytes: number, file: string): Promise<StoredFile> =>
      await writeFrom(mediaDir, readAll([path]), maxBytes, () => file),
    /** The decoded sound of a job: of one channel, or of all, mixed. */
    audioPath,
    writeAudio: async (jobId: number, channel?: Channel): Promise<AudioWriter> => await createAudioWriter(audioPath(jobId, channel)),
    /** The decoded sound of one channel, in chunks. */
    readAudio: (jobId: number, channel: Channel): AsyncIterable<Buffer> => readChunks(audioPath(jobId, channel)),
    async removeAudio (jobId: number, channel: Channel): Promise<void> {
      await rm(audioPath(jobId, channel), { force: true })
    },
    async removeMedia (file: string): Promise<void> {
      await rm(pathInside(mediaDir, file), { force: true })
    },
    /** Takes a file out of the media, with `nowMs` as its time in the quarantine. */
    async quarantineMedia (file: string, nowMs: number): Promise<void> {
      const to = pathInside(quarantineDir, file)
      await rename(pathInside(mediaDir, file), to)
      await utimes(to, nowMs / 1000, nowMs / 1000)
      await syncDirectory(quarantineDir)
      await syncDirectory(mediaDir)
    },
    async removeQuarantined (file: string): Promise<void> {
      await rm(pathInside(quarantineDir, file), { recursive: true, force: true })
    },
    async removeUpload (uploadId: string): Promise<void> {
      await rm(pathInside(uploadsDir, uploadId), { recursive: true, force: true })
    },
    async removeWork (jobId: number): Promise<void> {
      await rm(pathInside(workDir, String(jobId)), { recursive: true, force: true })
    },
    freeBytes: async (): Promise<number> => await freeBytes(dataDir),
    /** Whether a small file can be written and synced. Calls at the same time share one answer. */
    async canWrite (): Promise<boolean> {
      probing ??= probe(dataDir).finally(() => { probing = undefined })
      return await probing
    },
    /**
     * Creates the directories and removes temporary files of processes that died while writing. Throws an Error that says what to do when
     * they cannot be created or read.
     */
    async prepare (): Promise<void> {
      try {
        for (const directory of [mediaDir, quarantineDir, uploadsDir, workDir]) await prepareDirectory(directory)
        await syncDirectory(dataDir)
      } catch (error) {
        throw explainDirectory(error, dataDir)
      }
    },
    /** Entries of a directory that have not changed since `beforeMs`, for the sweep of files without rows. */
    async listUntouched (place: 'media' | 'quarantine' | 'uploads' | 'work', beforeMs: number): Promise<string[]> {
      const names = await readdir(join(dataDir, place))
      const ages = await Promise.all(
        names.map(
          async (name) =>
            await stat(join(dataDir, place, name)).then(
              (it) => it.mtimeMs,
              () => Infinity
            )
        )
      )
      return names.filter((_, index) => (ages[index] ?? Infinity) < beforeMs)
    }
  }
}
export type Files = ReturnType<typeof createFiles>
