/** Finds and replaces text in a transcript. Pure. */
import { AppError } from './errors.js'
import { requireLength } from './lengths.js'

/** The longest texts to find and to put in place, in characters. */
export const MAX_FIND_LENGTH = 200
export const MAX_REPLACE_LENGTH = 500

/** `matchCase`: upper and lower case differ. `wholeWords`: not inside of longer words. */
export type Finding = { find: string, matchCase?: boolean | undefined, wholeWords?: boolean | undefined }

const SPECIAL = /[\\^$.*+?()[\]{}|/]/gu
const INSIDE_WORD = '[\\p{L}\\p{N}\\p{M}_]'

/**
 * A pattern that finds the text as it is; every run of white space in it finds any. Throws `invalid_request` for a text of white space
 * only, or one that is too long.
 */
export function toPattern ({ find, matchCase = false, wholeWords = false }: Finding): RegExp {
  requireLength(find, { min: 1, max: MAX_FIND_LENGTH }, 'find')
  const parts = find.normalize('NFC').trim().split(/\s+/u)
  if (parts.join('') === '') throw new AppError('invalid_request', 'find: has no visible characters')
  const text = parts.map((part) => part.replace(SPECIAL, '\\$&')).join('\\s+')
  return new RegExp(wholeWords ? `(?<!${INSIDE_WORD})${text}(?!${INSIDE_WORD})` : text, matchCase ? 'gu' : 'giu')
}

/** How often the pattern is found, and the text after the replacement, in which `$` has no meaning. */
export function replaceIn (text: string, pattern: RegExp, replacement: string): { count: number, text: string } {
  let count = 0
  const replaced = text.normalize('NFC').replace(pattern, () => {
    count++
    return replacement
  })
  return { count, text: count === 0 ? text : replaced }
}
