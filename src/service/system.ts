/** The appliance as its administrator sees it: version, disks, memory, devices, models and checks. */
import type { Memory } from '../engine/machine.js'
import type { Models } from '../engine/models/models.js'
import type { SpeechEngine } from '../engine/speech/engine.js'
import type { Embedding } from '../engine/text/embedder.js'
import { STT_QUALITIES } from '../domain/job.js'
import type { SttQuality } from '../domain/job.js'
import type { Check, Health } from './health.js'

/** How long checks are repeated: each starts programs. */
const CHECKS_MS = 60_000

export type Disk = { path: string, freeBytes: number, totalBytes: number }
type SpeechModels = Record<SttQuality, string | undefined>
export type SystemView = {
  version: string, node: string, uptimeMs: number
  /** Where data and models are; one disk when both are on the same. */
  disks: Disk[]
  minFreeBytes: number
  memory: Memory
  /** Names of the devices that models run on; empty: the processor. */
  gpus: string[]
  /** Names of the models that are used now. */
  models: { speech: SpeechModels, language: string | undefined, embedding: string | undefined, speakers: string[] }
  checks: Check[]
  checkedAt: number
}

type Deps = {
  health: Pick<Health, 'checkAll'>
  speech: Pick<SpeechEngine, 'describe'>
  models: Pick<Models, 'choose' | 'chooseLanguageModel' | 'chooseSpeakerModels' | 'modelsDir'>
  embedding: Pick<Embedding, 'current'>
  readMemory: () => Memory
  readDisk: (directory: string) => Promise<Omit<Disk, 'path'> | undefined>
  dataDir: string
  version: string
  minFreeBytes: number
  now: () => number
}

export function createSystem (deps: Deps) {
  const { health, speech, models, embedding, readMemory, readDisk, dataDir, version, minFreeBytes, now } = deps
  const startedAt = now()
  let checked: { at: number, checks: Promise<Check[]> } | undefined

  async function readDisks (): Promise<Disk[]> {
    const paths = [...new Set([dataDir, models.modelsDir])]
    const disks = await Promise.all(paths.map(async (path) => {
      const space = await readDisk(path)
      return space === undefined ? [] : [{ path, ...space }]
    }))
    const [first, second] = disks.flat()
    const isSame = first?.totalBytes === second?.totalBytes && first?.freeBytes === second?.freeBytes
    return [first, isSame ? undefined : second].filter((disk) => disk !== undefined)
  }

  async function listGpus (): Promise<string[]> {
    const { devices } = await speech.describe()
    return devices.filter(({ kind }) => kind === 'gpu').map(({ description }) => description)
  }

  /** Requests at the same time, and within a minute, share one answer. */
  function check (): { at: number, checks: Promise<Check[]> } {
    if (!checked || now() - checked.at >= CHECKS_MS || now() < checked.at) {
      checked = { at: now(), checks: health.checkAll({ isQuick: true }) }
      checked.checks.catch(() => { checked = undefined })
    }
    return checked
  }

  return {
    async read (): Promise<SystemView> {
      const { at, checks } = check()
      return {
        version,
        node: process.version,
        uptimeMs: now() - startedAt,
        disks: await readDisks(),
        minFreeBytes,
        memory: readMemory(),
        // The check of the speech library says why it cannot be asked.
        gpus: await listGpus().catch(() => []),
        models: {
          speech: Object.fromEntries(STT_QUALITIES.map((quality) => [quality, models.choose(quality)?.name])) as SpeechModels,
          language: models.chooseLanguageModel()?.entry.name,
          embedding: embedding.current()?.model.id,
          speakers: models.chooseSpeakerModels()?.map(({ entry }) => entry.name) ?? []
        },
        checks: await checks,
        checkedAt: at
      }
    }
  }
}
export type System = ReturnType<typeof createSystem>
