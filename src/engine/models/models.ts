/** The models: which exist, which are installed, which one a quality uses. */
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCode } from '../../domain/errors.js'
import type { SttQuality } from '../../domain/job.js'
import { ModelError } from '../../domain/model-error.js'
import type { DecodingOptions } from '../../workers/protocol.js'
import { createModelDigests } from './digests.js'
import { digestFile, sizeOf } from './files.js'
import { createModelLock, findFault, fitsSize, isKnown } from './lock.js'
import type { Pin } from './lock.js'
import { createLocalModels, isSpeechEntry, partsOf, readManifest } from './manifest.js'
import type { LocalModel, ModelEntry } from './manifest.js'

/** The bundled files: the manifest and the starter models. */
export const BUNDLED_MODELS_DIR = fileURLToPath(new URL('../../../models', import.meta.url))

/** The starter model, which is always present. */
export const STARTER_FILE = join(BUNDLED_MODELS_DIR, 'starter', 'ggml-starter-q5_0.bin')

/** whisper.cpp's defaults for options that neither the quality nor the model sets. */
const DEFAULT_DECODING: DecodingOptions = {
  beamSize: 5,
  bestOf: 5,
  temperature: 0,
  temperatureStep: 0.2,
  entropyThreshold: 2.4,
  logProbThreshold: -1,
  noSpeechThreshold: 0.6,
  contextTokens: 0,
  suppressNonSpeech: true
}

export type InstalledModel = { entry: ModelEntry, path: string }
/** Kinds of models that transcribe. */
export type SpeechKind = Extract<ModelEntry['kind'], 'whisper' | 'parakeet'>
/** Kinds of models that tell speakers apart, one of each. */
export const SPEAKER_KINDS = ['speaker-segmentation', 'speaker-embedding'] as const
export type SpeakerKind = typeof SPEAKER_KINDS[number]
type SpeechModel = InstalledModel & { entry: { kind: SpeechKind } }
const isSpeechModel = (model: InstalledModel): model is SpeechModel => isSpeechEntry(model.entry)
/** `isStarter`: the bundled model, which people must be warned about. */
export type ChosenModel = {
  name: string
  path: string
  kind: SpeechKind
  languages: ModelEntry['languages']
  isStarter: boolean
  decoding: DecodingOptions
  alignmentHeads: ModelEntry['alignmentHeads']
}

/** Names in a folder; none when it does not exist. */
function namesIn (folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return []
    throw error
  }
}

/** The state of a file by its digest. `unknown`: there is no checksum to compare. `unread`: not read yet. */
export type Finding = { state: 'unknown' | 'right' | 'unread' } | { state: 'wrong', fault: string }

/**
 * The models in `modelsDir` and the bundled ones. A manifest in `modelsDir` replaces the bundled one; models that a person added are listed
 * beside it. Files with a wrong digest are never chosen. Throws an Error when a manifest is invalid.
 */
export function createModels (modelsDir: string) {
  const ownDir = resolve(modelsDir)
  const manifestDir = sizeOf(join(ownDir, 'manifest.json')) === undefined ? BUNDLED_MODELS_DIR : ownDir
  const manifest = readManifest(join(manifestDir, 'manifest.json'))
  const digests = createModelDigests(ownDir)
  const local = createLocalModels(ownDir)
  let added: readonly LocalModel[] = local.list()

  /** The added models, newest first. If the list is damaged while the program runs, the last good one is used. */
  function listAdded (): readonly LocalModel[] {
    try {
      added = local.list()
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
    }
    return added
  }

  /** All known models: first those that a person added, then those in the manifest. */
  function entries (): ModelEntry[] {
    const own = listAdded().map(({ entry }) => entry)
    return [...own, ...manifest.models.filter(({ name }) => !own.some((entry) => entry.name === name))]
  }

  /** The bundled folder serves only bundled models; everything else is in the models directory. */
  const pathsOf = (entry: ModelEntry): string[] =>
    [...new Set([ownDir, ...(entry.bundled ? [BUNDLED_MODELS_DIR] : [])])].map((directory) => join(directory, entry.file))

  function locateFile (entry: ModelEntry): string | undefined {
    return pathsOf(entry).find((path) => {
      const size = sizeOf(path)
      return size !== undefined && fitsSize(entry, size)
    })
  }

  /** The path of the model's own file, if it and all parts are there. */
  function locate (entry: ModelEntry): string | undefined {
    return partsOf(entry).every((part) => locateFile(part) !== undefined) ? locateFile(entry) : undefined
  }

  function listInstalled (): InstalledModel[] {
    return entries().flatMap((entry) => {
      const path = locate(entry)
      return path ? [{ entry, path }] : []
    })
  }

  const findPin = (entry: ModelEntry): Pin | undefined => entry.bundled ? undefined : createModelLock(ownDir).find(entry)

  function inspectFile ({ entry, path }: InstalledModel): Finding {
    try {
      const pin = findPin(entry)
      if (!isKnown(entry, pin)) return { state: 'unknown' }
      const facts = digests.find(path)
      if (!facts) return { state: 'unread' }
      const fault = findFault(entry, pin, facts)
      return fault === undefined ? { state: 'right' } : { state: 'wrong', fault }
    } catch (error) {
      // A damaged lock file, or a file that cannot be read.
      if (error instanceof Error) return { state: 'wrong', fault: error.message }
      throw error
    }
  }

  /** The state of an installed model, without waiting: that of its worst file. */
  function inspect (model: InstalledModel): Finding {
    const findings = [model, ...partsOf(model.entry).flatMap((entry) => {
      const path = locateFile(entry)
      return path === undefined ? [] : [{ entry, path }]
    })].map(inspectFile)
    const own = findings[0] ?? { state: 'unknown' }
    return findings.find(({ state }) => state === 'wrong') ?? findings.find(({ state }) => state === 'unread') ?? own
  }

  /** Files that are being read in the background, for later use. */
  const waiting = new Set<string>()
  function isTrusted (model: InstalledModel): boolean {
    const { state } = inspect(model)
    if (state === 'unread' && !waiting.has(model.path)) {
      waiting.add(model.path)
      // A file that cannot be read stays unread and unused; `doctor` says why.
      digests.check(model.path).catch(() => {}).finally(() => { waiting.delete(model.path) })
    }
    return state === 'right' || state === 'unknown'
  }

  /** Files that could not be loaded in their present state. A changed file is tried again. */
  const unusable = new Set<string>()
  const identify = (path: string): string => {
    const { size = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    return `${path} ${size} ${mtimeMs}`
  }

  const listUsable = (): InstalledModel[] => listInstalled().filter((model) => !unusable.has(identify(model.path)) && isTrusted(model))

  /** Names of the added models that a quality prefers. Without a language, models for only some languages do not count. */
  function listPreferred (quality: SttQuality, language: string | undefined): string[] {
    const knows = ({ languages }: ModelEntry): boolean => !languages || (language !== undefined && languages.includes(language))
    return listAdded().filter(({ entry, use }) => use.includes(quality) && knows(entry)).map(({ entry }) => entry.name)
  }

  const isAdded = ({ name }: ModelEntry): boolean => listAdded().some(({ entry }) => entry.name === name)

  /** Among the installed models for which `suits` is true: the quality's first one, else another real one, else the starter. */
  function chooseSuited (quality: SttQuality, suits: (entry: ModelEntry) => boolean, language?: string): ChosenModel | undefined {
    const installed = listUsable().filter(isSpeechModel).filter((model) => suits(model.entry))
    const wanted = manifest.quality[quality]
    const names = [...listPreferred(quality, language), ...wanted.models]
    const preferred = names.map((name) => installed.find(({ entry }) => entry.name === name)).find((model) => model)
    // A Parakeet model that no quality names is not used, so that copying its file here changes no results. Whisper models that were added
    // for other qualities come after those in the manifest.
    const whispers = installed.filter(({ entry }) => entry.kind === 'whisper')
    const others = [...whispers.filter(({ entry }) => !isAdded(entry)), ...whispers.filter(({ entry }) => isAdded(entry))]
    const found = preferred ?? others.find(({ entry }) => !entry.bundled) ?? others[0]
    return found && {
      name: found.entry.name,
      path: found.path,
      kind: found.entry.kind,
      languages: found.entry.languages,
      isStarter: found.entry.bundled === true,
      alignmentHeads: found.entry.alignmentHeads,
      decoding: { ...DEFAULT_DECODING, ...wanted.decoding, ...found.entry.decoding }
    }
  }

  /** The language model to use: the one that a person added last, else the largest one of the manifest. Undefined when there is none. */
  function chooseLanguageModel (): InstalledModel | undefined {
    const usable = listUsable().filter(({ entry }) => entry.kind === 'llm')
    const bytesOf = ({ path }: InstalledModel): number => sizeOf(path) ?? 0
    return usable.find(({ entry }) => isAdded(entry)) ?? usable.sort((a, b) => bytesOf(b) - bytesOf(a))[0]
  }

  /** Embedding models, best first: those that a person added, the newest first, then those of the manifest in its order. */
  const listEmbeddingModels = (): InstalledModel[] => listUsable().filter(({ entry }) => entry.kind === 'embedding')

  /**
   * The models that tell speakers apart: of each kind the one that a person added last, else the first of the manifest. Undefined unless
   * both are there.
   */
  function chooseSpeakerModels (): [segmentation: InstalledModel, embedding: InstalledModel] | undefined {
    const usable = listUsable()
    const [segmentation, embedding] = SPEAKER_KINDS.map((kind) => usable.find(({ entry }) => entry.kind === kind))
    return segmentation && embedding ? [segmentation, embedding] : undefined
  }

  /**
   * The model and decoding options of a quality: its first installed model that knows the language, else any real one, else the starter.
   * Undefined when none can be used.
   */
  function choose (quality: SttQuality, language?: string): ChosenModel | undefined {
    const knows = (languages: readonly string[] | undefined): boolean =>
      language === undefined || !languages || languages.includes(language)
    return chooseSuited(quality, ({ bundled, languages }) => bundled === true || knows(languages), language)
  }

  const listWrongSize = (): ModelEntry[] =>
    entries().flatMap((entry) => [entry, ...partsOf(entry)])
      .filter((entry) => !locateFile(entry) && pathsOf(entry).some((path) => sizeOf(path) !== undefined))

  return {
    manifest,
    entries,
    digests,
    /** The models that a person added. */
    local,
    /** The directory that models are downloaded to. */
    modelsDir: ownDir,
    listInstalled,
    chooseSpeakerModels,
    /** One sentence for each fault in the files of these entries. */
    listFaults (suits: (entry: ModelEntry) => boolean): string[] {
      const wrong = listInstalled().filter(({ entry }) => suits(entry)).map(inspect)
      return [
        ...wrong.flatMap((finding) => finding.state === 'wrong' ? [finding.fault] : []),
        ...listWrongSize().filter(suits).map(({ file }) => `${file} does not have its published size`)
      ]
    },
    locate,
    inspect,
    choose,
    chooseLanguageModel,
    listEmbeddingModels,
    /** Entries whose file has an unexpected size. They count as not installed; `doctor` says why. */
    listWrongSize,
    /** Absolute paths of files and folders that look like models but are in no manifest, so they are not used. */
    listUnlisted (): string[] {
      const files = new Set(entries().map(({ file }) => file.split('/')[0]))
      return namesIn(ownDir)
        .filter((name) => !name.startsWith('.') && !files.has(name))
        .map((name) => join(ownDir, name))
        .filter((path) => sizeOf(/\.(bin|ggml|gguf|onnx|pt|safetensors)$/.test(path) ? path : join(path, 'model.bin')) !== undefined)
        .sort()
    },
    /** Excludes the file until it changes. */
    markUnusable: (path: string): void => { unusable.add(identify(path)) },
    /** True when the choice of a model depends on the language, which then has to be detected first. */
    needsLanguage: (quality: SttQuality): boolean =>
      choose(quality)?.kind === 'parakeet' ||
      listAdded().some(({ entry, use }) => use.includes(quality) && entry.languages !== undefined && locate(entry) !== undefined),
    /**
     * The model that detects the language when the quality's own model cannot: the first in its order that knows all languages, else the
     * starter.
     */
    chooseLanguageDetector: (quality: SttQuality): ChosenModel | undefined =>
      chooseSuited(quality, ({ kind, bundled, languages }) => kind === 'whisper' && (bundled === true || !languages)),
    /** Reads installed files that have a checksum to compare and were not read yet, so that `inspect` and `choose` know the result. */
    async prepare (): Promise<void> {
      for (const model of listInstalled()) if (inspect(model).state === 'unread') await digests.check(model.path).catch(() => {})
    },
    /** What is wrong with an installed file; undefined when its checksum is right or none is known. Always reads the file. */
    async verify (model: InstalledModel): Promise<string | undefined> {
      for (const entry of [model.entry, ...partsOf(model.entry)]) {
        const path = entry === model.entry ? model.path : locateFile(entry)
        if (path === undefined) return `${entry.file} is missing or does not have its published size`
        const facts = await digestFile(path)
        await digests.record(path, facts)
        const fault = findFault(entry, findPin(entry), facts)
        if (fault !== undefined) return fault
      }
      return undefined
    }
  }
}
export type Models = ReturnType<typeof createModels>
