/** Writes GGUF files: small language models of the llama architecture with random weights, which answer nonsense. */
import { createRandom } from './random.ts'

const WIDTH = 32
const HIDDEN = 64
const HEADS = 2
const ALIGNMENT = 32

/** Types of GGUF values, from its specification: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
const TYPE = { u32: 4, i32: 5, f32: 6, text: 8, list: 9 } as const
/** Types of tokens, the same. */
const TOKEN = { normal: 1, unknown: 2, control: 3, byte: 6 } as const

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
const f32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)])

type Entry = [name: string, value: Buffer]
const textEntry = (name: string, value: string): Entry => [name, Buffer.concat([u32(TYPE.text), text(value)])]
const u32Entry = (name: string, value: number): Entry => [name, Buffer.concat([u32(TYPE.u32), u32(value)])]
const f32Entry = (name: string, value: number): Entry => [name, Buffer.concat([u32(TYPE.f32), f32(value)])]
const listEntry = (name: string, type: number, values: readonly Buffer[]): Entry =>
  [name, Buffer.concat([u32(TYPE.list), u32(type), u64(values.length), ...values])]

/** Words that the model knows as one token each, so that its nonsense has words and spaces. */
const WORDS = 'the of and water river people time work think know good small large light year place house never always because'.split(' ')

type Token = { text: string, score: number, type: number }

function listTokens (): Token[] {
  return [
    { text: '<unk>', score: 0, type: TOKEN.unknown },
    { text: '<s>', score: 0, type: TOKEN.control },
    { text: '</s>', score: 0, type: TOKEN.control },
    { text: '<|im_start|>', score: 0, type: TOKEN.control },
    { text: '<|im_end|>', score: 0, type: TOKEN.control },
    ...Array.from({ length: 256 }, (_, byte) =>
      ({ text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, score: -1000, type: TOKEN.byte })),
    ...Array.from({ length: 95 }, (_, index) => ({ text: String.fromCharCode(32 + index), score: -100, type: TOKEN.normal }))
      .filter((token) => token.text !== ' '),
    { text: '▁', score: -99, type: TOKEN.normal },
    ...WORDS.map((word, index) => ({ text: `▁${word}`, score: -index - 1, type: TOKEN.normal }))
  ]
}

const CHATML = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

export type TinyModel = {
  seed?: number
  /** Whether the file has a chat template. Default: it has. */
  template?: 'chatml' | 'none'
  contextTokens?: number
}

/** The name and dimensions of each tensor, the fastest dimension first. */
const shapes = (vocabulary: number): Array<[string, number[]]> => [
  ['token_embd.weight', [WIDTH, vocabulary]],
  ['output_norm.weight', [WIDTH]],
  ['output.weight', [WIDTH, vocabulary]],
  ['blk.0.attn_norm.weight', [WIDTH]],
  ...['q', 'k', 'v', 'output'].map((part): [string, number[]] => [`blk.0.attn_${part}.weight`, [WIDTH, WIDTH]]),
  ['blk.0.ffn_norm.weight', [WIDTH]],
  ['blk.0.ffn_gate.weight', [WIDTH, HIDDEN]],
  ['blk.0.ffn_up.weight', [WIDTH, HIDDEN]],
  ['blk.0.ffn_down.weight', [HIDDEN, WIDTH]]
]

function listEntries (tokens: readonly Token[], { template = 'chatml', contextTokens = 2048 }: TinyModel): Entry[] {
  return [
    textEntry('general.architecture', 'llama'),
    textEntry('general.name', 'Nonsense'),
    textEntry('general.license', 'Apache-2.0'),
    u32Entry('general.file_type', 0),
    u32Entry('llama.context_length', contextTokens),
    u32Entry('llama.embedding_length', WIDTH),
    u32Entry('llama.block_count', 1),
    u32Entry('llama.feed_forward_length', HIDDEN),
    u32Entry('llama.attention.head_count', HEADS),
    u32Entry('llama.attention.head_count_kv', HEADS),
    f32Entry('llama.attention.layer_norm_rms_epsilon', 1e-5),
    u32Entry('llama.rope.dimension_count', WIDTH / HEADS),
    u32Entry('llama.vocab_size', tokens.length),
    textEntry('tokenizer.ggml.model', 'llama'),
    listEntry('tokenizer.ggml.tokens', TYPE.text, tokens.map((token) => text(token.text))),
    listEntry('tokenizer.ggml.scores', TYPE.f32, tokens.map(({ score }) => f32(score))),
    listEntry('tokenizer.ggml.token_type', TYPE.i32, tokens.map(({ type }) => u32(type))),
    u32Entry('tokenizer.ggml.unknown_token_id', 0),
    u32Entry('tokenizer.ggml.bos_token_id', 1),
    u32Entry('tokenizer.ggml.eos_token_id', template === 'none' ? 2 : 4),
    ...(template === 'none' ? [] : [textEntry('tokenizer.chat_template', CHATML)])
  ]
}

const align = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((ALIGNMENT - bytes.length % ALIGNMENT) % ALIGNMENT)])

/** A language model of about 120 kB with random weights. The same seed gives the same file. */
export function makeTinyModel (model: TinyModel = {}): Buffer {
  const random = createRandom(model.seed ?? 1)
  const tokens = listTokens()
  const entries = listEntries(tokens, model)
  const tensors = shapes(tokens.length).map(([name, dimensions]) => {
    const length = dimensions.reduce((product, side) => product * side, 1)
    const isNorm = dimensions.length === 1
    const numbers = Float32Array.from({ length }, () => isNorm ? 1 : (random() - 0.5) * 2)
    return { name, dimensions, bytes: align(Buffer.from(numbers.buffer)) }
  })
  let offset = 0
  const directory = tensors.map(({ name, dimensions, bytes }) => {
    const place = offset
    offset += bytes.length
    return Buffer.concat([text(name), u32(dimensions.length), ...dimensions.map(u64), u32(0), u64(place)])
  })
  const head = Buffer.concat([
    Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length),
    ...entries.flatMap(([name, value]) => [text(name), value]),
    ...directory
  ])
  return Buffer.concat([align(head), ...tensors.map(({ bytes }) => bytes)])
}
