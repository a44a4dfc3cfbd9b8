/** How hard a password is to guess, in words that help to choose a better one. A rough estimate: the appliance only asks for a length. */
import { PASSWORD_LENGTH } from '../api/agreed.ts'

/** `advice`: what would make it better. */
export type Strength = { level: 'short' | 'weak' | 'fair' | 'good', advice?: 'longer' | 'name' | 'repeats' | 'common' | 'words' }

const COMMON = [
  'password', 'passwort', 'contraseña', 'qwerty', 'qwertz', 'letmein', 'welcome', 'admin', 'stenobox', 'iloveyou', '123456', 'abcdef'
]
/** Passwords with this many bits cannot be guessed, given the limits of sign-in. */
const GOOD_BITS = 60
const FAIR_BITS = 45

/** Characters that repeat or continue the one before ("aaaa", "4567") say nothing new. */
function countSurprises (text: string): number {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0)
  return codes.filter((code, index) => index === 0 || Math.abs(code - (codes[index - 1] ?? 0)) > 1).length
}

function bitsPerCharacter (text: string): number {
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d\s]/u].filter((kind) => kind.test(text)).length
  // Letters of words follow from each other; each further kind makes guessing harder.
  return 2 + kinds * 0.6 + (/\s/.test(text.trim()) ? 0.4 : 0)
}

export function judgePassword (password: string, name: string): Strength {
  const text = password.normalize('NFC').toLocaleLowerCase()
  if ([...text].length < PASSWORD_LENGTH.min) return { level: 'short', advice: 'longer' }
  const own = name.trim().toLocaleLowerCase()
  if (own.length >= 3 && text.includes(own) && text.length - own.length < PASSWORD_LENGTH.min) return { level: 'weak', advice: 'name' }
  const common = COMMON.find((word) => text.includes(word))
  if (common && text.length - common.length < PASSWORD_LENGTH.min) return { level: 'weak', advice: 'common' }
  if (new Set(text).size < 6 || countSurprises(text) < PASSWORD_LENGTH.min / 2) return { level: 'weak', advice: 'repeats' }
  const bits = countSurprises(text) * bitsPerCharacter(password)
  if (bits >= GOOD_BITS) return { level: 'good' }
  return { level: bits >= FAIR_BITS ? 'fair' : 'weak', advice: 'words' }
}
