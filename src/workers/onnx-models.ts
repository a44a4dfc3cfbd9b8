/** Loads the ONNX files of speaker models, and refuses other files. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { FBANK_BANDS } from '../domain/fbank.js'
import { CLASSES, SEGMENT_FRAMES, SEGMENT_SAMPLES } from '../domain/powerset.js'
import { SpeechError } from '../domain/speech-error.js'
import type { SpeakerModelKind } from './protocol.js'

/** The largest published embedding model is 221 MB. */
const MAX_BYTES = 400 * 1024 * 1024
/** Numbers of the fields in the file: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
const METADATA_FIELD = 14
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const
/** Frames of the sound with which an embedding model is tested: 2 s. */
const TRIAL_FRAMES = 200
const [LEAST_DIMENSIONS, MOST_DIMENSIONS] = [32, 1024]

export type LoadedModel = { session: InferenceSession, input: string, output: string, framework: string | undefined }

const unavailable = (sentence: string, cause?: unknown): SpeechError => new SpeechError('model_unavailable', sentence, { cause })

/** Reads a varint of protobuf. Undefined at the end of the bytes. */
function readVarint (bytes: Uint8Array, at: number): { value: number, next: number } | undefined {
  let value = 0
  for (let place = at, factor = 1; place < Math.min(bytes.length, at + 10); place++, factor *= 128) {
    value += (bytes[place]! & 127) * factor
    if (bytes[place]! < 128) return { value, next: place + 1 }
  }
  return undefined
}

/** The keys and values that a converter wrote into the file. Fields are skipped by their length, so the weights are not read. */
function readMetadata (path: string): Map<string, string> {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    if (size > MAX_BYTES) throw unavailable(`the speaker model has ${size} bytes, which is more than any known one`)
    const found = new Map<string, string>()
    const head = Buffer.alloc(20)
    for (let at = 0; at < size;) {
      const bytes = head.subarray(0, readSync(file, head, 0, head.length, at))
      const tag = readVarint(bytes, 0)
      if (!tag) break
      const length = tag.value % 8 === WIRE.bytes || tag.value % 8 === WIRE.varint ? readVarint(bytes, tag.next) : undefined
      if (tag.value % 8 === WIRE.varint && length) at += length.next
      else if (tag.value % 8 === WIRE.bytes && length && at + length.next + length.value <= size) {
        if (tag.value >> 3 === METADATA_FIELD && length.value < 65_536) readEntry(file, at + length.next, length.value, found)
        at += length.next + length.value
      } else break
    }
    return found
  } finally {
    closeSync(file)
  }
}

function readEntry (file: number, at: number, size: number, into: Map<string, string>): void {
  const bytes = Buffer.alloc(size)
  readSync(file, bytes, 0, size, at)
  const key = readVarint(bytes, 1)
  const value = key && readVarint(bytes, key.next + key.value + 1)
  if (value) into.set(bytes.toString('utf8', key.next, key.next + key.value), bytes.toString('utf8', value.next, value.next + value.value))
}

/** The kind of model, by its inputs and outputs; a sentence when it is neither kind. */
function recognise ({ inputMetadata, outputMetadata }: InferenceSession): SpeakerModelKind | string {
  const [input, ...others] = inputMetadata
  const [output] = outputMetadata
  if (!input?.isTensor || !output?.isTensor || input.type !== 'float32' || output.type !== 'float32') return 'it does not take sound'
  if (others.length > 0) return `it takes ${inputMetadata.length} inputs and not one`
  const [wanted, given] = [input.shape, output.shape]
  if (wanted.length === 3 && wanted[1] === 1 && given.length === 3 && given[2] === CLASSES) return 'speaker-segmentation'
  if (wanted.length === 3 && wanted[2] === FBANK_BANDS && given.length === 2) return 'speaker-embedding'
  return `it takes (${wanted.join(', ')}) and returns (${given.join(', ')})`
}

/** Runs the model once, so that a file with the right names but wrong contents is found before a recording needs it. */
async function tryOnce ({ session, input, output }: LoadedModel, kind: SpeakerModelKind): Promise<void> {
  const shape = kind === 'speaker-segmentation' ? [1, 1, SEGMENT_SAMPLES] : [1, TRIAL_FRAMES, FBANK_BANDS]
  const values = Float32Array.from({ length: shape.reduce((size, each) => size * each, 1) }, (_, index) => Math.sin(index * index % 1000))
  const { [output]: result } = await session.run({ [input]: new Tensor('float32', values, shape) })
  const [rows = 0, columns = 0] = result?.dims.slice(1) ?? []
  const isRight = kind === 'speaker-segmentation'
    ? rows === SEGMENT_FRAMES && columns === CLASSES
    : rows >= LEAST_DIMENSIONS && rows <= MOST_DIMENSIONS
  if (!isRight) throw unavailable(`the speaker model cannot be used: it returns (${result?.dims.join(', ')})`)
  const isFinite = (result?.data as Float32Array).every(Number.isFinite)
  if (!isFinite) throw unavailable('the speaker model returns values that are not numbers: its weights are damaged')
}

/** Loads a model of either kind. Throws `SpeechError`: model_unavailable, with a sentence that says what is wrong with the file. */
export async function loadSpeakerModel (path: string): Promise<{ kind: SpeakerModelKind, model: LoadedModel }> {
  try {
    const framework = readMetadata(path).get('framework')
    const session = await InferenceSession.create(path, {
      intraOpNumThreads: 1, interOpNumThreads: 1, executionProviders: ['cpu'], logSeverityLevel: 3, enableCpuMemArena: false
    })
    const kind = recognise(session)
    if (kind !== 'speaker-segmentation' && kind !== 'speaker-embedding') {
      await session.release()
      throw unavailable(`the file is no speaker model that can be used: ${kind}`)
    }
    const model = { session, framework, input: session.inputNames[0]!, output: session.outputNames[0]! }
    await tryOnce(model, kind)
    return { kind, model }
  } catch (cause) {
    if (cause instanceof SpeechError) throw cause
    throw unavailable(`the speaker model cannot be loaded: ${cause instanceof Error ? cause.message.slice(0, 300) : String(cause)}`, cause)
  }
}
