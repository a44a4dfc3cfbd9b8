/** Speech recognition on a pool thread. Each thread keeps the decoding states of the models in use between windows. */
import { statSync } from 'node:fs'
import { availableMemory } from 'node:process'
import { parentPort, threadId } from 'node:worker_threads'
import { SpeechError } from '../domain/speech-error.js'
import { loadAddon } from '../native/addon.js'
import type { LoadOptions, NativeAddon, NativeModel, NativeState } from '../native/addon.js'
import type {
  DetectInput, DetectOutput, HeldModels, LibraryFacts, ModelChoice, TranscribeInput, TranscribeOutput
} from './protocol.js'
import { readPcm } from './pcm.js'
import { NICE, serve } from './serve.js'
import { hear } from './speech-detection.js'
import { transcribeWindow } from './window.js'
import { rankLanguages } from './window-languages.js'

let addon: NativeAddon | undefined
/**
 * Decoding states, the one used longest ago first. Jobs of several qualities take turns, and Parakeet needs Whisper to detect languages:
 * loading weights for each window would take longer than decoding.
 */
const held = new Map<string, { path: string, state: NativeState, usedMs: number }>()
/** As many as there are qualities. */
const MAX_HELD = 3
/** The state of a model that has not been used for this long is freed: the model may have been replaced or removed. */
const UNUSED_MS = 10 * 60_000
/** Memory that must stay free when a model is loaded beside those in memory. */
const SPARE_BYTES = 1024 ** 3

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

/**
 * Posts which models this thread holds, after each load: the message leaves before the first window is done. Not after a failure, when
 * there may be no memory for a message; what was freed then is known with the next load.
 */
function report (): void {
  const message: HeldModels = { threadId, paths: [...held.values()].map(({ path }) => path) }
  parentPort?.postMessage(message)
}

function drop (key: string): void {
  held.get(key)?.state.free()
  held.delete(key)
}

/** Frees states that are no longer used, and those that leave no room for the next model, which takes twice the size of its file. */
function makeRoom (path: string): void {
  const neededBytes = SPARE_BYTES + 2 * (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  for (const [key, { usedMs }] of held) {
    if (performance.now() - usedMs > UNUSED_MS || held.size >= MAX_HELD || availableMemory() < neededBytes) drop(key)
  }
}

function openState ({ path, kind, gpu, alignmentHeads }: ModelChoice): NativeState {
  const weights = loadWeights(path, { gpu, kind, ...(alignmentHeads ? { alignmentHeads } : {}) })
  try {
    // The state keeps the weights alive, so the handle is no longer needed.
    return weights.createState()
  } finally {
    weights.free()
  }
}

function stateFor (model: ModelChoice): NativeState {
  const key = JSON.stringify(model)
  const last = held.get(key)
  if (!last) makeRoom(model.path)
  const state = last?.state ?? openState(model)
  // Set again, so that it comes last.
  held.delete(key)
  held.set(key, { path: model.path, state, usedMs: performance.now() })
  if (!last) report()
  return state
}

/**
 * Runs `work` with this thread's state. A state that threw may be unusable (out of memory during decoding), so the next task gets a new
 * one.
 */
function withState<T> (model: ModelChoice, work: (state: NativeState) => T): T {
  try {
    return work(stateFor(model))
  } catch (error) {
    // Being stopped does not harm the state.
    if (error instanceof SpeechError && error.code === 'aborted') throw error
    // After memory ran out, the next attempt needs all of it.
    for (const key of [...held.keys()]) drop(key)
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
