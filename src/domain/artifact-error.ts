/**
 * Why an engine made no artifact. `unavailable`: no model is installed, or it cannot be loaded. `aborted`: the caller's signal, which
 * includes the time limit. `unusable`: the answer breaks the rules of its mode. `failed`: anything else.
 */
export type ArtifactErrorCode = 'unavailable' | 'aborted' | 'unusable' | 'failed'

export class ArtifactError extends Error {
  override readonly name = 'ArtifactError'
  readonly code: ArtifactErrorCode

  constructor (code: ArtifactErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}
