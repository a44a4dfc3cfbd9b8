/** What the addon makes of files that are damaged or no models: an error with a code, never the end of the process. */
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import t from 'tap'
import { addon, GREEDY } from '../support/native.ts'
import { STARTER_MODEL } from '../support/paths.ts'
import { createRandom } from '../support/random.ts'

const load = (path: string): void => addon.loadModel(path, { gpu: false }).free()

/** Code of the error, or "loaded". */
function attempt (path: string): string {
  try {
    load(path)
    return 'loaded'
  } catch (error) {
    return String((error as { code?: unknown }).code)
  }
}

/** Where the parts of a model file begin. */
function findParts (bytes: Buffer): { vocabulary: number, tensors: number[] } {
  const [mels, bins] = [bytes.readInt32LE(48), bytes.readInt32LE(52)]
  const vocabulary = 56 + mels * bins * 4
  let offset = vocabulary + 4
  for (let word = bytes.readInt32LE(vocabulary); word > 0; word--) offset += 4 + bytes.readInt32LE(offset)
  const tensors: number[] = []
  while (offset < bytes.length) {
    tensors.push(offset)
    const [dimensions, name, type] = [bytes.readInt32LE(offset), bytes.readInt32LE(offset + 4), bytes.readInt32LE(offset + 8)]
    let elements = 1
    for (let side = 0; side < dimensions; side++) elements *= bytes.readInt32LE(offset + 12 + 4 * side)
    // f32, f16, and q5_0: 22 bytes for 32 values
    offset += 12 + 4 * dimensions + name + (type === 0 ? elements * 4 : type === 1 ? elements * 2 : elements / 32 * 22)
  }
  return { vocabulary, tensors }
}

const model = readFileSync(STARTER_MODEL)
const { vocabulary, tensors } = findParts(model)

/** Calls `check` with the model changed at one place, and puts it right again. */
function withBytes (path: string, offset: number, bytes: Buffer, check: () => void): void {
  const file = openSync(path, 'r+')
  const before = Buffer.alloc(bytes.length)
  readSync(file, before, 0, before.length, offset)
  writeSync(file, bytes, 0, bytes.length, offset)
  try {
    check()
  } finally {
    writeSync(file, before, 0, before.length, offset)
    closeSync(file)
  }
}

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

t.test('what is no model', async (t) => {
  const folder = t.testdir({ empty: '', text: 'Dear all,\n'.repeat(500), magic: 'lmgg', gguf: 'GGUF' + '\0'.repeat(5000) })
  mkdirSync(folder + '/folder')
  t.throws(() => load(folder + '/none.bin'), { code: 'MODEL_NOT_FOUND', message: /none\.bin/ })
  t.throws(() => load(folder + '/folder'), { code: 'MODEL_NOT_FOUND' })
  t.throws(() => load(folder + '/a\0b'), { code: 'MODEL_NOT_FOUND' })
  t.throws(() => load('/dev/null'), { code: 'MODEL_NOT_FOUND' })
  for (const name of ['empty', 'text', 'magic', 'gguf']) t.throws(() => load(`${folder}/${name}`), { code: 'MODEL_INVALID' }, name)
  t.same(addon.loadedModels(), [])
})

t.test('a model cut off anywhere', async (t) => {
  const copy = t.testdir() + '/copy.bin'
  copyFileSync(STARTER_MODEL, copy)
  t.equal(attempt(copy), 'loaded')
  writeFileSync(copy, 'x', { flag: 'a' })
  t.equal(attempt(copy), 'MODEL_INVALID', 'a byte too many')
  const random = createRandom(3)
  const cuts = [
    ...Array.from({ length: 25 }, () => Math.floor(random() * model.length)),
    ...tensors.filter((_, index) => index % 12 === 0),
    ...tensors.filter((_, index) => index % 29 === 0).map((offset) => offset + 7),
    model.length - 1,
    vocabulary + 4,
    vocabulary + 5,
    vocabulary,
    56,
    55,
    48,
    44,
    5,
    4,
    3,
    1
  ].sort((a, b) => b - a)
  for (const size of cuts) {
    truncateSync(copy, size)
    t.equal(attempt(copy), 'MODEL_INVALID', `${size} bytes`)
  }
})

t.test('a header or vocabulary that lies', async (t) => {
  const copy = t.testdir() + '/copy.bin'
  copyFileSync(STARTER_MODEL, copy)
  for (let field = 0; field < 14; field++) {
    for (const value of [0, -1, 1, 7, 63, 4096, 0x7fffffff, -0x80000000]) {
      const offset = field * 4
      if (model.readInt32LE(offset) === value) continue
      withBytes(copy, offset, word(value), () => t.equal(attempt(copy), 'MODEL_INVALID', `field ${field} is ${value}`))
    }
  }
  for (const value of [0, -1, 50_256, 51_866, 0x7fffffff]) {
    withBytes(copy, vocabulary, word(value), () => t.equal(attempt(copy), 'MODEL_INVALID', `${value} words`))
  }
  withBytes(copy, vocabulary + 4, word(-1), () => t.equal(attempt(copy), 'MODEL_INVALID', 'a word of 4 GB'))
  t.equal(attempt(copy), 'loaded', 'put right again')
})

t.test('tensor headers that lie', async (t) => {
  const copy = t.testdir() + '/copy.bin'
  copyFileSync(STARTER_MODEL, copy)
  for (const offset of tensors.filter((_, index) => index % 23 === 0)) {
    for (const [field, values] of [
      [0, [0, -1, 4, 5, 1 << 30]],
      [4, [0, -1, 1, 129, 0x7fffffff]],
      [8, [-1, 2, 4, 31, 99, 0x7fffffff]],
      [12, [0, -1, 1, 33, 0x7fffffff]]
    ] as const) {
      for (const value of values) {
        withBytes(copy, offset + field, word(value), () => t.equal(attempt(copy), 'MODEL_INVALID', `${value} at ${offset} + ${field}`))
      }
    }
  }
  const random = createRandom(5)
  for (let round = 0; round < 60; round++) {
    const offset = (tensors[Math.floor(random() * tensors.length)] ?? 0) + Math.floor(random() * 32)
    withBytes(copy, offset, Buffer.from([Math.floor(random() * 256)]), () =>
      t.match(attempt(copy), /^(MODEL_INVALID|loaded)$/, `a byte at ${offset}`)
    )
  }
  const name = model.indexOf('encoder.blocks.1.attn.key.weight')
  withBytes(copy, name, Buffer.from('encoder.blocks.0.'), () =>
    t.throws(() => load(copy), { code: 'MODEL_INVALID', message: /two tensors/ })
  )
  withBytes(copy, name, Buffer.from('\x1b[2Jder'), () =>
    t.throws(() => load(copy), { code: 'MODEL_INVALID', message: /^\P{Cc}+$/u }, 'no control characters in messages')
  )
})

t.test('weights that are no numbers', async (t) => {
  const copy = t.testdir() + '/copy.bin'
  copyFileSync(STARTER_MODEL, copy)
  const ruined = tensors[Math.floor(tensors.length * 0.4)] ?? 0
  withBytes(copy, ruined + 60, Buffer.alloc(4000, 0xff), () => {
    const weights = addon.loadModel(copy, { gpu: false })
    const state = weights.createState()
    const noise = Float32Array.from({ length: 32_000 }, (_, index) => Math.sin(index * index / 7) / 4)
    for (const beamSize of [1, 5]) {
      t.throws(() => state.transcribe(noise, { ...GREEDY, beamSize }), { code: 'DECODE_FAILED', message: /damaged/ })
    }
    t.throws(() => state.detectLanguage(noise, { threads: 1 }), { code: 'DECODE_FAILED' })
    state.free()
    weights.free()
  })
})

t.test('a file replaced under its name is another model', async (t) => {
  const folder = t.testdir()
  copyFileSync(STARTER_MODEL, folder + '/a.bin')
  copyFileSync(STARTER_MODEL, folder + '/b.bin')
  const first = addon.loadModel(folder + '/a.bin', { gpu: false })
  renameSync(folder + '/b.bin', folder + '/a.bin')
  const second = addon.loadModel(folder + '/a.bin', { gpu: false })
  t.equal(addon.loadedModels().length, 2)
  t.equal(statSync(folder + '/a.bin').size, model.length)
  first.free()
  second.free()
  t.same(addon.loadedModels(), [])
})
