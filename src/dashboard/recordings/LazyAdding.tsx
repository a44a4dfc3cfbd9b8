/** The dialogs for adding recordings: what they are made of is not part of the first load. */
import { lazyPage } from '../api/lazy-page.ts'
import { withTexts } from '../i18n/index.tsx'

const load = async () => await withTexts('options', import('./adding.ts'))

export const AddressDialog = lazyPage(load, 'AddressDialog')
export const NextLine = lazyPage(load, 'NextLine')
export const OptionsDialog = lazyPage(load, 'OptionsDialog')
