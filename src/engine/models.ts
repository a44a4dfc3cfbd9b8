/** The model manifest: which models exist, which are installed, which one a quality means. */
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import Type from 'typebox'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import type { SttQuality } from '../domain/job.js'
import type { DecodingOptions } from '../workers/protocol.js'
import { digestFile } from './model-files.js'
import { createModelLock, findFault } from './model-lock.js'

/** What comes with the program: the manifest and the starter models. */
export const BUNDLED_MODELS_DIR = fileURLToPath(new URL('../../models', import.meta.url))

const Decoding = Type.Object({
  beamSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  bestOf: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  temperatureStep: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  contextTokens: Type.Optional(Type.Integer({ minimum: 0, maximum: 224 }))
}, { additionalProperties: false })

const ModelEntry = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]*$' }),
  kind: Type.Enum(['whisper', 'parakeet']),
  /** Path under a models directory. */
  file: Type.String({ pattern: '^(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9._/-]*$' }),
  bytes: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Where the exact size is not known; shown, never checked. */
  approximateBytes: Type.Optional(Type.Integer({ minimum: 1 })),
  sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  /** whisper.cpp publishes SHA-1 sums of its files; they are checked where nothing better is known. */
  sha1: Type.Optional(Type.String({ pattern: '^[0-9a-f]{40}$' })),
  url: Type.Optional(Type.String()),
  licence: Type.String(),
  /** Who made it, in the words that go along with a copy. */
  attribution: Type.Optional(Type.String()),
  /** ISO 639-1 codes, when it knows only these. */
  languages: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]{2,3}$' }), { minItems: 1 })),
  /** Shown wherever a person meets the model. */
  note: Type.Optional(Type.String()),
  bundled: Type.Optional(Type.Boolean()),
  decoding: Type.Optional(Decoding),
  /** Heads of the decoder's attention that follow the sound: a name of whisper.cpp's table, or pairs of layer and head. Words are timed by them. */
  alignmentHeads: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]))]))
}, { additionalProperties: false })
export type ModelEntry = Static<typeof ModelEntry>

const Quality = Type.Object({
  /** Names, best first: the first one installed is used. */
  models: Type.Array(Type.String()),
  decoding: Decoding
}, { additionalProperties: false })

const ModelSet = Type.Object({
  models: Type.Array(Type.String(), { minItems: 1 }),
  /** For whom, in a few words. */
  for: Type.String()
}, { additionalProperties: false })

const Manifest = Type.Object({
  version: Type.Literal(1),
  /** Models that go well together. */
  sets: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]*$' }), ModelSet)),
  quality: Type.Object({ fast: Quality, balanced: Quality, accurate: Quality }, { additionalProperties: false }),
  models: Type.Array(ModelEntry)
}, { additionalProperties: false })
export type Manifest = Static<typeof Manifest>

/** whisper.cpp's own defaults for what neither the quality nor the model says. */
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
/** `isStarter`: the model that came with the program, which a person must be told about. */
export type ChosenModel = { name: string, path: string, kind: ModelEntry['kind'], languages: ModelEntry['languages'], isStarter: boolean, decoding: DecodingOptions, alignmentHeads: ModelEntry['alignmentHeads'] }

function readJson (path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`models manifest: ${path} is not JSON`, { cause })
  }
}

/** Reads a manifest. Throws an Error that names what is wrong with it. */
export function readManifest (path: string): Manifest {
  const parsed = readJson(path)
  const [fault] = Value.Errors(Manifest, parsed)
  if (fault) throw new Error(`models manifest: ${fault.instancePath || '/'} ${fault.message}`)
  const manifest = parsed as Manifest
  const silent = manifest.models.find(({ kind, languages }) => kind === 'parakeet' && !languages)
  if (silent) throw new Error(`models manifest: ${silent.name} must have languages: no Parakeet model knows all`)
  return manifest
}

function fileSize (path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
}

/**
 * The models under `modelsDir`, then those that come with the program. A manifest in `modelsDir` replaces the bundled one.
 */
export function createModels (modelsDir: string) {
  const directories = [...new Set([resolve(modelsDir), BUNDLED_MODELS_DIR])]
  const manifestDir = directories.find((directory) => fileSize(join(directory, 'manifest.json')) !== undefined) ?? BUNDLED_MODELS_DIR
  const manifest = readManifest(join(manifestDir, 'manifest.json'))

  const pathsOf = (entry: ModelEntry): string[] => directories.map((directory) => join(directory, entry.file))

  function locate (entry: ModelEntry): string | undefined {
    return pathsOf(entry).find((path) => {
      const size = fileSize(path)
      return size !== undefined && (entry.bytes === undefined || size === entry.bytes)
    })
  }

  function listInstalled (): InstalledModel[] {
    return manifest.models.flatMap((entry) => {
      const path = locate(entry)
      return path ? [{ entry, path }] : []
    })
  }

  /** Files that could not be loaded as they are now; one that changes gets another chance. */
  const unusable = new Set<string>()
  const identify = (path: string): string => {
    const { size = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    return `${path} ${size} ${mtimeMs}`
  }

  /** Of the models that are installed and `suit`: the first one of the quality, else any other real one, else the starter. */
  function chooseSuited (quality: SttQuality, suits: (entry: ModelEntry) => boolean): ChosenModel | undefined {
    const installed = listInstalled().filter(({ entry, path }) => suits(entry) && !unusable.has(identify(path)))
    const wanted = manifest.quality[quality]
    const preferred = wanted.models.map((name) => installed.find(({ entry }) => entry.name === name)).find((model) => model)
    // A Parakeet model that no quality names is there for another day: putting its file in place changes no result.
    const others = installed.filter(({ entry }) => entry.kind === 'whisper')
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

  return {
    manifest,
    /** Where models are fetched to. */
    modelsDir: resolve(modelsDir),
    listInstalled,
    locate,
    /** Entries whose file is there in another size than published: they count as not installed, and a person should know why. */
    listWrongSize: (): ModelEntry[] => manifest.models.filter((entry) => !locate(entry) && pathsOf(entry).some((path) => fileSize(path) !== undefined)),
    /** Passes the file over from now on, until it changes. */
    markUnusable: (path: string): void => { unusable.add(identify(path)) },
    /** The model and decoding of a quality: its first model that is installed and knows the language, else any real one, else the starter; undefined when none can be used. */
    choose: (quality: SttQuality, language?: string): ChosenModel | undefined =>
      chooseSuited(quality, ({ bundled, languages }) => bundled === true || language === undefined || !languages || languages.includes(language)),
    /** The model that finds out a language for a quality's models that cannot: the first of the same order that knows all of them, else the starter. */
    chooseLanguageDetector: (quality: SttQuality): ChosenModel | undefined =>
      chooseSuited(quality, ({ kind, bundled, languages }) => kind === 'whisper' && (bundled === true || !languages)),
    /** What is wrong with an installed file, or undefined when its checksum is right, or nobody published and nothing pinned one. */
    async verify ({ entry, path }: InstalledModel): Promise<string | undefined> {
      const directory = directories.find((one) => join(one, entry.file) === path)
      return findFault(entry, directory === undefined ? undefined : createModelLock(directory).find(entry), await digestFile(path))
    }
  }
}
export type Models = ReturnType<typeof createModels>
