/** Makes artifacts without a language model, on a worker thread. */
import { ArtifactError } from '../../domain/artifact-error.js'
import type { ExtractiveTasks } from '../../workers/protocol.js'
import { createPool } from '../speech/pool.js'
import type { ArtifactEngine } from './artifact-engine.js'

/** The thread ends after this long without work. */
const IDLE_MS = 60_000

/** The thread that makes extractive artifacts. */
export const createExtractivePool = () =>
  createPool<ExtractiveTasks>('../../workers/extractive.js', 1, { minThreads: 0, idleTimeout: IDLE_MS })
export type ExtractivePool = ReturnType<typeof createExtractivePool>

async function untilAborted (signal: AbortSignal): Promise<never> {
  return await new Promise((resolve, reject) => {
    const abort = (): void => { reject(new ArtifactError('aborted', 'the caller stopped waiting')) }
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

export function createExtractiveEngine (pool: Pick<ExtractivePool, 'run'>): ArtifactEngine {
  return {
    name: 'extractive',
    async create (mode, { sentences, ...source }, signal) {
      if (signal.aborted) throw new ArtifactError('aborted', 'the caller stopped waiting')
      // Without words, which it does not need: ten hours have 100,000 of them, and all would be copied to the thread.
      const plain = sentences.map(({ words: _, ...sentence }) => sentence)
      try {
        // The thread finishes its work, which takes a second or two.
        const made = pool.run('extractArtifact', { mode, source: { ...source, sentences: plain } })
        const { draft } = await Promise.race([made, untilAborted(signal)])
        return draft
      } catch (error) {
        if (error instanceof ArtifactError) throw error
        throw new ArtifactError('failed', error instanceof Error ? error.message : String(error), { cause: error })
      }
    }
  }
}
