/** Finds who talks when from the observations of a recording. Pure. */
import { clusterByAverage, meanVoice } from './speaker-clusters.js'
import type { Weighted } from './speaker-clusters.js'
import { OBSERVED_FRAME_MS, unpackObservation } from './speaker-observation.js'
import type { ObservedWindow } from './speaker-observation.js'
import type { SpeakerTurn } from './speaker.js'
import { findSpeechRuns } from './speech-spans.js'
import type { TimedWord } from './transcript.js'

/** What the caller knows of the number of speakers. */
export type SpeakerCount = { min?: number, max?: number }

/** Words of the transcript, in order. Nobody else begins to talk in the middle of a word. */
export type SpokenWord = Pick<TimedWord, 'text' | 'startMs' | 'endMs'>

export type SpeakerEvidence = { pieces: readonly Uint8Array[], count: SpeakerCount, words?: readonly SpokenWord[] }

/** Sub-clusters of a piece are this tight; clusters of the whole recording that tight. In distance, 1 minus the cosine. */
const PIECE_DISTANCE = 0.2
const MAX_DISTANCE = 0.3
const DIP_FRAMES = 3
const PAD_MS = 50

type Region = { startMs: number, endMs: number }

function findRegions (startMs: number, probabilities: Float32Array): Region[] {
  return findSpeechRuns(probabilities, DIP_FRAMES).map(({ start, end }) => ({
    startMs: startMs + start * OBSERVED_FRAME_MS - PAD_MS, endMs: startMs + end * OBSERVED_FRAME_MS + PAD_MS
  }))
}

/** Finds who talks when. Voices are numbered from 0 in the order of their first turns. Throws a RangeError for bytes it cannot read. */
export function findSpeakerTurns ({ pieces, count }: SpeakerEvidence): SpeakerTurn[] {
  const regions: Region[] = []
  const windows: Array<Omit<ObservedWindow, 'voice'> & { group: number }> = []
  const groups: Weighted[] = []
  for (const bytes of pieces) {
    const piece = unpackObservation(bytes)
    regions.push(...findRegions(piece.startMs, piece.probabilities))
    const items = piece.windows.map(({ voice }) => ({ voice, weight: 1 }))
    const labels = clusterByAverage(items, { maxDistance: PIECE_DISTANCE })
    for (const [index, { startMs, endMs }] of piece.windows.entries()) {
      windows.push({ startMs, endMs, group: groups.length + labels[index]! })
    }
    for (const label of new Set(labels)) groups.push(meanVoice(items.filter((_, index) => labels[index] === label)))
  }
  const clusters = clusterByAverage(groups, { maxDistance: MAX_DISTANCE, ...count })
  return toTurns(regions, windows.map((window) => ({ ...window, voice: clusters[window.group]! })))
}

function toTurns (regions: readonly Region[], windows: ReadonlyArray<{ startMs: number, endMs: number, voice: number }>): SpeakerTurn[] {
  const turns: SpeakerTurn[] = []
  const voices = new Map<number, number>()
  let nearest = 0
  const centre = (index: number): number => index < windows.length ? (windows[index]!.startMs + windows[index]!.endMs) / 2 : Infinity
  for (const region of regions) {
    let startMs = Math.max(region.startMs, turns.at(-1)?.endMs ?? 0)
    while (startMs < region.endMs && windows.length > 0) {
      while (centre(nearest + 1) - startMs < Math.abs(startMs - centre(nearest))) nearest++
      const { voice } = windows[nearest]!
      const next = Math.ceil((centre(nearest) + centre(nearest + 1)) / 2)
      const endMs = Math.min(region.endMs, Math.max(next, startMs + 10))
      const number = voices.get(voice) ?? voices.size
      voices.set(voice, number)
      const last = turns.at(-1)
      if (last?.voice === number && last.endMs >= startMs) last.endMs = endMs
      else turns.push({ startMs, endMs, voice: number, confidence: 1 })
      startMs = endMs
    }
  }
  return turns
}
