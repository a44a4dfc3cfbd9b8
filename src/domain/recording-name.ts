/** What a recording is called: one line of text, cleaned in one place. */
import { requireLength } from './lengths.js'

/** Characters of a name. */
export const MAX_RECORDING_NAME_LENGTH = 255

declare const cleaned: unique symbol
/** One line without control characters or surrounding white space, 1 to 255 characters. Only the functions of this file make one. */
export type RecordingName = string & { readonly [cleaned]: true }

/** Stands in for a name that has no visible character. */
export const UNNAMED = 'recording' as RecordingName

/** Half of a surrogate pair, which no UTF-8 can hold. */
const HALF = /\p{Cs}/gu
const WHITE_OR_CONTROL = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu

/** A run of spaces stays as it is; one that holds a line break or a control character becomes one space. */
const toSpaces = (run: string): string => /^\p{Zs}+$/u.test(run) ? run : ' '

/** Any text as a name, cut to 255 characters; undefined when nothing is left of it. */
export function toRecordingName (text: string | undefined): RecordingName | undefined {
  const line = text?.replace(HALF, '\ufffd').replace(WHITE_OR_CONTROL, toSpaces).trim()
  return line ? [...line].slice(0, MAX_RECORDING_NAME_LENGTH).join('').trim() as RecordingName : undefined
}

/** The name that a caller gives as `fileName`; undefined when it shows nothing. Throws `invalid_request` when it is empty or too long. */
export function parseRecordingName (text: string): RecordingName | undefined {
  requireLength(text, { min: 1, max: MAX_RECORDING_NAME_LENGTH }, 'fileName')
  return toRecordingName(text)
}
