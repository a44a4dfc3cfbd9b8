/**
 * Run by the memory benchmark as a separate process: measures weights and decoding states without a server.
 *
 * Arguments: weights, 16 kHz mono s16 WAV, beam size, language. Prints one line of JSON.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { loadAddon } from '../../dist/native/addon.js'
import type { NativeModel, NativeState } from '../../dist/native/addon.js'

const WAV_HEADER_BYTES = 44
const WINDOW_SAMPLES = 30 * 16000

const [weights, wav, beamSize, language] = process.argv.slice(2) as [string, string, string, string]
const pcm = readWindow(wav)
const model: NativeModel = loadAddon().loadModel(weights, { gpu: false })
const loadedBytes = residentBytes()
const first = runState(model)
const oneStateBytes = residentBytes()
const second = runState(model)
console.log(JSON.stringify({ loadedBytes, oneStateBytes, twoStatesBytes: residentBytes() }))
first.free()
second.free()

function runState (of: NativeModel): NativeState {
  const state = of.createState()
  state.transcribe(pcm, {
    language, threads: availableParallelism(), beamSize: Number(beamSize),
    bestOf: 5, temperature: 0, temperatureStep: 0.2, entropyThreshold: 2.4,
    logProbThreshold: -1, noSpeechThreshold: 0.6, contextTokens: 0, suppressNonSpeech: true, prompt: '', terms: [], minTailMs: 1000
  })
  return state
}

function readWindow (path: string): Float32Array {
  const file = readFileSync(path)
  return Float32Array.from({ length: WINDOW_SAMPLES }, (_, index) => file.readInt16LE(WAV_HEADER_BYTES + 2 * index) / 32768)
}

function residentBytes (): number {
  return process.memoryUsage.rss()
}
