/** The file name of an export. */
import type { RecordingName } from '../domain/recording-name.js'

/** Most systems allow 255 bytes. This leaves room for an extension and for text that browsers add, such as "(1)". */
const MAX_BYTES = 180
/** The extension of a recording, such as `.mp3` or `.webm`, but not the end of "v1.2 of the plan". */
const ENDING = /\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,5}$/i
/** Characters with a special meaning in paths or shells of some system. */
const UNSAFE = /[\\/:*?"<>|]/g
/** Marks that change the direction of writing and can disguise an extension. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function shorten (text: string): string {
  let kept = ''
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > MAX_BYTES) break
    kept += character
  }
  return kept
}

/** A file name for any system: the recording's name with another extension, or `fallback` when nothing is left of the name. */
export function toExportName (recordingName: RecordingName, extension: string, fallback: string): string {
  const safe = recordingName.replace(DIRECTIONS, '').replace(UNSAFE, '_').trim()
  const base = shorten(safe.replace(ENDING, '').replace(/^[.\s]+/, '')).replace(/[.\s]+$/, '')
  return `${base === '' ? fallback : base}.${extension}`
}
