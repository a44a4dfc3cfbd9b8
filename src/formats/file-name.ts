/** The file name of an export. */
import type { RecordingName } from '../domain/recording-name.js'

/** A name has at most 255 bytes on most systems; this leaves room for an ending, and for what a browser adds. */
const MAX_BYTES = 180
/** The ending of a recording: `.mp3`, `.webm`; not the rest of "v1.2 of the plan". */
const ENDING = /\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,5}$/i
/** Characters that paths or shells of some system treat specially. */
const UNSAFE = /[\\/:*?"<>|]/g
/** Marks that change the direction of writing, and can hide the ending of a name. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function shorten (text: string): string {
  let kept = ''
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > MAX_BYTES) break
    kept += character
  }
  return kept
}

/** The recording's name with another ending, as a file name for any system; `fallback` is used when nothing is left of the name. */
export function toExportName (recordingName: RecordingName, extension: string, fallback: string): string {
  const safe = recordingName.replace(DIRECTIONS, '').replace(UNSAFE, '_').trim()
  const base = shorten(safe.replace(ENDING, '').replace(/^[.\s]+/, '')).replace(/[.\s]+$/, '')
  return `${base === '' ? fallback : base}.${extension}`
}
