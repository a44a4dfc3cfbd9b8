/**
 * Splits texts into tokens. Both scorers and the measurement of times use these tokens.
 *
 * Texts become NFKC and lower case. Apostrophes between letters are dropped. Any other character that is not a letter, a combining mark or
 * a digit separates tokens. Numbers stay as written: "9" and "nine" differ. Languages written without spaces are compared by character
 * (code point), because people disagree about their words.
 */
import { splitWords } from './wer.js'

/** What errors are counted in. */
export type Unit = 'word' | 'character'

const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar', 'Tibetan']
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}]`, 'gu')

/** Character when at least half of the letters belong to a script without spaces. */
export function chooseUnit (text: string): Unit {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const unspaced = text.match(UNSPACED)?.length ?? 0
  return unspaced > 0 && 2 * unspaced >= letters ? 'character' : 'word'
}

export function splitTokens (text: string, unit: Unit): string[] {
  const words = splitWords(text)
  return unit === 'word' ? words : words.flatMap((word) => [...word])
}
