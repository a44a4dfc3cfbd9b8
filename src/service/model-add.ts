/** Adds a model that is in no manifest. */
import { join, relative } from 'node:path'
import type { SttQuality } from '../domain/job.js'
import { isNoRoom } from '../domain/errors.js'
import { ModelError, NoRoomError } from '../domain/model-error.js'
import { makeFolder, moveInto, removeFile, removeFolder } from '../engine/models/files.js'
import { recogniseModel, stageModel } from '../engine/models/intake.js'
import type { FileOffer, Staged } from '../engine/models/intake.js'
import { findFault, isKnown } from '../engine/models/lock.js'
import type { ModelLock } from '../engine/models/lock.js'
import type { ModelEntry } from '../engine/models/manifest.js'
import type { Models, SpeakerKind, SpeechKind } from '../engine/models/models.js'
import type { Trial } from '../engine/speech/trial.js'
import type { EmbeddingModelFiles } from '../engine/text/embedding-models.js'
import type { LanguageModelTrial } from '../engine/text/llm/trial.js'
import { createEmbeddingAdd } from './embedding-add.js'
import type { Watcher } from './model-library.js'
import { makePin } from './model-pull.js'

/** `use`: the qualities that prefer this model over all others. */
export type Addition = {
  name: string
  /** What decodes it. Ignored for GGUF files (language models) and ONNX files (speaker models). */
  kind: SpeechKind
  languages?: string[] | undefined
  licence: string
  use: readonly SttQuality[]
}

type Deps = {
  models: Models
  lock: ModelLock
  /** A ggml file with 80 mel bands, whose filters converted models get. */
  filtersFrom: string
  tryModel: (trial: Trial, scratch: string) => Promise<void>
  tryLanguageModel: (path: string) => Promise<LanguageModelTrial>
  trySpeakerModel: (path: string) => Promise<SpeakerKind>
  tryEmbeddingModel: (files: EmbeddingModelFiles) => Promise<void>
  now: () => number
}

const STAGE = '.add'
/** The ending of an added file. */
const ENDINGS: Readonly<Record<FileOffer['kind'], string>> = { ggml: 'bin', ctranslate2: 'bin', gguf: 'gguf', onnx: 'onnx' }
/** What the command line has where no licence was given. */
const UNKNOWN_LICENCE = 'unknown'

export function createModelAdd ({ models, lock, filtersFrom, tryModel, tryLanguageModel, trySpeakerModel, tryEmbeddingModel, now }: Deps) {
  const { modelsDir } = models
  const addEmbeddingModel = createEmbeddingAdd({ models, lock, tryEmbeddingModel, now })

  function refuseName ({ name, kind, languages }: Addition): void {
    if (models.entries().some((entry) => entry.name === name)) {
      const isOwn = models.local.list().some(({ entry }) => entry.name === name)
      const advice = isOwn ? `, or first: stenobox models remove ${name}` : ''
      throw new ModelError(`a model named ${name} already exists; choose another name${advice}`)
    }
    const lacksLanguages = kind === 'parakeet' && !languages
    if (lacksLanguages) {
      throw new ModelError('a Parakeet model needs --languages: it knows only some, and cannot detect which one is spoken')
    }
  }

  /** The manifest entry with these weights, if any. */
  const findPublished = ({ facts }: Staged): ModelEntry | undefined =>
    models.entries().find((entry) => isKnown(entry, undefined) && findFault(entry, undefined, facts) === undefined)

  /** Where the model's file goes. A ggml file already in the models directory stays where it is. */
  function placeOf (offer: FileOffer, name: string): { file: string, stays: boolean } {
    const inside = relative(modelsDir, offer.path)
    const stays = offer.kind !== 'ctranslate2' && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(inside)
    return { stays, file: stays ? inside : `added/${name}.${ENDINGS[offer.kind]}` }
  }

  async function installPublished (entry: ModelEntry, staged: Staged): Promise<string> {
    if (entry.bundled) throw new ModelError(`these are the weights of ${entry.name}, which comes with the program`)
    const target = join(modelsDir, entry.file)
    await moveInto(staged.path, target)
    await lock.put(makePin(entry, staged.facts, 'added by hand', now()))
    await models.digests.record(target, staged.facts)
    return `these are the weights of ${entry.name} from the manifest; installed under that name`
  }

  /** Puts the file in its place and lists it. */
  async function install (
    offer: FileOffer, staged: Staged, name: string, more: Pick<ModelEntry, 'kind' | 'licence' | 'languages' | 'alignmentHeads'>,
    use: readonly SttQuality[]
  ): Promise<string> {
    const { file, stays } = placeOf(offer, name)
    const target = join(modelsDir, file)
    const { bytes, sha256 } = staged.facts
    if (stays) await removeFile(staged.path)
    else await moveInto(staged.path, target)
    await models.digests.record(target, staged.facts)
    await models.local.put([{ entry: { name, file, bytes, sha256, note: 'added by hand', ...more }, use: [...use] }])
    return `${name} is installed: ${bytes} bytes, SHA-256 ${sha256}.`
  }

  async function addSpeechModel (
    offer: FileOffer, staged: Staged, { name, kind, languages, licence, use }: Addition, watcher: Watcher
  ): Promise<void> {
    watcher.note('trying it on four seconds of sound')
    const { path, alignmentHeads } = staged
    await tryModel({ path, alignmentHeads, kind, languages }, join(modelsDir, STAGE, 'sound.pcm'))
    const optional = { ...(languages ? { languages } : {}), ...(alignmentHeads === undefined ? {} : { alignmentHeads }) }
    const said = await install(offer, staged, name, { kind, licence, ...optional }, use)
    const whatFor = languages ? `for ${languages.join(', ')}` : 'for every language'
    const where = use.length > 0 ? `It is the first choice for ${use.join(', ')}, ${whatFor}` : 'No quality uses it'
    watcher.end(`${said} ${where}`)
  }

  async function addLanguageModel (
    offer: FileOffer, staged: Staged, { name, languages, licence }: Addition, watcher: Watcher
  ): Promise<void> {
    watcher.note('trying it: it has to answer a question')
    const facts = await tryLanguageModel(staged.path)
    const known = licence === UNKNOWN_LICENCE ? facts.licence ?? licence : licence
    const said = await install(offer, staged, name, { kind: 'llm', licence: known, ...(languages ? { languages } : {}) }, [])
    watcher.end(`${said} It is a language model (${facts.architecture}) and makes summaries, chapters, quotes and posts from now on`)
  }

  async function addSpeakerModel (offer: FileOffer, staged: Staged, { name, licence }: Addition, watcher: Watcher): Promise<void> {
    watcher.note('trying it on some seconds of sound')
    const kind = await trySpeakerModel(staged.path)
    const other = kind === 'speaker-embedding' ? 'speaker-segmentation' : 'speaker-embedding'
    const said = await install(offer, staged, name, { kind, licence }, [])
    watcher.end(`${said} It is a ${kind} model, and is used from now on if a ${other} model is installed too`)
  }

  /**
   * Adds a ggml file, a faster-whisper folder, a GGUF file, an ONNX file or the folder of an embedding model: converts it, tries it, and
   * lists it as a local model. Call it while holding the directory's lock. Throws `ModelError`; nothing is installed then.
   */
  return async function add (given: string, addition: Addition, watcher: Watcher): Promise<void> {
    const offer = await recogniseModel(given)
    refuseName(addition)
    const stage = join(modelsDir, STAGE)
    try {
      await removeFolder(stage)
      await makeFolder(stage)
      watcher.begin(`reading ${given}`)
      if (offer.kind === 'embedding') return await addEmbeddingModel(offer.path, join(stage, 'model'), addition, watcher)
      const staged = await stageModel(offer, join(stage, 'ggml.bin'), filtersFrom, watcher.progress)
      const published = findPublished(staged)
      if (published) return watcher.end(await installPublished(published, staged))
      const adders = { ggml: addSpeechModel, ctranslate2: addSpeechModel, gguf: addLanguageModel, onnx: addSpeakerModel }
      await adders[offer.kind](offer, staged, addition, watcher)
    } catch (error) {
      throw isNoRoom(error) ? new NoRoomError(`the disk of ${modelsDir} is full; nothing was installed`, { cause: error }) : error
    } finally {
      await removeFolder(stage)
    }
  }
}
