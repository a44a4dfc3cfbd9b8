/** Finds who talks when from the observations of a recording. Pure. */
import { cosine, findVoices } from './speaker-clusters.js'
import type { SpeakerCount } from './speaker-clusters.js'
import { OBSERVED_FRAME_MS, OBSERVED_HOP_MS, OBSERVED_WINDOW_MS, unpackObservation } from './speaker-observation.js'
import type { ObservedWindow } from './speaker-observation.js'
import { findRegions } from './speaker-regions.js'
import type { Region } from './speaker-regions.js'
import type { SpeakerTurn } from './speaker.js'
import type { TimedWord } from './transcript.js'

/** Words of the transcript, in order. Nobody else begins to talk in the middle of a word. */
export type SpokenWord = Pick<TimedWord, 'text' | 'startMs' | 'endMs'>

/** `pieces`: all of a recording, in order of time. `words`: the transcript, if there is one. */
export type SpeakerEvidence = { pieces: readonly Uint8Array[], count: SpeakerCount, words?: readonly SpokenWord[] }

/** A window says enough of a voice to tell speakers apart when this share of it is speech. */
const MIN_SPEECH_SHARE = 0.6
/** How much a difference in likeness counts against a change of the speaker between windows, as logarithms of probability. */
const LIKENESS_SCALE = 20
const CHANGE_COST = 3
/** A pause of one speaker up to this long belongs to the turn. */
const MAX_PAUSE_MS = 800
/** A change of speaker moves to the pause between words that is nearest, at most this far. */
const MAX_SHIFT_MS = 250

/** Milliseconds of speech from `startMs` to `endMs`. */
function speechMs (regions: readonly Region[], startMs: number, endMs: number): number {
  return regions.reduce((sum, region) => sum + Math.max(0, Math.min(endMs, region.endMs) - Math.max(startMs, region.startMs)), 0)
}

/** Speech share of each window. Regions and windows are in order of time, so each is visited a few times only. */
function shareOfSpeech (regions: readonly Region[], windows: readonly ObservedWindow[]): number[] {
  let first = 0
  return windows.map(({ centreMs }) => {
    const [startMs, endMs] = [centreMs - OBSERVED_WINDOW_MS / 2, centreMs + OBSERVED_WINDOW_MS / 2]
    while (first < regions.length && regions[first]!.endMs < startMs) first++
    let last = first
    while (last < regions.length && regions[last]!.startMs < endMs) last++
    return speechMs(regions.slice(first, last), startMs, endMs) / OBSERVED_WINDOW_MS
  })
}

/** The likeliest sequence of voices, by the algorithm of Viterbi, and how likely each one is in its place (0..1). */
function decode (windows: readonly ObservedWindow[], means: readonly Float32Array[]): Array<{ voice: number, confidence: number }> {
  const scores = windows.map(({ voice }) => means.map((mean) => LIKENESS_SCALE * cosine(voice, mean)))
  const best: number[][] = []
  const from: number[][] = []
  for (const [index, own] of scores.entries()) {
    const before = best[index - 1] ?? own.map(() => 0)
    const top = before.indexOf(Math.max(...before))
    from.push(before.map((value, voice) => value >= before[top]! - CHANGE_COST ? voice : top))
    best.push(own.map((value, voice) => value + Math.max(before[voice]!, before[top]! - CHANGE_COST)))
  }
  const path = new Array<number>(windows.length)
  for (let index = windows.length - 1; index >= 0; index--) {
    const next = path[index + 1]
    path[index] = next === undefined ? best[index]!.indexOf(Math.max(...best[index]!)) : from[index + 1]![next]!
  }
  return path.map((voice, index) => {
    const own = scores[index]!
    return { voice, confidence: 1 / own.reduce((sum, value) => sum + Math.exp(value - own[voice]!), 0) }
  })
}

type Stretch = { startMs: number, endMs: number, voice: number, confidence: number }

/** Each region divided among the voices of the windows nearest to its moments. */
function divideRegions (
  regions: readonly Region[], windows: readonly ObservedWindow[], labels: ReadonlyArray<{ voice: number, confidence: number }>
): Stretch[] {
  const stretches: Stretch[] = []
  let nearest = 0
  const centre = (index: number): number => windows[index]?.centreMs ?? Infinity
  for (const region of regions) {
    let startMs = region.startMs
    while (startMs < region.endMs && windows.length > 0) {
      while (centre(nearest + 1) - startMs <= Math.abs(startMs - centre(nearest))) nearest++
      const endMs = Math.min(region.endMs, Math.max(startMs + 1, Math.round((centre(nearest) + centre(nearest + 1)) / 2)))
      stretches.push({ startMs, endMs, ...labels[nearest]! })
      startMs = endMs
    }
  }
  return stretches
}

/** Stretches of one voice joined, over pauses too. The confidence of a turn is the mean over its time. */
function joinStretches (stretches: readonly Stretch[]): SpeakerTurn[] {
  const turns: Array<SpeakerTurn & { ms: number }> = []
  for (const stretch of stretches) {
    const last = turns.at(-1)
    const ms = stretch.endMs - stretch.startMs
    if (last?.voice === stretch.voice && stretch.startMs - last.endMs < MAX_PAUSE_MS) {
      last.confidence = (last.confidence * last.ms + stretch.confidence * ms) / (last.ms + ms)
      last.ms += ms
      last.endMs = stretch.endMs
    } else turns.push({ ...stretch, ms })
  }
  return turns.map(({ ms: _, confidence, ...turn }) => ({ ...turn, confidence: Math.round(1000 * confidence) / 1000 }))
}

/** Moves changes of speaker out of words, to the nearest boundary between two words. */
function moveToWords (turns: readonly SpeakerTurn[], words: readonly SpokenWord[]): SpeakerTurn[] {
  const moved = turns.map((turn) => ({ ...turn }))
  const boundaries = words.slice(1).map(({ startMs }, index) => ({ ms: Math.round((startMs + words[index]!.endMs) / 2) }))
  let next = 0
  for (const [index, turn] of moved.entries()) {
    const before = moved[index - 1]
    if (!before || before.endMs !== turn.startMs) continue
    while (next < boundaries.length - 1 && boundaries[next]!.ms < turn.startMs) next++
    const candidates = [boundaries[next - 1], boundaries[next]].flatMap((found) => found ? [found.ms] : [])
    const ms = candidates.sort((a, b) => Math.abs(a - turn.startMs) - Math.abs(b - turn.startMs))[0]
    if (ms === undefined || Math.abs(ms - turn.startMs) > MAX_SHIFT_MS || ms <= before.startMs || ms >= turn.endMs) continue
    before.endMs = ms
    turn.startMs = ms
  }
  return moved
}

/** Voices numbered from 0 in the order of their first turns. */
function renumber (turns: readonly SpeakerTurn[]): SpeakerTurn[] {
  const numbers = new Map<number, number>()
  return turns.map((turn) => {
    const voice = numbers.get(turn.voice) ?? numbers.size
    numbers.set(turn.voice, voice)
    return { ...turn, voice }
  })
}

/** Finds who talks when. Voices are numbered from 0 in the order of their first turns. Throws a RangeError for bytes it cannot read. */
export function findSpeakerTurns ({ pieces, count, words = [] }: SpeakerEvidence): SpeakerTurn[] {
  const frames: Array<{ startMs: number, probabilities: Float32Array }> = []
  const windows: ObservedWindow[] = []
  for (const bytes of pieces) {
    const piece = unpackObservation(bytes)
    frames.push(piece)
    windows.push(...piece.windows)
  }
  const regions = findRegions(frames, OBSERVED_FRAME_MS)
  const shares = shareOfSpeech(regions, windows)
  const clear = windows.filter((_, index) => shares[index]! >= MIN_SPEECH_SHARE)
  const used = clear.length > 0 ? clear : windows
  const prints = { centresMs: used.map(({ centreMs }) => centreMs), voices: used.map(({ voice }) => voice) }
  const means = findVoices(prints, count, OBSERVED_HOP_MS)
  const stretches = divideRegions(regions, windows, decode(windows, means))
  return renumber(moveToWords(joinStretches(stretches), words))
}
