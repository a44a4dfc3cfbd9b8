/** Voice prints and speaker turns on a thread of their own. The weights are loaded once; no state is kept between pieces. */
import { statSync } from 'node:fs'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { BYTES_PER_SAMPLE, SAMPLES_PER_MS } from '../domain/audio.js'
import { OBSERVED_FRAME_MS, packObservation } from '../domain/speaker-observation.js'
import type { ObservedWindow } from '../domain/speaker-observation.js'
import { findSpeakerTurns } from '../domain/speaker-turns.js'
import type { SpeakerEvidence } from '../domain/speaker-turns.js'
import type { SpeakerTurn } from '../domain/speaker.js'
import { SpeechError } from '../domain/speech-error.js'
import { findSpeechRuns } from '../domain/speech-spans.js'
import { readPcm } from './pcm.js'
import type { ObserveSpeakersInput } from './protocol.js'
import { serve, serveAsync } from './serve.js'
import { hear } from './speech-detection.js'

/** The network was exported for windows of this length: 1.615 s. */
const WINDOW_SAMPLES = 25_840
/** From one window to the next. */
const HOP_SAMPLES = 400 * SAMPLES_PER_MS
/** Windows that run at once. The flag that stops the work is read between batches. */
const BATCH = 8
/** Sound around the piece that its windows and the detector may see. */
const CONTEXT_MS = 1024
const DIP_FRAMES = 3

let held: { path: string, session: Promise<InferenceSession> } | undefined

async function sessionFor (path: string): Promise<InferenceSession> {
  if (held?.path !== path) {
    const session = InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1, executionProviders: ['cpu'] })
    held = { path, session }
  }
  try {
    return await held.session
  } catch (cause) {
    held = undefined
    throw new SpeechError('model_unavailable', `the speaker model cannot be loaded: ${(cause as Error).message}`, { cause })
  }
}

function stopIfAsked (abort: Int32Array): void {
  if (Atomics.load(abort, 0) !== 0) throw new SpeechError('aborted', 'stopped')
}

/** Samples in the file; 0 when it is missing, which reading then reports. */
const lengthOf = (audioPath: string): number => Math.floor((statSync(audioPath, { throwIfNoEntry: false })?.size ?? 0) / BYTES_PER_SAMPLE)

/** Where windows begin, in samples of the sound: over each run of speech, evenly. */
function placeWindows (runs: ReadonlyArray<{ start: number, end: number }>, samples: number): number[] {
  const last = Math.max(0, samples - WINDOW_SAMPLES)
  return runs.flatMap(({ start, end }) => {
    const room = end - start - WINDOW_SAMPLES
    if (room <= 0) return [Math.round((start + end - WINDOW_SAMPLES) / 2)]
    const steps = Math.ceil(room / HOP_SAMPLES)
    return Array.from({ length: steps + 1 }, (_, step) => start + Math.round(room * step / steps))
  }).map((start) => Math.min(last, Math.max(0, start)))
}

/** Voice prints of windows that begin at these samples. Sound that is shorter than a window is padded with silence. */
async function embed (session: InferenceSession, pcm: Float32Array, starts: readonly number[], abort: Int32Array): Promise<Float32Array[]> {
  const voices: Float32Array[] = []
  for (let first = 0; first < starts.length; first += BATCH) {
    stopIfAsked(abort)
    const batch = starts.slice(first, first + BATCH)
    const wav = new Float32Array(batch.length * WINDOW_SAMPLES)
    for (const [index, start] of batch.entries()) wav.set(pcm.subarray(start, start + WINDOW_SAMPLES), index * WINDOW_SAMPLES)
    const { embedding } = await session.run({ wav: new Tensor('float32', wav, [batch.length, WINDOW_SAMPLES]) })
    const values = embedding?.data as Float32Array
    const dimensions = values.length / batch.length
    for (let index = 0; index < batch.length; index++) voices.push(values.slice(index * dimensions, (index + 1) * dimensions))
    embedding?.dispose()
  }
  return voices
}

/** Loads the weights. Rejects with `SpeechError`: model_unavailable. */
export const prepareSpeakers = serveAsync(async ({ modelPath }: { modelPath: string }): Promise<undefined> => {
  await sessionFor(modelPath)
  return undefined
})

/** Looks at one piece. Rejects with `SpeechError`: aborted, audio_missing, model_unavailable, internal_error. */
export const observeSpeakers = serveAsync(async (input: ObserveSpeakersInput): Promise<Uint8Array> => {
  const { audioPath, abort, modelPath } = input
  stopIfAsked(abort)
  const session = await sessionFor(modelPath)
  const length = lengthOf(audioPath)
  const startSample = Math.max(0, input.startMs - CONTEXT_MS) * SAMPLES_PER_MS
  const endSample = Math.max(startSample, Math.min(length, (input.endMs + CONTEXT_MS) * SAMPLES_PER_MS))
  const pcm = readPcm({ audioPath, spans: [{ startSample, endSample }] })
  const offsetMs = startSample / SAMPLES_PER_MS
  const frame = OBSERVED_FRAME_MS * SAMPLES_PER_MS
  const { likely } = hear(pcm)
  const runs = findSpeechRuns(likely, DIP_FRAMES).map(({ start, end }) => ({ start: start * frame, end: end * frame }))
  const centreMs = (start: number): number => offsetMs + (start + WINDOW_SAMPLES / 2) / SAMPLES_PER_MS
  const starts = placeWindows(runs, pcm.length).filter((start) => centreMs(start) >= input.startMs && centreMs(start) < input.endMs)
  const voices = await embed(session, pcm, starts, abort)
  const windows = starts.map((start, index): ObservedWindow => ({
    startMs: Math.round(offsetMs + start / SAMPLES_PER_MS),
    endMs: Math.round(offsetMs + (start + WINDOW_SAMPLES) / SAMPLES_PER_MS),
    voice: voices[index]!
  }))
  const lead = (input.startMs - offsetMs) / OBSERVED_FRAME_MS
  const probabilities = likely.slice(lead, lead + Math.ceil((input.endMs - input.startMs) / OBSERVED_FRAME_MS))
  return packObservation({ startMs: input.startMs, endMs: input.endMs, probabilities, windows })
})

export const findTurns = serve((input: SpeakerEvidence): SpeakerTurn[] => findSpeakerTurns(input))
