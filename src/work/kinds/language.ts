/** Detecting the language of a recording from samples. Shares the threads of the pool with transcribing. */
import type { Transcribing } from '../../service/transcribing.js'
import type { Kind, Lane } from '../kind.js'

export function createLanguageKind (transcribing: Pick<Transcribing, 'detectLanguage'>, lane: Lane): Kind {
  return { kind: 'language', lane, run: transcribing.detectLanguage }
}
