/** The native addon with the starter model, and audio for it. */
import { execFileSync } from 'node:child_process'
import { loadAddon } from '../../dist/native/addon.js'
import type { LoadOptions, NativeState, NativeTranscript, TranscribeOptions } from '../../dist/native/addon.js'
import { STARTER_MODEL } from './paths.ts'

export const RATE_HZ = 16_000

export const OPTIONS: TranscribeOptions = {
  language: 'en', threads: 1, beamSize: 5, bestOf: 5, temperature: 0, temperatureStep: 0.2, entropyThreshold: 2.4, logProbThreshold: -1,
  noSpeechThreshold: 0.6, contextTokens: 0, suppressNonSpeech: false, prompt: '', terms: [], minTailMs: 1000
}
export const GREEDY: TranscribeOptions = { ...OPTIONS, beamSize: 1, bestOf: 1, temperatureStep: 0 }

export const addon = loadAddon()

export function decode (file: string): Float32Array<ArrayBuffer> {
  const args = ['-nostdin', '-v', 'error', '-i', file, '-vn', '-ac', '1', '-ar', String(RATE_HZ), '-f', 's16le', 'pipe:1']
  const bytes = execFileSync('ffmpeg', args, { maxBuffer: 1e8 })
  return Float32Array.from(new Int16Array(new Uint8Array(bytes).buffer), (sample) => sample / 32768)
}

/** A state that is freed with the test. */
export function openState (test: { teardown: (stop: () => void) => unknown }, options: LoadOptions = { gpu: false }): NativeState {
  const model = addon.loadModel(STARTER_MODEL, options)
  const state = model.createState()
  model.free()
  test.teardown(() => state.free())
  return state
}

export const toText = ({ segments }: NativeTranscript): string =>
  Buffer.from(segments.flatMap(({ tokens }) => tokens.map(({ bytes }) => bytes)).join(''), 'latin1').toString()

export const toWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}']+/gu) ?? []
