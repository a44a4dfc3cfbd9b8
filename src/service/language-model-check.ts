/** What `doctor` says of language models: how fast the installed one is, and which one suits this machine. */
import { availableMemory } from 'node:process'
import { chooseModelSize, estimateParameters } from '../domain/language-model-choice.js'
import type { ModelChoice, SizedModel } from '../domain/language-model-choice.js'
import type { InstalledModel, Models } from '../engine/models/models.js'
import { estimateWeightsPerSecond } from '../engine/text/calibration.js'
import type { Embedding } from '../engine/text/embedder.js'
import { probeLanguageModel } from '../engine/text/llm/trial.js'
import type { ResidentModel } from '../engine/text/llm/resident-model.js'
import type { Check } from './health.js'

type Deps = {
  models: Pick<Models, 'chooseLanguageModel' | 'entries'>
  languageModel: Pick<ResidentModel, 'use'>
  embedding: Pick<Embedding, 'current'>
  /** Threads of the language model. */
  llmThreads: number
  /** A GPU was asked for. */
  wantsGpu: boolean
  memoryBytes?: number
}

const NAME = 'language model'
const NONE = 'none installed, so summaries, chapters, quotes and posts are put together from sentences of the transcript'

/** The language models of the manifest that people are told about. */
const listSizes = ({ entries }: Deps['models']): SizedModel[] => entries().flatMap(({ name, layerParameters, bytes }) =>
  layerParameters === undefined || bytes === undefined ? [] : [{ name, layerParameters, bytes }])

const parametersOf = ({ entry }: InstalledModel): number | undefined =>
  entry.layerParameters ?? (entry.bytes === undefined ? undefined : estimateParameters(entry.bytes))

/** How to get the model that suits this machine. `by`: what the estimate is based on. */
function recommend (choice: ModelChoice | undefined, by: string): string {
  return choice === undefined
    ? `None of the recommended models fits this machine, by ${by} and its free memory`
    : `For this machine, by ${by}: npx stenobox models pull ${choice.name} (reads about ${choice.readsPerSecond} tokens a second)`
}

/** Recommends a model by the speed of the embedding model, because there is no language model to be measured. */
async function checkNone ({ models, embedding, llmThreads }: Deps, memoryBytes: number): Promise<Check> {
  const sound = { name: NAME, ok: true, matters: false }
  try {
    const embedder = embedding.current()
    const weightsPerSecond = embedder && await estimateWeightsPerSecond(embedder, llmThreads)
    if (weightsPerSecond === undefined) return { ...sound, detail: NONE }
    const choice = chooseModelSize(listSizes(models), { weightsPerSecond, memoryBytes })
    return { ...sound, detail: `${NONE}. ${recommend(choice, 'its processor')}` }
  } catch {
    // The check of the embedding model reports what is wrong with it.
    return { ...sound, detail: NONE }
  }
}

/** The language model, how fast this machine runs it, and whether another size suits the machine. */
export async function checkLanguageModel (deps: Deps): Promise<Check> {
  const { models, languageModel, wantsGpu, memoryBytes = availableMemory() } = deps
  const chosen = models.chooseLanguageModel()
  if (!chosen) return await checkNone(deps, memoryBytes)
  const { name } = chosen.entry
  try {
    const { device, readsPerSecond, writesPerSecond } = await probeLanguageModel(languageModel)
    const missing = wantsGpu && device === 'cpu' ? ', because its library for the GPU or the device is missing' : ''
    const parameters = parametersOf(chosen)
    const best = parameters && chooseModelSize(listSizes(models), { weightsPerSecond: readsPerSecond * parameters, memoryBytes })
    const other = best && best.name !== name ? `. ${recommend(best, 'this speed')}` : ''
    const speed = `${name} on ${device}${missing}: reads ${readsPerSecond} and writes ${writesPerSecond} tokens a second`
    return { name: NAME, ok: missing === '', matters: false, detail: speed + other }
  } catch (error) {
    return { name: NAME, ok: false, matters: false, detail: `${name}: ${error instanceof Error ? error.message : String(error)}` }
  }
}
