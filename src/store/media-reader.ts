/** Reads stored recordings for people who listen to them. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ByteRange } from '../domain/byte-range.js'
import { pathInside } from './paths.js'

/** Bytes that are read ahead for a listener. */
const READ_AHEAD_BYTES = 256 * 1024

/** An open recording. It can be read to its end even if it is deleted meanwhile. */
export type OpenMedia = {
  sizeBytes: number
  /** The first bytes, at most so many. */
  readHead (bytes: number): Promise<Uint8Array>
  /** Reads a part and then closes the file, also if the reader stops early. */
  stream (range: ByteRange): Readable
  close (): Promise<void>
}

export function createMediaReader (dataDir: string) {
  return {
    /** Undefined when the file is not there. */
    async open (file: string): Promise<OpenMedia | undefined> {
      const handle = await open(pathInside(join(dataDir, 'media'), file), 'r').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      if (!handle) return undefined
      const { size: sizeBytes } = await handle.stat().catch(async (error: unknown) => {
        await handle.close()
        throw error
      })
      return {
        sizeBytes,
        async readHead (bytes) {
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0)
          return buffer.subarray(0, bytesRead)
        },
        // `end` of a read stream is the last byte.
        stream: ({ start, end }) => handle.createReadStream({ start, end: end - 1, highWaterMark: READ_AHEAD_BYTES }),
        close: async () => { await handle.close() }
      }
    }
  }
}
export type MediaReader = ReturnType<typeof createMediaReader>
