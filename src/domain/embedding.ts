/** Vectors of texts: the models that make them, and their errors. */
import { toIsoCode } from './language.js'

/** A model that turns texts into vectors. `id` changes with the weights; vectors of different ids are never compared. */
export type EmbeddingModel = {
  id: string
  /** Length of a vector. */
  dimensions: number
  /** Tokens of a text beyond this number are ignored. Special tokens count. */
  maxTokens: number
  /** Weights that every token is multiplied with, which excludes embeddings; absent when unknown. */
  layerParameters?: number
  /** ISO 639-1 codes; absent for all languages. */
  languages?: readonly string[]
  /** Cosine of texts that have nothing in common, which counts as 0; absent: 0. */
  floor?: number
}

/** The similarity that a cosine of this model's vectors stands for: 0 at its floor, 1 for equal vectors. */
export const similarityOf = (cosine: number, { floor = 0 }: Pick<EmbeddingModel, 'floor'>): number => (cosine - floor) / (1 - floor)

/** Whether a model was trained on a language, given as Whisper's code. Undefined: the language is unknown. */
export const knowsLanguage = ({ languages }: Pick<EmbeddingModel, 'languages'>, language: string | undefined): boolean =>
  languages === undefined || (language !== undefined && languages.includes(toIsoCode(language)))

/** What a text is for. Some models treat queries and passages differently. */
export type EmbeddingPurpose = 'query' | 'passage'

export type EmbeddingErrorCode = 'aborted' | 'model_unavailable' | 'out_of_memory' | 'internal_error'

/** No vector could be made. The message is for the log. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError'
  readonly code: EmbeddingErrorCode

  constructor (code: EmbeddingErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}
