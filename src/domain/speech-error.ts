/** Errors of speech recognition and voice activity detection. */

export type SpeechErrorCode = 'aborted' | 'audio_missing' | 'model_unavailable' | 'out_of_memory' | 'worker_crashed' | 'internal_error'

/** A task failed on its thread. The message is for the log. */
export class SpeechError extends Error {
  override readonly name = 'SpeechError'
  readonly code: SpeechErrorCode

  constructor (code: SpeechErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}
