/** Which speech model suits this machine, and how long an hour of speech takes with each. */
import { chooseSpeechModel, minutesPerHour } from '../domain/speech-model-choice.js'
import type { SpeechEngine } from '../engine/speech/engine.js'
import { estimateWeightsPerSecond } from '../engine/text/calibration.js'
import type { Embedding } from '../engine/text/embedder.js'
import type { ModelView } from './model-catalogue.js'

/** `minutesPerHour`: of processing for an hour of speech; undefined where it cannot be estimated, as on a GPU. */
export type Advice = { isRecommended: boolean, minutesPerHour: number | undefined }

type Deps = {
  embedding: Pick<Embedding, 'current'>
  speech: Pick<SpeechEngine, 'describe'>
  /** Of all workers together. */
  threads: number
  memoryBytes: () => number
}

export function createModelAdvice ({ embedding, speech, threads, memoryBytes }: Deps) {
  let measuring: Promise<number | undefined> | undefined

  /** Measured once. Undefined when the embedding model is not usable; the check of it says why. */
  async function measure (): Promise<number | undefined> {
    const embedder = embedding.current()
    if (!embedder) return undefined
    measuring ??= estimateWeightsPerSecond(embedder, threads).catch(() => {
      measuring = undefined
      return undefined
    })
    return await measuring
  }

  async function hasGpu (): Promise<boolean> {
    return await speech.describe().then(({ devices }) => devices.some(({ kind }) => kind === 'gpu'), () => false)
  }

  /** Returns a function that knows about each of these models. */
  return async function advise (models: readonly ModelView[]): Promise<(name: string) => Advice> {
    const isGpu = await hasGpu()
    const weightsPerSecond = isGpu ? undefined : await measure()
    const sized = models.flatMap(({ name, kind, bytes, bundled, languages }) =>
      kind === 'whisper' && bytes !== undefined && !bundled ? [{ name, bytes, languages }] : [])
    const best = chooseSpeechModel(sized, { weightsPerSecond, memoryBytes: memoryBytes(), hasGpu: isGpu })
    return (name) => ({
      isRecommended: name === best,
      minutesPerHour: weightsPerSecond === undefined ? undefined : minutesPerHour(name, weightsPerSecond)
    })
  }
}
export type ModelAdvice = ReturnType<typeof createModelAdvice>
