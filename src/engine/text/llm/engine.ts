/** The engine that makes artifacts with a language model. What it makes is checked and rendered by `finishArtifact`, like all drafts. */
import { ArtifactError } from '../../../domain/artifact-error.js'
import type { ArtifactEngine } from '../artifact-engine.js'
import { createAsker } from './ask.js'
import { groundIn } from './clean.js'
import { makeDraft } from './modes.js'
import type { ResidentModel } from './resident-model.js'

export function createLlmEngine ({ model }: { model: Pick<ResidentModel, 'use'> }): ArtifactEngine {
  return {
    name: 'llm',
    async create (mode, source, signal) {
      try {
        return await model.use(async (loaded) =>
          await makeDraft(mode, { asker: createAsker(loaded, source), source, grounding: groundIn(source) }), signal)
      } catch (error) {
        if (error instanceof ArtifactError) throw error
        throw new ArtifactError('failed', 'the language model failed', { cause: error })
      }
    }
  }
}
