/** A window of several languages, and one that a decoder goes over, with the starter model. */
import t from 'tap'
import { hear } from '../../dist/workers/speech-detection.js'
import { transcribeWindow } from '../../dist/workers/window.js'
import type { NativeState, NativeTranscript, TranscribeOptions } from '../../dist/native/addon.js'
import type { TranscribeInput } from '../../dist/workers/protocol.js'
import { decode, openState, OPTIONS, RATE_HZ, toText, toWords } from '../support/native.ts'
import { AUDIO } from '../support/paths.ts'

const { language: _, prompt: __, threads, minTailMs: ___, ...decoding } = OPTIONS
const INPUT: TranscribeInput = {
  audioPath: '', spans: [], model: { path: '', kind: 'whisper', gpu: false, alignmentHeads: undefined },
  threads, abort: new Int32Array(new SharedArrayBuffer(4)),
  language: undefined, prior: [], languages: ['en', 'es', 'de'], prompt: '', terms: [], decoding
}
const english = decode(AUDIO + 'en-1.wav')
const german = decode(AUDIO + 'de-1.m4a')

const join = (...parts: Float32Array[]): Float32Array => Float32Array.from(parts.flatMap((part) => [...part]))
const wordsOf = (segments: NativeTranscript['segments']): string[] => toWords(toText({ segments } as NativeTranscript))

/** A state whose first transcription is changed: what a decoder does when it loses the sound. */
function forgetful (state: NativeState, forget: (first: NativeTranscript) => NativeTranscript): NativeState {
  let calls = 0
  return {
    detectLanguage: (pcm, options) => state.detectLanguage(pcm, options),
    transcribe: (pcm: Float32Array, options: TranscribeOptions) =>
      calls++ === 0 ? forget(state.transcribe(pcm, options)) : state.transcribe(pcm, options),
    free: () => { state.free() }
  }
}

/** A state that cannot tell the language of more than 10 s, as real models are of a window in two; the starter model is sure of any. */
function unsure (state: NativeState): NativeState {
  const halves = [{ language: 'de', probability: 0.5 }, { language: 'en', probability: 0.5 }]
  return {
    detectLanguage: (pcm, options) => pcm.length > 10 * RATE_HZ ? halves : state.detectLanguage(pcm, options),
    transcribe: (pcm: Float32Array, options: TranscribeOptions) => state.transcribe(pcm, options),
    free: () => { state.free() }
  }
}

t.test('each phrase is written in its own language', async (t) => {
  const state = openState(t)
  const parts = [english, german, english]
  const expected = parts.map((part, index) =>
    wordsOf(transcribeWindow(state, part, { ...INPUT, language: index === 1 ? 'de' : 'en' }, hear).segments))
  const { segments, language } = transcribeWindow(unsure(state), join(...parts), INPUT, hear)
  const missing = expected.flat().filter((word) => !wordsOf(segments).includes(word))
  t.ok(missing.length <= 2, `${missing.join(' ')} in: ${wordsOf(segments).join(' ')}`)
  t.equal(language, 'en')
  const starts = segments.map(({ startMs }) => startMs)
  t.same(starts, [...starts].sort((a, b) => a - b), 'in order of time')
})

t.test('a language that was asked for is kept to', async (t) => {
  t.equal(transcribeWindow(openState(t), german, { ...INPUT, language: 'en' }, hear).language, 'en')
})

t.test('speech that the decoder went over is decoded by itself', async (t) => {
  const state = openState(t)
  const whole = wordsOf(transcribeWindow(state, english, { ...INPUT, language: 'en' }, hear).segments)
  const lossy = forgetful(state, (first) => ({ ...first, segments: first.segments.slice(0, -1) }))
  const found = wordsOf(transcribeWindow(lossy, english, { ...INPUT, language: 'en' }, hear).segments)
  t.ok(whole.length > 8 && found.length >= 0.9 * whole.length, `${found.join(' ')} for: ${whole.join(' ')}`)
})

t.test('text without a sound that could be speech is dropped', async (t) => {
  const state = openState(t)
  const silence = new Float32Array(3 * RATE_HZ)
  const invented = forgetful(state, (first) =>
    ({ ...first, segments: transcribeWindow(state, english, { ...INPUT, language: 'en' }, hear).segments }))
  t.same(transcribeWindow(invented, silence, { ...INPUT, language: 'en' }, hear).segments, [])
})

/** A decoder that says one segment whatever it hears, in a language that it finds this likely. */
function saying (text: string, endMs: number, probability: number): NativeState {
  const bytes = Buffer.from(text).toString('latin1')
  const token = { bytes, startMs: 0, endMs, probability: 0.9, logProbability: -0.1 }
  const segment = { startMs: 0, endMs, noSpeechProbability: 0.1, tokens: [token] }
  return {
    detectLanguage: () => [{ language: 'en', probability }],
    transcribe: () => ({ segments: [segment], language: 'en', aborted: false }),
    free () {}
  }
}

/** A detector that is sure of speech in the first `speechMs` of 20 s. */
const hearing = (speechMs: number) => () => {
  const frames = Float32Array.from({ length: 625 }, (_, frame) => frame * 32 < speechMs ? 0.9 : 0.3)
  return { likely: frames, possible: frames }
}
const TWENTY_SECONDS = new Float32Array(20 * RATE_HZ)
const textWith = (state: NativeState, speechMs: number): string =>
  transcribeWindow(state, TWENTY_SECONDS, INPUT, hearing(speechMs)).segments
    .flatMap(({ tokens }) => tokens.map(({ bytes }) => bytes))
    .join('')

t.test('text of a guessed language is dropped when nobody can say so much in the speech there is', async (t) => {
  const talk = 'one two three four five six seven eight nine ten'
  t.equal(textWith(saying(talk, 20_000, 0.6), 500), '', 'music: a guess, and ten words in half a second')
  t.equal(textWith(saying(talk, 20_000, 0.6), 3000), talk, 'a guess, with time to say it')
  t.equal(textWith(saying(talk, 20_000, 0.95), 500), talk, 'a quiet voice, clearly in one language')
})

t.test('repeated text is dropped when there was no time to say it', async (t) => {
  const loop = 'again '.repeat(60)
  t.equal(textWith(saying(loop, 20_000, 1), 1500), '')
  t.equal(textWith(saying(loop, 20_000, 1), 8000), loop, 'people do repeat themselves')
})

t.test('remarks about sound are not words', async (t) => {
  t.equal(textWith(saying('【音楽】', 20_000, 1), 8000), '')
  t.equal(textWith(saying('(as he said)', 20_000, 1), 8000), '')
  t.equal(textWith(saying('Yes (he said)', 20_000, 1), 8000), 'Yes (he said)')
})
