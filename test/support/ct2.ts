/** faster-whisper folders of a tiny Whisper with random weights: one layer each, 64 wide. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHalves, toSingles } from '../../dist/engine/models/half-floats.js'
import { STARTER_MODEL } from './paths.ts'
import { createRandom } from './random.ts'

const STATE = 64
const VOCABULARY = 51_865

type Values = { dimensions: number[], type: number, bytes: Buffer }
export type Variables = Record<string, Values>
type Kind = 'float16' | 'float32'

const u16 = (value: number): Buffer => Buffer.from([value & 255, value >> 8])
const u32 = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => { const bytes = Buffer.alloc(4); bytes.writeUInt32LE(value); return bytes }))
const name = (text: string): Buffer => Buffer.concat([u16(text.length + 1), Buffer.from(text), Buffer.from([0])])

/** Random values that float16 represents exactly, so that both types hold the same weights. */
function makeValues (random: () => number, kind: Kind, dimensions: number[]): Values {
  const numbers = Float32Array.from({ length: dimensions.reduce((product, side) => product * side, 1) }, () =>
    Math.round((random() - 0.5) * 512) / 4096)
  return { dimensions, type: kind === 'float16' ? 4 : 0, bytes: kind === 'float16' ? toHalves(numbers) : toSingles(numbers) }
}

const linear = (path: string, rows: number, columns: number): Array<[string, number[]]> =>
  [[`${path}/weight`, [rows, columns]], [`${path}/bias`, [rows]]]
const norm = (path: string): Array<[string, number[]]> => [[`${path}/gamma`, [STATE]], [`${path}/beta`, [STATE]]]
const selfAttention = (path: string): Array<[string, number[]]> =>
  [...linear(`${path}/linear_0`, 3 * STATE, STATE), ...linear(`${path}/linear_1`, STATE, STATE), ...norm(`${path}/layer_norm`)]
const feedForward = (path: string): Array<[string, number[]]> =>
  [...linear(`${path}/linear_0`, 4 * STATE, STATE), ...linear(`${path}/linear_1`, STATE, 4 * STATE), ...norm(`${path}/layer_norm`)]

const SHAPES: ReadonlyArray<[string, number[]]> = [
  ['decoder/embeddings/weight', [VOCABULARY, STATE]],
  ['decoder/position_encodings/encodings', [448, STATE]],
  ['encoder/position_encodings/encodings', [1500, STATE]],
  ['encoder/conv1/weight', [STATE, 80, 3]], ['encoder/conv1/bias', [STATE]],
  ['encoder/conv2/weight', [STATE, STATE, 3]], ['encoder/conv2/bias', [STATE]],
  ...norm('encoder/layer_norm'), ...norm('decoder/layer_norm'),
  ...selfAttention('encoder/layer_0/self_attention'), ...feedForward('encoder/layer_0/ffn'),
  ...selfAttention('decoder/layer_0/self_attention'), ...feedForward('decoder/layer_0/ffn'),
  ...linear('decoder/layer_0/attention/linear_0', STATE, STATE), ...linear('decoder/layer_0/attention/linear_1', 2 * STATE, STATE),
  ...linear('decoder/layer_0/attention/linear_2', STATE, STATE), ...norm('decoder/layer_0/attention/layer_norm')
]

export function makeVariables (kind: Kind = 'float16', seed = 1): Variables {
  const random = createRandom(seed)
  return Object.fromEntries(SHAPES.map(([path, dimensions]) => [path, makeValues(random, kind, dimensions)]))
}

type Header = { version?: number, specification?: string, count?: number, aliases?: Array<[string, string]> }

/** The bytes of `model.bin`. */
export function packVariables (
  variables: Variables,
  { version = 6, specification = 'WhisperSpec', count, aliases = [['decoder/projection/weight', 'decoder/embeddings/weight']] }: Header = {}
): Buffer {
  const entries = Object.entries(variables)
  return Buffer.concat([
    u32(version), name(specification), u32(3, count ?? entries.length),
    ...entries.flatMap(([path, { dimensions, type, bytes }]) =>
      [name(path), Buffer.from([dimensions.length]), u32(...dimensions), Buffer.from([type]), u32(bytes.length), bytes]),
    u32(aliases.length), ...aliases.flatMap(([alias, path]) => [name(alias), name(path)])
  ])
}

/** GPT-2's text form of bytes: printable bytes stand for themselves. */
const CHARACTERS: readonly string[] = (() => {
  const prints = (byte: number): boolean => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  const others = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !prints(byte))
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(prints(byte) ? byte : 256 + others.indexOf(byte)))
})()

/** The starter model's tokens, which are Whisper's own. */
export const VOCABULARY_TOKENS: readonly string[] = (() => {
  const starter = readFileSync(STARTER_MODEL)
  let at = 56 + 4 * 80 * 201
  const count = starter.readInt32LE(at)
  at += 4
  const tokens = Array.from({ length: count }, () => {
    const length = starter.readInt32LE(at)
    at += 4 + length
    return Array.from(starter.subarray(at - length, at), (byte) => CHARACTERS[byte]).join('')
  })
  return [...tokens, '<|endoftext|>', ...Array.from({ length: VOCABULARY - count - 1 }, (_, index) => `<|${index}|>`)]
})()

/** Writes a folder and returns it. */
export function writeCt2Folder (folder: string, model: Buffer = packVariables(makeVariables())): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'model.bin'), model)
  writeFileSync(join(folder, 'vocabulary.txt'), VOCABULARY_TOKENS.join('\n') + '\n')
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ alignment_heads: [[0, 0]] }))
  return folder
}
