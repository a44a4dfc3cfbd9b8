/** Recognises the format of a model that a person adds, and converts it to a ggml file. */
import { open, readFile, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { readChunks } from '../../disk/files.js'
import { ModelError } from '../../domain/model-error.js'
import { openConversion } from './ct2-convert.js'
import type { WhisperShape } from './ct2-convert.js'
import { isFile, writeCounted } from './files.js'
import type { FileFacts } from './files.js'
import type { ModelEntry } from './manifest.js'

const HEAD_SIZE = 64
const MAX_CONFIG_BYTES = 1024 * 1024
const MAX_HEADS = 512

const CONVERT = 'ct2-transformers-converter --model FOLDER --output_dir OUT --quantization float16 --copy_files tokenizer.json'
const ADD = 'stenobox models add OUT --name NAME'

/** A model in one file, or a faster-whisper folder. The path is absolute. */
export type FileOffer = { kind: 'ggml' | 'ctranslate2' | 'gguf' | 'onnx', path: string }
/** What a path is. `embedding`: a folder with an embedding model in the layout of Transformers.js. */
export type Offer = FileOffer | { kind: 'embedding', path: string }

/** The first bytes of a file; fewer if it is shorter. */
async function readStart (path: string, bytes: number): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const start = Buffer.alloc(bytes)
    const { bytesRead } = await handle.read(start, 0, bytes, 0)
    return start.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const isEmbeddingFolder = (path: string): boolean =>
  isFile(join(path, 'tokenizer.json')) && ['model_quantized.onnx', 'model.onnx'].some((name) => isFile(join(path, 'onnx', name)))

async function recogniseFolder (path: string): Promise<Offer> {
  if (isFile(join(path, 'model.bin'))) return { kind: 'ctranslate2', path }
  if (isEmbeddingFolder(path)) return { kind: 'embedding', path }
  const names = await readdir(path)
  if (names.some((name) => /\.safetensors$|^pytorch_model.*\.bin$/.test(name))) {
    throw new ModelError(
      `${path} is a transformers checkpoint; convert it first (pip install ctranslate2 transformers[torch]), then add the ` +
        `result: ${CONVERT.replace('FOLDER', path)} && ${ADD}`
    )
  }
  throw new ModelError(`${path} holds no model: neither faster-whisper's model.bin, nor tokenizer.json with onnx/model_quantized.onnx`)
}

/** Recognises a file or folder by its content. Throws `ModelError` with advice if it cannot be used. */
export async function recogniseModel (given: string): Promise<Offer> {
  const path = resolve(given)
  const facts = await stat(path).catch((cause: unknown) => { throw new ModelError(`there is no file or folder ${given}`, { cause }) })
  if (facts.isDirectory()) return await recogniseFolder(path)
  if (!facts.isFile()) throw new ModelError(`${given} is neither a file nor a folder`)
  const start = await readStart(path, 512)
  if (start.length >= 4 && start.readUInt32LE(0) === 0x67676d6c) return { kind: 'ggml', path }
  if (start.toString('latin1', 0, 4) === 'GGUF') return { kind: 'gguf', path }
  // ONNX has no magic number: its files begin with the version of the format, one byte.
  if (path.endsWith('.onnx') && start[0] === 0x08 && (start[1] ?? 0) < 128) return { kind: 'onnx', path }
  if (start.toString('latin1', 257, 262) === 'ustar') {
    throw new ModelError(
      `${given} is an archive; if \`stenobox models export\` made it, run: stenobox models import ${given}`
    )
  }
  if (basename(path) === 'model.bin' && start.includes('WhisperSpec')) return { kind: 'ctranslate2', path: dirname(path) }
  // A zip, or a pickle of protocol 2: the current and the older format of torch.save.
  if (start.toString('hex', 0, 4) === '504b0304' || start.toString('hex', 0, 2) === '8002') {
    throw new ModelError(
      `${given} seems to be a PyTorch checkpoint; turn it into a ggml file with models/convert-pt-to-ggml.py of whisper.cpp, or ` +
        `use the transformers version of the model: ${CONVERT} && ${ADD}`
    )
  }
  if (path.endsWith('.safetensors')) {
    throw new ModelError(
      `${given} is a transformers checkpoint; convert its folder first, then add the result: ${CONVERT} && ${ADD}`
    )
  }
  throw new ModelError(`${given} is neither a ggml file, nor a faster-whisper folder, nor a GGUF file, nor an ONNX file`)
}

// ---------------------------------------------------------------- alignment heads

/** The name of the published model with this shape, for its alignment heads; fine-tuned models keep them. */
function presetOf ({ vocabulary, state, audioLayers, textLayers }: WhisperShape): string | undefined {
  const size = { 384: 'tiny', 512: 'base', 768: 'small', 1024: 'medium' }[state]
  const layers = { 384: 4, 512: 6, 768: 12, 1024: 24 }[state]
  if (size !== undefined) return audioLayers === layers && textLayers === layers ? size + (vocabulary === 51_864 ? '.en' : '') : undefined
  if (state !== 1280 || audioLayers !== 32) return undefined
  if (textLayers === 4 && vocabulary === 51_866) return 'large.v3.turbo'
  return textLayers === 32 ? vocabulary === 51_866 ? 'large.v3' : 'large.v2' : undefined
}

const Head = Type.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 0 })])
const Config = Type.Object({ alignment_heads: Type.Optional(Type.Array(Head, { minItems: 1, maxItems: MAX_HEADS })) })

/** The heads listed in the folder's `config.json`, if all of them exist. */
async function readHeads (folder: string, { state, textLayers }: WhisperShape): Promise<Array<[number, number]> | undefined> {
  const path = join(folder, 'config.json')
  if (!isFile(path) || (await stat(path)).size > MAX_CONFIG_BYTES) return undefined
  try {
    const parsed: unknown = JSON.parse(await readFile(path, 'utf8'))
    const heads = Value.Check(Config, parsed) ? parsed.alignment_heads : undefined
    return heads?.every(([layer, head]) => layer < textLayers && head < state / HEAD_SIZE) ? heads : undefined
  } catch {
    // Not an error: the shape may be that of a known model.
    return undefined
  }
}

/** The shape in the header of a ggml file. The speech library checks it when it loads the file. */
async function readGgmlShape (path: string): Promise<WhisperShape | undefined> {
  const start = await readStart(path, 48)
  if (start.length < 48) return undefined
  const at = (index: number): number => start.readInt32LE(4 * index)
  return { vocabulary: at(1), state: at(3), audioLayers: at(5), textLayers: at(9), mels: at(10) }
}

// ---------------------------------------------------------------- staging

export type Staged = { path: string, facts: FileFacts, alignmentHeads: ModelEntry['alignmentHeads'] }

/**
 * Writes the ggml, GGUF or ONNX file of an offered model to `path`, synced. `filtersFrom`: a ggml file with 80 mel bands. Throws
 * `ModelError` for CTranslate2 files that are damaged, quantised or not Whisper. Damaged files of other formats are found
 * when the model is tried.
 */
export async function stageModel (
  offer: FileOffer, path: string, filtersFrom: string, onProgress: (doneBytes: number, totalBytes: number) => void
): Promise<Staged> {
  let done = 0
  const counting = (total: number) => (bytes: number): void => {
    done += bytes
    onProgress(done, total)
  }
  if (offer.kind !== 'ctranslate2') {
    const shape = offer.kind === 'ggml' ? await readGgmlShape(offer.path) : undefined
    const facts = await writeCounted(path, readChunks(offer.path), counting((await stat(offer.path)).size))
    return { path, facts, alignmentHeads: shape && presetOf(shape) }
  }
  const conversion = await openConversion(offer.path, filtersFrom)
  try {
    const facts = await writeCounted(path, conversion.chunks, counting(conversion.bytes))
    return { path, facts, alignmentHeads: await readHeads(offer.path, conversion.shape) ?? presetOf(conversion.shape) }
  } finally {
    await conversion.close()
  }
}
