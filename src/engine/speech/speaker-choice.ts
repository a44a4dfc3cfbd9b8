/** Chooses what tells speakers apart: models that people pulled, if both are installed and can be used, else the bundled voice prints. */
import type { ModelEntry } from '../models/manifest.js'
import { SPEAKER_KINDS } from '../models/models.js'
import type { InstalledModel, Models } from '../models/models.js'
import type { SpeakerModelPool } from './pool.js'
import { createModelSpeakerEngine } from './speaker-models.js'
import type { SpeakerEngine } from './speakers.js'

/** `auto`: pulled models when both are installed. `models`: the same, with a warning when they are not. `bundled`: never pulled models. */
export type SpeakerSetting = 'auto' | 'bundled' | 'models'

/** `name`: for messages. `defect`: one sentence that says why pulled models are not used although they should be. */
export type SpeakerChoice = { engine: SpeakerEngine, name: string, defect: string | undefined }

export type SpeakerEngines = {
  choose (): SpeakerChoice
  /** Excludes an engine that could not be loaded until its files change. False when nothing else can take its place. */
  setAside (engine: Pick<SpeakerEngine, 'id'>, reason: string): boolean
}

type Deps = {
  models: Pick<Models, 'chooseSpeakerModels' | 'listFaults' | 'listInstalled' | 'digests'>
  pool: SpeakerModelPool
  bundled: SpeakerEngine
  setting: SpeakerSetting
}

const PULL = 'npx stenobox models pull set:speakers'

export function createSpeakerEngines ({ models, pool, bundled, setting }: Deps): SpeakerEngines {
  /** Engines that could not be loaded, and why. */
  const aside = new Map<string, string>()

  const isSpeakerModel = ({ kind }: ModelEntry): boolean => SPEAKER_KINDS.some((each) => each === kind)
  /** The identity of a file: its digest if that is known, which survives copying, else its path. */
  const keyOf = ({ path }: InstalledModel): string => models.digests.find(path)?.sha256.slice(0, 16) ?? path

  function createEngine (segmentation: InstalledModel, embedding: InstalledModel): SpeakerEngine {
    const key = `${keyOf(segmentation)} ${keyOf(embedding)}`
    return createModelSpeakerEngine(pool, { segmentationPath: segmentation.path, embeddingPath: embedding.path, key })
  }

  /** Why there is no pair; undefined when none is wanted. */
  function explainMissing (): string | undefined {
    const [fault] = models.listFaults(isSpeakerModel)
    if (fault !== undefined) return `${fault}. It is not used`
    const installed = models.listInstalled()
    const missing = SPEAKER_KINDS.filter((kind) => !installed.some(({ entry }) => entry.kind === kind))
    if (missing.length === SPEAKER_KINDS.length && setting === 'auto') return undefined
    if (missing.length === 0) return 'the speaker models cannot be read. Check them: npx stenobox models verify'
    return `no ${missing.join(' and no ')} model is installed. Install both: ${PULL}`
  }

  return {
    choose () {
      const substitute = (defect: string | undefined): SpeakerChoice => ({ engine: bundled, name: `bundled model, ${bundled.id}`, defect })
      if (setting === 'bundled') return substitute(undefined)
      const pair = models.chooseSpeakerModels()
      if (!pair) return substitute(explainMissing())
      const [segmentation, embedding] = pair
      const engine = createEngine(segmentation, embedding)
      const name = `${segmentation.entry.name} with ${embedding.entry.name}`
      const reason = aside.get(engine.id)
      return reason === undefined ? { engine, name, defect: undefined } : substitute(`${name} cannot be used: ${reason}`)
    },
    setAside ({ id }, reason) {
      if (id === bundled.id) return false
      aside.set(id, reason)
      return true
    }
  }
}
