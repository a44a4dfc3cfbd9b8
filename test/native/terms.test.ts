/** Names and terms in the decoder, with the starter model. */
import t from 'tap'
import type { TranscribeOptions } from '../../dist/native/addon.js'
import { decode, GREEDY, openState, OPTIONS, toText } from '../support/native.ts'
import { AUDIO } from '../support/paths.ts'

const pcm = decode(AUDIO + 'en-1.wav')
/** Sounds as "notes" does, which the recording holds; the model by itself never spells it so. */
const NEAR = 'noats'
const FAR = ['elephant', 'Kubernetes', 'Dashwood', 'hippopotamus', 'Ada Lovelace', 'Ljubljana', '東京', 'Кировоград', 'C++']

t.test('a term wins over what sounds like it, wherever it stands in the list', async (t) => {
  const state = openState(t)
  const without = toText(state.transcribe(pcm, OPTIONS))
  t.match(without, / your notes and /)
  const withTerm = toText(state.transcribe(pcm, { ...OPTIONS, terms: [NEAR] }))
  t.equal(withTerm, without.replace('notes', NEAR), 'and nothing else changes')
  t.equal(toText(state.transcribe(pcm, { ...OPTIONS, terms: [...FAR, NEAR, ...FAR] })), withTerm)
})

t.test('a term that was not said changes nothing', async (t) => {
  const state = openState(t)
  for (const file of ['en-1.wav', 'en-2.flac', 'de-1.m4a', 'es-1.ogg']) {
    const audio = decode(AUDIO + file)
    const options: TranscribeOptions = { ...OPTIONS, language: file.slice(0, 2) }
    t.equal(toText(state.transcribe(audio, { ...options, terms: FAR })), toText(state.transcribe(audio, options)), file)
  }
})

t.test('no term is heard in silence', async (t) => {
  const { segments } = openState(t).transcribe(new Float32Array(160_000), { ...OPTIONS, terms: [NEAR, ...FAR] })
  t.same(segments, [])
})

t.test('probabilities stay those of the model, and the same audio gives the same tokens', async (t) => {
  const state = openState(t)
  const options = { ...OPTIONS, terms: [NEAR] }
  const result = state.transcribe(pcm, options)
  t.same(state.transcribe(pcm, options), result)
  const tokens = result.segments.flatMap((segment) => segment.tokens)
  for (const { bytes, probability, logProbability } of tokens) {
    t.ok(probability > 0 && probability <= 1 && logProbability <= 0, bytes)
  }
  const begun = tokens.findIndex(({ bytes }) => bytes === ' no')
  for (const { bytes, probability } of tokens.slice(begun, begun + 2)) t.ok(probability < 0.5, `${bytes}: the doubt is shown`)
})

t.test('a term is timed as the word it stands for', async (t) => {
  const state = openState(t, { gpu: false, alignmentHeads: [[0, 0]] })
  /** From the first token after "your" to the one after the term. */
  const timesOf = (terms: string[]): number[] => {
    const tokens = state.transcribe(pcm, { ...OPTIONS, terms }).segments.flatMap((segment) => segment.tokens)
    const at = (bytes: string): number => tokens.findIndex((token) => token.bytes === bytes)
    return [tokens[at(' your') + 1]?.dtwMs ?? NaN, tokens[at(' and')]?.dtwMs ?? NaN]
  }
  const [without, withTerm] = [timesOf([]), timesOf([NEAR])]
  for (const [index, ms] of without.entries()) t.ok(Math.abs((withTerm[index] ?? NaN) - ms) <= 60, `${withTerm[index]} as ${ms}`)
})

t.test('a term that breaks off leaves no gain behind', async (t) => {
  const state = openState(t)
  const logOf = (terms: string[]): number => {
    const { segments } = state.transcribe(pcm, { ...OPTIONS, terms })
    return segments.flatMap(({ tokens }) => tokens).reduce((sum, { logProbability }) => sum + logProbability, 0)
  }
  // They begin as words of the recording do, and are given up before they end; the other term keeps the search for terms going.
  t.ok(Math.abs(logOf([NEAR, 'at night', 'a list on', 'bring yours']) - logOf([NEAR])) < 0.05)
})

t.test('whatever is listed, the decoder survives', async (t) => {
  const state = openState(t)
  const odd = ['', ' ', '.', '\u0000', '<|endoftext|>', '[_BEG_]', '\ud800', '😀', 'a'.repeat(256), 'ä'.repeat(128), '0 1 2 3 4 5 6 7 8 9']
  t.ok(toText(state.transcribe(pcm, { ...GREEDY, terms: odd })).length > 50)
  const many = Array.from({ length: 400 }, (_, index) => `Zw${index.toString(36)} und ${'Übergrößenträger'.repeat(8)}`)
  t.ok(toText(state.transcribe(pcm, { ...GREEDY, terms: many })).length > 50)
  for (const terms of [undefined, null, 'noats', [1], [NEAR, null], ['x'.repeat(257)], Array.from({ length: 401 }, () => 'x')]) {
    t.throws(() => state.transcribe(pcm, { ...OPTIONS, terms } as TranscribeOptions), { code: 'INVALID_ARGUMENT', message: /term/i })
  }
})
