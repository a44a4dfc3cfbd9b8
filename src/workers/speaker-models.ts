/**
 * Speakers by pulled models: a segmentation of ten seconds into at most three local speakers who may talk at once, and a voice
 * print of each. Weights are loaded once; no state is kept between pieces. Work can be stopped between two runs of a model.
 */
import { Tensor } from 'onnxruntime-node'
import { SAMPLES_PER_MS } from '../domain/audio.js'
import { createFbank, countFbankFrames, FBANK_BANDS, FBANK_FRAME_SAMPLES, FBANK_SHIFT_SAMPLES, selectFrames } from '../domain/fbank.js'
import {
  countSegments, decodePowerset, FRAME_REACH, FRAME_SHIFT, LOCAL_SPEAKERS, SEGMENT_FRAMES, SEGMENT_SAMPLES, sizeOfSet, STEP_SAMPLES
} from '../domain/powerset.js'
import { packSegments } from '../domain/segment-observation.js'
import type { LocalVoice, ObservedSegment } from '../domain/segment-observation.js'
import { findSegmentTurns } from '../domain/segment-turns.js'
import { toUnitLength } from '../domain/speaker-observation.js'
import type { SpeakerTurn } from '../domain/speaker.js'
import { SpeechError } from '../domain/speech-error.js'
import { loadSpeakerModel } from './onnx-models.js'
import type { LoadedModel } from './onnx-models.js'
import { countSamples, readPcm } from './pcm.js'
import type { FindSegmentTurnsInput, ObserveSegmentsInput, SpeakerModelFiles, SpeakerModelKind } from './protocol.js'
import { serve, serveAsync, stopIfAsked } from './serve.js'

/** The most features of a voice print: 4 s. More take time and add little. */
const MAX_VOICE_FRAMES = 400
/** The fewest features of 10 ms for a voice print. */
const MIN_VOICE_FRAMES = 20
/** With less sound of one speaker alone, sound that others share is used too. */
const MIN_ALONE_FRAMES = 40

type Pair = { segmentation: LoadedModel, embedding: LoadedModel, fbank: (pcm: Float32Array) => Float32Array }

let held: { key: string, pair: Promise<Pair> } | undefined

async function loadAs (path: string, wanted: SpeakerModelKind): Promise<LoadedModel> {
  const { kind, model } = await loadSpeakerModel(path)
  if (kind !== wanted) throw new SpeechError('model_unavailable', `the file of the ${wanted} model is a ${kind} model`)
  return model
}

/** WeSpeaker's models were trained on samples of 16 bits and another window. */
async function loadPair ({ segmentationPath, embeddingPath }: SpeakerModelFiles): Promise<Pair> {
  const segmentation = await loadAs(segmentationPath, 'speaker-segmentation')
  const embedding = await loadAs(embeddingPath, 'speaker-embedding')
  const isWespeaker = embedding.framework === 'wespeaker'
  return { segmentation, embedding, fbank: createFbank(isWespeaker ? { window: 'hamming', scale: 32_768 } : { window: 'povey', scale: 1 }) }
}

async function pairFor (files: SpeakerModelFiles): Promise<Pair> {
  if (held?.key !== files.key) held = { key: files.key, pair: loadPair(files) }
  try {
    return await held.pair
  } catch (error) {
    held = undefined
    throw error
  }
}

async function run ({ session, input, output }: LoadedModel, values: Float32Array, shape: readonly number[]): Promise<Float32Array> {
  const { [output]: result } = await session.run({ [input]: new Tensor('float32', values, shape) })
  const numbers = Float32Array.from(result?.data as Float32Array)
  result?.dispose()
  return numbers
}

/** The frame of the segmentation in whose time a feature lies. */
const segmentFrameOf = (feature: number): number => Math.min(SEGMENT_FRAMES - 1, Math.max(0, Math.round(
  (feature * FBANK_SHIFT_SAMPLES + FBANK_FRAME_SAMPLES / 2 - FRAME_REACH / 2) / FRAME_SHIFT
)))

/** The features of a window that a speaker's voice print is made of: those without others, if there are enough. */
function chooseFeatures (sets: Uint8Array, speaker: number, features: number): { frames: number[], alone: number } {
  const heard = Array.from({ length: features }, (_, feature) => feature).filter((feature) => sets[segmentFrameOf(feature)]! >> speaker & 1)
  const alone = heard.filter((feature) => sizeOfSet(sets[segmentFrameOf(feature)]!) === 1)
  const used = alone.length >= MIN_ALONE_FRAMES ? alone : heard
  // From the middle: the boundaries at both ends of a turn may be wrong.
  const from = Math.max(0, Math.floor((used.length - MAX_VOICE_FRAMES) / 2))
  return { frames: used.slice(from, from + MAX_VOICE_FRAMES), alone: sets.reduce((sum, set) => sum + (set === 1 << speaker ? 1 : 0), 0) }
}

/** `features`: of the window alone. */
async function embedLocals (pair: Pair, sets: Uint8Array, features: Float32Array, abort: Int32Array): Promise<LocalVoice[]> {
  const voices: LocalVoice[] = []
  for (let speaker = 0; speaker < LOCAL_SPEAKERS; speaker++) {
    const { frames, alone } = chooseFeatures(sets, speaker, features.length / FBANK_BANDS)
    if (frames.length < MIN_VOICE_FRAMES) continue
    stopIfAsked(abort)
    const voice = await run(pair.embedding, selectFrames(features, frames), [1, frames.length, FBANK_BANDS])
    voices.push({ speaker, clearFrames: alone, voice: toUnitLength(voice) })
  }
  return voices
}

/** The windows that begin in a piece. */
function listSegments ({ startMs, endMs }: { startMs: number, endMs: number }, samples: number): number[] {
  const first = Math.ceil(startMs * SAMPLES_PER_MS / STEP_SAMPLES)
  const end = Math.min(countSegments(samples), Math.ceil(endMs * SAMPLES_PER_MS / STEP_SAMPLES))
  return Array.from({ length: Math.max(0, end - first) }, (_, place) => first + place)
}

/** Loads the weights. Rejects with `SpeechError`: model_unavailable. */
export const prepareSpeakerModels = serveAsync(async (files: SpeakerModelFiles): Promise<undefined> => {
  await pairFor(files)
  return undefined
})

/** The kind of a speaker model file. Rejects with `SpeechError`: model_unavailable, with what is wrong. */
export const inspectSpeakerModel = serveAsync(async ({ path }: { path: string }): Promise<SpeakerModelKind> => {
  const { kind, model } = await loadSpeakerModel(path)
  await model.session.release()
  return kind
})

/** Observes one piece. Rejects with `SpeechError`: aborted, audio_missing, model_unavailable, internal_error. */
export const observeSegments = serveAsync(async (input: ObserveSegmentsInput): Promise<Uint8Array> => {
  const { audioPath, abort } = input
  stopIfAsked(abort)
  const pair = await pairFor(input)
  const samples = countSamples(audioPath)
  const segments: ObservedSegment[] = []
  for (const index of listSegments(input, samples)) {
    stopIfAsked(abort)
    const startSample = index * STEP_SAMPLES
    const sound = readPcm({ audioPath, spans: [{ startSample, endSample: Math.min(samples, startSample + SEGMENT_SAMPLES) }] })
    const padded = new Float32Array(SEGMENT_SAMPLES)
    padded.set(sound)
    const sets = decodePowerset(await run(pair.segmentation, padded, [1, 1, SEGMENT_SAMPLES]))
    const isHeard = sets.some((set) => set !== 0) && countFbankFrames(sound.length) > 0
    segments.push({ index, sets, voices: isHeard ? await embedLocals(pair, sets, pair.fbank(sound), abort) : [] })
  }
  if (samples === 0) readPcm({ audioPath, spans: [{ startSample: 0, endSample: 1 }] })
  return packSegments(input.endMs, segments)
})

/** Finds who talks when. Throws `SpeechError`: aborted, internal_error. */
export const linkSegments = serve(({ abort, rules, ...evidence }: FindSegmentTurnsInput): SpeakerTurn[] =>
  findSegmentTurns(evidence, rules, () => { stopIfAsked(abort) }))
