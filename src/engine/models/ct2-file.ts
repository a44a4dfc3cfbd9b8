/**
 * Reads the index of a CTranslate2 file (`model.bin`). The file is not trusted: every number in it is checked before use.
 *
 * Layout, all little-endian: u32 version, name of the specification, u32 revision, u32 count. Each variable: name, u8 rank, u32 per
 * dimension, u8 type, u32 bytes, values. At the end: u32 count of aliases, each two names. A name is u16 length (including a final zero)
 * and bytes.
 */
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { ModelError } from '../../domain/model-error.js'

const VERSION = 6
const WHISPER = 'WhisperSpec'
/** CTranslate2's numbers for its types. */
const TYPES: Readonly<Record<number, { name: ValueType, itemBytes: number }>> = {
  0: { name: 'float32', itemBytes: 4 },
  1: { name: 'int8', itemBytes: 1 },
  2: { name: 'int16', itemBytes: 2 },
  3: { name: 'int32', itemBytes: 4 },
  4: { name: 'float16', itemBytes: 2 },
  5: { name: 'bfloat16', itemBytes: 2 }
}
export type ValueType = 'float32' | 'int8' | 'int16' | 'int32' | 'float16' | 'bfloat16'

/** Far above Whisper large (1260 variables), far below what would use much memory. */
const MAX_VARIABLES = 20_000
const MAX_NAME_BYTES = 512
const MAX_RANK = 4
const MAX_SIDE = 2 ** 24
/** The most bytes that the name, rank, dimensions, type and length of a variable take. */
const MAX_HEADER_BYTES = 2 + MAX_NAME_BYTES + 1 + 4 * MAX_RANK + 1 + 4

export type Ct2Variable = { name: string, dimensions: readonly number[], type: ValueType, offset: number, bytes: number }

export type Ct2File = {
  /** Finds a variable by name or alias. */
  find (name: string): Ct2Variable | undefined
  /** Reads `length` bytes of a variable's values, from byte `start` on. */
  read (variable: Ct2Variable, start: number, length: number): Promise<Buffer>
  close (): Promise<void>
}

const damaged = (why: string): ModelError => new ModelError(`the CTranslate2 file is damaged or cut short: ${why}`)

/** Reads numbers and names one after another. Throws instead of reading past the end of the file. */
function createCursor (handle: FileHandle, sizeBytes: number) {
  let at = 0
  let window = Buffer.alloc(0)
  let windowAt = 0
  async function take (bytes: number): Promise<Buffer> {
    if (at + bytes > sizeBytes) throw damaged(`it ends at byte ${sizeBytes}, in the middle of its index`)
    if (at < windowAt || at + bytes > windowAt + window.length) {
      window = Buffer.alloc(Math.min(MAX_HEADER_BYTES, sizeBytes - at))
      windowAt = at
      await readFully(handle, window, at)
    }
    const start = at - windowAt
    at += bytes
    return window.subarray(start, start + bytes)
  }
  const u16 = async (): Promise<number> => (await take(2)).readUInt16LE(0)
  return {
    at: (): number => at,
    u8: async (): Promise<number> => (await take(1)).readUInt8(0),
    u32: async (): Promise<number> => (await take(4)).readUInt32LE(0),
    async name (): Promise<string> {
      const bytes = await u16()
      if (bytes < 1 || bytes > MAX_NAME_BYTES) throw damaged(`a name of ${bytes} bytes`)
      return (await take(bytes)).toString('latin1').replace(/\0+$/, '')
    },
    skip (bytes: number): void {
      if (at + bytes > sizeBytes) throw damaged(`it ends at byte ${sizeBytes}, and its values would end at byte ${at + bytes}`)
      at += bytes
    }
  }
}
type Cursor = ReturnType<typeof createCursor>

async function readFully (handle: FileHandle, target: Buffer, position: number): Promise<void> {
  for (let done = 0; done < target.length;) {
    const { bytesRead } = await handle.read(target, done, target.length - done, position + done)
    if (bytesRead === 0) throw damaged('it became shorter while it was read')
    done += bytesRead
  }
}

async function readVariable (cursor: Cursor): Promise<Ct2Variable> {
  const name = await cursor.name()
  const rank = await cursor.u8()
  if (rank > MAX_RANK) throw damaged(`${name} has ${rank} dimensions`)
  const dimensions: number[] = []
  for (let index = 0; index < rank; index++) dimensions.push(await cursor.u32())
  if (dimensions.some((side) => side < 1 || side > MAX_SIDE)) throw damaged(`${name} has the shape ${dimensions.join(' x ')}`)
  const typeNumber = await cursor.u8()
  const type = TYPES[typeNumber]
  if (!type) throw new ModelError(`the CTranslate2 file has values of an unknown type (${typeNumber}, in ${name})`)
  const bytes = await cursor.u32()
  if (dimensions.reduce((product, side) => product * side, type.itemBytes) !== bytes) {
    throw damaged(`${name} has ${bytes} bytes, which do not fit its shape ${dimensions.join(' x ') || '(one number)'}`)
  }
  const offset = cursor.at()
  cursor.skip(bytes)
  return { name, dimensions, type: type.name, offset, bytes }
}

async function readIndex (cursor: Cursor, sizeBytes: number): Promise<Map<string, Ct2Variable>> {
  const version = await cursor.u32()
  if (version !== VERSION) {
    throw new ModelError(
      `this is not a CTranslate2 file of version ${VERSION} (it begins with ${version}); convert the model again with a current ` +
        'ct2-transformers-converter'
    )
  }
  const specification = await cursor.name()
  if (specification !== WHISPER) {
    throw new ModelError(
      `this CTranslate2 model has a different architecture (${JSON.stringify(specification)}); only Whisper (${WHISPER}) can be used`
    )
  }
  await cursor.u32()
  const count = await cursor.u32()
  if (count > MAX_VARIABLES) throw damaged(`it announces ${count} variables`)
  const variables = new Map<string, Ct2Variable>()
  for (let index = 0; index < count; index++) {
    const variable = await readVariable(cursor)
    if (variables.has(variable.name)) throw damaged(`${variable.name} occurs twice`)
    variables.set(variable.name, variable)
  }
  const aliases = await cursor.u32()
  if (aliases > MAX_VARIABLES) throw damaged(`it announces ${aliases} aliases`)
  for (let index = 0; index < aliases; index++) {
    const [alias, name] = [await cursor.name(), await cursor.name()]
    const variable = variables.get(name)
    if (!variable) throw damaged(`the alias ${alias} points to ${name}, which is missing`)
    if (!variables.has(alias)) variables.set(alias, variable)
  }
  if (cursor.at() !== sizeBytes) throw damaged(`${sizeBytes - cursor.at()} bytes follow its end`)
  return variables
}

/** Opens a CTranslate2 file of a Whisper model and reads its index, not its values. Throws `ModelError`. */
export async function openCt2File (path: string): Promise<Ct2File> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const variables = await readIndex(createCursor(handle, size), size)
    return {
      find: (name) => variables.get(name),
      async read (variable, start, length) {
        if (start < 0 || length < 0 || start + length > variable.bytes) {
          throw new RangeError(
            `${variable.name}: ${length} bytes from ${start} on`
          )
        }
        const bytes = Buffer.alloc(length)
        await readFully(handle, bytes, variable.offset + start)
        return bytes
      },
      close: async () => { await handle.close() }
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}
