/** Checks what the appliance needs. `doctor` and readiness share this list. */
import type { ModelEntry } from '../engine/models/manifest.js'
import type { InstalledModel, Models } from '../engine/models/models.js'
import type { SpeechEngine } from '../engine/speech/engine.js'
import type { SpeakerEngines } from '../engine/speech/speaker-choice.js'
import type { YtDlp } from '../engine/media/yt-dlp.js'
import type { Embedding } from '../engine/text/embedder.js'
import type { ResidentModel } from '../engine/text/llm/resident-model.js'
import type { Files } from '../store/files.js'
import { checkLanguageModel } from './language-model-check.js'

/** `matters`: the appliance does not work without it. */
export type Check = { name: string, ok: boolean, matters: boolean, detail: string }

type Deps = {
  files: Files
  models: Models
  speech: SpeechEngine
  embedding: Pick<Embedding, 'current'>
  languageModel: Pick<ResidentModel, 'use'>
  speakerEngines: SpeakerEngines
  ytDlp: Pick<YtDlp, 'version'>
  programVersion: (program: string) => Promise<string | undefined>
  /** Threads of the language model. */
  llmThreads: number
  minFreeBytes: number
  gpu: string
  runtime: { nodeVersion: string, workers: number, threadsPerWorker: number }
}

const GIB = 1024 ** 3
const NO_MODEL = 'No speech model is installed. Install one: stenobox models pull base'
const REINSTALL = 'It comes with the program, in models/starter: install the program again'

export function createHealth (deps: Deps) {
  const { files, models, speech, speakerEngines, embedding, ytDlp, programVersion, minFreeBytes, gpu, runtime } = deps
  async function checkProgram (name: string): Promise<Check> {
    const version = await programVersion(name)
    return {
      name,
      ok: version !== undefined,
      matters: true,
      detail: version ?? `not found. Install it: apt-get install ${name === 'ffprobe' ? 'ffmpeg' : name}`
    }
  }

  async function checkYtDlp (): Promise<Check> {
    const version = await ytDlp.version()
    return {
      name: 'yt-dlp',
      ok: version !== undefined,
      matters: false,
      detail:
        version ??
        'does not run, so pages of video platforms, HLS and DASH cannot be fetched. ' +
          'It needs Python 3.10 or newer. Install it: npm run build'
    }
  }

  const wantsGpu = gpu === 'cuda' || gpu === 'vulkan'
  const noGpuDetail = (build: string): string => `STENOBOX_GPU=${gpu}, but ` + (build.includes(gpu)
    ? 'no such device was found, so the CPU is used'
    : `the speech library was built without it (${build}), so the CPU is used. Rebuild it: STENOBOX_GPU=${gpu} npm run build`)

  async function checkDisk (): Promise<Check> {
    const free = await files.freeBytes()
    const ok = free >= minFreeBytes
    return {
      name: 'disk',
      ok,
      matters: true,
      detail:
        `${(free / GIB).toFixed(1)} GiB free for ${files.dataDir}` +
        (ok ? '' : `; uploads are refused below ${(minFreeBytes / GIB).toFixed(1)} GiB`)
    }
  }

  async function checkSpeech (): Promise<Check[]> {
    try {
      const { version, build, systemInfo, devices } = await speech.describe()
      const gpus = devices.filter((device) => device.kind === 'gpu')
      return [
        { name: 'speech library', ok: true, matters: true, detail: `whisper.cpp ${version}, build ${build}` },
        {
          name: 'cpu',
          ok: true,
          matters: false,
          detail: `${runtime.workers} workers of ${runtime.threadsPerWorker} thread(s); ${systemInfo}`
        },
        {
          name: 'gpu',
          ok: gpus.length > 0 || !wantsGpu,
          matters: false,
          detail:
            gpus.map((device) => `${device.description}, ${(device.totalBytes / GIB).toFixed(1)} GiB`).join('; ') ||
            (wantsGpu ? noGpuDetail(build) : 'none in use')
        }
      ]
    } catch (error) {
      return [{ name: 'speech library', ok: false, matters: true, detail: error instanceof Error ? error.message : String(error) }]
    }
  }

  async function checkDetector (): Promise<Check> {
    try {
      await speech.prepareDetector()
      return { name: 'voice activity', ok: true, matters: true, detail: 'Silero v5' }
    } catch (error) {
      return { name: 'voice activity', ok: false, matters: true, detail: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Loads the speaker models. If pulled models cannot be loaded, the bundled one is used. */
  async function checkSpeakers (): Promise<Check> {
    const { engine, name, defect } = speakerEngines.choose()
    try {
      await engine.prepare()
      const detail = defect === undefined ? name : `${name}, because ${defect}`
      return { name: 'speakers', ok: defect === undefined, matters: false, detail }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (speakerEngines.setAside(engine, reason)) return await checkSpeakers()
      return { name: 'speakers', ok: false, matters: false, detail: `${reason}. Transcripts are complete, but do not say who speaks` }
    }
  }

  /** What is known about a file that was read before; a quick check reads none. */
  function findKnownFault (model: InstalledModel): string | undefined {
    const finding = models.inspect(model)
    return finding.state === 'wrong' ? finding.fault : undefined
  }

  async function checkModel (model: InstalledModel, isQuick: boolean): Promise<Check> {
    const name = `model ${model.entry.name}`
    try {
      const fault = isQuick ? findKnownFault(model) : await models.verify(model)
      const detail = fault === undefined ? model.entry.note ?? model.path : `${fault}. It is not used`
      return { name, ok: fault === undefined, matters: true, detail }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { name, ok: false, matters: true, detail: `${model.path} cannot be read and is not used: ${reason}` }
    }
  }

  const explainWrongSize = ({ file }: ModelEntry): string =>
    `${file} does not have its published size. It is damaged, incomplete or a different file, and is not used`
  const explainUnlisted = (path: string): string =>
    `${path} is in no manifest and is not used. Add it: npx stenobox models add ${path} --name NAME`

  async function checkModels (isQuick: boolean): Promise<Check[]> {
    const installed = models.listInstalled()
    const others = [
      ...models.listWrongSize().map((entry) =>
        ({ name: `model ${entry.name}`, ok: false, matters: true, detail: explainWrongSize(entry) })),
      ...models.listUnlisted().map((path) => ({ name: 'unlisted model', ok: false, matters: false, detail: explainUnlisted(path) }))
    ]
    if (installed.length === 0) return [...others, { name: 'models', ok: false, matters: true, detail: NO_MODEL }]
    const checks: Check[] = []
    for (const model of installed) checks.push(await checkModel(model, isQuick))
    const used = (['fast', 'balanced', 'accurate'] as const).map((quality) => `${quality}: ${models.choose(quality)?.name ?? 'none'}`)
    const warnings = starterWarning()
    const detail = [used.join(', '), ...warnings].join('. ')
    return [...others, ...checks, { name: 'qualities', ok: warnings.length === 0, matters: false, detail }]
  }

  async function checkEmbedder (): Promise<Check> {
    const [name, embedder] = ['embedding model', embedding.current()]
    if (!embedder) {
      return { name, ok: false, matters: false, detail: 'not installed, so search finds transcripts by their words only. ' + REINSTALL }
    }
    const { id, dimensions, languages } = embedder.model
    try {
      await embedder.embed(['one two three'], 'query')
      return { name, ok: true, matters: false, detail: `${id}, ${dimensions} dimensions, ${languages?.join(', ') ?? 'many languages'}` }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { name, ok: false, matters: false, detail: `${id}: ${reason}. Search finds transcripts by their words only. ${REINSTALL}` }
    }
  }

  function nameLanguageModel (): Check {
    const name = models.chooseLanguageModel()?.entry.name
    return { name: 'language model', ok: true, matters: false, detail: name ?? 'none installed, so artifacts are made of sentences' }
  }

  /** A warning when only the starter model can be used. */
  function starterWarning (): string[] {
    return models.choose('balanced')?.isStarter
      ? ['Only the starter model can be used. It knows synthetic voices and turns human speech into nonsense. ' +
          'Install a real model: npx stenobox models pull base']
      : []
  }

  /** Files in the models directory that are not used, and why. */
  function modelWarnings (): string[] {
    const wrong = models.listInstalled().flatMap((model) => {
      const finding = models.inspect(model)
      return finding.state === 'wrong' ? [`${finding.fault}. It is not used`] : []
    })
    return [...wrong, ...models.listWrongSize().map(explainWrongSize), ...models.listUnlisted().map(explainUnlisted)]
  }

  return {
    starterWarning,
    modelWarnings,
    /** A warning when a GPU was asked for but none is used. Rejects with `SpeechError`. */
    async gpuWarning (): Promise<string[]> {
      if (!wantsGpu) return []
      const { build, devices } = await speech.describe()
      return devices.some((device) => device.kind === 'gpu') ? [] : [noGpuDetail(build)]
    },
    /**
     * All checks, in the order people want to read them. `isQuick`: model files are not read again, and the language model is not measured,
     * so that a server can do it while it works.
     */
    async checkAll ({ isQuick = false } = {}): Promise<Check[]> {
      const node: Check = { name: 'node', ok: true, matters: true, detail: runtime.nodeVersion }
      const programs = await Promise.all(['ffmpeg', 'ffprobe', 'prlimit'].map(checkProgram))
      return [
        node,
        ...programs,
        await checkYtDlp(),
        ...(await checkSpeech()),
        await checkDetector(),
        await checkSpeakers(),
        ...(await checkModels(isQuick)),
        await checkEmbedder(),
        ...(isQuick ? [nameLanguageModel()] : [await checkLanguageModel({ ...deps, wantsGpu })]),
        await checkDisk()
      ]
    },
    /** Why the appliance cannot take requests now; undefined when it can. Cheap, because it is asked every few seconds. */
    async whyNotReady (): Promise<string | undefined> {
      if (models.choose('balanced') === undefined) {
        return models.listInstalled().length === 0
          ? NO_MODEL
          : 'No installed speech model can be used. The reason is shown by: stenobox doctor'
      }
      if (await files.freeBytes() < minFreeBytes) return 'The disk is nearly full. Free some space.'
      if (!await files.canWrite()) return 'Nothing can be written to the data directory. Free some space on its disk.'
      return undefined
    }
  }
}
export type Health = ReturnType<typeof createHealth>
