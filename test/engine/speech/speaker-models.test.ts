/** The engine of pulled speaker models, with random weights of the published shapes. */
import t from 'tap'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackSegments } from '../../../dist/domain/segment-observation.js'
import { createSpeakerModelPool } from '../../../dist/engine/speech/pool.js'
import { createModelSpeakerEngine, trySpeakerModel } from '../../../dist/engine/speech/speaker-models.js'
import { createGraph } from '../../support/onnx.ts'
import { decode } from '../../support/native.ts'
import { AUDIO } from '../../support/paths.ts'
import { writeCamPlus, writeResNet34, writeSegmentation } from '../../support/speaker-models.ts'
import { NEVER } from '../../support/never.ts'

const directory = mkdtempSync(join(tmpdir(), 'speaker-models-'))
const pool = createSpeakerModelPool()
t.after(async () => {
  await pool.close()
  rmSync(directory, { recursive: true })
})

function write (name: string, bytes: Uint8Array): string {
  const path = join(directory, name)
  writeFileSync(path, bytes)
  return path
}
const segmentationPath = write('segmentation.onnx', writeSegmentation())
const embeddingPath = write('campplus.onnx', writeCamPlus())
const engineOf = (changes: object = {}) =>
  createModelSpeakerEngine(pool, { segmentationPath, embeddingPath, key: JSON.stringify(changes), ...changes })

const pcm = decode(AUDIO + 'dialogue.mp3').subarray(0, 25 * 16_000)
const sound = write('sound', new Uint8Array(Int16Array.from(pcm, (value) => Math.round(32_767 * value)).buffer))
const endMs = Math.ceil(pcm.length / 16)

async function observeAll (engine: ReturnType<typeof engineOf>, pieceMs: number): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for (let startMs = 0; startMs < endMs; startMs += pieceMs) {
    pieces.push(await engine.observe({ path: sound, startMs, endMs: Math.min(endMs, startMs + pieceMs) }, NEVER))
  }
  return pieces
}

t.test('a recording is observed and divided into turns; pieces and repetition change nothing', async (t) => {
  const engine = engineOf()
  await engine.prepare()
  const pieces = await observeAll(engine, 60_000)
  const segments = pieces.flatMap((piece) => unpackSegments(piece).segments)
  t.strictSame(segments.map(({ index }) => index), [...segments.keys()])
  t.ok(segments.some(({ voices }) => voices.length > 0), 'random weights hear somebody')
  t.ok(segments.every(({ voices }) => voices.every(({ voice }) => voice.length === 192 && voice.every(Number.isFinite))))
  const turns = await engine.findTurns({ pieces, count: {} }, NEVER)
  t.ok(turns.length > 0)
  t.ok(turns.every(({ startMs, endMs: end }) => startMs < end && end <= endMs))
  t.strictSame(await engine.findTurns({ pieces: await observeAll(engine, 10_000), count: {} }, NEVER), turns)
  const two = await engine.findTurns({ pieces, count: { min: 1, max: 1 } }, NEVER)
  t.strictSame([...new Set(two.map(({ voice }) => voice))], [0])
})

t.test('a sound of a second, and one that is shorter than a frame', async (t) => {
  const engine = engineOf()
  for (const samples of [16_000, 300, 1]) {
    const path = write('short', new Uint8Array(2 * samples))
    const piece = await engine.observe({ path, startMs: 0, endMs: Math.ceil(samples / 16) }, NEVER)
    t.equal(unpackSegments(piece).segments.length, 1)
    await engine.findTurns({ pieces: [piece], count: {} }, NEVER)
  }
})

t.test('WeSpeaker models work too', async (t) => {
  const engine = engineOf({ embeddingPath: write('resnet34.onnx', writeResNet34()) })
  const piece = await engine.observe({ path: sound, startMs: 0, endMs: 12_000 }, NEVER)
  t.ok(unpackSegments(piece).segments.flatMap(({ voices }) => voices).every(({ voice }) => voice.length === 256))
})

t.test('work stops between two runs of a model; sound that is gone is reported as such', async (t) => {
  const engine = engineOf()
  const stopped = new AbortController()
  stopped.abort()
  await t.rejects(engine.observe({ path: sound, startMs: 0, endMs }, stopped.signal), { code: 'aborted' })
  const late = new AbortController()
  const running = engine.observe({ path: sound, startMs: 0, endMs }, late.signal)
  late.abort()
  await t.rejects(running, { code: 'aborted' })
  const pieces = await observeAll(engine, 60_000)
  await t.rejects(engine.findTurns({ pieces, count: {} }, stopped.signal), { code: 'aborted' })
  for (const name of ['none', 'empty']) {
    if (name === 'empty') write('empty', new Uint8Array())
    await t.rejects(engine.observe({ path: join(directory, name), startMs: 0, endMs: 1000 }, NEVER), { code: 'audio_missing' })
  }
})

t.test('a file that is something else is refused with a sentence, and the thread goes on', async (t) => {
  const identity = createGraph()
  const other = identity.finish({ x: ['N', 3] }, { name: 'y', value: identity.node('Relu', ['x']), shape: ['N', 3] }, {})
  const two = createGraph()
  const twoInputs = two.finish(
    { x: ['N', 80, 'T'], length: ['N'] }, { name: 'y', value: two.node('Add', ['x', 'length']), shape: ['N', 80, 'T'] }, {})
  const whole = writeSegmentation()
  const files: Array<[name: string, bytes: Uint8Array, sentence: RegExp]> = [
    ['cut.onnx', whole.subarray(0, 3_000_000), /cannot be loaded/],
    ['text.onnx', Buffer.from('no model at all'), /cannot be loaded/],
    ['empty.onnx', new Uint8Array(), /cannot be loaded/],
    ['classes.onnx', writeSegmentation(undefined, { classes: 4 }), /it takes \(N, 1, T\) and returns \(N, frames, 4\)/],
    ['bands.onnx', writeResNet34(undefined, { bins: 64 }), /it takes \(B, T, 64\)/],
    ['identity.onnx', other, /it takes \(N, 3\) and returns \(N, 3\)/],
    ['titanet.onnx', twoInputs, /it takes 2 inputs and not one/],
    ['nan.onnx', writeSegmentation((_, shape) => new Float32Array(shape.reduce((a, b) => a * b)).fill(NaN)), /not numbers/]
  ]
  for (const [name, bytes, sentence] of files) {
    const path = write(name, bytes)
    await t.rejects(engineOf({ segmentationPath: path }).prepare(), { code: 'model_unavailable', message: sentence }, name)
  }
  await t.rejects(engineOf({ segmentationPath: join(directory, 'absent.onnx') }).prepare(), { code: 'model_unavailable' })
  const swapped = engineOf({ segmentationPath: embeddingPath })
  await t.rejects(swapped.prepare(), { message: /speaker-segmentation model is a speaker-embedding model/ })
  await engineOf().prepare()
})

t.test('a file tells which kind of model it is', async (t) => {
  t.equal(await trySpeakerModel(segmentationPath), 'speaker-segmentation')
  t.equal(await trySpeakerModel(embeddingPath), 'speaker-embedding')
  await t.rejects(trySpeakerModel(sound), { name: 'ModelError', message: /^the model cannot be used: the speaker model cannot be loaded/ })
})
