/** Packs what pulled models observe in a piece of a recording into compact bytes. Pure. */
import { LOCAL_SPEAKERS, SEGMENT_FRAMES } from './powerset.js'
import { toUnitLength } from './speaker-observation.js'

/** `clearFrames`: frames of the voice print's sound in which only this speaker talks. */
export type LocalVoice = { speaker: number, clearFrames: number, voice: Float32Array }

/** `index`: the window's number in the recording. `sets`: who talks in each frame, one bit per local speaker. `voices`: at most three. */
export type ObservedSegment = { index: number, sets: Uint8Array, voices: LocalVoice[] }

/** The first byte. Bytes of another version are not read. */
const VERSION = 2
/** Version, 3 unused, end of the piece in ms, windows, dimensions. */
const HEADER_BYTES = 16

/** Runs of equal sets: each a set and its length in two bytes. */
function packRuns (sets: Uint8Array): number[] {
  const runs: number[] = []
  for (let start = 0; start < sets.length;) {
    let end = start
    while (end < sets.length && sets[end] === sets[start]) end++
    runs.push(sets[start]!, (end - start) & 255, (end - start) >> 8)
    start = end
  }
  return runs
}

/**
 * Packs the windows of a piece: about 7 kB for a minute of two speakers. Voice prints have a byte per dimension. `endMs`: the end of the
 * piece.
 */
export function packSegments (endMs: number, segments: readonly ObservedSegment[]): Uint8Array {
  const dimensions = segments.find(({ voices }) => voices.length > 0)?.voices[0]?.voice.length ?? 0
  const parts: Uint8Array[] = [new Uint8Array(HEADER_BYTES)]
  const header = new DataView(parts[0]!.buffer)
  header.setUint8(0, VERSION)
  for (const [place, value] of [endMs, segments.length, dimensions].entries()) header.setUint32(4 + 4 * place, value, true)
  for (const { index, sets, voices } of segments) {
    const runs = packRuns(sets)
    const start = new Uint8Array(8)
    const view = new DataView(start.buffer)
    view.setUint32(0, index, true)
    view.setUint16(4, runs.length / 3, true)
    view.setUint8(6, voices.length)
    parts.push(start, Uint8Array.from(runs))
    for (const { speaker, clearFrames, voice } of voices) {
      const most = voice.reduce((highest, value) => Math.max(highest, Math.abs(value)), 0) || 1
      parts.push(Uint8Array.of(speaker, clearFrames & 255, clearFrames >> 8))
      parts.push(new Uint8Array(Int8Array.from(voice, (value) => Math.round(127 * value / most)).buffer))
    }
  }
  return new Uint8Array(Buffer.concat(parts))
}

const CUT_OFF = 'the observation is cut off'

/** Reads what `packSegments` wrote. Throws a RangeError for bytes of another version or form. */
export function unpackSegments (bytes: Uint8Array): { endMs: number, segments: ObservedSegment[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < HEADER_BYTES || view.getUint8(0) !== VERSION) throw new RangeError('the observation was made by another version')
  const [endMs, count, dimensions] = [4, 8, 12].map((at) => view.getUint32(at, true)) as [number, number, number]
  let at = HEADER_BYTES
  const segments: ObservedSegment[] = []
  for (let read = 0; read < count; read++) {
    if (at + 8 > bytes.length) throw new RangeError(CUT_OFF)
    const [index, runs, voiceCount] = [view.getUint32(at, true), view.getUint16(at + 4, true), view.getUint8(at + 6)]
    at += 8
    if (at + 3 * runs + voiceCount * (3 + dimensions) > bytes.length) throw new RangeError(CUT_OFF)
    const sets = new Uint8Array(SEGMENT_FRAMES)
    let frame = 0
    for (let run = 0; run < runs; run++, at += 3) {
      const length = view.getUint16(at + 1, true)
      sets.fill(view.getUint8(at) % 2 ** LOCAL_SPEAKERS, frame, frame + length)
      frame += length
    }
    const voices: LocalVoice[] = []
    for (let voice = 0; voice < voiceCount; voice++, at += 3 + dimensions) {
      const values = new Int8Array(bytes.buffer, bytes.byteOffset + at + 3, dimensions)
      const speaker = view.getUint8(at) % LOCAL_SPEAKERS
      voices.push({ speaker, clearFrames: view.getUint16(at + 1, true), voice: toUnitLength(Float32Array.from(values)) })
    }
    segments.push({ index, sets, voices })
  }
  return { endMs, segments }
}
