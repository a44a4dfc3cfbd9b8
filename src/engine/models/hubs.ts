/** Which servers models may be downloaded from although they are not on the public internet: those that the administrator named. */
import { allowHostsOf } from '../../domain/addresses.js'
import type { AllowList, AllowLists } from '../../domain/addresses.js'
import { sourcesOf } from './manifest.js'
import type { ModelEntry } from './manifest.js'

type Named = {
  allow: AllowLists
  entries: readonly ModelEntry[]
  /** Stands in for the hub. */
  mirror: string | undefined
  /** The package index. */
  index: string
}

/** `allow`, and for models also the hosts of the manifest, the mirror and the package index. */
export function allowModelHosts ({ allow, entries, mirror, index }: Named): AllowLists {
  const hubs = entries.flatMap(sourcesOf).flatMap((source) => 'hub' in source ? [source.hub] : [])
  const named = [...hubs, index, ...(mirror === undefined ? [] : [mirror])].filter((address) => URL.canParse(address))
  const models: AllowList = [...allow.models, ...allowHostsOf(named.map((address) => new URL(address)))]
  return { ...allow, models }
}
