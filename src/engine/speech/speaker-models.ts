/** Tells speakers apart with models that people pull: pyannote segmentation 3.0 and a speaker embedding model. */
import { ModelError } from '../../domain/model-error.js'
import { SpeechError } from '../../domain/speech-error.js'
import type { LinkageRules } from '../../domain/voice-linkage.js'
import type { SpeakerModelFiles, SpeakerModelKind } from '../../workers/protocol.js'
import { createSpeakerModelPool, withFlag } from './pool.js'
import type { SpeakerModelPool } from './pool.js'
import { PIECE_MS } from './speakers.js'
import type { SpeakerEngine } from './speakers.js'

/** See decision 77. */
const RULES: LinkageRules = { maxDistance: 0.85, minWeight: 3 }

/** The engine with these files. `key`: identifies their contents. */
export function createModelSpeakerEngine (pool: SpeakerModelPool, files: SpeakerModelFiles): SpeakerEngine {
  return {
    pieceMs: PIECE_MS,
    id: `models-1 ${files.key}`,
    prepare: async () => { await pool.run('prepareSpeakerModels', files) },
    observe: async ({ path, startMs, endMs }, signal) =>
      await withFlag(signal, async (abort) => await pool.run('observeSegments', { ...files, audioPath: path, startMs, endMs, abort })),
    findTurns: async (evidence, signal) =>
      await withFlag(signal, async (abort) => await pool.run('linkSegments', { ...evidence, rules: RULES, abort })),
    // These turns are exact to 17 ms and may overlap, so they are not moved.
    fitToWords: (turns) => turns
  }
}

/** Loads a file and runs it once. Returns its kind. Throws `ModelError` that says what is wrong. */
export async function trySpeakerModel (path: string): Promise<SpeakerModelKind> {
  const pool = createSpeakerModelPool()
  try {
    return await pool.run('inspectSpeakerModel', { path })
  } catch (error) {
    throw error instanceof SpeechError ? new ModelError(`the model cannot be used: ${error.message}`, { cause: error }) : error
  } finally {
    await pool.close()
  }
}
