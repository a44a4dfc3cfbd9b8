/** Which windows of a piece get a voice print, and which are between two that are alike. Pure. */
import { meanVoice } from './speaker-clusters.js'
import { OBSERVED_HOP_MS } from './speaker-observation.js'
import type { ObservedWindow } from './speaker-observation.js'
import type { Region } from './speaker-regions.js'
import { dot } from './vectors.js'

/** Makes the voice prints of the windows with these middles, in ms of the recording, in the same order. */
export type PrintVoices = (centresMs: readonly number[]) => Promise<readonly Float32Array[]>

/** A voice print costs 6 ms of processor time, nearly all that observing costs. So every second one is made only where it is needed. */
const COARSE_HOP_MS = 2 * OBSERVED_HOP_MS
/**
 * Where the voice prints before and after a window are at least this much alike, their mean stands for it: three quarters of its sound
 * are in each of them. Elsewhere the speaker may change.
 */
const ALIKE = 0.8

const isCoarse = (ms: number): boolean => ms % COARSE_HOP_MS === 0

/** The middles of the windows where there is speech: multiples of the hop in the recording, so that pieces do not change them. */
function placeWindows ({ startMs, endMs }: Region, regions: readonly Region[]): number[] {
  const centres: number[] = []
  for (let ms = Math.ceil(startMs / OBSERVED_HOP_MS) * OBSERVED_HOP_MS; ms < endMs; ms += OBSERVED_HOP_MS) {
    const isSpeech = regions.some((region) => region.startMs < ms + OBSERVED_HOP_MS / 2 && region.endMs > ms - OBSERVED_HOP_MS / 2)
    if (isSpeech) centres.push(ms)
  }
  return centres
}

/**
 * The windows of a piece with their voice prints, in order of time. Windows just outside of the piece are looked at too, so that it does
 * not matter where a recording is cut. `regions`: of speech, a window's length beyond the piece if there is any. Rejects as
 * `printVoices` does.
 */
export async function observeWindows (piece: Region, regions: readonly Region[], printVoices: PrintVoices): Promise<ObservedWindow[]> {
  const own = placeWindows(piece, regions)
  const between = new Set(own.filter((ms) => !isCoarse(ms)))
  const isNeeded = (ms: number): boolean =>
    (ms >= piece.startMs && ms < piece.endMs) || between.has(ms - OBSERVED_HOP_MS) || between.has(ms + OBSERVED_HOP_MS)
  const around = placeWindows({ startMs: piece.startMs - OBSERVED_HOP_MS, endMs: piece.endMs + OBSERVED_HOP_MS }, regions)
  const coarse = around.filter((ms) => isCoarse(ms) && isNeeded(ms))

  const voices = new Map<number, Float32Array>()
  const print = async (centresMs: readonly number[]): Promise<void> => {
    const made = await printVoices(centresMs)
    for (const [index, ms] of centresMs.entries()) voices.set(ms, made[index]!)
  }
  await print(coarse)
  const unclear: number[] = []
  for (const ms of between) {
    const [before, after] = [voices.get(ms - OBSERVED_HOP_MS), voices.get(ms + OBSERVED_HOP_MS)]
    if (before && after && dot(before, after) >= ALIKE) voices.set(ms, meanVoice([before, after]))
    else unclear.push(ms)
  }
  await print(unclear)
  return own.map((ms) => ({ centreMs: ms, voice: voices.get(ms)! }))
}
