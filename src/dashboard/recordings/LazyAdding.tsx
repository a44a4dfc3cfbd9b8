/** The dialogs for adding recordings: what they are made of is not part of the first load. */
import { lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '../i18n/index.tsx'

const load = async () => await withTexts('options', import('./adding.ts'))

export const AddressDialog = lazyRouteComponent(load, 'AddressDialog')
export const NextLine = lazyRouteComponent(load, 'NextLine')
export const OptionsDialog = lazyRouteComponent(load, 'OptionsDialog')
