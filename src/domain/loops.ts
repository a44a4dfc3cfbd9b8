/** Repeat loops: a decoder that no longer follows the sound repeats the same words. */
import { UNSPACED } from './scripts.js'

/** A phrase of up to `words` words is a loop when it occurs `times` times in a row. Fewer repeats are normal: "no, no, no, no". */
const LOOP_TIMES: ReadonlyArray<{ words: number; times: number }> = [
  { words: 1, times: 8 },
  { words: 3, times: 4 },
  { words: 12, times: 3 }
]
/** Text whose size is more than 2.4 times its deflated size repeats itself: the limit of OpenAI's transcribe.py. */
const MAX_COMPRESSION_RATIO = 2.4
/** Shorter text compresses by chance. */
const MIN_RATIO_BYTES = 120

const UNITS = new RegExp(String.raw`${UNSPACED.source}|[\p{L}\p{M}\p{N}'’]+`, 'gu')

/** The words of a text in lower case, or the characters of scripts without spaces. */
export function toUnits (text: string): string[] {
  return text.toLowerCase().match(UNITS) ?? []
}

/** The most times that a phrase of `length` units occurs in a row. */
function mostRepeats (units: readonly string[], length: number): number {
  let most = 0
  let equal = 0
  for (let i = length; i < units.length; i++) {
    equal = units[i] === units[i - length] ? equal + 1 : 0
    most = Math.max(most, Math.floor(equal / length) + 1)
  }
  return units.length >= length ? Math.max(most, 1) : 0
}

/** True when a window's text repeats a phrase. `deflatedBytes`: the size of the text after deflate. */
export function isLoop (text: string, deflatedBytes: number): boolean {
  const bytes = Buffer.byteLength(text)
  if (bytes >= MIN_RATIO_BYTES && bytes > MAX_COMPRESSION_RATIO * deflatedBytes) return true
  const units = toUnits(text)
  let length = 1
  for (const { words, times } of LOOP_TIMES) {
    for (; length <= words; length++) if (mostRepeats(units, length) >= times) return true
  }
  return false
}
