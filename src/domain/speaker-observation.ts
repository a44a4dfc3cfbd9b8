/** What a piece of a recording says about its speakers, as compact bytes that are stored until all pieces are there. Pure. */

/** The detector's frames, 32 ms each. */
export const OBSERVED_FRAME_MS = 32
/** From one window to the next. */
export const OBSERVED_HOP_MS = 400

/** Length of the sound that a voice print is made from. */
export const OBSERVED_WINDOW_MS = 1615

/** `centreMs`: the middle of the window, in the recording. `voice`: its voice print, of unit length. */
export type ObservedWindow = { centreMs: number, voice: Float32Array }

/**
 * One piece. `probabilities`: of speech (0..1), one for each frame from `startMs` on. `windows`: in order of time.
 */
export type SpeakerObservation = { startMs: number, endMs: number, probabilities: Float32Array, windows: ObservedWindow[] }

/** The first byte of the bytes. Bytes of another version are not read. */
const VERSION = 1
/** Version (1 byte, 3 unused), start, end, frames, windows, dimensions. */
const HEADER_BYTES = 24
/** Middle and scale of a window, before its values. */
const WINDOW_HEADER_BYTES = 8

/**
 * Packs an observation: probabilities in a byte each, voice prints in a byte per dimension with one scale. That is about 40 kB per minute
 * of speech. The rounding changes a cosine by less than 0.001.
 */
export function packObservation ({ startMs, endMs, probabilities, windows }: SpeakerObservation): Uint8Array {
  const dimensions = windows[0]?.voice.length ?? 0
  const bytes = new Uint8Array(HEADER_BYTES + probabilities.length + windows.length * (WINDOW_HEADER_BYTES + dimensions))
  const view = new DataView(bytes.buffer)
  view.setUint8(0, VERSION)
  for (const [index, value] of [startMs, endMs, probabilities.length, windows.length, dimensions].entries()) {
    view.setUint32(4 + 4 * index, value, true)
  }
  for (const [frame, probability] of probabilities.entries()) bytes[HEADER_BYTES + frame] = Math.round(255 * probability)
  let at = HEADER_BYTES + probabilities.length
  for (const window of windows) {
    const scale = window.voice.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127 || 1
    view.setUint32(at, window.centreMs, true)
    view.setFloat32(at + 4, scale, true)
    at += WINDOW_HEADER_BYTES
    for (const value of window.voice) view.setInt8(at++, Math.round(value / scale))
  }
  return bytes
}

/**
 * An observation whose voice prints stay packed: those of a long recording need four times the memory. `readVoice` writes the voice print
 * of a window, of unit length, into `into`, which has a place for each dimension.
 */
export type PackedObservation = Pick<SpeakerObservation, 'startMs' | 'endMs' | 'probabilities'> & {
  dimensions: number
  centresMs: number[]
  readVoice (window: number, into: Float32Array): Float32Array
}

/** Reads what `packObservation` wrote, without its voice prints. Throws a RangeError for bytes of another version, or too few of them. */
export function openObservation (bytes: Uint8Array): PackedObservation {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint8(0) !== VERSION) throw new RangeError('the observation was made by another version')
  const [startMs, endMs, frames, count, dimensions] = [4, 8, 12, 16, 20].map((at) => view.getUint32(at, true)) as
    [number, number, number, number, number]
  const size = WINDOW_HEADER_BYTES + dimensions
  const windowsAt = HEADER_BYTES + frames
  if (windowsAt + count * size > bytes.length) throw new RangeError('the observation is cut off')
  return {
    startMs,
    endMs,
    dimensions,
    probabilities: Float32Array.from({ length: frames }, (_, frame) => view.getUint8(HEADER_BYTES + frame) / 255),
    centresMs: Array.from({ length: count }, (_, window) => view.getUint32(windowsAt + window * size, true)),
    // The scale of the values does not matter, because the length becomes 1.
    readVoice (window, into) {
      const at = windowsAt + window * size + WINDOW_HEADER_BYTES
      for (let i = 0; i < dimensions; i++) into[i] = view.getInt8(at + i)
      return toUnitLength(into)
    }
  }
}

/** Scales a vector to length 1, in place. A vector of zeros stays as it is. */
export function toUnitLength (vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length
  return vector
}
