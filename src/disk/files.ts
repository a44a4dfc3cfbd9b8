/** Reading and writing files so that nothing is lost: for whatever keeps files. */
import { createReadStream } from 'node:fs'
import { open, statfs } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

export const readChunks = (path: string): AsyncIterable<Buffer> => createReadStream(path, { highWaterMark: 1024 * 1024 })

/** FileHandle.write may write less than asked (a disk that is nearly full does); this writes all or throws. */
export async function writeAll (handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.length;) {
    const { bytesWritten } = await handle.write(chunk, offset)
    offset += bytesWritten
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
