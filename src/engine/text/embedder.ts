/** Turns texts into vectors, on one worker thread. Queries go ahead of passages. */
import { EmbeddingError } from '../../domain/embedding.js'
import type { EmbeddingErrorCode, EmbeddingModel, EmbeddingPurpose } from '../../domain/embedding.js'
import { SpeechError } from '../../domain/speech-error.js'
import type { EmbeddingTasks } from '../../workers/protocol.js'
import { createPool } from '../speech/pool.js'
import { isInstalled, STARTER_EMBEDDER } from './embedding-models.js'
import type { EmbeddingModelFiles } from './embedding-models.js'

/** The thread ends after this long without work, which frees the memory of the model (about 200 MB). */
const IDLE_MS = 10 * 60_000
/** Texts whose tokens are counted in one task: few, so that a query never waits long. */
const COUNTED_AT_ONCE = 32

export type Embedder = {
  model: EmbeddingModel
  /** The number of tokens of each text, without special tokens. Rejects with `EmbeddingError`. */
  countTokens (texts: readonly string[], signal?: AbortSignal): Promise<number[]>
  /**
   * One vector of length 1 for each text. A vector depends only on its text. What follows `model.maxTokens` tokens is ignored. An abort
   * takes effect before the next text. Rejects with `EmbeddingError`.
   */
  embed (texts: readonly string[], purpose: EmbeddingPurpose, signal?: AbortSignal): Promise<Float32Array[]>
}

/** The thread that makes vectors. */
export const createEmbeddingPool = () =>
  createPool<EmbeddingTasks>('../../workers/embedding.js', 1, { minThreads: 0, idleTimeout: IDLE_MS })
export type EmbeddingPool = ReturnType<typeof createEmbeddingPool>

const CODES: ReadonlySet<string> = new Set<EmbeddingErrorCode>(['model_unavailable', 'out_of_memory'])

function toEmbeddingError (error: unknown): EmbeddingError {
  const { code, message } = error instanceof SpeechError ? error : { code: 'internal_error', message: String(error) }
  return new EmbeddingError(CODES.has(code) ? code as EmbeddingErrorCode : 'internal_error', message, { cause: error })
}

/** Lets one task run at a time. Waiting queries go first; otherwise, tasks run in the order in which they came. */
function createTurns () {
  const waiting: Record<EmbeddingPurpose, Array<() => void>> = { query: [], passage: [] }
  let isTaken = false
  return async function inTurn<T> (purpose: EmbeddingPurpose, signal: AbortSignal | undefined, task: () => Promise<T>): Promise<T> {
    if (isTaken) await new Promise<void>((resolve) => { waiting[purpose].push(resolve) })
    isTaken = true
    try {
      if (signal?.aborted) throw new EmbeddingError('aborted', 'the caller stopped waiting')
      return await task()
    } catch (error) {
      throw error instanceof EmbeddingError ? error : toEmbeddingError(error)
    } finally {
      const next = waiting.query.shift() ?? waiting.passage.shift()
      if (next) next()
      else isTaken = false
    }
  }
}

/** Opens embedders that share the thread of `pool`. */
export function createEmbedders (pool: EmbeddingPool) {
  const inTurn = createTurns()
  return {
    /** The embedder of a model. Its weights are loaded with the first text. */
    open ({ folder, dtype, prefixes, ...model }: EmbeddingModelFiles): Embedder {
      const choice = { folder, dtype, maxTokens: model.maxTokens, dimensions: model.dimensions }
      return {
        model,
        async countTokens (texts, signal) {
          const counts: number[] = []
          for (let first = 0; first < texts.length; first += COUNTED_AT_ONCE) {
            const input = { model: choice, texts: texts.slice(first, first + COUNTED_AT_ONCE) }
            const some = await inTurn('passage', signal, async () => await pool.run('countTokens', input))
            counts.push(...some.counts)
          }
          return counts
        },
        async embed (texts, purpose, signal) {
          const vectors: Float32Array[] = []
          // One text at a time: a batch is hardly faster on one thread, and so no vector can depend on its neighbours.
          for (const text of texts) {
            const input = { model: choice, text: prefixes[purpose] + text }
            const { vector } = await inTurn(purpose, signal, async () => await pool.run('embed', input))
            vectors.push(vector)
          }
          return vectors
        }
      }
    }
  }
}

/** The embedders of the installed models, and their thread. `list`: models that a person installed, best first; the bundled one is last. */
export function createEmbedding (list: () => readonly EmbeddingModelFiles[] = () => []) {
  const pool = createEmbeddingPool()
  const embedders = createEmbedders(pool)
  /** By id. They stay open while the program runs, and load nothing until they are used. */
  const opened = new Map<string, { files: EmbeddingModelFiles, embedder: Embedder }>()
  function openAll (): Embedder[] {
    return [...list(), STARTER_EMBEDDER].filter(isInstalled).map((files) => {
      const known = opened.get(files.id)
      if (known?.files.folder === files.folder) return known.embedder
      const embedder = embedders.open(files)
      opened.set(files.id, { files, embedder })
      return embedder
    })
  }
  function find (id: string): Embedder | undefined {
    const known = opened.get(id)
    return known && isInstalled(known.files) ? known.embedder : openAll().find(({ model }) => model.id === id)
  }
  return {
    /** The embedder that new indexes are made with. Undefined: no model is installed. */
    current: (): Embedder | undefined => openAll()[0],
    /** The embedder of a model, if it is installed. */
    find,
    close: async (): Promise<void> => { await pool.close() }
  }
}
export type Embedding = ReturnType<typeof createEmbedding>
