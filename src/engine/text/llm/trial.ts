/** Tests a language model: loads it and lets it answer a question with a grammar, in a program as the server does. */
import { ArtifactError } from '../../../domain/artifact-error.js'
import { ModelError } from '../../../domain/model-error.js'
import type { ModelFacts } from './protocol.js'
import { createResidentModel } from './resident-model.js'
import type { ResidentModel } from './resident-model.js'
import { list, numberFrom, object } from './schema.js'

/** What a model is, and how fast this machine runs it. */
export type LanguageModelTrial = ModelFacts & { readsPerSecond: number, writesPerSecond: number }

/** Large models on slow disks take their time. */
const TRIAL_MS = 180_000
const NUMBERS = Array.from({ length: 60 }, (_, index) => index + 1).join(' ')
const ANSWERS = 8

const perSecond = (tokens: number, ms: number): number => Math.round(1000 * tokens / Math.max(1, ms))

/** Asks a model for numbers. Rejects with ArtifactError: `unusable` when it does not follow the grammar. */
export async function probeLanguageModel (model: Pick<ResidentModel, 'use'>): Promise<LanguageModelTrial> {
  return await model.use(async ({ facts, answer }) => {
    const schema = object({ numbers: list(numberFrom(1, 60), ANSWERS, ANSWERS) })
    const prompt = `Choose ${ANSWERS} of these numbers: ${NUMBERS}. Answer like {"numbers": [1, 2]}.`
    const { text, promptTokens, promptMs, answerTokens, answerMs } =
      await answer({ system: 'Answer with JSON.', prompt, schema, maxTokens: 400 })
    if (!/^\s*\{\s*"numbers"\s*:\s*\[[\s\d,]+\]\s*\}/.test(text)) {
      throw new ArtifactError('unusable', 'the language model does not follow a grammar')
    }
    return { ...facts, readsPerSecond: perSecond(promptTokens, promptMs), writesPerSecond: perSecond(answerTokens, answerMs) }
  }, AbortSignal.timeout(TRIAL_MS))
}

/** Loads a model on the processor and asks it for numbers. Throws `ModelError` with what went wrong. */
export async function tryLanguageModel (path: string): Promise<LanguageModelTrial> {
  const model = createResidentModel({ find: () => ({ path }), gpu: 'off', threads: 1, contextTokens: { cpu: 1024, gpu: 1024 } })
  try {
    return await probeLanguageModel(model)
  } catch (error) {
    throw error instanceof ArtifactError ? new ModelError(`the model cannot be used: ${error.message}`, { cause: error }) : error
  } finally {
    await model.free()
  }
}
