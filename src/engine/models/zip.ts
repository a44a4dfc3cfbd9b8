/**
 * Reads members of a zip file (such as a wheel) by name. The file is not trusted: no name in it becomes a path, and every length is checked
 * against the file. Format: PKWARE's APPNOTE 6.3.10, without encryption and zip64.
 */
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { PassThrough, Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { ModelError } from '../../domain/model-error.js'

const END_SIGNATURE = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 65_535
const ENTRY_SIGNATURE = 0x02014b50
const ENTRY_BYTES = 46
const LOCAL_SIGNATURE = 0x04034b50
const LOCAL_BYTES = 30
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024
/** zip64's placeholder for numbers that do not fit. */
const ELSEWHERE = 0xffffffff
const ENCRYPTED = 1
const STORED = 0
const DEFLATED = 8
const CHUNK_BYTES = 256 * 1024

type Member = { name: string, method: number, packedBytes: number, bytes: number, crc: number, localAt: number }

type Explain = (why: string) => ModelError

export type Zip = {
  /** The unpacked size of a member in bytes. Throws `ModelError` when there is no such member. */
  sizeOf (name: string): number
  /** Unpacks a member. Throws `ModelError` when its length or checksum differs from the announced one. */
  read (name: string): AsyncGenerator<Buffer>
  close (): Promise<void>
}

async function readAt (handle: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const target = Buffer.alloc(bytes)
  const { bytesRead } = await handle.read(target, 0, bytes, position)
  return target.subarray(0, bytesRead)
}

/** True for names that lead out of the target folder. */
const climbs = (name: string): boolean =>
  name.startsWith('/') || /^[A-Za-z]:/.test(name) || name.includes('\0') || name.split(/[\\/]/).includes('..')

/** Finds the directory: the last end record whose comment ends exactly at the end of the file. */
async function findDirectory (handle: FileHandle, sizeBytes: number, damaged: Explain) {
  const length = Math.min(sizeBytes, END_BYTES + MAX_COMMENT_BYTES)
  const tail = await readAt(handle, sizeBytes - length, length)
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE || at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length) continue
    const [entries, bytes, offset] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
    const isZip64 = offset === ELSEWHERE || bytes === ELSEWHERE || entries === 0xffff
    if (isZip64) throw damaged('it is a zip64 file, and no wheel of this size is one')
    if (bytes > MAX_DIRECTORY_BYTES || offset + bytes > sizeBytes - length + at) throw damaged('its directory lies outside the file')
    return { entries, bytes, offset }
  }
  throw damaged('it has no directory at its end')
}

function readMember (directory: Buffer, at: number, sizeBytes: number, damaged: Explain): { member: Member, next: number } {
  if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_SIGNATURE) throw damaged('its directory is cut short')
  const nameBytes = directory.readUInt16LE(at + 28)
  const next = at + ENTRY_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  if (next > directory.length) throw damaged('its directory is cut short')
  const name = directory.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes)
  if (climbs(name)) throw damaged(`it holds ${JSON.stringify(name)}, which would leave its folder`)
  const [packedBytes, bytes, localAt] = [directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 24), directory.readUInt32LE(at + 42)]
  if ([packedBytes, bytes, localAt].includes(ELSEWHERE)) throw damaged(`${name} uses zip64 fields`)
  if (directory.readUInt16LE(at + 8) & ENCRYPTED) throw damaged(`${name} is encrypted`)
  if (localAt + LOCAL_BYTES + packedBytes > sizeBytes) throw damaged(`${name} lies outside the file`)
  const [method, crc] = [directory.readUInt16LE(at + 10), directory.readUInt32LE(at + 16)]
  return { member: { name, method, crc, packedBytes, bytes, localAt }, next }
}

/** The offset of a member's data. Its own header must agree with the directory. */
async function findBytes (handle: FileHandle, member: Member, sizeBytes: number, damaged: Explain): Promise<number> {
  const header = await readAt(handle, member.localAt, LOCAL_BYTES)
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) {
    throw damaged(
      `${member.name} is not where the directory says`
    )
  }
  const [nameBytes, extraBytes] = [header.readUInt16LE(26), header.readUInt16LE(28)]
  const start = member.localAt + LOCAL_BYTES + nameBytes + extraBytes
  const name = (await readAt(handle, member.localAt + LOCAL_BYTES, nameBytes)).toString('utf8')
  if (name !== member.name) throw damaged(`it names one member both ${JSON.stringify(member.name)} and ${JSON.stringify(name)}`)
  if (start + member.packedBytes > sizeBytes) throw damaged(`${member.name} lies outside the file`)
  return start
}

/**
 * Opens a zip file and reads its directory. `label`: its name in errors. Throws `ModelError` for files that are damaged or not like a
 * wheel.
 */
export async function openZip (path: string, label: string): Promise<Zip> {
  const damaged = (why: string): ModelError => new ModelError(`${label} is damaged or not a wheel: ${why}`)
  const handle = await open(path, 'r')
  const members = new Map<string, Member>()
  const { size } = await handle.stat()

  async function load (): Promise<void> {
    const { entries, bytes, offset } = await findDirectory(handle, size, damaged)
    const directory = await readAt(handle, offset, bytes)
    for (let index = 0, at = 0; index < entries; index++) {
      const { member, next } = readMember(directory, at, size, damaged)
      if (members.has(member.name)) throw damaged(`it holds ${member.name} twice`)
      members.set(member.name, member)
      at = next
    }
  }

  function find (name: string): Member {
    const member = members.get(name)
    if (!member) throw damaged(`it does not hold ${name}`)
    if (member.method !== STORED && member.method !== DEFLATED) {
      throw damaged(
        `${name} uses an unknown compression method (${member.method})`
      )
    }
    return member
  }

  async function * readPacked (start: number, bytes: number): AsyncGenerator<Buffer> {
    for (let done = 0; done < bytes;) {
      const chunk = await readAt(handle, start + done, Math.min(CHUNK_BYTES, bytes - done))
      if (chunk.length === 0) throw damaged('it became shorter while it was read')
      done += chunk.length
      yield chunk
    }
  }

  async function * unpack (member: Member): AsyncGenerator<Buffer> {
    const packed = Readable.from(readPacked(await findBytes(handle, member, size, damaged), member.packedBytes))
    const unpacked = member.method === STORED ? new PassThrough() : createInflateRaw({ chunkSize: CHUNK_BYTES })
    const feeding = pipeline(packed, unpacked).then(() => undefined, (error: unknown) => error)
    try {
      for await (const chunk of unpacked) yield chunk as Buffer
    } catch (cause) {
      throw cause instanceof ModelError ? cause : new ModelError(`${label} is damaged: ${member.name} cannot be unpacked`, { cause })
    } finally {
      unpacked.destroy()
      await feeding
    }
  }

  try {
    await load()
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    sizeOf: (name) => find(name).bytes,
    async * read (name) {
      const member = find(name)
      let [bytes, crc] = [0, 0]
      for await (const chunk of unpack(member)) {
        bytes += chunk.length
        if (bytes > member.bytes) throw damaged(`${name} is larger than the ${member.bytes} bytes it announces`)
        crc = crc32(chunk, crc)
        yield chunk
      }
      if (bytes < member.bytes) throw damaged(`${name} has ${bytes} bytes, but announces ${member.bytes}`)
      if (crc !== member.crc) throw damaged(`${name} does not match its checksum`)
    },
    close: async () => { await handle.close() }
  }
}
