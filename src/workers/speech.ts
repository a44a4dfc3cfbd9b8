/** Speech recognition on a pool thread: one decoding state of each kind of model per thread, kept between windows. */
import { deflateRawSync } from 'node:zlib'
import { isLoop } from '../domain/loops.js'
import { loadAddon } from '../native/addon.js'
import type { NativeAddon, NativeState, TranscribeOptions } from '../native/addon.js'
import type { DetectInput, DetectOutput, LibraryFacts, ModelChoice, TranscribeInput, TranscribeOutput } from './protocol.js'
import { readPcm } from './pcm.js'
import { NICE, serve, WorkerError } from './serve.js'

/** Audio left after the last timestamp that is not worth another encoder run: windows end in a pause. */
const MIN_TAIL_MS = 1000
/** Half of the decoder's text context, which is what Whisper leaves for a prompt. */
const PROMPT_TOKENS = 224
/** Of a second attempt after a loop. */
const RETRY_TEMPERATURE = 0.4

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

function stateFor (model: ModelChoice): NativeState {
  const key = JSON.stringify(model)
  const last = held.get(model.kind)
  if (last?.key === key) return last.state
  last?.state.free()
  held.delete(model.kind)
  const { path, kind, gpu, alignmentHeads } = model
  const weights = library().loadModel(path, { gpu, kind, ...(alignmentHeads ? { alignmentHeads } : {}) })
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
    held.delete(model.kind)
    state.free()
    throw error
  }
}

/** Decodes a window. Half a window is no result: throws `WorkerError` aborted when the call was stopped. */
function decode (state: NativeState, pcm: Float32Array, options: TranscribeOptions): TranscribeOutput {
  const { aborted, segments, language } = state.transcribe(pcm, options)
  if (aborted) throw new WorkerError('aborted', 'stopped on request')
  return { segments, language }
}

function hasLoop ({ segments }: TranscribeOutput): boolean {
  const text = Buffer.from(segments.flatMap(({ tokens }) => tokens.map(({ bytes }) => bytes)).join(''), 'latin1')
  return isLoop(text.toString('utf8'), deflateRawSync(text).length)
}

export const transcribe = serve((input: TranscribeInput): TranscribeOutput => {
  const pcm = readPcm(input)
  const { language, prompt, threads, abort, decoding } = input
  const options = {
    ...decoding, ...(language ? { language } : {}), prompt, threads, minTailMs: MIN_TAIL_MS, abort,
    // A prompt takes its place in the context.
    contextTokens: prompt === '' ? decoding.contextTokens : PROMPT_TOKENS
  }
  return withState(input.model, (state) => {
    const first = decode(state, pcm, options)
    // Parakeet has but one path.
    if (input.model.kind === 'parakeet' || !hasLoop(first)) return first
    // Once more, without what may have led it astray, and not by the same path.
    const second = decode(state, pcm, { ...options, language: first.language, prompt: '', contextTokens: 0, temperature: RETRY_TEMPERATURE })
    // Who says the same thing twice in a row may mean it.
    return hasLoop(second) ? first : second
  })
})

export const detectLanguage = serve((input: DetectInput): DetectOutput => {
  const pcm = readPcm(input)
  return { posteriors: withState(input.model, (state) => state.detectLanguage(pcm, { threads: input.threads })) }
})

export const warmUp = serve(({ model }: { model: ModelChoice }): null => {
  stateFor(model)
  return null
})

export const describe = serve((): LibraryFacts => {
  const native = library()
  return { version: native.version, build: native.build, systemInfo: native.systemInfo(), devices: native.devices() }
})
