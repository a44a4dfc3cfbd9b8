/** Voice activity detection on a thread of its own. Knows nothing between calls: what goes on from one to the next travels with them. */
import { FRAME_SAMPLES } from '../domain/speech-spans.js'
import { loadAddon } from '../native/addon.js'
import type { SpeechDetector } from '../native/addon.js'
import { findSileroModel, readSileroTensors } from '../native/silero.js'
import { readPcm } from './pcm.js'
import type { DetectSpeechInput, DetectSpeechOutput } from './protocol.js'
import { NICE, serve } from './serve.js'

/** Context, hidden and cell state of the network. */
const STATE_LENGTH = 64 + 128 + 128

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

/** How likely someone speaks in each frame of sound that stands alone; the last frame is filled up with silence. */
export function hear (pcm: Float32Array): Float32Array {
  const whole = new Float32Array(Math.ceil(pcm.length / FRAME_SAMPLES) * FRAME_SAMPLES)
  whole.set(pcm)
  return speechDetector()(whole, new Float32Array(STATE_LENGTH)).probabilities
}

export const prepareDetector = serve((): null => {
  speechDetector()
  return null
})

export const detectSpeech = serve((input: DetectSpeechInput): DetectSpeechOutput => {
  const heard = readPcm(input)
  const pcm = new Float32Array(Math.ceil(heard.length / FRAME_SAMPLES) * FRAME_SAMPLES)
  pcm.set(heard)
  return { ...speechDetector()(pcm, input.state ?? new Float32Array(STATE_LENGTH)), levelsDb: measureLevels(pcm) }
})
