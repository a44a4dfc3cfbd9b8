/** Observations of made-up talks, without sound. */
import { packObservation, toUnitLength } from '../../dist/domain/speaker-observation.js'
import type { ObservedWindow } from '../../dist/domain/speaker-observation.js'

const HOP_MS = 400
const WINDOWS = 150
const PIECE_MS = HOP_MS * WINDOWS
const WINDOWS_PER_TURN = 30

/** Speech without a pause, in pieces of a minute: each 12 s somebody else of `speakers` people talks. */
export function madeUpTalk (pieces: number, speakers: number, dimensions = 64): Uint8Array[] {
  let state = 12_345
  const random = (): number => {
    state = (1_103_515_245 * state + 12_345) % 2 ** 31
    return state / 2 ** 31 - 0.5
  }
  const directions = dimensions / 8
  const observeWindow = (index: number): ObservedWindow => {
    const speaker = Math.floor(index / WINDOWS_PER_TURN) % speakers
    const voice = Float32Array.from({ length: dimensions }, (_, i) => 1 + (i % directions === speaker ? 2 : 0) + 2 * random())
    return { centreMs: index * HOP_MS, voice: toUnitLength(voice) }
  }
  return Array.from({ length: pieces }, (_, piece) => packObservation({
    startMs: piece * PIECE_MS,
    endMs: (piece + 1) * PIECE_MS,
    probabilities: new Float32Array(1875).fill(0.9),
    windows: Array.from({ length: WINDOWS }, (_, window) => observeWindow(piece * WINDOWS + window))
  }))
}
