/** Names and terms that a recording may hold, spelled as the transcript should spell them. */
import { NAME_PATTERN } from './access.js'
import { AppError } from './errors.js'

/** The most terms in one list. */
export const MAX_TERMS = 200
/** The longest term, in characters. */
export const MAX_TERM_LENGTH = 64

/** The rule as a sentence, for OpenAPI. */
export const TERMS_RULE =
  `At most ${MAX_TERMS} names and terms of 1 to ${MAX_TERM_LENGTH} characters, spelled as the transcript should spell them.`

const PRINTABLE = new RegExp(NAME_PATTERN, 'u')

function cleanTerm (given: string): string {
  const term = given.normalize('NFC').replace(/\s+/gu, ' ').trim()
  const length = [...term].length
  if (length < 1 || length > MAX_TERM_LENGTH) {
    throw new AppError('invalid_request', `Each of the terms must have 1 to ${MAX_TERM_LENGTH} characters. One has ${length}.`)
  }
  if (!PRINTABLE.test(term) || !/[\p{L}\p{N}]/u.test(term)) {
    throw new AppError('invalid_request', 'Each of the terms must have a letter or a digit, and no control characters.')
  }
  return term
}

/** Cleans a list for storage: composed characters, single spaces, no duplicates, order unchanged. Throws `invalid_request`. */
export function cleanTerms (given: readonly string[]): string[] {
  const terms = [...new Set(given.map(cleanTerm))]
  if (terms.length > MAX_TERMS) {
    throw new AppError('invalid_request', `There may be at most ${MAX_TERMS} terms in a list. This one has ${terms.length}.`)
  }
  return terms
}

/** Parses a line such as `Dashwood, Ada Lovelace`. Throws `invalid_request`. */
export function parseTerms (line: string): string[] {
  return cleanTerms(line.split(',').filter((term) => term.trim() !== ''))
}

/** Merges two clean lists. The result may hold twice `MAX_TERMS`. */
export function mergeTerms (first: readonly string[], second: readonly string[]): string[] {
  return [...new Set([...first, ...second])]
}
