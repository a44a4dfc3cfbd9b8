/**
 * Small Parakeet models that say a given text: made of ones and zeros, so that every result is known in advance.
 *
 * The encoder distinguishes loud from quiet: its convolutions average the spectrogram (mean 0), and what passes the rectifiers decides
 * which of two values of the state is larger. When it is quiet, the joint network outputs blank. When it is loud, it outputs the piece
 * after the last one, which is all that the prediction network remembers.
 */

export type WeightType = 'f32' | 'f16' | 'q8_0'
/** `steps`: by how many steps of 80 ms, 0 to 4, the decoder advances. */
export type Piece = { text: string, steps: number }
export type ParakeetFile = {
  bytes: Buffer
  /** Offsets of fields, words, tensors and their parts. */
  boundaries: number[]
  /** Offset of each tensor's weights. */
  tensors: Map<string, number>
}
type Options = {
  type?: WeightType
  /** Logit of the chosen piece, over 0.76; other words have 0. */
  certainty?: number
  layers?: number
  /** Width of the encoder. */
  state?: number
}

const FORMATS: Readonly<Record<WeightType, { format: number, type: number }>> = {
  f32: { format: 0, type: 0 },
  f16: { format: 1, type: 1 },
  q8_0: { format: 2007, type: 8 }
}
const MELS = 128
const BINS = 257
const CHANNELS = 2
const KERNEL = 9
const PREDICTION = 64
/** The joint network's unit that is on when it is quiet; the others belong to pieces. */
const QUIET = PREDICTION - 1
const DURATIONS = [0, 1, 2, 3, 4]

const words = (...values: number[]): Buffer => Buffer.from(Int32Array.from(values).buffer)
const floats = (values: Float32Array | number[]): Buffer => Buffer.from(Float32Array.from(values).buffer)

/** The upper bits of a float between 2^-14 and 65504. */
function toHalf (value: number): number {
  const [bits = 0] = new Uint32Array(Float32Array.of(value).buffer)
  return value === 0 ? 0 : ((bits >>> 16) & 0x8000) | (((bits >>> 23) & 0xff) - 112) << 10 | ((bits >>> 13) & 0x3ff)
}

function toBlocks (values: Float32Array): Buffer {
  const blocks = Buffer.alloc(values.length / 32 * 34)
  for (let block = 0; block < values.length / 32; block++) {
    const part = values.subarray(block * 32, (block + 1) * 32)
    const scale = part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
    blocks.writeUInt16LE(toHalf(scale), block * 34)
    part.forEach((value, index) => blocks.writeInt8(scale === 0 ? 0 : Math.round(value / scale), block * 34 + 2 + index))
  }
  return blocks
}

const ENCODE: Readonly<Record<WeightType, (values: Float32Array) => Buffer>> = {
  f32: floats,
  f16: (values) => Buffer.from(Uint16Array.from(values, toHalf).buffer),
  q8_0: toBlocks
}

/** A matrix as in the file: rows of inputs. */
type Cell = readonly [row: number, column: number, value: number]
function matrix (rows: number, columns: number, cells: readonly Cell[] = []): { sides: number[], values: Float32Array } {
  const values = new Float32Array(rows * columns)
  for (const [row, column, value] of cells) values[row * columns + column] = value
  return { sides: [columns, rows], values }
}
const diagonal = (count: number, value: number, fromRow = 0): Cell[] =>
  Array.from({ length: count }, (_, index) => [fromRow + index, index, value])
const filled = (sides: number[], value: number): { sides: number[], values: Float32Array } =>
  ({ sides, values: new Float32Array(sides.reduce((product, side) => product * side, 1)).fill(value) })

/** Mel bands of one or a few bins each, enough to tell loud from quiet. */
function makeFilters (): Float32Array {
  const filters = new Float32Array(MELS * BINS)
  for (let mel = 0; mel < MELS; mel++) filters[mel * BINS + 1 + mel * 2] = filters[mel * BINS + 2 + mel * 2] = 0.5
  return filters
}

const hann = Float32Array.from({ length: 400 }, (_, index) => 0.5 - 0.5 * Math.cos(2 * Math.PI * index / 399))

/** A model that says `script` while it is loud, each piece once, in order. Pieces are distinct; "▁" begins a word. */
export function makeParakeet (
  script: readonly Piece[],
  { type = 'f32', certainty = 8, layers = 1, state = 64 }: Options = {}
): ParakeetFile {
  const vocabulary = ['<unk>', ...script.map(({ text }) => text)]
  const blank = vocabulary.length
  if (blank >= QUIET) throw new Error('the script is too long')
  const parts: Buffer[] = []
  const boundaries: number[] = []
  const tensors = new Map<string, number>()
  let offset = 0

  function put (...chunks: Buffer[]): void {
    for (const chunk of chunks) {
      boundaries.push(offset)
      parts.push(chunk)
      offset += chunk.length
    }
  }

  function tensor (name: string, { sides, values }: { sides: number[], values: Float32Array }, as: WeightType = 'f32'): void {
    put(words(sides.length, name.length, FORMATS[as].type), words(...sides), Buffer.from(name))
    tensors.set(name, offset)
    put(ENCODE[as](values))
  }
  const vector = (name: string, count: number, value = 0): void => tensor(name, filled([count], value))
  function norm (name: string): void {
    vector(name + '.weight', state, 1)
    vector(name + '.bias', state)
  }

  put(words(0x67676d6c))
  for (const field of [
    blank,
    5000,
    state,
    2,
    layers,
    MELS,
    FORMATS[type].format,
    512,
    8,
    CHANNELS,
    KERNEL,
    PREDICTION,
    2,
    DURATIONS.length,
    10
  ]) {
    put(words(field))
  }
  put(words(MELS), words(BINS), floats(makeFilters()), words(hann.length), floats(hann), words(...DURATIONS), words(blank))
  for (const word of vocabulary) put(words(Buffer.byteLength(word)), Buffer.from(word))

  // The mean of the first channel, and a small constant beside it.
  const front = 'encoder.pre_encode'
  tensor(
    `${front}.out.weight`,
    matrix(
      state,
      (MELS / 8) * CHANNELS,
      Array.from({ length: MELS / 8 }, (_, index) => [0, index, 0.25])
    ),
    type
  )
  tensor(`${front}.out.bias`, { sides: [state], values: Float32Array.from({ length: state }, (_, index) => (index === 1 ? 0.05 : 0)) })
  for (const [spread, mix] of [
    [0, undefined],
    [2, 3],
    [5, 6]
  ] as const) {
    tensor(`${front}.conv.${spread}.weight`, filled([3, 3, 1, CHANNELS], 1 / 9))
    tensor(`${front}.conv.${spread}.bias`, filled([1, 1, CHANNELS, 1], 0))
    if (mix === undefined) continue
    tensor(`${front}.conv.${mix}.weight`, { sides: [1, 1, CHANNELS, CHANNELS], values: Float32Array.of(1, 0, 0, 1) })
    tensor(`${front}.conv.${mix}.bias`, filled([1, 1, CHANNELS, 1], 0))
  }
  for (let layer = 0; layer < layers; layer++) {
    const at = `encoder.layers.${layer}`
    for (const name of ['norm_feed_forward1', 'norm_conv', 'norm_self_att', 'norm_feed_forward2', 'norm_out']) norm(`${at}.${name}`)
    for (const name of ['feed_forward1', 'feed_forward2']) {
      tensor(`${at}.${name}.linear1.weight`, matrix(4 * state, state), type)
      tensor(`${at}.${name}.linear2.weight`, matrix(state, 4 * state), type)
    }
    tensor(`${at}.conv.pointwise_conv1.weight`, matrix(2 * state, state), type)
    tensor(`${at}.conv.pointwise_conv2.weight`, matrix(state, state), type)
    tensor(`${at}.conv.depthwise_conv.weight`, matrix(state, KERNEL))
    for (const [name, value] of [
      ['weight', 1],
      ['bias', 0],
      ['running_mean', 0],
      ['running_var', 1]
    ] as const) {
      vector(`${at}.conv.batch_norm.${name}`, state, value)
    }
    vector(`${at}.conv.batch_norm.num_batches_tracked`, 1)
    for (const name of ['u', 'v']) tensor(`${at}.self_attn.pos_bias_${name}`, matrix(2, state / 2))
    for (const name of ['q', 'k', 'v', 'out', 'pos']) tensor(`${at}.self_attn.linear_${name}.weight`, matrix(state, state), type)
  }

  // Gates in, forget, out, cell: take everything, keep nothing, output everything.
  tensor('decoder.prediction.embed.weight', matrix(blank + 1, PREDICTION, diagonal(blank + 1, 1)), type)
  for (const layer of [0, 1]) {
    const at = 'decoder.prediction.dec_rnn.lstm'
    tensor(`${at}.weight_ih_l${layer}`, matrix(4 * PREDICTION, PREDICTION, diagonal(PREDICTION, 10, 3 * PREDICTION)), type)
    tensor(`${at}.weight_hh_l${layer}`, matrix(4 * PREDICTION, PREDICTION), type)
    tensor(`${at}.bias_h_l${layer}`, {
      sides: [4 * PREDICTION],
      values: Float32Array.from({ length: 4 * PREDICTION }, (_, index) => [20, -20, 20, 0][Math.floor(index / PREDICTION)] ?? 0)
    })
  }
  tensor('joint.pred.weight', matrix(PREDICTION, PREDICTION, diagonal(PREDICTION, 1)), type)
  vector('joint.pred.bias', PREDICTION)
  tensor(
    'joint.enc.weight',
    matrix(PREDICTION, state, [
      [QUIET, 0, -1],
      [QUIET, 1, 1]
    ]),
    type
  )
  vector('joint.enc.bias', PREDICTION)
  const said = script.flatMap(({ steps }, index): Cell[] => {
    const last = index === 0 ? blank : index
    return [
      [index + 1, last, certainty],
      [blank + 1 + steps, last, 8]
    ]
  })
  const silence: Cell[] = [
    [blank, QUIET, certainty],
    [blank + 2, QUIET, 8],
    [blank, script.length, certainty],
    [blank + 2, script.length, 8]
  ]
  tensor('joint.joint_net.2.weight', matrix(blank + 1 + DURATIONS.length, PREDICTION, [...said, ...silence]), type)
  vector('joint.joint_net.2.bias', blank + 1 + DURATIONS.length)
  return { bytes: Buffer.concat(parts), boundaries, tensors }
}
