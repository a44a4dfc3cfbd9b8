/** Names of recordings. All names are cleaned here. */
import { requireLength } from './lengths.js'

/** The longest name, in characters. */
export const MAX_RECORDING_NAME_LENGTH = 255

declare const cleaned: unique symbol
/** One line without control characters or surrounding white space, 1 to 255 characters. Only the functions of this file create it. */
export type RecordingName = string & { readonly [cleaned]: true }

/** Replaces a name that has no visible characters. */
export const UNNAMED = 'recording' as RecordingName

/** A lone surrogate, which UTF-8 cannot encode. */
const HALF = /\p{Cs}/gu
const WHITE_OR_CONTROL = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu

/** Keeps a run of spaces. A run with a line break or a control character becomes one space. */
const toSpaces = (run: string): string => /^\p{Zs}+$/u.test(run) ? run : ' '

/** Turns any text into a name, cut to 255 characters. Undefined when nothing is left after cleaning. */
export function toRecordingName (text: string | undefined): RecordingName | undefined {
  const line = text?.replace(HALF, '\ufffd').replace(WHITE_OR_CONTROL, toSpaces).trim()
  return line ? [...line].slice(0, MAX_RECORDING_NAME_LENGTH).join('').trim() as RecordingName : undefined
}

/** Cleans a caller's `fileName`. Undefined when it has no visible characters. Throws `invalid_request` when it is empty or too long. */
export function parseRecordingName (text: string): RecordingName | undefined {
  requireLength(text, { min: 1, max: MAX_RECORDING_NAME_LENGTH }, 'fileName')
  return toRecordingName(text)
}
