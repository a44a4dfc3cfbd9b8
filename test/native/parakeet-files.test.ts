/** What the addon makes of Parakeet files that are damaged: an error with a code, or a model that runs; never the end of the process. */
import { spawnSync } from 'node:child_process'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { addon, OPTIONS } from '../support/native.ts'
import { makeParakeet } from '../support/parakeet-model.ts'
import { SCRIPT, SOUND } from '../support/parakeet.ts'
import { STARTER_MODEL } from '../support/paths.ts'
import { createRandom } from '../support/random.ts'

const { bytes: whole, boundaries, tensors } = makeParakeet(SCRIPT, { type: 'f16' })
const AFTER_HEADER = 64
const MELS = 128
const WINDOW = AFTER_HEADER + 8 + MELS * 257 * 4
const DURATIONS = WINDOW + 4 + 400 * 4
const VOCABULARY = DURATIONS + 5 * 4
const firstTensor = whole.indexOf('encoder.pre_encode.out.weight') - 20
/** Where the header of each tensor begins: behind the weights of the one before. */
const headers = [firstTensor, ...[...tensors.values()].map((offset) => boundaries[boundaries.indexOf(offset) + 1] ?? -1)].filter(
  (offset) => offset !== -1
)

const word = (value: number): Buffer => Buffer.from(Int32Array.of(value).buffer)
function changed (offset: number, bytes: Buffer): Buffer {
  const copy = Buffer.from(whole)
  bytes.copy(copy, offset)
  return copy
}

/** Code of the error, or "ran": a model that loads must also hear, or say why it cannot. */
function attempt (path: string, bytes: Buffer): string {
  writeFileSync(path, bytes)
  try {
    const model = addon.loadModel(path, { gpu: false, kind: 'parakeet' })
    const state = model.createState()
    model.free()
    try {
      state.transcribe(SOUND, OPTIONS)
    } finally {
      state.free()
    }
    return 'ran'
  } catch (error) {
    return String((error as { code?: unknown }).code)
  }
}

t.test('what is no model', async (t) => {
  const path = t.testdir() + '/file.bin'
  const load = (name: string): void => addon.loadModel(name, { gpu: false, kind: 'parakeet' }).free()
  t.throws(() => load(path), { code: 'MODEL_NOT_FOUND' })
  t.throws(() => load(t.testdirName), { code: 'MODEL_NOT_FOUND' })
  for (const text of ['', 'l', 'lmgg', 'GGUF' + '\0'.repeat(5000), 'Dear all,\n'.repeat(500)]) {
    t.equal(attempt(path, Buffer.from(text)), 'MODEL_INVALID')
  }
  t.equal(attempt(path, readFileSync(STARTER_MODEL)), 'MODEL_INVALID')
  t.same(addon.loadedModels(), [])
})

t.test('a model cut off at every boundary, and a byte to either side', async (t) => {
  const path = t.testdir() + '/file.bin'
  t.equal(attempt(path, whole), 'ran')
  t.equal(attempt(path, Buffer.concat([whole, Buffer.from('x')])), 'MODEL_INVALID', 'a byte too many')
  writeFileSync(path, whole)
  const cuts = [...new Set([...boundaries, whole.length].flatMap((offset) => [offset - 1, offset, offset + 1]))].filter(
    (size) => size >= 0 && size < whole.length
  )
  for (const size of cuts.sort((a, b) => b - a)) {
    truncateSync(path, size)
    t.throws(() => addon.loadModel(path, { gpu: false, kind: 'parakeet' }), { code: 'MODEL_INVALID' }, `${size} bytes`)
  }
})

t.test('a header that lies', async (t) => {
  const path = t.testdir() + '/file.bin'
  const tokensPerStep = 15 * 4
  for (let offset = 0; offset < AFTER_HEADER; offset += 4) {
    for (const value of [0, -1, 1, 3, 7, 63, 96, 448, 1500, 4096, 8192, 0x7fffffff, -0x80000000]) {
      if (whole.readInt32LE(offset) === value || (offset === tokensPerStep && value > 0 && value < 100)) continue
      t.equal(attempt(path, changed(offset, word(value))), 'MODEL_INVALID', `${value} at ${offset}`)
    }
  }
  for (const value of [1, 100]) t.equal(attempt(path, changed(tokensPerStep, word(value))), 'ran')
  for (const [offset, values] of [
    [AFTER_HEADER, [0, -5, 64, 0x7fffffff]],
    [AFTER_HEADER + 4, [0, -1, 256, 258]],
    [WINDOW, [0, -1, 399, 401, 513, 100_000_000]],
    [DURATIONS, [-1, 101, 2_000_000_000]],
    [VOCABULARY, [0, -1, SCRIPT.length, SCRIPT.length + 2, 2_000_000_000]],
    [VOCABULARY + 4, [-1, 4097, 2_000_000_000]]
  ] as const) {
    for (const value of values) t.equal(attempt(path, changed(offset, word(value))), 'MODEL_INVALID', `${value} at ${offset}`)
  }
})

t.test('tensors that lie', async (t) => {
  const path = t.testdir() + '/file.bin'
  for (const offset of headers.filter((_, index) => index % 7 === 0)) {
    for (const [field, values] of [
      [0, [0, -1, 5, 9, 1 << 30]],
      [4, [0, -1, 1, 129, 0x7fffffff]],
      [8, [-1, 2, 4, 30, 31, 99, 200, 0x7fffffff]],
      [12, [0, -1, 7, 0x7fffffff]]
    ] as const) {
      for (const value of values) {
        t.equal(attempt(path, changed(offset + field, word(value))), 'MODEL_INVALID', `${value} at ${offset} + ${field}`)
      }
    }
  }
  const at = (name: string): number => (tensors.get(name) ?? 0) - name.length
  const bias = 'encoder.layers.0.norm_conv.bias'
  t.equal(attempt(path, changed(at(bias), Buffer.from('encoder.layers.9'))), 'MODEL_INVALID', 'unknown')
  t.equal(attempt(path, changed(at(bias) - 8, word(26))), 'MODEL_INVALID', 'whole numbers where weights belong')
  const counter = 'encoder.layers.0.conv.batch_norm.num_batches_tracked'
  t.equal(attempt(path, changed(at(counter) - 8, word(26))), 'ran', 'a counter may be one')
  const weight = 'encoder.layers.0.norm_conv.weight'
  const twice = Buffer.concat([
    whole.subarray(0, at(bias) - 16),
    whole.subarray(at(weight) - 16, at(bias) - 16),
    whole.subarray((tensors.get(bias) ?? 0) + 256)
  ])
  writeFileSync(path, twice)
  t.throws(() => addon.loadModel(path, { gpu: false, kind: 'parakeet' }), { code: 'MODEL_INVALID', message: /two tensors/ })
  t.equal(attempt(path, whole.subarray(0, firstTensor)), 'MODEL_INVALID', 'no tensors at all')
  writeFileSync(path, changed(at(bias), Buffer.from('\x1b[2J')))
  t.throws(
    () => addon.loadModel(path, { gpu: false, kind: 'parakeet' }),
    { code: 'MODEL_INVALID', message: /^\P{Cc}+$/u },
    'no control characters in messages'
  )
})

t.test('bits and bytes changed at random', async (t) => {
  const path = t.testdir() + '/file.bin'
  const random = createRandom(11)
  const pick = (count: number): number => Math.floor(random() * count)
  const outcomes: Record<string, number> = {}
  const note = (offset: number, bytes: Buffer): void => {
    const outcome = attempt(path, changed(offset, bytes))
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    if (!/^(MODEL_INVALID|DECODE_FAILED|ran)$/.test(outcome)) t.fail(`${bytes.toString('hex')} at ${offset}: ${outcome}`)
  }
  for (let offset = 0; offset < AFTER_HEADER; offset++) {
    for (let round = 0; round < 3; round++) note(offset, Buffer.from([(whole[offset] ?? 0) ^ (1 << pick(8))]))
  }
  for (let round = 0; round < 120; round++) note((headers[pick(headers.length)] ?? 0) + pick(40), Buffer.from([pick(256)]))
  for (let round = 0; round < 60; round++) note(VOCABULARY + pick(firstTensor - VOCABULARY), Buffer.from([pick(256)]))
  for (let round = 0; round < 80; round++) {
    note(AFTER_HEADER + pick(whole.length - AFTER_HEADER - 8), Buffer.from(Array.from({ length: 8 }, () => pick(256))))
  }
  t.comment(JSON.stringify(outcomes))
  t.ok((outcomes['MODEL_INVALID'] ?? 0) > 100 && (outcomes['ran'] ?? 0) > 50, 'some are refused, some run')
  t.same(addon.loadedModels(), [], 'nothing is left')
})

t.test('not a word on stdout or stderr', async (t) => {
  const folder = t.testdir({
    'good.bin': whole,
    'short.bin': whole.subarray(0, 200_000),
    'unknown.bin': changed((tensors.get('joint.pred.bias') ?? 0) - 4, Buffer.from('BIAS'))
  })
  const program = `
    const { loadAddon } = await import(${JSON.stringify(new URL('../../dist/native/addon.js', import.meta.url).href)})
    for (const name of ['good', 'short', 'unknown']) {
      try {
        const model = loadAddon().loadModel(${JSON.stringify(folder)} + '/' + name + '.bin', { gpu: false, kind: 'parakeet' })
        model.createState().transcribe(new Float32Array(32000), ${JSON.stringify(OPTIONS)})
      } catch (error) {
        if (error.code !== 'MODEL_INVALID') throw error
      }
    }`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8'
  })
  t.same({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
})
