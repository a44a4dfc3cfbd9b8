/** The length that a WAV header announces. ffprobe computes it from the file size, which does not reveal a file that was cut off. */
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

/** More chunks before the sound than any program writes. */
const MAX_CHUNKS = 100
/** Sizes written by programs that wrote to a pipe and could not go back to fill them in. */
const UNKNOWN_SIZES = [0, 0xffffffff]

async function readExactly (file: FileHandle, bytes: number, position: number): Promise<Buffer | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position)
  return bytesRead === bytes ? buffer : undefined
}

async function dataBytes (file: FileHandle): Promise<number | undefined> {
  const head = await readExactly(file, 4, 0)
  if (head?.toString('latin1') !== 'RIFF') return undefined
  let position = 12
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const header = await readExactly(file, 8, position)
    if (!header) return undefined
    const size = header.readUInt32LE(4)
    if (header.toString('latin1', 0, 4) === 'data') return UNKNOWN_SIZES.includes(size) ? undefined : size
    // Chunks are padded to an even length.
    position += 8 + size + size % 2
  }
  return undefined
}

/** The milliseconds of sound that a RIFF WAV header announces; undefined when it does not say. */
export async function announcedWavMs (path: string, bitsPerSecond: number): Promise<number | undefined> {
  const file = await open(path, 'r')
  try {
    const bytes = await dataBytes(file)
    return bytes === undefined || !(bitsPerSecond > 0) ? undefined : Math.round(bytes * 8000 / bitsPerSecond)
  } finally {
    await file.close()
  }
}
