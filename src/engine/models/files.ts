/** Files in the models directory: written whole or not at all, and hashed while written. */
import { createHash } from 'node:crypto'
import { constants, statSync } from 'node:fs'
import { access, mkdir, open, rename, rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory, readChunks, syncDirectory, writeAll } from '../../disk/files.js'
import { ModelError } from '../../domain/model-error.js'

/** The size and digests of a file. */
export type FileFacts = { bytes: number, sha256: string, sha1: string }

/** Computes SHA-256 and SHA-1 of chunks, in hex. */
export function createDigests () {
  const sha256 = createHash('sha256')
  const sha1 = createHash('sha1')
  let bytes = 0
  return {
    update (chunk: Uint8Array): void {
      bytes += chunk.length
      sha256.update(chunk)
      sha1.update(chunk)
    },
    finish: (): FileFacts => ({ bytes, sha256: sha256.digest('hex'), sha1: sha1.digest('hex') })
  }
}
export type Digests = ReturnType<typeof createDigests>

/** Reads a file and computes its digests. */
export async function digestFile (path: string, onBytes: (bytes: number) => void = () => {}): Promise<FileFacts> {
  const digests = createDigests()
  let bytes = 0
  for await (const chunk of readChunks(path)) {
    digests.update(chunk)
    bytes += chunk.length
    onBytes(bytes)
  }
  return digests.finish()
}

/** Renames a finished and synced file, durably. Processes that have the old file open keep it. */
export async function moveInto (from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await rename(from, to)
  await syncDirectory(dirname(to))
}

/** Writes a file whole or not at all. */
export async function writeDurably (path: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  const handle = await open(temporary, 'w', 0o644)
  try {
    for await (const chunk of chunks) await writeAll(handle, chunk)
    await handle.sync()
    await handle.close()
    await moveInto(temporary, path)
  } catch (error) {
    await handle.close()
    await rm(temporary, { force: true })
    throw error
  }
}

/**
 * Writes chunks to `path`, synced, and returns their size and digests. Errors of the disk or the source pass through; what was written
 * stays. With the flag 'wx', a file that exists is an error.
 */
export async function writeCounted (
  path: string, chunks: AsyncIterable<Uint8Array>, onBytes: (bytes: number) => void, flag: 'w' | 'wx' = 'w'
): Promise<FileFacts> {
  const handle = await open(path, flag, 0o644)
  const digests = createDigests()
  try {
    for await (const chunk of chunks) {
      digests.update(chunk)
      await writeAll(handle, chunk)
      onBytes(chunk.length)
    }
    await handle.sync()
    return digests.finish()
  } finally {
    await handle.close()
  }
}

/** Copies a file, whose folder is made, and returns its size and digests. */
export async function copyCounted (
  from: string, to: string, onProgress: (doneBytes: number, totalBytes: number) => void
): Promise<FileFacts> {
  await mkdir(dirname(to), { recursive: true })
  const total = sizeOf(from) ?? 0
  let done = 0
  return await writeCounted(to, readChunks(from), (bytes) => {
    done += bytes
    onProgress(done, total)
  })
}

/** Deletes a file. Processes that have it open keep it. False when there was none. */
export async function removeFile (path: string): Promise<boolean> {
  const wasThere = isFile(path)
  await rm(path, { force: true })
  return wasThere
}

export const makeFolder = async (path: string): Promise<void> => { await mkdir(path, { recursive: true }) }
/** Removes a folder if it is empty. */
export const removeEmptyFolder = async (path: string): Promise<void> => { await rmdir(path).catch(() => {}) }
export const removeFolder = async (path: string): Promise<void> => { await rm(path, { recursive: true, force: true }) }

/** The size of a file in bytes; undefined when there is none. */
export function sizeOf (path: string): number | undefined {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts?.isFile() ? facts.size : undefined
}

export const isFile = (path: string): boolean => sizeOf(path) !== undefined

/** Creates the directory if it is missing. Throws `ModelError` when it is not writable. */
export async function prepareDirectory (directory: string): Promise<void> {
  try {
    makeDirectory(directory, 0o755)
    await access(directory, constants.W_OK)
  } catch (cause) {
    throw new ModelError(
      `the models directory ${directory} is not writable; set STENOBOX_MODELS_DIR to another directory, or change its permissions`,
      { cause }
    )
  }
}
