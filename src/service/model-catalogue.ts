/** Which models and sets there are, by name, and in which state. */
import { join } from 'node:path'
import { STT_QUALITIES } from '../domain/job.js'
import type { SttQuality } from '../domain/job.js'
import { ModelError } from '../domain/model-error.js'
import { suggestNames } from '../domain/suggestions.js'
import { isFile } from '../engine/models/files.js'
import { partsOf } from '../engine/models/manifest.js'
import type { LocalModel, ModelEntry } from '../engine/models/manifest.js'
import type { Models } from '../engine/models/models.js'

export type ModelView = Pick<
  ModelEntry,
  'name' | 'kind' | 'bytes' | 'approximateBytes' | 'licence' | 'attribution' | 'languages' | 'note'
> & {
  /** `damaged`: there is a file, but it is not the model and is not used. */
  state: 'installed' | 'damaged' | 'absent'
  installed: boolean
  bundled: boolean
  /** Added by hand; no manifest has it. */
  added: boolean
  /** Qualities that may use it, and those that use it now. */
  qualities: SttQuality[]
  usedFor: SttQuality[]
  /** True for the language model that makes artifacts now. */
  makesArtifacts: boolean
  /** True for the two models that are now used to tell speakers apart. */
  tellsSpeakers: boolean
  /** True for the embedding model that new indexes are made with. */
  makesVectors: boolean
}
export type SetView = { name: string, for: string, models: string[], installed: boolean, bytes: number, licences: string[] }

export function createModelCatalogue (models: Models) {
  const { manifest, modelsDir } = models
  const sets = manifest.sets ?? {}
  const targetOf = (entry: ModelEntry): string => join(modelsDir, entry.file)
  const findEntry = (name: string): ModelEntry | undefined => models.entries().find((entry) => entry.name === name)
  const findLocal = (name: string): LocalModel | undefined => models.local.list().find(({ entry }) => entry.name === name)

  /** Resolves names to models: a model's name, `set:NAME`, or the name of a set if no model has that name. Throws `ModelError`. */
  function resolveNames (names: readonly string[]): ModelEntry[] {
    const found = names.flatMap((name) => {
      const entry = findEntry(name)
      if (entry) return [entry]
      const set = name.replace(/^set:/, '')
      const members = Object.hasOwn(sets, set) ? sets[set]?.models.map(findEntry) : undefined
      if (members?.every((member) => member !== undefined)) return members
      if (members) throw new ModelError(`the set ${set} contains a model that is not in the manifest; correct the manifest`)
      const near = suggestNames(name, [...models.entries().map((one) => one.name), ...Object.keys(sets).map((one) => `set:${one}`)])
      throw new ModelError(
        `there is no model or set ${JSON.stringify(name)}` +
          (near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '; see: stenobox models list')
      )
    })
    return [...new Set(found)]
  }

  /** The size of all files of a model, if it is known. */
  const bytesOf = (entry: ModelEntry): number | undefined =>
    entry.bytes === undefined ? undefined : partsOf(entry).reduce((sum, part) => sum + (part.bytes ?? 0), entry.bytes)

  function stateOf (entry: ModelEntry | undefined): ModelView['state'] {
    const path = entry && models.locate(entry)
    if (!entry || path === undefined) return entry && isFile(targetOf(entry)) ? 'damaged' : 'absent'
    const { state } = models.inspect({ entry, path })
    return state === 'wrong' || state === 'unread' ? 'damaged' : 'installed'
  }

  function toView (entry: ModelEntry): Omit<ModelView, 'usedFor' | 'makesArtifacts' | 'tellsSpeakers' | 'makesVectors'> {
    const { name, kind, approximateBytes, licence, attribution, languages, note, bundled } = entry
    const local = findLocal(name)
    const bytes = bytesOf(entry)
    return {
      name, kind, licence,
      ...(bytes === undefined ? {} : { bytes }),
      ...(approximateBytes === undefined ? {} : { approximateBytes }),
      ...(attribution === undefined ? {} : { attribution }),
      ...(languages === undefined ? {} : { languages }),
      ...(note === undefined ? {} : { note }),
      state: stateOf(entry),
      installed: stateOf(entry) === 'installed',
      bundled: bundled === true,
      added: local !== undefined,
      qualities: local ? local.use : STT_QUALITIES.filter((quality) => manifest.quality[quality].models.includes(name))
    }
  }

  /** All models and sets. Reads large files that were never read. */
  async function list (): Promise<{ models: ModelView[], sets: SetView[], unlisted: string[] }> {
    await models.prepare()
    const isInstalled = (name: string): boolean => stateOf(findEntry(name)) === 'installed'
    const writer = models.chooseLanguageModel()?.entry.name
    const pair = models.chooseSpeakerModels()
    const embedder = models.listEmbeddingModels()[0]?.entry.name
    const used = new Map(STT_QUALITIES.map((quality) => [quality, models.choose(quality)?.name]))
    return {
      unlisted: models.listUnlisted(),
      models: models.entries().map((entry) => ({
        ...toView(entry),
        usedFor: STT_QUALITIES.filter((quality) => used.get(quality) === entry.name),
        makesArtifacts: entry.name === writer,
        tellsSpeakers: pair?.some((each) => each.entry.name === entry.name) ?? false,
        makesVectors: entry.name === embedder
      })),
      sets: Object.entries(sets).map(([name, set]) => {
        const members = resolveNames([`set:${name}`])
        const bytes = members.reduce((sum, entry) => sum + (bytesOf(entry) ?? entry.approximateBytes ?? 0), 0)
        return {
          name,
          for: set.for,
          models: set.models,
          installed: set.models.every(isInstalled),
          bytes,
          licences: [...new Set(members.map(({ licence }) => licence))]
        }
      })
    }
  }

  /** True for models, and for sets as `set:NAME`. */
  function isKnown (name: string): boolean {
    return findEntry(name) !== undefined || (name.startsWith('set:') && Object.hasOwn(sets, name.slice('set:'.length)))
  }

  return { findLocal, isKnown, list, resolveNames, targetOf }
}
