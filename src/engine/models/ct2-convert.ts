/**
 * Converts Whisper weights from CTranslate2 to ggml, a few megabytes at a time. Equal weights give equal bytes: the manifest has their
 * SHA-256.
 */
import { join } from 'node:path'
import { ModelError } from '../../domain/model-error.js'
import { openCt2File } from './ct2-file.js'
import type { Ct2File, Ct2Variable } from './ct2-file.js'
import { toFloat32, toHalves, toSingles } from './half-floats.js'
import { melSection, tokenSection } from './whisper-vocabulary.js'

const GGML_MAGIC = 0x67676d6c
const AUDIO_POSITIONS = 1500
const TEXT_POSITIONS = 448
const HEAD_SIZE = 64
const MAX_STATE = 8192
const MAX_LAYERS = 128
/** Number of values read and converted at a time. */
const PIECE_ITEMS = 512 * 1024

/** The shape of a model, read from its variables. */
export type WhisperShape = { vocabulary: number, state: number, audioLayers: number, textLayers: number, mels: number }

/** A tensor of the ggml file: rows `from` to `to` of a variable, under its ggml name. */
type Tensor = { name: string, variable: Ct2Variable, from: number, to: number, dimensions: readonly number[], isSingle: boolean }

const isFloat = (type: Ct2Variable['type']): type is 'float32' | 'float16' | 'bfloat16' => !type.startsWith('int')

/** Finds a floating-point variable and checks its shape. Throws `ModelError`. */
function take (file: Ct2File, name: string, ...dimensions: number[]): Ct2Variable {
  const variable = file.find(name)
  if (!variable) throw new ModelError(`this is not a Whisper model in CTranslate2 format: ${name} is missing`)
  if (!isFloat(variable.type)) {
    throw new ModelError(
      `the model is quantised to ${variable.type}, which cannot be undone; convert the original with: ` +
        'ct2-transformers-converter --quantization float16'
    )
  }
  if (variable.dimensions.join() !== dimensions.join()) {
    throw new ModelError(
      `the model does not have Whisper's architecture: ${name} is ${variable.dimensions.join(' x ')} and not ` +
        `${dimensions.join(' x ')}`
    )
  }
  return variable
}

function countLayers (file: Ct2File, side: 'encoder' | 'decoder'): number {
  let layers = 0
  while (layers <= MAX_LAYERS && file.find(`${side}/layer_${layers}/self_attention/linear_0/weight`)) layers++
  if (layers < 1 || layers > MAX_LAYERS) {
    throw new ModelError(
      `the model does not have Whisper's architecture: ${layers} layers in its ${side}`
    )
  }
  return layers
}

/** Reads the shape and refuses shapes that no Whisper model has. Throws `ModelError`. */
function readShape (file: Ct2File): WhisperShape {
  const state = file.find('encoder/position_encodings/encodings')?.dimensions[1] ?? 0
  const vocabulary = file.find('decoder/embeddings/weight')?.dimensions[0] ?? 0
  const mels = file.find('encoder/conv1/weight')?.dimensions[1] ?? 0
  const isWide = state > 0 && state <= MAX_STATE && state % HEAD_SIZE === 0
  const isWhisper = isWide && vocabulary >= 51_864 && vocabulary <= 51_866 && (mels === 80 || mels === 128)
  if (!isWhisper) {
    throw new ModelError(
      `the model does not have Whisper's architecture: a width of ${state}, ${vocabulary} tokens, ${mels} mel bands`
    )
  }
  return { vocabulary, state, mels, audioLayers: countLayers(file, 'encoder'), textLayers: countLayers(file, 'decoder') }
}

// ---------------------------------------------------------------- names

function whole (name: string, variable: Ct2Variable, isSingle = variable.dimensions.length === 1): Tensor {
  return { name, variable, from: 0, to: variable.dimensions[0] ?? 0, dimensions: variable.dimensions, isSingle }
}

/** Part `index` of a variable that stacks several parts of `rows` rows. */
function part (name: string, variable: Ct2Variable, index: number, rows: number): Tensor {
  const dimensions = [rows, ...variable.dimensions.slice(1)]
  return { name, variable, from: index * rows, to: (index + 1) * rows, dimensions, isSingle: dimensions.length === 1 }
}

function normTensors (file: Ct2File, name: string, path: string, state: number): Tensor[] {
  return [whole(`${name}.weight`, take(file, `${path}/gamma`, state)), whole(`${name}.bias`, take(file, `${path}/beta`, state))]
}

function linearTensors (file: Ct2File, name: string, path: string, rows: number, columns: number): Tensor[] {
  return [whole(`${name}.weight`, take(file, `${path}/weight`, rows, columns)), whole(`${name}.bias`, take(file, `${path}/bias`, rows))]
}

/**
 * Query, key and value are stacked in `linear_0`; if the query is separate, key and value are in `linear_1`. The key's bias is zero and
 * does not exist in ggml.
 */
function attentionTensors (file: Ct2File, name: string, path: string, state: number, stacked: 3 | 2): Tensor[] {
  const first = stacked === 3 ? [] : linearTensors(file, `${name}.query`, `${path}/linear_0`, state, state)
  const stack = stacked === 3 ? `${path}/linear_0` : `${path}/linear_1`
  const [weight, bias] = [take(file, `${stack}/weight`, stacked * state, state), take(file, `${stack}/bias`, stacked * state)]
  return [
    ...first,
    ...(stacked === 3 ? [part(`${name}.query.weight`, weight, 0, state), part(`${name}.query.bias`, bias, 0, state)] : []),
    part(`${name}.key.weight`, weight, stacked - 2, state),
    part(`${name}.value.weight`, weight, stacked - 1, state), part(`${name}.value.bias`, bias, stacked - 1, state),
    ...linearTensors(file, `${name}.out`, stacked === 3 ? `${path}/linear_1` : `${path}/linear_2`, state, state)
  ]
}

function layerTensors (file: Ct2File, side: 'encoder' | 'decoder', index: number, state: number): Tensor[] {
  const [path, name] = [`${side}/layer_${index}`, `${side}.blocks.${index}`]
  return [
    ...attentionTensors(file, `${name}.attn`, `${path}/self_attention`, state, 3),
    ...normTensors(file, `${name}.attn_ln`, `${path}/self_attention/layer_norm`, state),
    ...(side === 'decoder'
      ? [
          ...attentionTensors(file, `${name}.cross_attn`, `${path}/attention`, state, 2),
          ...normTensors(file, `${name}.cross_attn_ln`, `${path}/attention/layer_norm`, state)
        ]
      : []),
    ...linearTensors(file, `${name}.mlp.0`, `${path}/ffn/linear_0`, 4 * state, state),
    ...linearTensors(file, `${name}.mlp.2`, `${path}/ffn/linear_1`, state, 4 * state),
    ...normTensors(file, `${name}.mlp_ln`, `${path}/ffn/layer_norm`, state)
  ]
}

function convolutionTensors (file: Ct2File, name: string, state: number, inputs: number): Tensor[] {
  const bias = whole(`encoder.${name}.bias`, take(file, `encoder/${name}/bias`, state))
  return [whole(`encoder.${name}.weight`, take(file, `encoder/${name}/weight`, state, inputs, 3)), { ...bias, dimensions: [state, 1] }]
}

/** All tensors of the ggml file, in order. Throws `ModelError` when one is missing or has a different shape. */
function listTensors (file: Ct2File, { state, vocabulary, mels, audioLayers, textLayers }: WhisperShape): Tensor[] {
  const layers = (side: 'encoder' | 'decoder', count: number): Tensor[] =>
    Array.from({ length: count }, (_, index) => layerTensors(file, side, index, state)).flat()
  return [
    whole('encoder.positional_embedding', take(file, 'encoder/position_encodings/encodings', AUDIO_POSITIONS, state), true),
    whole('decoder.positional_embedding', take(file, 'decoder/position_encodings/encodings', TEXT_POSITIONS, state), true),
    ...convolutionTensors(file, 'conv1', state, mels),
    ...convolutionTensors(file, 'conv2', state, state),
    whole('decoder.token_embedding.weight', take(file, 'decoder/embeddings/weight', vocabulary, state)),
    ...layers('encoder', audioLayers),
    ...layers('decoder', textLayers),
    ...normTensors(file, 'encoder.ln_post', 'encoder/layer_norm', state),
    ...normTensors(file, 'decoder.ln', 'decoder/layer_norm', state)
  ]
}

// ---------------------------------------------------------------- bytes

const int32 = (...values: number[]): Buffer => Buffer.from(Int32Array.from(values).buffer)

function * toHeader ({ vocabulary, state, mels, audioLayers, textLayers }: WhisperShape): Generator<Buffer> {
  const heads = state / HEAD_SIZE
  yield int32(GGML_MAGIC, vocabulary, AUDIO_POSITIONS, state, heads, audioLayers, TEXT_POSITIONS, state, heads, textLayers, mels, 1)
}

async function * toTensorBytes (file: Ct2File, { name, variable, from, to, dimensions, isSingle }: Tensor): AsyncGenerator<Buffer> {
  const nameBytes = Buffer.from(name)
  yield Buffer.concat([int32(dimensions.length, nameBytes.length, isSingle ? 0 : 1, ...dimensions.toReversed()), nameBytes])
  const itemBytes = variable.type === 'float32' ? 4 : 2
  const rowItems = variable.dimensions.slice(1).reduce((product, side) => product * side, 1)
  const end = to * rowItems
  for (let start = from * rowItems; start < end; start += PIECE_ITEMS) {
    const bytes = await file.read(variable, start * itemBytes, Math.min(PIECE_ITEMS, end - start) * itemBytes)
    if (!isSingle && variable.type === 'float16') yield bytes
    else if (isFloat(variable.type)) yield (isSingle ? toSingles : toHalves)(toFloat32(bytes, variable.type))
  }
}

/** The size of the ggml file. */
function countBytes (tensors: readonly Tensor[], before: number): number {
  const sizes = tensors.map(({ name, dimensions, isSingle }) =>
    12 + 4 * dimensions.length + name.length + dimensions.reduce((product, side) => product * side, isSingle ? 4 : 2))
  return sizes.reduce((sum, size) => sum + size, before)
}

export type Conversion = { shape: WhisperShape, bytes: number, chunks: AsyncIterable<Buffer>, close: () => Promise<void> }

/**
 * Opens a faster-whisper folder (`model.bin` and its vocabulary) and describes the ggml file it gives. Bytes are converted while `chunks`
 * is read. `ggmlFile`: a ggml file with 80 mel bands, for its filters. Throws `ModelError` for folders that are damaged, quantised or not
 * Whisper.
 */
export async function openConversion (folder: string, ggmlFile: string): Promise<Conversion> {
  const file = await openCt2File(join(folder, 'model.bin'))
  try {
    const shape = readShape(file)
    const tensors = listTensors(file, shape)
    const start = Buffer.concat([...toHeader(shape), await melSection(shape.mels, ggmlFile), await tokenSection(folder, shape.vocabulary)])
    const chunks = async function * (): AsyncGenerator<Buffer> {
      yield start
      for (const tensor of tensors) yield * toTensorBytes(file, tensor)
    }
    return { shape, bytes: countBytes(tensors, start.length), chunks: chunks(), close: file.close }
  } catch (error) {
    await file.close()
    throw error
  }
}
