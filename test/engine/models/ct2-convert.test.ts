import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { openConversion } from '../../../dist/engine/models/ct2-convert.js'
import { makeVariables, packVariables, VOCABULARY_TOKENS, writeCt2Folder } from '../../support/ct2.ts'
import { addon, GREEDY } from '../../support/native.ts'
import { STARTER_MODEL } from '../../support/paths.ts'

async function convert (folder: string): Promise<Buffer> {
  const conversion = await openConversion(folder, STARTER_MODEL)
  try {
    const chunks: Buffer[] = []
    for await (const chunk of conversion.chunks) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (bytes.length !== conversion.bytes) throw new Error(`announced ${conversion.bytes} bytes, and made ${bytes.length}`)
    return bytes
  } finally {
    await conversion.close()
  }
}

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Tensors of a ggml file by name: the header of each, and its bytes. */
function readTensors (ggml: Buffer): Map<string, { sides: number[], type: number, bytes: Buffer }> {
  let at = 56 + 4 * 80 * 201
  const words = ggml.readInt32LE(at)
  at += 4
  for (let index = 0; index < words; index++) at += 4 + ggml.readInt32LE(at)
  const tensors = new Map<string, { sides: number[], type: number, bytes: Buffer }>()
  while (at < ggml.length) {
    const [count, nameBytes, type] = [ggml.readInt32LE(at), ggml.readInt32LE(at + 4), ggml.readInt32LE(at + 8)]
    const sides = Array.from({ length: count }, (_, index) => ggml.readInt32LE(at + 12 + 4 * index))
    at += 12 + 4 * count
    const name = ggml.toString('utf8', at, at + nameBytes)
    at += nameBytes
    const bytes = sides.reduce((product, side) => product * side, type === 0 ? 4 : 2)
    tensors.set(name, { sides, type, bytes: ggml.subarray(at, at + bytes) })
    at += bytes
  }
  return tensors
}

t.test('a folder of faster-whisper becomes a ggml file that the speech library runs', async (t) => {
  const folder = writeCt2Folder(t.testdir())
  const ggml = await convert(folder)
  writeFileSync(`${folder}/ggml.bin`, ggml)
  const model = addon.loadModel(`${folder}/ggml.bin`, { gpu: false })
  t.match(model.info, { multilingual: true, layers: 1, mels: 80 })
  const state = model.createState()
  model.free()
  t.equal(state.transcribe(new Float32Array(16_000), GREEDY).aborted, false)
  state.free()
  t.ok(
    ggml.subarray(48, 56 + 4 * 80 * 201).equals(readFileSync(STARTER_MODEL).subarray(48, 56 + 4 * 80 * 201)),
    'with the mel filters of Whisper'
  )
})

t.test('rows go where they belong: query, key and value lie stacked', async (t) => {
  const variables = makeVariables()
  const tensors = readTensors(await convert(writeCt2Folder(t.testdir(), packVariables(variables))))
  t.equal(tensors.size, 50, '11 outside the layers, 15 in one of the encoder, 24 in one of the decoder')
  const bytesOf = (path: string): Buffer => variables[path]?.bytes ?? Buffer.alloc(0)
  const rows = 64 * 64 * 2
  for (const side of ['encoder', 'decoder']) {
    const stack = bytesOf(`${side}/layer_0/self_attention/linear_0/weight`)
    for (const [index, part] of ['query', 'key', 'value'].entries()) {
      t.ok(
        tensors.get(`${side}.blocks.0.attn.${part}.weight`)?.bytes.equals(stack.subarray(index * rows, (index + 1) * rows)),
        `${side} ${part}`
      )
    }
  }
  const cross = bytesOf('decoder/layer_0/attention/linear_1/weight')
  t.ok(tensors.get('decoder.blocks.0.cross_attn.key.weight')?.bytes.equals(cross.subarray(0, rows)))
  t.ok(tensors.get('decoder.blocks.0.cross_attn.value.weight')?.bytes.equals(cross.subarray(rows)))
  t.notOk(tensors.has('decoder.blocks.0.attn.key.bias'), 'the key has no bias')
  t.match(tensors.get('encoder.conv1.bias'), { sides: [1, 64], type: 0 })
  t.match(tensors.get('encoder.positional_embedding'), { sides: [64, 1500], type: 0 })
  t.match(tensors.get('encoder.conv1.weight'), { sides: [3, 80, 64], type: 1 })
  t.match(tensors.get('decoder.ln.weight'), { sides: [64], type: 0 })
})

t.test('the same weights are the same file, however they were stored and whenever', async (t) => {
  const root = t.testdir()
  const halves = await convert(writeCt2Folder(`${root}/a`))
  t.equal(sha256Of(await convert(writeCt2Folder(`${root}/b`))), sha256Of(halves))
  t.equal(sha256Of(await convert(writeCt2Folder(`${root}/c`, packVariables(makeVariables('float32'))))), sha256Of(halves), 'float32')
  t.not(
    sha256Of(await convert(writeCt2Folder(`${root}/d`, packVariables(makeVariables('float16', 2))))), sha256Of(halves),
    'other weights are another'
  )
  const folder = writeCt2Folder(`${root}/e`)
  writeFileSync(`${folder}/vocabulary.json`, JSON.stringify(VOCABULARY_TOKENS))
  t.equal(sha256Of(await convert(folder)), sha256Of(halves), 'with the vocabulary as JSON')
})

async function refuses (t: Test, model: Buffer, message: RegExp): Promise<void> {
  const folder = writeCt2Folder(t.testdirName, model)
  await t.rejects(convert(folder), { name: 'ModelError', message }, String(message))
}

t.test('other architectures, other types and other versions are refused with a sentence', async (t) => {
  t.testdir()
  const good = makeVariables()
  const at = (path: string) => good[path] ?? { dimensions: [], type: 4, bytes: Buffer.alloc(0) }
  const query = 'encoder/layer_0/self_attention/linear_0/weight'
  await refuses(
    t, packVariables({ ...good, [query]: { dimensions: [192, 64], type: 1, bytes: Buffer.alloc(192 * 64) } }),
    /^the model is quantised to int8, .*--quantization float16$/
  )
  await refuses(
    t,
    packVariables(good, { specification: 'TransformerSpec' }),
    /^this CTranslate2 model has a different architecture \("TransformerSpec"\)/
  )
  await refuses(t, packVariables(good, { version: 4 }), /not a CTranslate2 file of version 6 \(it begins with 4\)/)
  await refuses(
    t, packVariables({ ...good, [query]: { ...at(query), dimensions: [64, 192] } }),
    /not have Whisper's architecture: .* is 64 x 192 and not 192 x 64/
  )
  const { [query]: _, ...lacking } = good
  await refuses(t, packVariables(lacking), /0 layers in its encoder/)
  const { 'decoder/layer_norm/beta': __, ...headless } = good
  await refuses(t, packVariables(headless), /decoder\/layer_norm\/beta is missing/)
  await refuses(
    t, packVariables({ ...good, 'encoder/conv1/weight': { dimensions: [64, 40, 3], type: 4, bytes: Buffer.alloc(64 * 40 * 3 * 2) } }),
    /40 mel bands/
  )
  await refuses(
    t, packVariables({ ...good, odd: { dimensions: [1], type: 9, bytes: Buffer.alloc(4) } }), /unknown type \(9, in odd\)/
  )
  await t.resolves(convert(writeCt2Folder(t.testdirName, packVariables(good))), 'what all of them were made from is converted')
})

t.test('a damaged file is refused before anything is made of it', async (t) => {
  t.testdir()
  const good = packVariables(makeVariables())
  for (const length of [0, 3, 10, 24, 40, 60, good.length - 100_000, good.length - 1]) {
    await refuses(t, good.subarray(0, length), /damaged or cut short/)
  }
  await refuses(t, Buffer.concat([good, Buffer.from('x')]), /1 bytes follow its end/)
  await refuses(t, packVariables(makeVariables(), { count: 4_000_000_000 }), /announces 4000000000 variables/)
  await refuses(t, packVariables(makeVariables(), { aliases: [['a', 'nowhere']] }), /the alias a points to nowhere/)
  await refuses(
    t, packVariables({ x: { dimensions: [2, 2], type: 4, bytes: Buffer.alloc(9) } }), /x has 9 bytes, which do not fit its shape 2 x 2/
  )
  await refuses(t, packVariables({ x: { dimensions: [0], type: 4, bytes: Buffer.alloc(0) } }), /x has the shape 0/)
  await refuses(t, packVariables({ x: { dimensions: [1, 1, 1, 1, 1], type: 4, bytes: Buffer.alloc(2) } }), /x has 5 dimensions/)
  await t.resolves(convert(writeCt2Folder(t.testdirName, good)), 'what they were made from is converted')
})

t.test('a vocabulary that is not the one of Whisper is refused', async (t) => {
  const folder = writeCt2Folder(t.testdir())
  for (const [text, message] of [
    ['a\nb\n', /token 50257 is not <\|endoftext\|>/],
    [VOCABULARY_TOKENS.with(7, 'snow \u2603').join('\n'), /not in GPT-2's form/]
  ] as const) {
    writeFileSync(`${folder}/vocabulary.txt`, text)
    await t.rejects(convert(folder), { name: 'ModelError', message })
  }
  writeFileSync(`${folder}/vocabulary.json`, '{"a": 1}')
  await t.rejects(convert(folder), { name: 'ModelError', message: /is not a list of tokens/ })
})
