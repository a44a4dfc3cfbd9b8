/** Speech recognition on a pool thread: one decoding state per thread, kept between windows. */
import { closeSync, openSync, readSync } from 'node:fs'
import { BYTES_PER_SAMPLE, toFloatPcm } from '../domain/audio.js'
import { loadAddon } from '../native/addon.js'
import type { NativeAddon, NativeState } from '../native/addon.js'
import type { AudioSpan, DetectInput, DetectOutput, LibraryFacts, ModelChoice, TranscribeInput, TranscribeOutput } from './protocol.js'
import { serve, WorkerError } from './serve.js'

/** Inference yields to the thread that answers HTTP. */
const NICE = 10
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
  const weights = library().loadModel(model.path, { gpu: model.gpu })
  try {
    // The state keeps the weights alive; the handle is not needed any longer.
    held = { key, state: weights.createState() }
  } finally {
    weights.free()
  }
  return held.state
}

function readPcm ({ audioPath, startSample, endSample }: AudioSpan): Float32Array {
  const samples = new Int16Array(endSample - startSample)
  const bytes = new Uint8Array(samples.buffer)
  let file: number
  try {
    file = openSync(audioPath, 'r')
  } catch (cause) {
    throw new WorkerError('audio_missing', 'decoded audio cannot be opened', { cause })
  }
  try {
    for (let offset = 0; offset < bytes.length;) {
      const count = readSync(file, bytes, offset, bytes.length - offset, startSample * BYTES_PER_SAMPLE + offset)
      if (count === 0) throw new WorkerError('audio_missing', 'decoded audio is shorter than its windows')
      offset += count
    }
  } finally {
    closeSync(file)
  }
  return toFloatPcm(samples)
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
