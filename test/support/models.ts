/** Models directories with various contents. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { STARTER_MODEL } from './paths.ts'

type Quality = 'fast' | 'balanced' | 'accurate'

/** Creates a models directory with these files, each a model without a published size or checksum, and the models of each quality. */
export function makeModels (
  directory: string,
  files: Readonly<Record<string, Buffer>>,
  wanted: Readonly<Partial<Record<Quality, string[]>>> = {}
): string {
  mkdirSync(directory, { recursive: true })
  for (const [name, bytes] of Object.entries(files)) writeFileSync(modelPath(directory, name), bytes)
  const quality = (name: Quality) => ({ models: wanted[name] ?? Object.keys(files), decoding: { beamSize: 5 } })
  const models = Object.keys(files).map((name) => ({ name, kind: 'whisper', file: `own-${name}.bin`, licence: 'none' }))
  writeFileSync(
    directory + '/manifest.json',
    JSON.stringify({
      version: 1,
      quality: { fast: quality('fast'), balanced: quality('balanced'), accurate: quality('accurate') },
      models
    })
  )
  return directory
}

/** Not the name of a bundled file, which would be found instead. */
export const modelPath = (directory: string, name: string): string => `${directory}/own-${name}.bin`

export const readStarter = (): Buffer => readFileSync(STARTER_MODEL)

/** A copy of `bytes` with one bit flipped at each of `places`. */
export function flipBits (bytes: Buffer, places: Iterable<number>): Buffer {
  const flipped = Buffer.from(bytes)
  for (const place of places) flipped[place] = (flipped[place] ?? 0) ^ 0x40
  return flipped
}

const int32 = (...values: number[]): Buffer => Buffer.from(Int32Array.from(values).buffer)

/** A small file whose header announces a model of half a terabyte; the fault appears only if that much memory is allocated. */
export function announceHugeModel (): Buffer {
  const [width, heads, layers] = [8192, 128, 128]
  const starter = readStarter()
  const filters = 56 + 4 * starter.readInt32LE(48) * starter.readInt32LE(52)
  let end = filters + 4
  for (let words = starter.readInt32LE(filters); words > 0; words--) end += 4 + starter.readInt32LE(end)
  const start = Buffer.from(starter.subarray(0, end))
  int32(width, heads, layers).copy(start, 12)
  int32(width, heads, layers).copy(start, 28)
  // Format f16; then as many tensors as belong to it, of one number each.
  int32(1).copy(start, 44)
  const tensors = Array.from({ length: 11 + 39 * layers }, (_, index) => {
    const name = Buffer.from(`tensor ${index}`)
    return Buffer.concat([int32(1, name.length, 0, 1), name, int32(0)])
  })
  return Buffer.concat([start, ...tensors])
}
