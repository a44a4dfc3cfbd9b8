/** Reads and writes files without losing data. */
import { closeSync, createReadStream, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { open, statfs } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

export const readChunks = (path: string): AsyncIterable<Buffer> => createReadStream(path, { highWaterMark: 1024 * 1024 })

/** Writes the whole chunk or throws. FileHandle.write alone may write less than asked, for example on a nearly full disk. */
export async function writeAll (handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.length;) {
    const { bytesWritten } = await handle.write(chunk, offset)
    offset += bytesWritten
  }
}

/**
 * Creates a directory and its missing parents, one by one: Node's `recursive` never returns where the kernel answers ENOENT for an existing
 * parent, as in /proc. Throws the system's error.
 */
export function makeDirectory (directory: string, mode: number): void {
  const missing: string[] = []
  for (let at = resolve(directory); !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const one of missing) {
    try {
      mkdirSync(one, { mode })
      syncParent(one)
    } catch (error) {
      // Another process created it first.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

/** Makes the name of a new directory survive a power cut, unless its parent may be written but not read. */
function syncParent (path: string): void {
  try {
    const handle = openSync(dirname(path), 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ['EACCES', 'EINVAL'].includes(String(error.code)))) throw error
  }
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory (directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export type DiskSpace = { freeBytes: number, totalBytes: number }

/** The disk of `directory`. `freeBytes`: for this process. */
export async function diskSpace (directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** Free bytes for this process on the disk of `directory`. */
export async function freeBytes (directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
