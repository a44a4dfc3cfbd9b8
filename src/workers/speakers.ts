/** Voice prints and speaker turns on a thread of their own. The weights are loaded once; no state is kept between pieces. */
import { readFileSync } from 'node:fs'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { SAMPLES_PER_MS } from '../domain/audio.js'
import { OBSERVED_FRAME_MS, OBSERVED_WINDOW_MS, packObservation, toUnitLength } from '../domain/speaker-observation.js'
import { findRegions } from '../domain/speaker-regions.js'
import { findSpeakerTurns } from '../domain/speaker-turns.js'
import { observeWindows } from '../domain/speaker-windows.js'
import type { SpeakerTurn } from '../domain/speaker.js'
import { SpeechError } from '../domain/speech-error.js'
import { FRAME_SAMPLES } from '../domain/speech-spans.js'
import { dot } from '../domain/vectors.js'
import { countSamples, readPcm } from './pcm.js'
import type { FindTurnsInput, ObserveSpeakersInput, SpeakerFiles } from './protocol.js'
import { serve, serveAsync, stopIfAsked } from './serve.js'
import { detectSpeechIn } from './speech-detection.js'

const WINDOW_SAMPLES = OBSERVED_WINDOW_MS * SAMPLES_PER_MS
/** Windows that run at once: 12 take a tenth less time each than 8 or 24. The flag that stops the work is read between batches. */
const BATCH = 12
/** Sound around the piece that its windows and the detector may see. */
const CONTEXT_MS = 2048
/** Level of loud frames, in dB of full scale, at which the detector finds speech and little else. */
const TARGET_DB = -35
const MAX_GAIN_DB = 40
const LOUD_SHARE = 0.95

type Network = { session: InferenceSession, whitening: Float32Array }

let held: { path: string, network: Promise<Network> } | undefined

async function load (modelPath: string, whiteningPath: string): Promise<Network> {
  const session = await InferenceSession.create(modelPath, { intraOpNumThreads: 1, interOpNumThreads: 1, executionProviders: ['cpu'] })
  return { session, whitening: new Float32Array(new Uint8Array(readFileSync(whiteningPath)).buffer) }
}

async function networkFor ({ modelPath, whiteningPath }: SpeakerFiles): Promise<Network> {
  if (held?.path !== modelPath) held = { path: modelPath, network: load(modelPath, whiteningPath) }
  try {
    return await held.network
  } catch (cause) {
    held = undefined
    throw new SpeechError('model_unavailable', `the speaker model cannot be loaded: ${(cause as Error).message}`, { cause })
  }
}

/** Takes out of a voice print what one voice varies in from sentence to sentence, so that only what differs between voices counts. */
function whiten (voice: Float32Array, whitening: Float32Array): Float32Array {
  const size = voice.length
  const out = new Float32Array(size)
  for (let row = 0; row < size; row++) out[row] = dot(whitening.subarray(row * size, (row + 1) * size), voice)
  return toUnitLength(out)
}

/** Raises quiet sound so that its loud frames reach the level at which the detector is sure. Louder sound stays as it is. */
function raise (pcm: Float32Array): Float32Array {
  const frames = Math.floor(pcm.length / FRAME_SAMPLES)
  const levelsDb = Float32Array.from({ length: frames }, (_, frame) => {
    let sum = 0
    for (let i = frame * FRAME_SAMPLES; i < (frame + 1) * FRAME_SAMPLES; i++) sum += pcm[i]! * pcm[i]!
    return 10 * Math.log10(sum / FRAME_SAMPLES + 1e-12)
  }).sort()
  const loudDb = levelsDb[Math.floor(LOUD_SHARE * (frames - 1))] ?? 0
  const gain = 10 ** (Math.min(MAX_GAIN_DB, Math.max(0, TARGET_DB - loudDb)) / 20)
  const whole = new Float32Array(Math.ceil(pcm.length / FRAME_SAMPLES) * FRAME_SAMPLES)
  for (let i = 0; i < pcm.length; i++) whole[i] = Math.min(1, Math.max(-1, gain * pcm[i]!))
  return whole
}

/** Voice prints of windows that begin at these samples. Sound that is shorter than a window is padded with silence. */
async function embed (
  { session, whitening }: Network, pcm: Float32Array, starts: readonly number[], abort: Int32Array
): Promise<Float32Array[]> {
  const voices: Float32Array[] = []
  for (let first = 0; first < starts.length; first += BATCH) {
    stopIfAsked(abort)
    const batch = starts.slice(first, first + BATCH)
    const wav = new Float32Array(batch.length * WINDOW_SAMPLES)
    for (const [index, start] of batch.entries()) {
      const from = Math.max(0, start)
      wav.set(pcm.subarray(from, Math.max(from, start + WINDOW_SAMPLES)), index * WINDOW_SAMPLES + from - start)
    }
    const { embedding } = await session.run({ wav: new Tensor('float32', wav, [batch.length, WINDOW_SAMPLES]) })
    const values = embedding?.data as Float32Array
    const dimensions = values.length / batch.length
    for (let index = 0; index < batch.length; index++) {
      voices.push(whiten(values.subarray(index * dimensions, (index + 1) * dimensions), whitening))
    }
    embedding?.dispose()
  }
  return voices
}

/** Loads the weights. Rejects with `SpeechError`: model_unavailable. */
export const prepareSpeakers = serveAsync(async (files: SpeakerFiles): Promise<undefined> => {
  await networkFor(files)
  return undefined
})

/** Observes one piece. Rejects with `SpeechError`: aborted, audio_missing, model_unavailable, internal_error. */
export const observeSpeakers = serveAsync(async (input: ObserveSpeakersInput): Promise<Uint8Array> => {
  const { audioPath, abort } = input
  stopIfAsked(abort)
  const network = await networkFor(input)
  const length = countSamples(audioPath)
  const startSample = Math.max(0, input.startMs - CONTEXT_MS) * SAMPLES_PER_MS
  const endSample = Math.max(startSample, Math.min(length, (input.endMs + CONTEXT_MS) * SAMPLES_PER_MS))
  const pcm = readPcm({ audioPath, spans: [{ startSample, endSample }] })
  const offsetMs = startSample / SAMPLES_PER_MS
  const heard = detectSpeechIn(raise(pcm))
  const regions = findRegions([{ startMs: offsetMs, probabilities: heard }], OBSERVED_FRAME_MS)
  const windows = await observeWindows(input, regions, async (centresMs) =>
    await embed(network, pcm, centresMs.map((ms) => (ms - offsetMs) * SAMPLES_PER_MS - WINDOW_SAMPLES / 2), abort))
  const lead = (input.startMs - offsetMs) / OBSERVED_FRAME_MS
  const probabilities = heard.slice(lead, lead + Math.ceil((input.endMs - input.startMs) / OBSERVED_FRAME_MS))
  return packObservation({ startMs: input.startMs, endMs: input.endMs, probabilities, windows })
})

/** Finds who talks when. Throws `SpeechError`: aborted, internal_error. */
export const findTurns = serve(({ abort, ...evidence }: FindTurnsInput): SpeakerTurn[] =>
  findSpeakerTurns(evidence, () => { stopIfAsked(abort) }))
