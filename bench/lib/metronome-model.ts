/**
 * Whisper-shaped models of any size that say the same sentence in every window.
 *
 * For figures of speed and memory where real weights are not at hand: every matrix has its real shape, so encoder
 * and decoder cost what the real model costs, and a window decodes about 70 text tokens and stops, as speech does.
 * The words mean nothing. Header, mel filters and vocabulary come from an existing multilingual file (the starter).
 *
 * How: the position embeddings dominate the residual stream (all output projections are tiny), and position p carries
 * the embedding of the p-th token of the script "<|0.00|> w1 … wn <|28.00|> <eot>", so the tied output layer picks it.
 */
import { closeSync, existsSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { STARTER_WEIGHTS, cachePath } from './paths.ts'
import { toHalves } from '../../dist/engine/models/half-floats.js'
import { createRandom, fillNormal } from '../../dist/evaluate/sounds/random.js'

export type MetronomeSize = 'tiny' | 'base' | 'small' | 'medium' | 'large'

const SHAPES: Record<MetronomeSize, { width: number, heads: number, layers: number }> = {
  tiny: { width: 384, heads: 6, layers: 4 },
  base: { width: 512, heads: 8, layers: 6 },
  small: { width: 768, heads: 12, layers: 12 },
  medium: { width: 1024, heads: 16, layers: 24 },
  large: { width: 1280, heads: 20, layers: 32 }
}
const VOCABULARY = 51865
const TEXT_POSITIONS = 448
const AUDIO_POSITIONS = 1500
const END_OF_TEXT = 50257
const ENGLISH = 50259
const FIRST_TIMESTAMP = 50364
const TIMESTAMP_28_S = FIRST_TIMESTAMP + 1400
const SCRIPT_TOKENS = 70
const MATRIX_SCALE = 0.02
/** Small enough that no layer moves the residual stream. */
const OUTPUT_SCALE = 0.0005
const POSITION_GAIN = 6

type Source = { magic: Buffer, mels: number, filters: Buffer, vocabulary: Buffer, words: number[] }
type Shape = number[]
type TensorWriter = {
  matrix: (name: string, shape: Shape, scale?: number) => void
  embedding: (name: string, width: number) => void
  vector: (name: string, values: Float32Array, shape?: Shape) => void
  rows: (name: string, shape: Shape, row: (index: number) => Float32Array) => void
}

/** Path of the cached model of a size; the first call writes it (base 145 MB, large 3 GB). */
export function findMetronomeModel (size: MetronomeSize): string {
  const path = cachePath(`metronome-${size}-f16.bin`)
  if (!existsSync(path)) writeMetronomeModel(size, path)
  return path
}

function writeMetronomeModel (size: MetronomeSize, path: string): void {
  const fd = openSync(path + '.part', 'w')
  try {
    const origin = readSource(STARTER_WEIGHTS)
    writeHeader(fd, size, origin)
    writeTensors(createTensorWriter(fd), size, origin)
  } finally {
    closeSync(fd)
  }
  renameSync(path + '.part', path)
}

function readSource (path: string): Source {
  const file = readFileSync(path)
  const mels = file.readInt32LE(48)
  const filtersEnd = 56 + 4 * mels * file.readInt32LE(52)
  const words: number[] = []
  const count = file.readInt32LE(filtersEnd)
  let offset = filtersEnd + 4
  for (let token = 0; token < count; token++) {
    const length = file.readInt32LE(offset)
    const text = file.toString('latin1', offset + 4, offset + 4 + length)
    // Whole lower-case words only, so that word splitting has as much to do as with speech.
    if (token >= 2000 && token < 12000 && /^ [a-z]{2,}$/.test(text)) words.push(token)
    offset += 4 + length
  }
  return { magic: file.subarray(0, 4), mels, filters: file.subarray(48, filtersEnd), vocabulary: file.subarray(filtersEnd, offset), words }
}

function writeHeader (fd: number, size: MetronomeSize, source: Source): void {
  const { width, heads, layers } = SHAPES[size]
  const f16 = 1
  writeSync(fd, source.magic)
  writeSync(fd, int32([VOCABULARY, AUDIO_POSITIONS, width, heads, layers, TEXT_POSITIONS, width, heads, layers, source.mels, f16]))
  writeSync(fd, source.filters)
  writeSync(fd, source.vocabulary)
}

function writeTensors (write: TensorWriter, size: MetronomeSize, source: Source): void {
  const { width, layers } = SHAPES[size]
  const script = [FIRST_TIMESTAMP, ...chooseWords(source.words), TIMESTAMP_28_S]
  write.rows('encoder.positional_embedding', [AUDIO_POSITIONS, width], (p) => scale(drawRow(width, 1_000_000 + p), MATRIX_SCALE))
  write.matrix('encoder.conv1.weight', [width, source.mels, 3])
  write.vector('encoder.conv1.bias', new Float32Array(width), [width, 1])
  write.matrix('encoder.conv2.weight', [width, width, 3])
  write.vector('encoder.conv2.bias', new Float32Array(width), [width, 1])
  for (let i = 0; i < layers; i++) writeBlock(write, `encoder.blocks.${i}`, width, ['attn'])
  writeNorm(write, 'encoder.ln_post', width)
  write.rows('decoder.positional_embedding', [TEXT_POSITIONS, width], (p) => scale(embedToken(width, tokenAt(script, p)), POSITION_GAIN))
  write.embedding('decoder.token_embedding.weight', width)
  for (let i = 0; i < layers; i++) writeBlock(write, `decoder.blocks.${i}`, width, ['attn', 'cross_attn'])
  writeNorm(write, 'decoder.ln', width)
}

/**
 * The token that follows a position. The prompt is start, language, task (positions 0 to 2); when only the start has been given,
 * the answer is the language.
 */
function tokenAt (script: readonly number[], position: number): number {
  if (position === 0) return ENGLISH
  return script[position - 2] ?? END_OF_TEXT
}

function writeBlock (write: TensorWriter, prefix: string, width: number, attentions: readonly string[]): void {
  for (const attention of attentions) {
    for (const part of ['query', 'key', 'value', 'out']) {
      write.matrix(`${prefix}.${attention}.${part}.weight`, [width, width], part === 'out' ? OUTPUT_SCALE : MATRIX_SCALE)
      if (part !== 'key') write.vector(`${prefix}.${attention}.${part}.bias`, new Float32Array(width))
    }
    writeNorm(write, `${prefix}.${attention}_ln`, width)
  }
  write.matrix(`${prefix}.mlp.0.weight`, [4 * width, width])
  write.vector(`${prefix}.mlp.0.bias`, new Float32Array(4 * width))
  write.matrix(`${prefix}.mlp.2.weight`, [width, 4 * width], OUTPUT_SCALE)
  write.vector(`${prefix}.mlp.2.bias`, new Float32Array(width))
  writeNorm(write, `${prefix}.mlp_ln`, width)
}

function writeNorm (write: TensorWriter, prefix: string, width: number): void {
  write.vector(`${prefix}.weight`, new Float32Array(width).fill(1))
  write.vector(`${prefix}.bias`, new Float32Array(width))
}

function chooseWords (words: readonly number[]): number[] {
  const random = createRandom(7)
  const left = [...words]
  return Array.from({ length: SCRIPT_TOKENS }, () => left.splice(Math.floor(random() * left.length), 1)[0] as number)
}

/** Every token has its own seed: no table of all of them has to be kept. */
function embedToken (width: number, token: number): Float32Array {
  const row = drawRow(width, token)
  return scale(row, 1 / Math.hypot(...row))
}

function drawRow (width: number, seed: number): Float32Array {
  return fillNormal(new Float32Array(width), createRandom(Math.imul(seed + 1, 2654435761)))
}

function scale (row: Float32Array, factor: number): Float32Array {
  return row.map((value) => value * factor)
}

function createTensorWriter (fd: number): TensorWriter {
  const pools = new Map<number, Buffer>()
  const putHeader = (name: string, shape: Shape, f16: 0 | 1): void => {
    writeSync(fd, int32([shape.length, Buffer.byteLength(name), f16, ...shape.toReversed()]))
    writeSync(fd, name)
  }
  return {
    matrix (name, shape, factor = MATRIX_SCALE) {
      putHeader(name, shape, 1)
      const pool = pools.get(factor) ?? drawPool(factor)
      pools.set(factor, pool)
      writeFromPool(fd, pool, 2 * shape.reduce((product, length) => product * length))
    },
    embedding (name, width) {
      putHeader(name, [VOCABULARY, width], 1)
      writeEmbedding(fd, width)
    },
    vector (name, values, shape = [values.length]) {
      putHeader(name, shape, 0)
      writeSync(fd, bytesOf(values))
    },
    rows (name, shape, row) {
      putHeader(name, shape, 0)
      for (let i = 0; i < (shape[0] as number); i++) writeSync(fd, bytesOf(row(i)))
    }
  }
}

function writeEmbedding (fd: number, width: number): void {
  const rowsAtOnce = 1024
  for (let first = 0; first < VOCABULARY; first += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, VOCABULARY - first)
    const block = new Float32Array(rows * width)
    for (let row = 0; row < rows; row++) block.set(embedToken(width, first + row), row * width)
    writeSync(fd, toHalves(block))
  }
}

/** Two million numbers serve all matrices: only shape and scale of those matter, and drawing 1.5 thousand million would take minutes. */
function drawPool (factor: number): Buffer {
  return toHalves(scale(fillNormal(new Float32Array(1 << 21), createRandom(7)), factor))
}

function writeFromPool (fd: number, pool: Buffer, sizeBytes: number): void {
  const random = createRandom(sizeBytes)
  for (let left = sizeBytes; left > 0;) {
    const start = 2 * Math.floor(random() * pool.length / 4)
    const piece = pool.subarray(start, Math.min(pool.length, start + left))
    writeSync(fd, piece)
    left -= piece.length
  }
}

function bytesOf (values: Float32Array | Uint16Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength)
}

function int32 (values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => buffer.writeInt32LE(value, 4 * index))
  return buffer
}
