/** Kinds of settings: each parses the text of an environment variable and says what it accepts. Undefined: the text is not valid. */
import { resolve } from 'node:path'
import { PASSWORD_LENGTH } from './domain/access.js'
import { parseAllowEntry } from './domain/addresses.js'
import type { AllowList } from './domain/addresses.js'
import { parseNetwork } from './domain/client-address.js'
import type { Networks } from './domain/client-address.js'

export type Option<T> = { fallback: T, parse (text: string): T | undefined, expected: string | ((text: string) => string) }

export const text = (fallback: string): Option<string> => ({ fallback, parse: (value) => value, expected: 'text' })

export const integer = (fallback: number, min: number, max: number): Option<number> => ({
  fallback,
  expected: `a whole number from ${min} to ${max}`,
  parse (value) {
    const number = Number(value)
    return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined
  }
})

export function oneOf<const T extends string> (fallback: T, ...values: T[]): Option<T> {
  return {
    fallback,
    expected: `one of ${[fallback, ...values].join(', ')}`,
    parse: (value) => [fallback, ...values].find((known) => known === value)
  }
}

/** Empty when not set. */
export const password = (): Option<string> => ({
  fallback: '',
  expected: `${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters long`,
  parse: (value) => [...value].length >= PASSWORD_LENGTH.min && [...value].length <= PASSWORD_LENGTH.max ? value : undefined
})

export const url = (): Option<string> => ({
  fallback: '',
  expected: 'an http or https address',
  parse: (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) ? value.replace(/\/+$/, '') : undefined
})

/** Issuers are compared character by character, so the value is not changed, not even a trailing slash. */
export const issuer = (): Option<string> => ({
  fallback: '',
  expected: 'the address of an issuer exactly as in its tokens: http or https, without query and fragment',
  parse: (value) => url().parse(value) !== undefined && !/[?#]/.test(value) ? value : undefined
})

const splitList = (value: string): string[] => value.split(',').map((entry) => entry.trim()).filter(Boolean)

export const allowList = (): Option<AllowList> => ({
  fallback: [],
  expected: (value) =>
    'addresses, ranges like 10.0.0.0/8 and host names, with commas between; ' +
    `"${splitList(value).find((entry) => !parseAllowEntry(entry))}" is none of these`,
  parse (value) {
    const entries = splitList(value).map(parseAllowEntry)
    return entries.every((entry) => entry !== undefined) ? entries : undefined
  }
})

export const networks = (): Option<Networks> => ({
  fallback: [],
  expected: (value) => 'addresses and ranges like 10.0.0.0/8, with commas between; ' +
    `"${splitList(value).find((entry) => !parseNetwork(entry))}" is neither, or is the range of all addresses`,
  parse (value) {
    const parsed = splitList(value).map(parseNetwork)
    return parsed.every((entry) => entry !== undefined) ? parsed : undefined
  }
})

/** A file that is read again when it changes, so its content is not a value. */
export const filePath = (): Option<string> => ({
  fallback: '',
  expected: 'the path of a file; set it without _FILE',
  parse: (value) => value.includes('-----BEGIN') || value.includes('\n') ? undefined : resolve(value)
})

/** Empty when not set. */
export const token = (): Option<string> => ({
  fallback: '',
  expected: 'at least 16 characters without spaces, for example from: openssl rand -hex 32',
  parse: (value) => /^[\x21-\x7e]{16,512}$/.test(value) ? value : undefined
})
