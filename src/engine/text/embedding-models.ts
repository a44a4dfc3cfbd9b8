/** The embedding models: where their files are and how texts are prepared for them. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import Type from 'typebox'
import { Value } from 'typebox/value'
import type { EmbeddingModel, EmbeddingPurpose } from '../../domain/embedding.js'
import { ModelError } from '../../domain/model-error.js'
import type { EmbeddingFacts } from '../models/manifest.js'
import { BUNDLED_MODELS_DIR } from '../models/models.js'
import type { InstalledModel, Models } from '../models/models.js'

/** `folder`: absolute, in the layout of Transformers.js. `prefixes`: put before texts of each purpose. */
export type EmbeddingModelFiles = EmbeddingModel & {
  folder: string
  dtype: 'q8' | 'fp32'
  prefixes: Readonly<Record<EmbeddingPurpose, string>>
}

const NO_PREFIXES = { query: '', passage: '' } as const
const ONNX_NAMES = { q8: 'model_quantized.onnx', fp32: 'model.onnx' } as const

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
export const isInstalled = ({ folder, dtype }: Pick<EmbeddingModelFiles, 'folder' | 'dtype'>): boolean =>
  existsSync(join(folder, 'onnx', ONNX_NAMES[dtype]))

/** The id has the start of the digest, because vectors of other weights are never compared. */
export function toEmbeddingFiles ({ entry, path }: InstalledModel): EmbeddingModelFiles | undefined {
  const { name, embedding, languages, sha256 = '' } = entry
  if (!embedding) return undefined
  return {
    ...embedding,
    id: `${name}-${sha256.slice(0, 8)}`,
    ...(languages ? { languages } : {}),
    folder: dirname(dirname(path)),
    dtype: basename(path) === ONNX_NAMES.q8 ? 'q8' : 'fp32'
  }
}

/** The installed models besides the bundled one, best first. */
export const listEmbedders = (models: Pick<Models, 'listEmbeddingModels'>): EmbeddingModelFiles[] =>
  models.listEmbeddingModels().flatMap((model) => toEmbeddingFiles(model) ?? [])

/** Files of a folder besides the weights: what is needed, and what is taken along if it is there. */
const NEEDED = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
const OPTIONAL = ['special_tokens_map.json']
const MAX_CONFIG_BYTES = 1024 * 1024
const MAX_TOKENS = 512
/** Unrelated texts have a cosine of about 0.7 with the E5 models, as their card says: they were trained with a low temperature. */
const E5 = { prefixes: { query: 'query: ', passage: 'passage: ' }, floor: 0.7 } as const

const Config = Type.Object({
  hidden_size: Type.Integer({ minimum: 1, maximum: 8192 }),
  max_position_embeddings: Type.Optional(Type.Integer({ minimum: 8 })),
  _name_or_path: Type.Optional(Type.String())
})

/** The paths of the files of an embedding model inside its folder, the weights first. Undefined: it is not the folder of one. */
export function listEmbeddingFiles (folder: string): string[] | undefined {
  const dtype = (['q8', 'fp32'] as const).find((each) => isInstalled({ folder, dtype: each }))
  if (dtype === undefined || !existsSync(join(folder, 'tokenizer.json'))) return undefined
  return [`onnx/${ONNX_NAMES[dtype]}`, ...NEEDED, ...OPTIONAL.filter((name) => existsSync(join(folder, name)))]
}

/** What the configuration in a folder says of its model. Throws `ModelError`. */
export async function readEmbeddingFacts (folder: string): Promise<EmbeddingFacts> {
  const path = join(folder, 'config.json')
  let parsed: unknown
  try {
    const text = await readFile(path)
    if (text.length <= MAX_CONFIG_BYTES) parsed = JSON.parse(text.toString('utf8'))
  } catch {
    // Reported below, like a configuration of something else.
  }
  if (!Value.Check(Config, parsed)) throw new ModelError(`${path} is missing, or is not the configuration of an embedding model`)
  // Models in the style of RoBERTa count two positions more than they have.
  const maxTokens = Math.min(MAX_TOKENS, (parsed.max_position_embeddings ?? MAX_TOKENS + 2) - 2)
  const isE5 = /(^|[/-])e5-/.test(parsed._name_or_path ?? '')
  return { dimensions: parsed.hidden_size, maxTokens, ...(isE5 ? E5 : { prefixes: NO_PREFIXES }) }
}
