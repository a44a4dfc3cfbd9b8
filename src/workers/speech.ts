/** Speech recognition on a pool thread. Each thread keeps one decoding state per kind of model between windows. */
import { SpeechError } from '../domain/speech-error.js'
import { loadAddon } from '../native/addon.js'
import type { LoadOptions, NativeAddon, NativeModel, NativeState } from '../native/addon.js'
import type { DetectInput, DetectOutput, LibraryFacts, ModelChoice, TranscribeInput, TranscribeOutput } from './protocol.js'
import { readPcm } from './pcm.js'
import { NICE, serve } from './serve.js'
import { hear } from './speech-detection.js'
import { transcribeWindow } from './window.js'
import { rankLanguages } from './window-languages.js'

let addon: NativeAddon | undefined
/** One state for each kind of model: when Parakeet transcribes, Whisper detects languages, and both stay loaded. */
const held = new Map<ModelChoice['kind'], { key: string, state: NativeState }>()

function library (): NativeAddon {
  if (!addon) {
    addon = loadAddon()
    addon.lowerThreadPriority(NICE)
  }
  return addon
}

/** Loads weights. A manifest that does not fit the file makes the model unusable, as if it were damaged. */
function loadWeights (path: string, options: LoadOptions): NativeModel {
  try {
    return library().loadModel(path, options)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'INVALID_ARGUMENT')) throw error
    throw new SpeechError('model_unavailable', `the manifest does not match the model file: ${error.message}`, { cause: error })
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
    // The state keeps the weights alive, so the handle is no longer needed.
    const state = weights.createState()
    held.set(model.kind, { key, state })
    return state
  } finally {
    weights.free()
  }
}

/**
 * Runs `work` with this thread's state. A state that threw may be unusable (out of memory during decoding), so the next task gets a new
 * one.
 */
function withState<T> (model: ModelChoice, work: (state: NativeState) => T): T {
  const state = stateFor(model)
  try {
    return work(state)
  } catch (error) {
    // Being stopped does not harm the state.
    if (error instanceof SpeechError && error.code === 'aborted') throw error
    held.delete(model.kind)
    state.free()
    throw error
  }
}

export const transcribe = serve((input: TranscribeInput): TranscribeOutput => {
  const pcm = readPcm(input)
  return withState(input.model, (state) => transcribeWindow(state, pcm, input, hear))
})

export const detectLanguage = serve((input: DetectInput): DetectOutput => {
  const pcm = readPcm(input)
  return { posteriors: withState(input.model, (state) => rankLanguages(state, pcm, input)) }
})

export const warmUp = serve(({ model }: { model: ModelChoice }): null => {
  stateFor(model)
  return null
})

export const describe = serve((): LibraryFacts => {
  const native = library()
  return { version: native.version, build: native.build, systemInfo: native.systemInfo(), devices: native.devices() }
})
