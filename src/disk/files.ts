/** Reading and writing files so that nothing is lost: for whatever keeps files. */
import { createReadStream, existsSync, mkdirSync } from 'node:fs'
import { open, statfs } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

export const readChunks = (path: string): AsyncIterable<Buffer> => createReadStream(path, { highWaterMark: 1024 * 1024 })

/** FileHandle.write may write less than asked (a disk that is nearly full does); this writes all or throws. */
export async function writeAll (handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.length;) {
    const { bytesWritten } = await handle.write(chunk, offset)
    offset += bytesWritten
  }
}

/**
 * Makes a directory, and those above it that are missing. One by one: Node's `recursive` never returns where the kernel answers ENOENT
 * although the parent is there, as it does in /proc. Throws what the system says.
 */
export function makeDirectory (directory: string, mode: number): void {
  const missing: string[] = []
  for (let at = resolve(directory); !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const one of missing) {
    try {
      mkdirSync(one, { mode })
    } catch (error) {
      // Another process was faster.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
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

/** Bytes free to this process on the disk of `directory`. */
export async function freeBytes (directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
