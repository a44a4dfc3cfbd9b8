/** Asks for the web address of a recording, from anywhere on the page. */
import { Suspense, useSyncExternalStore } from 'react'
import { AddressDialog } from './LazyAdding.tsx'

const watchers = new Set<() => void>()
/** What the dialog opens with; undefined: it is closed. */
let asked: string | undefined

function setAsked (next: string | undefined): void {
  asked = next
  for (const tell of watchers) tell()
}
const watch = (tell: () => void): (() => void) => {
  watchers.add(tell)
  return () => { watchers.delete(tell) }
}

/** Opens the dialog with an address, which a person then confirms. */
export const askForAddress = (address = ''): void => { setAsked(address) }

export function AddAddress () {
  const start = useSyncExternalStore(watch, () => asked)
  return start !== undefined && <Suspense><AddressDialog start={start} onClose={() => { setAsked(undefined) }} /></Suspense>
}
