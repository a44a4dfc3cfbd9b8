/** Tries an embedding model before it is installed. */
import { ModelError } from '../../domain/model-error.js'
import { createEmbedders, createEmbeddingPool } from './embedder.js'
import type { EmbeddingModelFiles } from './embedding-models.js'

/** Makes the vector of a text with a model. Throws `ModelError` if that fails. */
export async function tryEmbeddingModel (files: EmbeddingModelFiles): Promise<void> {
  const pool = createEmbeddingPool()
  try {
    const [vector] = await createEmbedders(pool).open(files).embed(['The committee met on Tuesday.'], 'passage')
    if (!vector?.every(Number.isFinite)) throw new ModelError('the model cannot be used: its vectors are not numbers')
  } catch (error) {
    if (error instanceof ModelError) throw error
    throw new ModelError(`the model cannot be used: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  } finally {
    await pool.close()
  }
}
