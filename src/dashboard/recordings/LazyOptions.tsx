/** The options for new recordings: what they are made of is not part of the first load. */
import { lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '../i18n/index.tsx'

export const OptionsDialog =
  lazyRouteComponent(async () => await withTexts('options', import('./OptionsDialog.tsx')), 'OptionsDialog')
export const NextLine = lazyRouteComponent(async () => await withTexts('options', import('./NextLine.tsx')), 'NextLine')
