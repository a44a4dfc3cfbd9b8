/** Options for new recordings while somebody changes them: texts as they are typed, which may be wrong. Pure. */
import { LONGEST_TERM, MOST_TERMS } from '../api/agreed.ts'
import { isCount } from './next-options.ts'
import type { NextOptions } from './next-options.ts'

/** Stands for what the appliance decides: no language is called so. */
export const AUTOMATIC = 'auto'

export type Draft = {
  language: string
  quality: 'fast' | 'balanced' | 'accurate'
  channels: 'auto' | 'separate' | 'mixed'
  speakers: 'auto' | 'exact' | 'off'
  /** The number of speakers, as typed. */
  count: string
  /** Special words, separated by commas or lines. */
  words: string
}
export type DraftFaults = { count?: boolean, words?: boolean }

export const toDraft = ({ language, quality, channels, speakers, terms = [] }: NextOptions): Draft => ({
  language: language ?? AUTOMATIC,
  quality: quality ?? 'balanced',
  channels: channels ?? AUTOMATIC,
  speakers: speakers === undefined ? AUTOMATIC : speakers === false ? 'off' : 'exact',
  count: typeof speakers === 'number' ? String(speakers) : '',
  words: terms.join(', ')
})

function toTerms (words: string): string[] | undefined {
  const terms = [...new Set(words.split(/[,;\n]/).map((term) => term.trim()).filter((term) => term !== ''))]
  return terms.length > 0 ? terms : undefined
}

export function faultsOfDraft ({ speakers, count, words }: Draft): DraftFaults {
  const terms = toTerms(words) ?? []
  return {
    count: speakers === 'exact' && !isCount(Number(count)),
    words: terms.length > MOST_TERMS || terms.some((term) => [...term].length > LONGEST_TERM)
  }
}

/** Of a draft without faults. */
export const fromDraft = ({ language, quality, channels, speakers, count, words }: Draft): NextOptions => ({
  language: language === AUTOMATIC ? undefined : language,
  quality: quality === 'balanced' ? undefined : quality,
  channels: channels === AUTOMATIC ? undefined : channels,
  speakers: speakers === 'exact' ? Number(count) : speakers === 'off' ? false : undefined,
  terms: toTerms(words)
})
