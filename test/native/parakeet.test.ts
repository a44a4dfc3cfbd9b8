/** The compiled addon with a Parakeet model. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { createWindowClock } from '../../dist/domain/windows.js'
import { buildSegments } from '../../dist/domain/words.js'
import type { NativeTranscript, TranscribeOptions } from '../../dist/native/addon.js'
import { addon, OPTIONS, RATE_HZ, toText } from '../support/native.ts'
import { makeParakeet } from '../support/parakeet-model.ts'
import { openParakeet, SCRIPT, SOUND, toPcm, writeParakeet } from '../support/parakeet.ts'
import { STARTER_MODEL } from '../support/paths.ts'
import { noise, silence } from '../support/sound.ts'

const sharedFlag = (): Int32Array<SharedArrayBuffer> => new Int32Array(new SharedArrayBuffer(4))
const TEXT = SCRIPT.map(({ text }) => text.replace('▁', ' ')).join('')

t.test('the words, in sentences, with times and probabilities', async (t) => {
  const model = addon.loadModel(writeParakeet(t), { gpu: false, kind: 'parakeet' })
  t.same(model.info, { type: 'parakeet-tdt', multilingual: false, layers: 1, mels: 128, backend: 'CPU' })
  model.free()
  const result = openParakeet(t, writeParakeet(t)).transcribe(SOUND, OPTIONS)
  t.match(result, { aborted: false, language: 'en' })
  t.equal(toText(result), TEXT)
  const segments = buildSegments(result.segments, createWindowClock({ startSample: 0, endSample: SOUND.length }))
  t.same(
    segments.map(({ text }) => text),
    [' Good morning.', ' It is 1.5 now', ' an Ä yes!', ' So?'],
    'cut behind sentences and in the pause'
  )
  t.same(
    segments.flatMap(({ words }) => words.map(({ text }) => text)),
    [' Good', ' morning.', ' It', ' is', ' 1.5', ' now', ' an', ' Ä', ' yes!', ' So?']
  )
  t.ok(Math.abs((segments[2]?.startMs ?? 0) - 2500) <= 80, 'the rest is said where sound comes back')

  let last = 0
  for (const { tokens, startMs, endMs, noSpeechProbability } of result.segments) {
    t.same([startMs, endMs], [tokens[0]?.startMs, tokens.at(-1)?.endMs])
    t.equal(noSpeechProbability, 0)
    for (const token of tokens) {
      t.ok(
        token.startMs >= last && token.endMs >= token.startMs && token.endMs <= SOUND.length / 16,
        `${token.bytes}: ${token.startMs} to ${token.endMs}`
      )
      last = token.endMs
    }
  }
})

t.test('times are those of the steps, and probabilities those of the network', async (t) => {
  const [first] = openParakeet(t, writeParakeet(t)).transcribe(SOUND, OPTIONS).segments
  t.same(
    first?.tokens.map(({ startMs, endMs }) => [startMs, endMs]),
    [
      [0, 160],
      [160, 240],
      [240, 400],
      [400, 400]
    ],
    'steps of 80 ms; a full stop takes no time'
  )
  // One word has a logit of 8 tanh(1), the other words and the blank 0.
  const likely = Math.exp(8 * Math.tanh(1))
  for (const { probability, logProbability } of first?.tokens ?? []) {
    t.ok(Math.abs(probability - likely / (likely + SCRIPT.length + 1)) < 1e-3, String(probability))
    t.ok(Math.abs(Math.exp(logProbability) - probability) < 1e-6)
  }
})

t.test('a very sure model keeps its durations, and its probabilities stay probabilities', async (t) => {
  const sure = openParakeet(t, writeParakeet(t, { certainty: 300 })).transcribe(SOUND, OPTIONS)
  const unsure = openParakeet(t, writeParakeet(t)).transcribe(SOUND, OPTIONS)
  const times = ({ segments }: NativeTranscript): number[][] =>
    segments.flatMap(({ tokens }) => tokens.map(({ startMs, endMs }) => [startMs, endMs]))
  t.same(times(sure), times(unsure))
  t.ok(sure.segments.flatMap(({ tokens }) => tokens).every(({ probability, logProbability }) => probability === 1 && logProbability === 0))
})

t.test('every weight format says the same', async (t) => {
  for (const type of ['f32', 'f16', 'q8_0'] as const) {
    const result = openParakeet(t, writeParakeet(t, { type, state: 128, layers: 2 })).transcribe(SOUND, OPTIONS)
    t.equal(toText(result), TEXT, type)
  }
})

t.test('the same audio gives the same tokens, whatever the state heard before', async (t) => {
  const path = writeParakeet(t)
  const state = openParakeet(t, path)
  const first = state.transcribe(SOUND, OPTIONS)
  const other = state.transcribe(SOUND.subarray(0, 2 * RATE_HZ), OPTIONS)
  t.notSame(other, first)
  t.same(state.transcribe(SOUND, OPTIONS), first, 'after shorter audio')
  state.transcribe(toPcm(noise(40, 3000)), OPTIONS)
  t.same(state.transcribe(SOUND, { ...OPTIONS, threads: 2 }), first, 'after longer audio, on two threads')
  const abort = sharedFlag()
  state.transcribe(SOUND, { ...OPTIONS, abort, onProgress: () => { abort[0] = 1 } })
  t.same(state.transcribe(SOUND, OPTIONS), first, 'after one that was stopped')
  t.same(openParakeet(t, path).transcribe(SOUND, OPTIONS), first, 'in a fresh state')
})

t.test('next to nothing neither crashes nor is a word', async (t) => {
  const state = openParakeet(t, writeParakeet(t))
  state.transcribe(SOUND, OPTIONS)
  const cases: Array<[name: string, audio: Float32Array]> = [
    ['nothing', new Float32Array(0)],
    ['99 ms', toPcm(noise(0.099, 8000))],
    ['silence', toPcm(silence(12))]
  ]
  for (const [name, audio] of cases) t.same(state.transcribe(audio, OPTIONS), { aborted: false, language: 'en', segments: [] }, name)
  for (const seconds of [0.1, 0.25, 0.9, 1, 1.1]) {
    const { segments } = state.transcribe(toPcm(noise(seconds, 8000)), OPTIONS)
    t.ok(
      segments.flatMap(({ tokens }) => tokens).every(({ startMs, endMs }) => startMs < seconds * 1000 && endMs <= seconds * 1000),
      `${seconds} s: all times lie inside`
    )
  }
})

t.test('as much as a state has room for, and no more', async (t) => {
  const state = openParakeet(t, writeParakeet(t))
  const most = (5000 - 1) * 160
  const audio = toPcm(noise(50, 8000))
  t.equal(toText(state.transcribe(audio.subarray(0, most), OPTIONS)), TEXT)
  t.throws(() => state.transcribe(audio.subarray(0, most + 1), OPTIONS), { code: 'INVALID_ARGUMENT', message: /too long/ })
  t.equal(toText(state.transcribe(SOUND, OPTIONS)), TEXT, 'and the state goes on working')
})

t.test('progress, abort and callbacks that throw', async (t) => {
  const state = openParakeet(t, writeParakeet(t, { layers: 12 }))
  const talk = toPcm(noise(45, 8000))
  const seen: number[] = []
  state.transcribe(talk, { ...OPTIONS, onProgress: (percent) => seen.push(percent) })
  t.same(seen, [0, 90, 100])
  const abort = sharedFlag()
  const stopAt = (wanted: number): NativeTranscript => {
    abort[0] = 0
    return state.transcribe(talk, { ...OPTIONS, abort, onProgress: (percent) => { if (percent === wanted) abort[0] = 1 } })
  }
  t.same(stopAt(0), { aborted: true, language: 'en', segments: [] }, 'in the encoder')
  t.match(stopAt(90), { aborted: true, segments: [] }, 'in the decoder')
  t.same(state.transcribe(talk, { ...OPTIONS, abort }), { aborted: true, language: 'en', segments: [] }, 'before it begins')
  t.throws(
    () =>
      state.transcribe(talk, {
        ...OPTIONS,
        onProgress: () => {
          throw new Error('from the callback')
        }
      }),
    { message: 'from the callback' }
  )
  t.throws(
    () =>
      state.transcribe(talk, {
        ...OPTIONS,
        onProgress: () => {
          state.transcribe(talk, OPTIONS)
        }
      }),
    { code: 'INVALID_ARGUMENT' }
  )
  t.equal(toText(state.transcribe(talk, OPTIONS)), TEXT, 'and the state goes on working')
})

t.test('it neither tells nor needs a language', async (t) => {
  const state = openParakeet(t, writeParakeet(t))
  t.throws(() => state.detectLanguage(SOUND, { threads: 1 }), { code: 'UNSUPPORTED' })
  const { language: _, ...unnamed } = OPTIONS
  t.match(state.transcribe(SOUND, unnamed), { language: '', segments: [{}, {}, {}, {}] })
  t.equal(state.transcribe(SOUND, { ...OPTIONS, language: 'hr' }).language, 'hr')
})

t.test('wrong arguments are refused', async (t) => {
  const path = writeParakeet(t)
  const state = openParakeet(t, path)
  t.throws(() => state.transcribe(new Float32Array([0, NaN]), OPTIONS), { code: 'INVALID_ARGUMENT' })
  t.throws(() => state.transcribe(SOUND, { ...OPTIONS, threads: 0 } as TranscribeOptions), { code: 'INVALID_ARGUMENT' })
  t.throws(() => addon.loadModel(path, { gpu: false, kind: 'conformer' as 'parakeet' }), { code: 'INVALID_ARGUMENT' })
  t.throws(() => addon.loadModel(path, { gpu: false, kind: 'parakeet', alignmentHeads: [[0, 0]] }), { code: 'INVALID_ARGUMENT' })
  t.throws(() => addon.loadModel(path, { gpu: false }), { code: 'MODEL_INVALID', message: /it is a Parakeet model, not a Whisper model/ })
  t.throws(() => addon.loadModel(STARTER_MODEL, { gpu: false, kind: 'parakeet' }), {
    code: 'MODEL_INVALID',
    message: /it is a Whisper model, not a Parakeet model/
  })
  state.free()
  t.throws(() => state.transcribe(SOUND, OPTIONS), { code: 'CLOSED' })
})

t.test('weights that are no numbers', async (t) => {
  const { bytes, tensors } = makeParakeet(SCRIPT)
  for (const name of [
    'encoder.layers.0.self_attn.linear_v.weight',
    'decoder.prediction.dec_rnn.lstm.bias_h_l1',
    'joint.joint_net.2.bias'
  ]) {
    const copy = Buffer.from(bytes)
    copy.writeFloatLE(NaN, (tensors.get(name) ?? 0) + 16)
    const state = openParakeet(t, t.testdir({ 'nan.bin': copy }) + '/nan.bin')
    t.throws(() => state.transcribe(SOUND, OPTIONS), { code: 'DECODE_FAILED', message: /damaged/ }, name)
    t.throws(() => state.transcribe(SOUND, OPTIONS), { code: 'CLOSED' }, 'a state that threw is lost')
  }
})

const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData.module).then(({ loadAddon }) => {
    const addon = loadAddon()
    const model = addon.loadModel(workerData.path, { gpu: false, kind: 'parakeet' })
    const state = model.createState()
    parentPort.on('message', ({ pcm, options }) => parentPort.postMessage(state.transcribe(pcm, options)))
    parentPort.postMessage(addon.loadedModels())
  })
`

t.test('two threads share one copy of the weights, agree on the text, and stop when told', async (t) => {
  const path = writeParakeet(t, { layers: 24 })
  const here = openParakeet(t, path).transcribe(SOUND, OPTIONS)
  const module = new URL('../../dist/native/addon.js', import.meta.url).href
  const workers = [0, 1].map(() => new Worker(PROGRAM, { eval: true, workerData: { module, path } }))
  t.teardown(async () => { await Promise.all(workers.map((worker) => worker.terminate())) })
  const next = async (worker: Worker): Promise<unknown> => (await once(worker, 'message') as unknown[])[0]
  const loaded = await Promise.all(workers.map(next)) as unknown[][]
  t.same(loaded.map((models) => models.length), [1, 1])
  t.match(addon.loadedModels(), [{ path: /parakeet\.bin$/, handles: 2 }])
  const results = workers.map(next)
  for (const worker of workers) worker.postMessage({ pcm: SOUND, options: OPTIONS })
  for (const result of await Promise.all(results)) t.same(result, here)

  const abort = sharedFlag()
  const stopped = workers.map(next)
  const talk = toPcm(noise(49, 8000))
  for (const worker of workers) worker.postMessage({ pcm: talk, options: { ...OPTIONS, abort } })
  Atomics.store(abort, 0, 1)
  for (const result of await Promise.all(stopped)) t.match(result, { aborted: true })
})
