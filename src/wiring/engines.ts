/** Models and the programs and threads that run them. */
import type { Config } from '../config.js'
import { createYtDlp } from '../engine/media/yt-dlp.js'
import { createModels } from '../engine/models/models.js'
import { createSpeechEngine } from '../engine/speech/engine.js'
import { createDetectorPool, createSpeakerModelPool, createSpeakerPool, createSpeechPool } from '../engine/speech/pool.js'
import { createSpeakerEngines } from '../engine/speech/speaker-choice.js'
import { createSpeakerEngine } from '../engine/speech/speakers.js'
import { createEmbedding } from '../engine/text/embedder.js'
import { createExtractiveEngine, createExtractivePool } from '../engine/text/extractive.js'
import { createLlmEngine } from '../engine/text/llm/engine.js'
import { createResidentModel } from '../engine/text/llm/resident-model.js'

/** The engines of the appliance. Their threads start, and weights are loaded, with the first use. */
export async function createEngines (
  { modelsDir, workers, threadsPerWorker, gpu, llmThreads, speakerEngine: setting, ytDlp, searchPath }: Config
) {
  const models = createModels(modelsDir)
  await models.prepare()
  const pool = createSpeechPool(workers)
  const detector = createDetectorPool()
  const languageModel = createResidentModel({
    find: models.chooseLanguageModel, gpu, threads: llmThreads, onUnusable: models.markUnusable
  })
  const speakerPool = createSpeakerPool()
  const speakerModelPool = createSpeakerModelPool()
  const embedding = createEmbedding()
  const extractivePool = createExtractivePool()
  return {
    models,
    languageModel,
    embedding,
    speech: createSpeechEngine({ pool, detector, models, gpu: gpu !== 'off', threadsPerWorker, freeMemory: languageModel.free }),
    speakers: createSpeakerEngines({ models, pool: speakerModelPool, bundled: createSpeakerEngine({ pool: speakerPool }), setting }),
    /** The best first. */
    artifacts: [createLlmEngine({ model: languageModel }), createExtractiveEngine(extractivePool)] as const,
    ytDlp: createYtDlp({ program: ytDlp, searchPath }),
    async close (): Promise<void> {
      const pools = [pool, detector, speakerPool, speakerModelPool, embedding, extractivePool]
      await Promise.all(pools.map(async (each) => { await each.close() }))
      await languageModel.free()
    }
  }
}
export type Engines = Awaited<ReturnType<typeof createEngines>>
