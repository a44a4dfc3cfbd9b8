/** Voice activity detection on its own thread. It keeps no state between calls; state travels in the messages. */
import { FRAME_SAMPLES, LEAD_FRAMES, PIECE_FRAMES } from '../domain/speech-spans.js'
import { loadAddon } from '../native/addon.js'
import type { SpeechDetector } from '../native/addon.js'
import { findSileroModel, readSileroTensors } from '../native/silero.js'
import { readPcm } from './pcm.js'
import type { DetectSpeechInput, DetectSpeechOutput } from './protocol.js'
import { NICE, serve } from './serve.js'

/** Length of context, hidden and cell state of the network. */
const STATE_LENGTH = 64 + 128 + 128

/**
 * Level to which the loud frames of a piece are brought, in dB of full scale, and the limits of the gain. Loud speech peaks at this level;
 * anything 60 dB below is converter noise.
 */
const TARGET_DB = -20
const LOUD_SHARE = 0.95
const [MIN_GAIN_DB, MAX_GAIN_DB] = [-10, 40]

let detector: SpeechDetector | undefined

function speechDetector (): SpeechDetector {
  if (!detector) {
    const addon = loadAddon()
    addon.lowerThreadPriority(NICE)
    detector = addon.createSpeechDetector(readSileroTensors(findSileroModel()))
  }
  return detector
}

/** Mean power of each frame, in dB of full scale. */
function measureLevels (pcm: Float32Array): Float32Array {
  return Float32Array.from({ length: pcm.length / FRAME_SAMPLES }, (_, frame) => {
    let sum = 0
    for (let i = frame * FRAME_SAMPLES; i < (frame + 1) * FRAME_SAMPLES; i++) sum += (pcm[i] ?? 0) ** 2
    return 10 * Math.log10(sum / FRAME_SAMPLES + 1e-12)
  })
}

/** Brings a piece to the level that the detector is used to. */
function bringToLevel (pcm: Float32Array, levelsDb: Float32Array): Float32Array {
  const loudDb = levelsDb.toSorted()[Math.floor(LOUD_SHARE * (levelsDb.length - 1))] ?? 0
  const gain = 10 ** (Math.min(MAX_GAIN_DB, Math.max(MIN_GAIN_DB, TARGET_DB - loudDb)) / 20)
  return pcm.map((sample) => Math.min(1, Math.max(-1, gain * sample)))
}

/** The probability of speech in each frame. `pcm`: whole frames. The detector starts without a state. */
export const detectSpeechIn = (pcm: Float32Array): Float32Array => speechDetector()(pcm, new Float32Array(STATE_LENGTH)).probabilities

/** Pads sound to whole frames with silence. */
function toFrames (pcm: Float32Array): Float32Array {
  const whole = new Float32Array(Math.ceil(pcm.length / FRAME_SAMPLES) * FRAME_SAMPLES)
  whole.set(pcm)
  return whole
}

/**
 * The probability of speech in each frame of a window. `likely`: from one detector that reads all of it. `possible`: the maximum of that
 * and of fresh detectors on level-adjusted pieces, which also find quiet voices, and sometimes voices in noise.
 */
export function hear (pcm: Float32Array): { likely: Float32Array, possible: Float32Array } {
  const whole = toFrames(pcm)
  const frames = whole.length / FRAME_SAMPLES
  const likely = speechDetector()(bringToLevel(whole, measureLevels(whole)), new Float32Array(STATE_LENGTH)).probabilities
  const possible = likely.slice()
  for (let first = 0; first < frames; first += PIECE_FRAMES) {
    const from = Math.max(0, first - LEAD_FRAMES)
    const piece = whole.subarray(from * FRAME_SAMPLES, Math.min(frames, first + PIECE_FRAMES) * FRAME_SAMPLES)
    const fresh = speechDetector()(bringToLevel(piece, measureLevels(piece)), new Float32Array(STATE_LENGTH)).probabilities
    for (let frame = first; frame < from + fresh.length; frame++) {
      possible[frame] = Math.max(possible[frame] ?? 0, fresh[frame - from] ?? 0)
    }
  }
  return { likely, possible }
}

export const prepareDetector = serve((): null => {
  speechDetector()
  return null
})

export const detectSpeech = serve((input: DetectSpeechInput): DetectSpeechOutput => {
  const pcm = toFrames(readPcm(input))
  const levels = measureLevels(pcm)
  const lead = input.leadFrames
  const { probabilities, state } = speechDetector()(pcm.subarray(lead * FRAME_SAMPLES), input.state ?? new Float32Array(STATE_LENGTH))
  const fresh = speechDetector()(bringToLevel(pcm, levels), new Float32Array(STATE_LENGTH))
  return { probabilities, freshProbabilities: fresh.probabilities.subarray(lead), levelsDb: levels.subarray(lead), state }
})
