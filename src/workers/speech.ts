/** Speech recognition on a pool thread: one decoding state per thread, kept between windows. */
import { loadAddon } from '../native/addon.js'
import type { NativeAddon, NativeState } from '../native/addon.js'
import type { DetectInput, DetectOutput, LibraryFacts, ModelChoice, TranscribeInput, TranscribeOutput } from './protocol.js'
import { readPcm } from './pcm.js'
import { NICE, serve, WorkerError } from './serve.js'

/** Audio left after the last timestamp that is not worth another encoder run: windows end in a pause. */
const MIN_TAIL_MS = 1000

let addon: NativeAddon | undefined
let held: { key: string, state: NativeState } | undefined

function library (): NativeAddon {
  if (!addon) {
    addon = loadAddon()
    addon.lowerThreadPriority(NICE)
  }
  return addon
}

function stateFor (model: ModelChoice): NativeState {
  const key = JSON.stringify(model)
  if (held?.key === key) return held.state
  held?.state.free()
  held = undefined
  const { path, gpu, alignmentHeads } = model
  const weights = library().loadModel(path, { gpu, ...(alignmentHeads ? { alignmentHeads } : {}) })
  try {
    // The state keeps the weights alive; the handle is not needed any longer.
    held = { key, state: weights.createState() }
  } finally {
    weights.free()
  }
  return held.state
}

/** Runs `work` on this thread's state. A state that threw may be unusable (out of memory inside a decode): the next task gets a new one. */
function withState<T> (model: ModelChoice, work: (state: NativeState) => T): T {
  const state = stateFor(model)
  try {
    return work(state)
  } catch (error) {
    held = undefined
    state.free()
    throw error
  }
}

export const transcribe = serve((input: TranscribeInput): TranscribeOutput => {
  const pcm = readPcm(input)
  const { language: wanted, prompt, threads, abort, decoding } = input
  const options = { ...decoding, ...(wanted ? { language: wanted } : {}), prompt, threads, minTailMs: MIN_TAIL_MS, abort }
  const { aborted, segments, language } = withState(input.model, (state) => state.transcribe(pcm, options))
  // Half a window is no result: the window will be decoded again, whole.
  if (aborted) throw new WorkerError('aborted', 'stopped on request')
  return { segments, language }
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
