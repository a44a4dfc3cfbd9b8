/** What asks and tells how recordings are added: loaded together, because nearly all of it is the same. */
export { AddressDialog } from './AddressDialog.tsx'
export { NextLine } from './NextLine.tsx'
export { OptionsDialog } from './OptionsDialog.tsx'
