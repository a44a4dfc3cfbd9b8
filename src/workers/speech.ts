/** Speech recognition on a pool thread: one decoding state of each kind of model per thread, kept between windows. */
import { deflateRawSync } from 'node:zlib'
import { isLoop } from '../domain/loops.js'
import { loadAddon } from '../native/addon.js'
import type { LoadOptions, NativeAddon, NativeModel, NativeState, NativeTranscript, TranscribeOptions } from '../native/addon.js'
import type { DetectInput, DetectOutput, LibraryFacts, ModelChoice, TranscribeInput, TranscribeOutput } from './protocol.js'
import { readPcm } from './pcm.js'
import { NICE, serve, WorkerError } from './serve.js'

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

let addon: NativeAddon | undefined
/** By kind: where Parakeet transcribes, Whisper tells the languages, and the weights of both stay. */
const held = new Map<ModelChoice['kind'], { key: string, state: NativeState }>()

function library (): NativeAddon {
  if (!addon) {
    addon = loadAddon()
    addon.lowerThreadPriority(NICE)
  }
  return addon
}

/** What the manifest says of a model and what its file holds may not fit together: then it cannot be used, as if it were damaged. */
function loadWeights (path: string, options: LoadOptions): NativeModel {
  try {
    return library().loadModel(path, options)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'INVALID_ARGUMENT')) throw error
    throw new WorkerError('model_unavailable', `the manifest does not fit the model file: ${error.message}`, { cause: error })
  }
}

function stateFor (model: ModelChoice): NativeState {
  const key = JSON.stringify(model)
  const last = held.get(model.kind)
  if (last?.key === key) return last.state
  last?.state.free()
  held.delete(model.kind)
  const { path, kind, gpu, alignmentHeads } = model
  const weights = loadWeights(path, { gpu, kind, ...(alignmentHeads ? { alignmentHeads } : {}) })
  try {
    // The state keeps the weights alive; the handle is not needed any longer.
    const state = weights.createState()
    held.set(model.kind, { key, state })
    return state
  } finally {
    weights.free()
  }
}

/** Runs `work` on this thread's state. A state that threw may be unusable (out of memory inside a decode): the next task gets a new one. */
function withState<T> (model: ModelChoice, work: (state: NativeState) => T): T {
  const state = stateFor(model)
  try {
    return work(state)
  } catch (error) {
    // Being stopped harms no state.
    if (error instanceof WorkerError && error.code === 'aborted') throw error
    held.delete(model.kind)
    state.free()
    throw error
  }
}

function transcribeKnown (state: NativeState, pcm: Float32Array, options: TranscribeOptions): NativeTranscript {
  try {
    return state.transcribe(pcm, options)
  } catch (error) {
    const language = OLDER_LANGUAGES[options.language ?? '']
    if (!language || !(error instanceof Error && 'code' in error && error.code === 'UNKNOWN_LANGUAGE')) throw error
    return state.transcribe(pcm, { ...options, language })
  }
}

/** Decodes a window. Half a window is no result: throws `WorkerError` aborted when the call was stopped. */
function decode (state: NativeState, pcm: Float32Array, options: TranscribeOptions): TranscribeOutput {
  const { aborted, segments, language } = transcribeKnown(state, pcm, options)
  if (aborted) throw new WorkerError('aborted', 'stopped on request')
  return { segments, language }
}

/** What a window says, and how much, whether by words or by their repetition: bytes of its text after deflate. */
type Said = { text: string, deflatedBytes: number }

function measure ({ segments }: TranscribeOutput): Said {
  const bytes = Buffer.from(segments.flatMap(({ tokens }) => tokens.map((token) => token.bytes)).join(''), 'latin1')
  return { text: bytes.toString('utf8'), deflatedBytes: deflateRawSync(bytes).length }
}

/** A second attempt is taken when it has no loop and says nearly as much as the first one without its repeats. */
function isBetter (second: Said, first: Said): boolean {
  return !isLoop(second.text, second.deflatedBytes) && second.deflatedBytes >= RETRY_SHARE * first.deflatedBytes
}

export const transcribe = serve((input: TranscribeInput): TranscribeOutput => {
  const pcm = readPcm(input)
  const { language, prompt, terms, threads, abort, decoding } = input
  const options = {
    ...decoding, ...(language ? { language } : {}), prompt, terms, threads, minTailMs: MIN_TAIL_MS, abort,
    // A prompt takes its place in the context.
    contextTokens: prompt === '' ? decoding.contextTokens : PROMPT_TOKENS
  }
  return withState(input.model, (state) => {
    const first = decode(state, pcm, options)
    // Parakeet has but one path.
    if (input.model.kind === 'parakeet') return first
    const said = measure(first)
    if (!isLoop(said.text, said.deflatedBytes)) return first
    // Once more, without what may have led it astray, and not by the same path.
    const second = decode(state, pcm, { ...options, language: first.language, prompt: '', contextTokens: 0, temperature: RETRY_TEMPERATURE })
    return isBetter(measure(second), said) ? second : first
  })
})

export const detectLanguage = serve((input: DetectInput): DetectOutput => {
  const pcm = readPcm(input)
  const { threads, abort } = input
  const posteriors = withState(input.model, (state) => state.detectLanguage(pcm, { threads, abort }))
  if (posteriors.length === 0) throw new WorkerError('aborted', 'stopped on request')
  return { posteriors }
})

export const warmUp = serve(({ model }: { model: ModelChoice }): null => {
  stateFor(model)
  return null
})

export const describe = serve((): LibraryFacts => {
  const native = library()
  return { version: native.version, build: native.build, systemInfo: native.systemInfo(), devices: native.devices() }
})
