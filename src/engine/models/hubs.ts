/** Servers outside the public internet from which models may be downloaded, because the administrator configured them. */
import { allowHostsOf } from '../../domain/addresses.js'
import type { AllowLists } from '../../domain/addresses.js'
import { partsOf, sourcesOf } from './manifest.js'
import type { ModelEntry } from './manifest.js'

type Named = {
  allow: AllowLists
  entries: readonly ModelEntry[]
  /** Replaces the hub. */
  mirror: string | undefined
  /** The package index. */
  index: string
}

/**
 * The lists of `allow`; for models, also the hosts of the manifest, the mirror and the package index. `addLinked` adds the host of a file
 * that the package index links to: the administrator chose the index, the network may mirror both, and every file has a known digest.
 */
export function allowModelHosts ({ allow, entries, mirror, index }: Named): { allow: AllowLists, addLinked: (url: URL) => void } {
  const files = entries.flatMap((entry) => [entry, ...partsOf(entry)])
  const hubs = files.flatMap(sourcesOf).flatMap((source) => 'hub' in source ? [source.hub] : [])
  const named = [...hubs, index, ...(mirror === undefined ? [] : [mirror])].filter((address) => URL.canParse(address))
  const models = [...allow.models, ...allowHostsOf(named.map((address) => new URL(address)))]
  return { allow: { ...allow, models }, addLinked: (url) => { models.push(...allowHostsOf([url])) } }
}
