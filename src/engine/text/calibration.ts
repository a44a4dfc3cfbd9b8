/** How fast this machine multiplies with weights: the embedding model does what a language model does while it reads. */
import type { Embedder } from './embedder.js'

/** Enough words to fill the embedding model. */
const TEXT = 'The harbour opens at nine and the ferry leaves with the mail. '.repeat(40)
/** What else happens in a round can only make it longer, so the shortest one counts. */
const ROUNDS = 5

/** Processor time of this process, in seconds. */
function readCpuSeconds (): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/**
 * Weights that a language model would multiply with in a second, on so many threads. An estimate: it assumes that llama.cpp is as fast per
 * thread as the embedding model, and that threads add up. Measured in processor time, so that other programs count for little; this process
 * should do nothing else. Undefined when the size of the embedding model is unknown. Rejects with `EmbeddingError`.
 */
export async function estimateWeightsPerSecond (
  embedder: Pick<Embedder, 'embed' | 'model'>, threads: number
): Promise<number | undefined> {
  const { layerParameters, maxTokens } = embedder.model
  if (layerParameters === undefined) return undefined
  let leastSeconds = Infinity
  // The first round loads the model.
  for (let round = 0; round <= ROUNDS; round++) {
    const startedSeconds = readCpuSeconds()
    await embedder.embed([TEXT], 'query')
    if (round > 0) leastSeconds = Math.min(leastSeconds, readCpuSeconds() - startedSeconds)
  }
  return threads * layerParameters * maxTokens / Math.max(1e-6, leastSeconds)
}
