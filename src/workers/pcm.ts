/** Reads decoded sound from disk. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { BYTES_PER_SAMPLE, toFloatPcm } from '../domain/audio.js'
import { SpeechError } from '../domain/speech-error.js'
import type { AudioSource } from './protocol.js'

function openAudio (path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw new SpeechError('audio_missing', 'decoded audio cannot be opened', { cause })
  }
}

/** How many samples a file has; 0 when it is missing. Reading it then throws audio_missing. */
export const countSamples = (audioPath: string): number =>
  Math.floor((statSync(audioPath, { throwIfNoEntry: false })?.size ?? 0) / BYTES_PER_SAMPLE)

/** The samples of a source as floats in -1..1. Throws `SpeechError`: audio_missing. */
export function readPcm ({ audioPath, spans }: AudioSource): Float32Array<ArrayBuffer> {
  const samples = new Int16Array(spans.reduce((sum, { startSample, endSample }) => sum + endSample - startSample, 0))
  const bytes = new Uint8Array(samples.buffer)
  const file = openAudio(audioPath)
  try {
    let filled = 0
    for (const { startSample, endSample } of spans) {
      const end = filled + (endSample - startSample) * BYTES_PER_SAMPLE
      let position = startSample * BYTES_PER_SAMPLE
      while (filled < end) {
        const count = readSync(file, bytes, filled, end - filled, position)
        if (count === 0) throw new SpeechError('audio_missing', 'decoded audio is shorter than its windows')
        filled += count
        position += count
      }
    }
  } finally {
    closeSync(file)
  }
  return toFloatPcm(samples)
}
