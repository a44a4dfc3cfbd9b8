/**
 * What is said in one window: each phrase in its own language, speech that a first pass went over decoded again, and nothing kept that
 * was not heard.
 */
import { deflateRawSync } from 'node:zlib'
import { MAX_WINDOW_SAMPLES, SAMPLES_PER_MS, samplesToMs } from '../domain/audio.js'
import { assignLanguages, averagePosteriors, SURE_PROBABILITY } from '../domain/language.js'
import type { LanguagePosterior } from '../domain/language.js'
import { isLoop } from '../domain/loops.js'
import { findHoles, findSpeechChunks, likeliestWithin, speechWithin } from '../domain/speech-chunks.js'
import type { SpeechChunk, Stretch } from '../domain/speech-chunks.js'
import type { NativeSegment, NativeState, NativeToken, NativeTranscript, TranscribeOptions } from '../native/addon.js'
import type { TranscribeInput } from './protocol.js'
import { WorkerError } from './serve.js'

/** Audio left after the last timestamp that is not worth another encoder run: windows end in a pause. */
const MIN_TAIL_MS = 1000
/** Half of the decoder's text context, which is what Whisper leaves for a prompt. */
const PROMPT_TOKENS = 224
/** Of a second attempt after a loop. */
const RETRY_TEMPERATURE = 0.4
/** Of what the first attempt says: less than this is speech lost with the loop. */
const RETRY_SHARE = 0.7
/** For models that were made before Whisper knew a language: the one they knew it as. */
const OLDER_LANGUAGES: Readonly<Record<string, string>> = { yue: 'zh' }

/** Recovered text counts only when the decoder is sure of it; the first pass had a reason to go over it. */
const LEAST_MEAN_LOG_PROBABILITY = -0.7
/** Tokens around a hole whose words may be what is heard in it: times are wrong by seconds where a segment begins with a pause. */
const NEIGHBOUR_TOKENS = 8
/** Sound kept on both sides of a stretch that is decoded by itself. */
const MARGIN_MS = 200
/** A phrase with less speech than this tells no language. */
const LEAST_PHRASE_MS = 400
/** Of a window with more phrases than this only the longer ones are asked: each costs an encoder run. */
const MAX_SHORT_PHRASES = 12
/** A phrase with so much speech whose tokens are less likely than this on average is checked, at most so many of a window. */
const LEAST_DOUBTED_MS = 1000
const DOUBTFUL_LOG_PROBABILITY = -0.5
const MAX_DOUBTS = 3
/** Such a phrase is in another language when that is at least this likely. */
const OTHER_LANGUAGE_PROBABILITY = 0.8
/** Text was invented where no frame in it, or so close to it, is speech with this probability. Quiet and hoarse voices stay above it. */
const REACH_MS = 500
const LEAST_SPEECH_PROBABILITY = 0.15
/** Text that the decoder doubts, by Whisper's own threshold for silence, needs speech in this share of it. */
const NO_SPEECH_PROBABILITY = 0.6
const LEAST_SPEECH_SHARE = 0.25
/** Tones and music deceive the detector; above this the decoder knows better. People, loud noise around them or not, stay below 0.6. */
const SURELY_NO_SPEECH = 0.85

/** A segment of nothing but marks says nothing. */
const WORD = /[\p{L}\p{N}]/u

/** How likely someone speaks in each frame of a window. Text is added only where that is `likely`, dropped where it is not `possible`. */
export type Hear = (pcm: Float32Array) => { likely: Float32Array, possible: Float32Array }

type Decoded = { segments: NativeSegment[], language: string }
type Work = { state: NativeState, pcm: Float32Array, input: TranscribeInput, options: TranscribeOptions }
type Run = Stretch & { language: string }

function transcribeKnown (state: NativeState, pcm: Float32Array, options: TranscribeOptions): NativeTranscript {
  try {
    return state.transcribe(pcm, options)
  } catch (error) {
    const language = OLDER_LANGUAGES[options.language ?? '']
    if (!language || !(error instanceof Error && 'code' in error && error.code === 'UNKNOWN_LANGUAGE')) throw error
    return state.transcribe(pcm, { ...options, language })
  }
}

/** Half a window is no result: throws `WorkerError` aborted when the call was stopped. */
function decode (state: NativeState, pcm: Float32Array, options: TranscribeOptions): Decoded {
  const { aborted, segments, language } = transcribeKnown(state, pcm, options)
  if (aborted) throw new WorkerError('aborted', 'stopped on request')
  return { segments, language }
}

/** What a window says, and how much, whether by words or by their repetition: bytes of its text after deflate. */
type Said = { text: string, deflatedBytes: number }

const bytesOf = (tokens: readonly NativeToken[]): Buffer => Buffer.from(tokens.map(({ bytes }) => bytes).join(''), 'latin1')
const textOf = (tokens: readonly NativeToken[]): string => bytesOf(tokens).toString('utf8')

function measure (segments: readonly NativeSegment[]): Said {
  const bytes = bytesOf(segments.flatMap(({ tokens }) => tokens))
  return { text: bytes.toString('utf8'), deflatedBytes: deflateRawSync(bytes).length }
}

/** A second attempt is taken when it has no loop and says nearly as much as the first one without its repeats. */
function isBetter (second: Said, first: Said): boolean {
  return !isLoop(second.text, second.deflatedBytes) && second.deflatedBytes >= RETRY_SHARE * first.deflatedBytes
}

/** Decodes sound; text that goes in circles is decoded again, without a prompt and not by the same path. */
function decodeWithoutLoop (state: NativeState, pcm: Float32Array, options: TranscribeOptions): Decoded {
  const first = decode(state, pcm, options)
  const said = measure(first.segments)
  if (!isLoop(said.text, said.deflatedBytes)) return first
  const second = decode(state, pcm, { ...options, language: first.language, prompt: '', contextTokens: 0, temperature: RETRY_TEMPERATURE })
  return isBetter(measure(second.segments), said) ? second : first
}

/** The samples of a stretch. One that reaches the end has all of them: the encoder's output is only used again for the very same sound. */
function cut (pcm: Float32Array, { startMs, endMs }: Stretch): Float32Array {
  return pcm.subarray(startMs * SAMPLES_PER_MS, endMs >= samplesToMs(pcm.length) ? pcm.length : endMs * SAMPLES_PER_MS)
}

function shift (segment: NativeSegment, byMs: number): NativeSegment {
  return {
    ...segment,
    startMs: segment.startMs + byMs,
    endMs: segment.endMs + byMs,
    tokens: segment.tokens.map((token) => ({
      ...token,
      startMs: token.startMs + byMs,
      endMs: token.endMs + byMs,
      ...(token.dtwMs === undefined ? {} : { dtwMs: token.dtwMs + byMs })
    }))
  }
}

/** Decodes a stretch of the window by itself; times are those of the window. */
function decodeStretch ({ state, pcm, options }: Work, stretch: Stretch, language: string): NativeSegment[] {
  const { segments } = decodeWithoutLoop(state, cut(pcm, stretch), { ...options, language })
  return segments.map((segment) => shift(segment, stretch.startMs))
}

/** How likely each language is, likeliest first. Throws `WorkerError` aborted when the call was stopped. */
export function rankLanguages (
  state: NativeState, pcm: Float32Array, { threads, abort }: Pick<TranscribeInput, 'threads' | 'abort'>
): LanguagePosterior[] {
  const posteriors = state.detectLanguage(pcm, { threads, abort })
  if (posteriors.length === 0) throw new WorkerError('aborted', 'stopped on request')
  return posteriors
}

const detectLanguage = ({ state, input }: Work, pcm: Float32Array): LanguagePosterior[] =>
  amongKnown(rankLanguages(state, pcm, input), input.languages)

/** Posteriors of the languages that a model knows, which sum to 1 again. */
function amongKnown (posteriors: readonly LanguagePosterior[], languages: TranscribeInput['languages']): LanguagePosterior[] {
  const known = posteriors.filter(({ language }) => !languages || languages.includes(language))
  const sum = known.reduce((total, { probability }) => total + probability, 0)
  return sum > 0 ? known.map(({ language, probability }) => ({ language, probability: probability / sum })) : []
}

/** A stretch with a little of what is around it, but not what belongs to its neighbours. */
function widen (stretch: Stretch, lengthMs: number): Stretch {
  return { startMs: Math.max(0, stretch.startMs - MARGIN_MS), endMs: Math.min(lengthMs, stretch.endMs + MARGIN_MS) }
}

/** Neighbouring phrases of one language together; where the language changes, the cut is in the middle of the pause. */
function toRuns (chunks: readonly SpeechChunk[], languages: readonly string[], lengthMs: number): Run[] {
  const runs: Run[] = []
  for (const [index, { startMs, endMs }] of chunks.entries()) {
    const language = languages[index] ?? languages[0] ?? 'en'
    const last = runs.at(-1)
    if (!last) runs.push({ startMs: 0, endMs, language })
    else if (last.language === language) last.endMs = endMs
    else {
      const middleMs = Math.round((last.endMs + startMs) / 2)
      last.endMs = middleMs
      runs.push({ startMs: middleMs, endMs, language })
    }
  }
  const end = runs.at(-1)
  if (end) end.endMs = lengthMs
  return runs
}

/** What is known of a window before its text: what each phrase of it is, and how likely each language is for all of it. */
type Heard = { probabilities: Float32Array, chunks: SpeechChunk[], lengthMs: number, prior: LanguagePosterior[] }

/** The window's stretches of one language each, from what each phrase sounds like by itself. */
function tellPhrasesApart (work: Work, { chunks, lengthMs, prior }: Heard): Run[] {
  const leastMs = chunks.length > MAX_SHORT_PHRASES ? LEAST_DOUBTED_MS : LEAST_PHRASE_MS
  const phrases = chunks.map((chunk) => ({
    speechMs: chunk.speechMs,
    posteriors: chunk.speechMs < leastMs ? [] : detectLanguage(work, cut(work.pcm, widen(chunk, lengthMs)))
  }))
  return toRuns(chunks, assignLanguages(phrases, prior), lengthMs)
}

const onsetOf = ({ dtwMs, startMs }: NativeToken): number => dtwMs ?? startMs

function meanLogProbability (tokens: readonly NativeToken[]): number {
  return tokens.reduce((sum, { logProbability }) => sum + logProbability, 0) / Math.max(1, tokens.length)
}

const sureness = (segments: readonly NativeSegment[]): number => meanLogProbability(segments.flatMap(({ tokens }) => tokens))

/** Whether a phrase that the decoder was not sure of, or went over, is in another language: it then reads like a translation. */
function isMixed (work: Work, { chunks, lengthMs }: Heard, segments: readonly NativeSegment[], language: string): boolean {
  const tokens = segments.flatMap((segment) => segment.tokens)
  const doubts = chunks.filter(({ speechMs }) => speechMs >= LEAST_DOUBTED_MS).map((chunk) => {
    const said = tokens.filter((token) => onsetOf(token) >= chunk.startMs - MARGIN_MS && onsetOf(token) < chunk.endMs)
    return { chunk, mean: said.length === 0 ? -Infinity : meanLogProbability(said) }
  })
  const worst = doubts.filter(({ mean }) => mean < DOUBTFUL_LOG_PROBABILITY).sort((a, b) => a.mean - b.mean).slice(0, MAX_DOUBTS)
  return worst.some(({ chunk }) => {
    const [best] = detectLanguage(work, cut(work.pcm, widen(chunk, lengthMs)))
    return best !== undefined && best.language !== language && best.probability >= OTHER_LANGUAGE_PROBABILITY
  })
}

const decodeRuns = (work: Work, runs: readonly Run[]): NativeSegment[] => runs.flatMap((run) => decodeStretch(work, run, run.language))

/** The first pass over a window. One encoder run tells the language of a window and serves its text; only a mixed one costs more. */
function decodeInLanguages (work: Work, heard: Heard): { runs: Run[], segments: NativeSegment[] } {
  const { input } = work
  const { chunks, lengthMs, prior } = heard
  const [likeliest] = prior
  const whole: Run = { startMs: 0, endMs: lengthMs, language: input.language ?? likeliest?.language ?? 'en' }
  const isOne = input.language !== undefined || chunks.length < 2
  const isSure = isOne || (likeliest?.probability ?? 0) >= SURE_PROBABILITY
  const first = isSure ? decodeRuns(work, [whole]) : undefined
  if (first && (isOne || !isMixed(work, heard, first, whole.language))) return { runs: [whole], segments: first }
  const runs = tellPhrasesApart(work, heard)
  const segments = decodeRuns(work, runs)
  // Phrases are short, and models are wrong about short sound: their text has to be the likelier one.
  return first && sureness(segments) <= sureness(first) ? { runs: [whole], segments: first } : { runs, segments }
}

/** Decodes what the first pass went over. What it says counts when the decoder is sure of it and does not go in circles. */
function fillHoles (
  work: Work, { probabilities, lengthMs }: Heard, segments: readonly NativeSegment[], runs: readonly Run[]
): NativeSegment[] {
  const holes = findHoles(probabilities, segments.flatMap(({ tokens }) => tokens.map(onsetOf)))
  const found = holes.flatMap((hole) => {
    const wide = widen(hole, lengthMs)
    const around = runs.findLast(({ startMs }) => startMs <= hole.startMs)?.language ?? mostSpoken(runs)
    const alone = { ...work, options: { ...work.options, prompt: '', contextTokens: 0 } }
    const recovered = keepWithin(decodeStretch(alone, wide, tellHole(work, hole, wide, around)), hole)
    const said = measure(recovered)
    const isSilent = recovered.some(({ noSpeechProbability }) => noSpeechProbability > NO_SPEECH_PROBABILITY)
    const isSure = !isSilent && sureness(recovered) >= LEAST_MEAN_LOG_PROBABILITY
    return isSure && !isLoop(said.text, said.deflatedBytes) && !isSaidAround(said.text, segments, hole) ? recovered : []
  })
  return found.length === 0 ? [...segments] : splice(segments, found)
}

/** Whether most words of a recovered text stand right beside the hole already. */
function isSaidAround (text: string, segments: readonly NativeSegment[], { startMs }: Stretch): boolean {
  const tokens = segments.flatMap((segment) => segment.tokens)
  const at = tokens.filter((token) => onsetOf(token) <= startMs).length
  const beside = tokens.slice(Math.max(0, at - NEIGHBOUR_TOKENS), at + NEIGHBOUR_TOKENS)
  const toWords = (written: string): string[] => written.toLowerCase().match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? []
  const known = new Set(toWords(textOf(beside)))
  const words = toWords(text)
  return words.filter((word) => known.has(word)).length > words.length / 2
}

/** Without tokens of the words around a hole, which are in the text already. */
function keepWithin (segments: readonly NativeSegment[], { startMs, endMs }: Stretch): NativeSegment[] {
  const reach = MARGIN_MS / 2
  const isInside = (token: NativeToken): boolean => onsetOf(token) >= startMs - reach && onsetOf(token) <= endMs + reach
  return segments
    .map((segment) => ({ ...segment, tokens: segment.tokens.filter(isInside) }))
    .filter(({ tokens }) => tokens.length > 0)
}

/** The language of a stretch without text; that of what is around it unless it clearly is another. */
function tellHole (work: Work, hole: Stretch, wide: Stretch, around: string): string {
  if (work.input.language !== undefined) return work.input.language
  const posteriors = detectLanguage(work, cut(work.pcm, wide))
  return assignLanguages([{ posteriors, speechMs: hole.endMs - hole.startMs }], [{ language: around, probability: 1 }])[0] ?? around
}

/** Segments in order of time; one that has a hole filled is split there. */
function splice (segments: readonly NativeSegment[], found: readonly NativeSegment[]): NativeSegment[] {
  const pieces = segments.flatMap((segment) => {
    const inside = found.filter(({ startMs }) => startMs > segment.startMs && startMs < segment.endMs)
    return inside.reduce<NativeSegment[]>((parts, { startMs }) => {
      const last = parts.at(-1)
      if (!last) return parts
      const before = last.tokens.filter((token) => onsetOf(token) <= startMs)
      const after = last.tokens.filter((token) => onsetOf(token) > startMs)
      if (before.length === 0 || after.length === 0) return parts
      const nextMs = Math.max(last.startMs, Math.min(...after.map(onsetOf)))
      return [...parts.slice(0, -1), { ...last, endMs: startMs, tokens: before }, { ...last, startMs: nextMs, tokens: after }]
    }, [segment])
  })
  const ordered = [...pieces, ...found].sort((a, b) => a.startMs - b.startMs)
  return ordered.map((segment, index) => {
    const nextMs = Math.max(segment.startMs, ordered[index + 1]?.startMs ?? Infinity)
    return { ...segment, endMs: Math.min(segment.endMs, nextMs) }
  })
}

/**
 * Without what was said where nobody could have been speaking: decoders fill silence and noise with phrases they have read often, and are
 * sure of them. Where there is a little that may be speech, the decoder's own doubt decides.
 */
function dropUnheard (segments: readonly NativeSegment[], probabilities: Float32Array): NativeSegment[] {
  return segments.filter((segment) => {
    if (!WORD.test(textOf(segment.tokens))) return false
    const startMs = segment.startMs - REACH_MS
    const endMs = segment.endMs + REACH_MS
    if (likeliestWithin(probabilities, startMs, endMs) < LEAST_SPEECH_PROBABILITY) return false
    const isDoubted = segment.noSpeechProbability > NO_SPEECH_PROBABILITY && sureness([segment]) < DOUBTFUL_LOG_PROBABILITY
    if (!isDoubted) return true
    const isSpeech = speechWithin(probabilities, startMs, endMs) >= LEAST_SPEECH_SHARE * (segment.endMs - segment.startMs)
    return isSpeech && segment.noSpeechProbability <= SURELY_NO_SPEECH
  })
}

/** The language of most of the window. */
function mostSpoken (runs: readonly Run[]): string {
  const lengths = new Map<string, number>()
  for (const { language, startMs, endMs } of runs) lengths.set(language, (lengths.get(language) ?? 0) + endMs - startMs)
  return [...lengths].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'en'
}

/** Transcribes a window. Throws `WorkerError` aborted. */
export function transcribeWindow (state: NativeState, pcm: Float32Array, input: TranscribeInput, hear: Hear): Decoded {
  const { prompt, terms, threads, abort, decoding } = input
  const options: TranscribeOptions = {
    ...decoding, prompt, terms, threads, minTailMs: MIN_TAIL_MS, abort,
    // A prompt takes its place in the context.
    contextTokens: prompt === '' ? decoding.contextTokens : PROMPT_TOKENS
  }
  // Parakeet has but one path, and is told its language.
  if (input.model.kind === 'parakeet') return decode(state, pcm, { ...options, ...(input.language ? { language: input.language } : {}) })
  const work = { state, pcm: pcm.subarray(0, MAX_WINDOW_SAMPLES), input, options }
  const { likely: probabilities, possible } = hear(work.pcm)
  // Told last before the text: the encoder's output is then used for both.
  const told = input.language === undefined ? [detectLanguage(work, work.pcm), amongKnown(input.prior, input.languages)] : []
  const prior = averagePosteriors(told.filter(({ length }) => length > 0))
  const heard = { probabilities, chunks: findSpeechChunks(probabilities), lengthMs: samplesToMs(work.pcm.length), prior }
  const { runs, segments } = decodeInLanguages(work, heard)
  return { segments: fillHoles(work, heard, dropUnheard(segments, possible), runs), language: mostSpoken(runs) }
}
