/** Writes ONNX files: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (numbers of fields and types). */

const FLOAT = 1
const INT64 = 7
const ATTRIBUTE = { float: 1, int: 2, text: 3, ints: 7 } as const

function varint (value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}
const numberField = (field: number, value: number): Buffer => Buffer.concat([varint(field << 3), varint(value)])
const bytesField = (field: number, value: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([varint(field << 3 | 2), varint(bytes.length), bytes])
}
const floatField = (field: number, value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return Buffer.concat([varint(field << 3 | 5), bytes])
}

export type Attributes = Readonly<Record<string, number | string | readonly number[] | { float: number }>>

function attribute (name: string, value: Attributes[string]): Buffer {
  const parts = [bytesField(1, name)]
  if (typeof value === 'number') parts.push(numberField(3, value), numberField(20, ATTRIBUTE.int))
  else if (typeof value === 'string') parts.push(bytesField(4, value), numberField(20, ATTRIBUTE.text))
  else if ('float' in value) parts.push(floatField(2, value.float), numberField(20, ATTRIBUTE.float))
  else parts.push(...value.map((each) => numberField(8, each)), numberField(20, ATTRIBUTE.ints))
  return bytesField(5, Buffer.concat(parts))
}

function tensor (name: string, type: number, shape: readonly number[], bytes: Uint8Array): Buffer {
  return bytesField(5, Buffer.concat([
    ...shape.map((size) => numberField(1, size)), numberField(2, type), bytesField(8, name), bytesField(9, bytes)
  ]))
}

/** A number is a fixed size, a text the name of a free one. */
export type Shape = ReadonlyArray<number | string>

function valueInfo (field: number, name: string, shape: Shape): Buffer {
  const sizes = shape.map((size) => bytesField(1, typeof size === 'number' ? numberField(1, size) : bytesField(2, size)))
  const type = Buffer.concat([numberField(1, FLOAT), bytesField(2, Buffer.concat(sizes))])
  return bytesField(field, Buffer.concat([bytesField(1, name), bytesField(2, bytesField(1, type))]))
}

/** Collects the nodes of a graph of float32. Each method returns the name of a value. */
export function createGraph () {
  const parts: Buffer[] = []
  let named = 0
  const next = (): string => `v${named++}`
  function keep (type: number, values: Float32Array | BigInt64Array, shape: readonly number[]): string {
    const name = next()
    parts.push(tensor(name, type, shape, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)))
    return name
  }
  return {
    constant: (values: Float32Array, shape: readonly number[]): string => keep(FLOAT, values, shape),
    /** A list of whole numbers, such as a shape. */
    whole: (values: readonly number[]): string => keep(INT64, BigInt64Array.from(values, BigInt), [values.length]),
    node (type: string, inputs: readonly string[], attributes: Attributes = {}): string {
      const output = next()
      parts.push(bytesField(1, Buffer.concat([
        ...inputs.map((input) => bytesField(1, input)), bytesField(2, output), bytesField(4, type),
        ...Object.entries(attributes).map(([name, value]) => attribute(name, value))
      ])))
      return output
    },
    /** The file. `metadata`: what converters write about the model. */
    finish (
      inputs: Readonly<Record<string, Shape>>, output: { name: string, value: string, shape: Shape },
      metadata: Readonly<Record<string, string>>
    ): Buffer {
      const identity = bytesField(1, Buffer.concat([bytesField(1, output.value), bytesField(2, output.name), bytesField(4, 'Identity')]))
      const graph = Buffer.concat([
        ...parts, identity, bytesField(2, 'graph'),
        ...Object.entries(inputs).map(([name, shape]) => valueInfo(11, name, shape)), valueInfo(12, output.name, output.shape)
      ])
      const props = Object.entries(metadata).map(([key, value]) =>
        bytesField(14, Buffer.concat([bytesField(1, key), bytesField(2, value)])))
      return Buffer.concat([numberField(1, 8), bytesField(7, graph), bytesField(8, numberField(2, 15)), ...props])
    }
  }
}
export type Graph = ReturnType<typeof createGraph>
