/** Keeps one language model in memory between calls, and unloads it when nobody uses it or its memory is needed. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { availableMemory } from 'node:process'
import { ArtifactError } from '../../../domain/artifact-error.js'
import { formatBytes } from '../../../domain/download-progress.js'
import { memoryFor } from '../../../domain/language-model-choice.js'
import { startModel } from './model-process.js'
import type { ModelProcess } from './model-process.js'
import type { AnswerInput, AnswerOutput, LoadInput, ModelFacts } from './protocol.js'

/** A model that nobody has used for this time is unloaded. */
const IDLE_MS = 5 * 60_000
/** Below transcription, whose threads have 10: artifacts can wait. */
const NICE = 19
/** Tokens that prompt and answer may have together. A GPU reads long prompts fast enough for more. */
const CONTEXT_TOKENS = { cpu: 4096, gpu: 16_384 }

/** What a call can do with the model. */
export type LoadedModel = {
  facts: ModelFacts
  /** The number of tokens of each text. */
  countTokens (texts: readonly string[]): Promise<number[]>
  answer (input: AnswerInput): Promise<AnswerOutput>
}

export type ResidentModel = {
  /**
   * Runs `work` with the model; loads it first where necessary. Works run one after the other. Rejects with ArtifactError: `unavailable`
   * when there is no model or it cannot be loaded, `aborted` as soon as `signal` aborts, `failed`.
   */
  use<T>(work: (model: LoadedModel) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Unloads the model at once, and ends the work that uses it. The next work loads it again. Returns whether one was loaded. */
  free (): Promise<boolean>
  /** The file of the model that is in memory, or being loaded. */
  loadedPath (): string | undefined
}

type Deps = {
  /** The file of the model to use now. */
  find: () => { path: string } | undefined
  gpu: 'auto' | 'off' | 'cuda' | 'vulkan'
  threads: number
  /** Called with a file that cannot be loaded. */
  onUnusable?: (path: string) => void
  idleMs?: number
  /** Memory that can be used without swapping, within the limits of a container. */
  availableBytes?: () => number
  contextTokens?: LoadInput['contextTokens']
  /** Priority of the program; 19 is the lowest. */
  nice?: number
}

/** `auto` never tries Vulkan: software drivers pass for a GPU there. */
const gpusFor = (gpu: Deps['gpu']): LoadInput['gpus'] => gpu === 'off' ? [] : gpu === 'auto' ? ['cuda'] : [gpu]

/** Versions of GGUF since 2023, and more tensors and settings than any model has. */
const GGUF = { versions: [2, 3], tensors: 1_000_000n, settings: 100_000n }

/** True when a file begins like GGUF. The library reads a damaged beginning for minutes. */
function hasGgufHeader (path: string): boolean {
  const start = Buffer.alloc(24)
  const file = openSync(path, 'r')
  try {
    if (readSync(file, start, 0, start.length, 0) < start.length || start.toString('latin1', 0, 4) !== 'GGUF') return false
  } finally {
    closeSync(file)
  }
  const isKnown = GGUF.versions.includes(start.readUInt32LE(4))
  return isKnown && start.readBigUInt64LE(8) <= GGUF.tensors && start.readBigUInt64LE(16) <= GGUF.settings
}

/** A promise that rejects with ArtifactError `aborted` when the signal aborts first. */
async function orAborted<T> (work: Promise<T>, signal: AbortSignal): Promise<T> {
  const error = (): ArtifactError => new ArtifactError('aborted', 'the language model was not ready in time')
  if (signal.aborted) throw error()
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_resolve, reject) => { onAbort = () => { reject(error()) } })
  signal.addEventListener('abort', onAbort, { once: true })
  return await Promise.race([work, aborted]).finally(() => { signal.removeEventListener('abort', onAbort) })
}

export function createResidentModel (deps: Deps): ResidentModel {
  const { find, gpu, threads, onUnusable = () => {}, idleMs = IDLE_MS, availableBytes = availableMemory } = deps
  const { contextTokens = CONTEXT_TOKENS, nice = NICE } = deps
  let current: { path: string, process: ModelProcess } | undefined
  let idle: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const freed = new WeakSet<ModelProcess>()

  /** Refuses a model that does not fit, before loading it makes the whole machine slow. The memory of a GPU is checked by the library. */
  function requireMemory (path: string): void {
    const { size } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (size === undefined) throw new ArtifactError('unavailable', `the language model ${path} is gone`)
    const [needed, available] = [memoryFor(size), availableBytes()]
    if (needed <= available) return
    throw new ArtifactError(
      'unavailable',
      `the language model needs about ${formatBytes(needed)} of memory, and ${formatBytes(available)} are free; install a smaller one`
    )
  }

  async function free (): Promise<boolean> {
    clearTimeout(idle)
    const { process } = current ?? {}
    current = undefined
    if (process) freed.add(process)
    process?.stop()
    await process?.ended
    return process !== undefined
  }

  function start (path: string): ModelProcess {
    requireMemory(path)
    if (!hasGgufHeader(path)) {
      onUnusable(path)
      throw new ArtifactError('unavailable', 'the language model cannot be loaded: it is not a GGUF file, or a damaged one')
    }
    const process = startModel({ path, gpus: gpusFor(gpu), threads, contextTokens }, nice)
    process.ended.then(() => { if (current?.process === process) current = undefined })
    process.ready.catch(() => { if (!freed.has(process)) onUnusable(path) })
    return process
  }

  /** The program with the model to use now. A load continues after the caller that started it has given up, for the next caller. */
  async function open (): Promise<ModelProcess> {
    const found = find()
    if (!found) throw new ArtifactError('unavailable', 'no language model is installed')
    if (current && current.path !== found.path) await free()
    current ??= { path: found.path, process: start(found.path) }
    return current.process
  }

  async function run<T> (work: (model: LoadedModel) => Promise<T>, signal: AbortSignal): Promise<T> {
    clearTimeout(idle)
    const process = await open()
    const facts = await orAborted(process.ready, signal)
    return await work({
      facts,
      countTokens: async (texts) => await process.call('count', { texts }, signal),
      answer: async (input) => await process.call('answer', input, signal)
    })
  }

  function rest (): void {
    clearTimeout(idle)
    if (waiting > 0 || !current) return
    idle = setTimeout(free, idleMs)
    idle.unref()
  }

  return {
    free,
    loadedPath: () => current?.path,
    async use (work, signal) {
      waiting++
      const before = turn
      let done = (): void => {}
      const mine = new Promise<void>((resolve) => { done = resolve })
      turn = before.then(async () => { await mine })
      try {
        await orAborted(before, signal)
        return await run(work, signal)
      } finally {
        waiting--
        const quiet = current?.process.quiet() ?? Promise.resolve()
        quiet.then(done)
        rest()
      }
    }
  }
}
