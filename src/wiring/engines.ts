/** Models and the programs and threads that run them. */
import type { Config } from '../config.js'
import { createYtDlp } from '../engine/media/yt-dlp.js'
import { createModels } from '../engine/models/models.js'
import { createSpeechEngine } from '../engine/speech/engine.js'
import { createInferenceHelper } from '../engine/speech/helper.js'
import { createSpeakerPool } from '../engine/speech/pool.js'
import { createSpeakerEngine } from '../engine/speech/speakers.js'
import { createEmbedding } from '../engine/text/embedder.js'
import { createExtractiveEngine, createExtractivePool } from '../engine/text/extractive.js'
import { createLlmEngine } from '../engine/text/llm/engine.js'
import { createResidentModel } from '../engine/text/llm/resident-model.js'
import type { Logger } from '../logger.js'

/** The engines of the appliance. Their threads start, and weights are loaded, with the first use. */
export async function createEngines ({ modelsDir, workers, threadsPerWorker, gpu, llmThreads, ytDlp, searchPath }: Config, log: Logger) {
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
  const embedding = createEmbedding()
  const extractivePool = createExtractivePool()
  return {
    models,
    languageModel,
    embedding,
    speech: createSpeechEngine({
      pool: helper.speech, detector: helper.detector, models, gpu: gpu !== 'off', threadsPerWorker, freeMemory: languageModel.free
    }),
    speakers: createSpeakerEngine({ pool: speakerPool }),
    /** The best first. */
    artifacts: [createLlmEngine({ model: languageModel }), createExtractiveEngine(extractivePool)] as const,
    ytDlp: createYtDlp({ program: ytDlp, searchPath }),
    async close (): Promise<void> {
      await Promise.all([helper, speakerPool, embedding, extractivePool].map(async (each) => { await each.close() }))
      await languageModel.free()
    }
  }
}
export type Engines = Awaited<ReturnType<typeof createEngines>>
