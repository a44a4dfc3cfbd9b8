/** The embedding models: where their files are and how texts are prepared for them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EmbeddingModel, EmbeddingPurpose } from '../../domain/embedding.js'
import { BUNDLED_MODELS_DIR } from '../models/models.js'

/** `folder`: absolute, in the layout of Transformers.js. `prefixes`: put before texts of each purpose. */
export type EmbeddingModelFiles = EmbeddingModel & {
  folder: string
  dtype: 'q8' | 'fp32'
  prefixes: Readonly<Record<EmbeddingPurpose, string>>
}

const NO_PREFIXES = { query: '', passage: '' } as const

/** The bundled embedder; see its card. */
export const STARTER_EMBEDDER: EmbeddingModelFiles = {
  id: 'all-MiniLM-L6-v2-q8',
  dimensions: 384,
  maxTokens: 256,
  // Six layers of 384 and 1536: 6 × (4 × 384² + 2 × 384 × 1536).
  layerParameters: 10_616_832,
  languages: ['en'],
  folder: join(BUNDLED_MODELS_DIR, 'starter', 'all-MiniLM-L6-v2'),
  dtype: 'q8',
  prefixes: NO_PREFIXES
}

/** True when the weights are there. */
export const isInstalled = ({ folder, dtype }: EmbeddingModelFiles): boolean =>
  existsSync(join(folder, 'onnx', dtype === 'q8' ? 'model_quantized.onnx' : 'model.onnx'))
