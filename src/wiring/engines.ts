/** Models and the programs and threads that run them. */
import type { Config } from '../config.js'
import { createYtDlp } from '../engine/media/yt-dlp.js'
import { createModels } from '../engine/models/models.js'
import { createSpeechEngine } from '../engine/speech/engine.js'
import { createInferenceHelper } from '../engine/speech/helper.js'
import { createSpeakerModelPool, createSpeakerPool } from '../engine/speech/pool.js'
import { createSpeakerEngines } from '../engine/speech/speaker-choice.js'
import { createSpeakerEngine } from '../engine/speech/speakers.js'
import { createEmbedding } from '../engine/text/embedder.js'
import { listEmbedders } from '../engine/text/embedding-models.js'
import { createExtractiveEngine, createExtractivePool } from '../engine/text/extractive.js'
import { createLlmEngine } from '../engine/text/llm/engine.js'
import { createResidentModel } from '../engine/text/llm/resident-model.js'
import type { Logger } from '../logger.js'

/** The engines of the appliance. Their threads start, and weights are loaded, with the first use. */
export async function createEngines (
  { modelsDir, workers, threadsPerWorker, gpu, llmThreads, speakerEngine: setting, ytDlp, searchPath }: Config, log: Logger
) {
  const models = createModels(modelsDir)
  await models.prepare()
  const helper = createInferenceHelper({
    threads: { speech: workers, detector: 1 },
    onCrash: (reason) => { log.error({ reason }, 'the inference process is replaced') }
  })
  const languageModel = createResidentModel({
    find: models.chooseLanguageModel, gpu, threads: llmThreads, onUnusable: models.markUnusable
  })
  const speakerPool = createSpeakerPool()
  const speakerModelPool = createSpeakerModelPool()
  const embedding = createEmbedding(() => listEmbedders(models))
  const extractivePool = createExtractivePool()
  return {
    models,
    languageModel,
    embedding,
    speech: createSpeechEngine({
      pool: helper.speech, detector: helper.detector, heldModels: helper.heldModels, models, gpu: gpu !== 'off', threadsPerWorker,
      freeMemory: languageModel.free
    }),
    speakers: createSpeakerEngines({ models, pool: speakerModelPool, bundled: createSpeakerEngine({ pool: speakerPool }), setting }),
    /** The best first. */
    artifacts: [createLlmEngine({ model: languageModel }), createExtractiveEngine(extractivePool)] as const,
    ytDlp: createYtDlp({ program: ytDlp, searchPath }),
    async close (): Promise<void> {
      const pools = [helper, speakerPool, speakerModelPool, embedding, extractivePool]
      await Promise.all(pools.map(async (each) => { await each.close() }))
      await languageModel.free()
    }
  }
}
export type Engines = Awaited<ReturnType<typeof createEngines>>
