/** Joins recordings into one, because long recordings show faults that short ones do not. */
import { join } from 'node:path'
import { readSamples, writeRecording } from './machine/ffmpeg.js'
import type { Recording } from './folder.js'
import type { Place } from './transcribe.js'

/** `parts`: the recordings in it, in order. */
export type Joined = { recording: Recording, parts: Recording[] }

/**
 * Joins all recordings with a reference into one of 16 kHz, mono, without pauses between them. It is counted in words, unless all of them
 * are counted in characters. A recording that cannot be read is left out, and the log says so. Undefined if fewer than two are left.
 */
export async function joinRecordings (recordings: readonly Recording[], { scratch, log }: Place): Promise<Joined | undefined> {
  const parts: Recording[] = []
  const pieces: Int16Array[] = []
  for (const recording of recordings) {
    if (!recording.reference) continue
    try {
      pieces.push(await readSamples(recording.path, join(scratch, 'piece.raw')))
      parts.push(recording)
    } catch (error) {
      log(`${recording.name} is not in the joined recording: ${(error as Error).message}`)
    }
  }
  if (parts.length < 2) return undefined
  const samples = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  return { parts, recording: describe(parts, await writeRecording(samples, 1, join(scratch, 'joined.wav'))) }
}

function describe (parts: readonly Recording[], path: string): Recording {
  const references = parts.flatMap(({ reference }) => reference ?? [])
  const languages = new Set(parts.map(({ language }) => language))
  const [language] = languages
  const unit = references.every((reference) => reference.unit === 'character') ? 'character' : 'word'
  return {
    name: `${parts.length} recordings joined`,
    path,
    reference: { text: references.map(({ text }) => text).join('\n'), unit },
    ...(languages.size === 1 && language !== undefined && { language })
  }
}
