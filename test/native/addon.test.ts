/** The compiled addon with the starter model. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { LoadOptions, TranscribeOptions } from '../../dist/native/addon.js'
import { addon, decode, GREEDY, openState, OPTIONS, RATE_HZ, toText, toWords } from '../support/native.ts'
import { AUDIO, STARTER_MODEL } from '../support/paths.ts'

/** No mean log-probability is above 0, so every temperature up to 1 is tried. */
const FALLBACK: TranscribeOptions = { ...OPTIONS, logProbThreshold: 0, noSpeechThreshold: 1 }

const pcm = decode(AUDIO + 'en-1.wav')
const sharedFlag = (): Int32Array<SharedArrayBuffer> => new Int32Array(new SharedArrayBuffer(4))

t.test('says what it is', async (t) => {
  t.match(addon.version, /^\d+\.\d+\.\d+$/)
  t.match(addon.build, /^(native|portable) cpu/)
  t.match(addon.systemInfo(), /CPU/)
  t.ok(addon.devices().some(({ kind, totalBytes }) => kind === 'cpu' && totalBytes > 0))
  const languages = addon.languages()
  t.same(languages.slice(0, 4), ['en', 'zh', 'de', 'es'])
  t.equal(new Set(languages).size, 100)
})

t.test('true words with their times', async (t) => {
  const result = openState(t).transcribe(pcm, OPTIONS)
  const truth = JSON.parse(readFileSync(AUDIO + 'en-1.json', 'utf8')) as { sentences: Array<{ start: number, end: number, text: string }> }
  const expected = truth.sentences.flatMap(({ text }) => toWords(text))
  const found = new Set(toWords(toText(result)))
  t.ok(expected.filter((word) => !found.has(word)).length <= 2, toText(result))
  t.equal(result.aborted, false)
  t.equal(result.segments.length, truth.sentences.length)
  for (const [index, { startMs, endMs, tokens, noSpeechProbability }] of result.segments.entries()) {
    const { start, end } = truth.sentences[index] ?? { start: NaN, end: NaN }
    t.ok(Math.abs(startMs - start * 1000) < 150 && Math.abs(endMs - end * 1000) < 150, `${startMs} to ${endMs} is sentence ${index}`)
    t.ok(noSpeechProbability >= 0 && noSpeechProbability < 0.6)
    let last = startMs
    for (const token of tokens) {
      t.ok(
        token.startMs >= last && token.endMs >= token.startMs && token.endMs <= endMs + 200,
        `${token.bytes}: ${token.startMs} to ${token.endMs}`
      )
      t.ok(token.probability > 0 && token.probability <= 1 && token.logProbability <= 0)
      t.notOk('dtwMs' in token)
      last = token.startMs
    }
  }
})

t.test('the same audio gives the same tokens, whatever the state decoded before', async (t) => {
  const state = openState(t)
  const first = state.transcribe(pcm, OPTIONS)
  t.same(state.transcribe(pcm, OPTIONS), first, 'a second time')
  const other = decode(AUDIO + 'en-2.flac')
  const fallback = state.transcribe(other, FALLBACK)
  t.same(state.transcribe(pcm, OPTIONS), first, 'after a clip that fell back to every temperature')
  t.same(state.transcribe(other, FALLBACK), fallback, 'the fallback itself')
  const posteriors = state.detectLanguage(pcm, { threads: 1 })
  t.same(state.transcribe(pcm, OPTIONS), first, 'after language detection')
  t.same(state.detectLanguage(pcm, { threads: 1 }), posteriors, 'and detection after decoding')
  const fresh = openState(t)
  t.same(fresh.transcribe(other, FALLBACK), fallback, 'in a fresh state, as after a crash')
})

t.test('alignment heads give the moment each token was spoken', async (t) => {
  const { segments } = openState(t, { gpu: false, alignmentHeads: [[0, 0]] }).transcribe(pcm, GREEDY)
  const moments = segments.flatMap(({ tokens }) => tokens.map(({ dtwMs }) => dtwMs ?? NaN))
  t.ok(moments.length > 10 && moments.every((ms) => ms >= 0 && ms <= pcm.length / 16))
  t.same(moments, moments.toSorted((a, b) => a - b))
  const rest = openState(t, { gpu: false, alignmentHeads: [[0, 0]] }).transcribe(pcm.subarray(0, 0.15 * RATE_HZ), {
    ...GREEDY,
    minTailMs: 0
  })
  t.ok(rest.segments.length <= 3, 'the aligner survives less than its filter is wide')
})

t.test('next to nothing neither crashes nor is a word', async (t) => {
  const state = openState(t)
  const noise = Float32Array.from({ length: 0.2 * RATE_HZ }, (_, index) => ((index * 7919) % 401 - 200) / 2e5)
  const cases: Array<[name: string, audio: Float32Array]> = [
    ['nothing', new Float32Array(0)], ['10 samples', pcm.slice(8000, 8010)], ['99 ms', pcm.slice(8000, 8000 + 1584)],
    ['0.2 s of silence', new Float32Array(0.2 * RATE_HZ)], ['0.2 s of noise', noise], ['12 s of silence', new Float32Array(12 * RATE_HZ)]
  ]
  state.transcribe(pcm, GREEDY)
  for (const [name, audio] of cases) {
    t.same(state.transcribe(audio, OPTIONS), { aborted: false, language: 'en', segments: [] }, name)
    t.equal(state.detectLanguage(audio, { threads: 1 }).length, 99)
  }
  for (const seconds of [0.1, 0.2, 0.5, 0.99, 1, 1.01]) {
    const { segments } = state.transcribe(pcm.slice(0.3 * RATE_HZ, (0.3 + seconds) * RATE_HZ), { ...GREEDY, minTailMs: 0 })
    t.ok(
      segments.every(
        ({ startMs, endMs, tokens }) =>
          startMs < seconds * 1000 && [endMs, ...tokens.map((token) => token.endMs)].every((ms) => ms <= seconds * 1000)
      ),
      `${seconds} s of speech: all times lie inside`
    )
  }
})

t.test('languages are told apart', async (t) => {
  const state = openState(t)
  for (const [file, language] of [['en-1.wav', 'en'], ['es-1.ogg', 'es'], ['de-1.m4a', 'de']] as const) {
    const posteriors = state.detectLanguage(decode(AUDIO + file), { threads: 1 })
    t.equal(posteriors[0]?.language, language)
    t.same(posteriors, posteriors.toSorted((a, b) => b.probability - a.probability))
    t.ok(Math.abs(posteriors.reduce((sum, { probability }) => sum + probability, 0) - 1) < 1e-9)
    t.equal(new Set(posteriors.map((posterior) => posterior.language)).size, 99, 'all that the model knows, and no other')
  }
})

t.test('a call without a language finds it, and the text is that of a call that names it', async (t) => {
  const state = openState(t)
  const { language: _, ...unnamed } = OPTIONS
  for (const [file, language] of [['es-1.ogg', 'es'], ['de-1.m4a', 'de'], ['en-1.wav', 'en']] as const) {
    const audio = decode(AUDIO + file)
    const found = state.transcribe(audio, unnamed)
    t.equal(found.language, language)
    t.same(found, state.transcribe(audio, { ...OPTIONS, language }))
  }
})

t.test('progress climbs from 0 to 100', async (t) => {
  const state = openState(t)
  const talk = decode(AUDIO + 'talk.mp3').subarray(0, 100 * RATE_HZ)
  const seen: number[] = []
  state.transcribe(talk, { ...GREEDY, onProgress: (percent) => seen.push(percent) })
  t.ok(seen.length > 3)
  t.equal(seen[0], 0)
  t.equal(seen.at(-1), 100)
  t.same(seen, [...new Set(seen)].sort((a, b) => a - b))
})

t.test('a rest shorter than minTailMs is left alone', async (t) => {
  const state = openState(t)
  const talk = decode(AUDIO + 'talk.mp3').subarray(0, 40 * RATE_HZ)
  const whole = state.transcribe(talk, { ...GREEDY, minTailMs: 0 })
  const cut = state.transcribe(talk, { ...GREEDY, minTailMs: 20_000 })
  t.equal(cut.aborted, false)
  t.ok(cut.segments.length > 5 && cut.segments.length < whole.segments.length)
  t.same(cut.segments, whole.segments.slice(0, cut.segments.length))
})

t.test('the abort flag ends a call', async (t) => {
  const state = openState(t)
  const talk = decode(AUDIO + 'talk.mp3').subarray(0, 90 * RATE_HZ)
  const abort = sharedFlag()
  const result = state.transcribe(talk, { ...OPTIONS, abort, onProgress: (percent) => { if (percent > 0) abort[0] = 1 } })
  t.equal(result.aborted, true)
  t.ok(result.segments.length > 3, 'with what was finished')
  t.same(state.transcribe(talk, { ...OPTIONS, abort }), { aborted: true, language: 'en', segments: [] }, 'before it begins')
  abort[0] = 0
  t.match(state.transcribe(pcm, { ...GREEDY, abort }), { aborted: false }, 'and the state goes on working')
})

t.test('callbacks cannot break a call', async (t) => {
  const state = openState(t)
  const failing = (): void => { throw new Error('from the callback') }
  t.throws(() => state.transcribe(pcm, { ...GREEDY, onProgress: failing }), { message: 'from the callback' })
  t.throws(
    () =>
      state.transcribe(pcm, {
        ...GREEDY,
        onProgress: () => {
          state.transcribe(pcm, GREEDY)
        }
      }),
    { code: 'INVALID_ARGUMENT' },
    'one call at a time'
  )
  const loser = openState(t)
  t.ok(loser.transcribe(pcm, { ...GREEDY, onProgress: () => loser.free() }).segments.length > 0, 'freed by its own callback')
  t.throws(() => loser.transcribe(pcm, GREEDY), { code: 'CLOSED' })
})

t.test('what was freed is closed', async (t) => {
  const model = addon.loadModel(STARTER_MODEL, { gpu: false })
  const again = addon.loadModel(STARTER_MODEL, { gpu: false })
  t.equal(addon.loadedModels().length, 1)
  const state = model.createState()
  model.free()
  model.free()
  t.throws(() => model.createState(), { code: 'CLOSED' })
  again.free()
  t.ok(state.transcribe(pcm, GREEDY).segments.length > 0, 'a state keeps the weights')
  t.equal(addon.loadedModels().length, 1)
  state.free()
  state.free()
  t.throws(() => state.transcribe(pcm, GREEDY), { code: 'CLOSED' })
  t.throws(() => state.detectLanguage(pcm, { threads: 1 }), { code: 'CLOSED' })
  t.same(addon.loadedModels(), [], 'nothing is left')
})

t.test('wrong arguments are refused', async (t) => {
  const state = openState(t)
  t.throws(() => state.transcribe(pcm, { ...OPTIONS, language: 'xx' }), { code: 'UNKNOWN_LANGUAGE' })
  t.throws(() => state.transcribe(pcm, { ...OPTIONS, language: 'auto' }), { code: 'UNKNOWN_LANGUAGE' })
  t.throws(
    () => state.transcribe(pcm, { ...OPTIONS, language: 'yue' }),
    { code: 'UNKNOWN_LANGUAGE' },
    'a language that came with later models'
  )
  const wrong: Array<Partial<Record<keyof TranscribeOptions, unknown>>> = [
    { threads: 0 },
    { threads: 1.5 },
    { beamSize: 9 },
    { bestOf: 0 },
    { temperatureStep: 1e-6 },
    { temperatureStep: NaN },
    { contextTokens: -1 },
    { minTailMs: -1 },
    { prompt: null },
    { suppressNonSpeech: 1 },
    { abort: new Int32Array(1) },
    { abort: new Int32Array(new SharedArrayBuffer(0)) },
    { onProgress: 1 }
  ]
  for (const options of wrong) {
    t.throws(
      () => state.transcribe(pcm, { ...OPTIONS, ...options } as TranscribeOptions),
      { code: 'INVALID_ARGUMENT' },
      Object.keys(options)[0] ?? ''
    )
  }
  t.throws(() => state.transcribe(new Float32Array([0, NaN, Infinity]), OPTIONS), { code: 'INVALID_ARGUMENT' })
  t.throws(() => state.transcribe(new Int16Array(9) as unknown as Float32Array, OPTIONS), { code: 'INVALID_ARGUMENT' })
  for (const alignmentHeads of ['huge', 'large.v3', [], [[0]], [[3, 0]], [[0, 3]], [[0, 0], [0, 0]]]) {
    t.throws(
      () => addon.loadModel(STARTER_MODEL, { gpu: false, alignmentHeads } as LoadOptions),
      { code: 'INVALID_ARGUMENT' },
      JSON.stringify(alignmentHeads)
    )
  }
  const model = addon.loadModel(STARTER_MODEL, { gpu: false })
  const Model = model.constructor as new (...values: unknown[]) => unknown
  t.throws(() => new Model(), { code: 'INVALID_ARGUMENT' })
  model.free()
  const long = 'supercalifragilistic'.repeat(20_000)
  t.ok(state.transcribe(pcm, { ...GREEDY, contextTokens: 64, prompt: long }).segments.length >= 0, 'a prompt without end')
})
