/** Finds who talks when from the observations of a recording. Pure. */
import { findVoices } from './speaker-clusters.js'
import type { SpeakerCount } from './speaker-clusters.js'
import { OBSERVED_FRAME_MS, OBSERVED_HOP_MS, OBSERVED_WINDOW_MS, openObservation } from './speaker-observation.js'
import type { PackedObservation } from './speaker-observation.js'
import { findRegions } from './speaker-regions.js'
import type { Region } from './speaker-regions.js'
import { sampleWindows } from './speaker-sample.js'
import type { PackedVoices } from './speaker-sample.js'
import { DOUBTFUL, renumberVoices } from './speaker.js'
import type { Doubt, SpeakerTurn } from './speaker.js'
import type { TimedWord } from './transcript.js'
import { dot } from './vectors.js'

/** Words of the transcript, in order. Nobody else begins to talk in the middle of a word. */
export type SpokenWord = Pick<TimedWord, 'text' | 'startMs' | 'endMs'>

/** `pieces`: all of a recording, in order of time. */
export type SpeakerEvidence = { pieces: readonly Uint8Array[], count: SpeakerCount }

/** A window says enough of a voice to tell speakers apart when this share of it is speech. */
const MIN_SPEECH_SHARE = 0.6
/** How much a difference in likeness counts against a change of the speaker between windows, as logarithms of probability. */
const LIKENESS_SCALE = 20
const CHANGE_COST = 3
/**
 * A window that is less like its voice than half of this voice's windows are may be somebody else who was not told apart. `TYPICAL_DROP`:
 * how much less, as a cosine, makes it as likely as not; `TYPICAL_WIDTH`: the width of that limit. Chosen by the recordings in
 * docs/accuracy.md, all of them: no clean check exists.
 */
const TYPICAL_DROP = 0.05
const TYPICAL_WIDTH = 0.03
/** Windows between two calls of `check`. */
const CHECKED_WINDOWS = 500
/** A pause of one speaker up to this long belongs to the turn. */
const MAX_PAUSE_MS = 800
/** A change of speaker moves to the pause between words that is nearest, at most this far. */
const MAX_SHIFT_MS = 250

/** Milliseconds of speech from `startMs` to `endMs`. */
function speechMs (regions: readonly Region[], startMs: number, endMs: number): number {
  return regions.reduce((sum, region) => sum + Math.max(0, Math.min(endMs, region.endMs) - Math.max(startMs, region.startMs)), 0)
}

/** Speech share of each window. Regions and windows are in order of time, so each is visited a few times only. */
function shareOfSpeech (regions: readonly Region[], centresMs: readonly number[], check: () => void): number[] {
  let first = 0
  return centresMs.map((centreMs, index) => {
    if (index % CHECKED_WINDOWS === 0) check()
    const [startMs, endMs] = [centreMs - OBSERVED_WINDOW_MS / 2, centreMs + OBSERVED_WINDOW_MS / 2]
    while (first < regions.length && regions[first]!.endMs < startMs) first++
    let last = first
    while (last < regions.length && regions[last]!.startMs < endMs) last++
    return speechMs(regions.slice(first, last), startMs, endMs) / OBSERVED_WINDOW_MS
  })
}

/** The windows of a recording in order of time. Their voice prints stay packed. */
type Windows = PackedVoices & { centresMs: readonly number[] }

function joinPieces (pieces: readonly PackedObservation[]): Windows {
  const centresMs = pieces.flatMap((piece) => piece.centresMs)
  const places = pieces.flatMap((piece) => piece.centresMs.map((_, window) => ({ piece, window })))
  return {
    centresMs,
    dimensions: pieces.find((piece) => piece.dimensions > 0)?.dimensions ?? 0,
    readVoice: (index, into) => places[index]!.piece.readVoice(places[index]!.window, into)
  }
}

/** How alike each window and each mean voice are, window by window, scaled. */
function scoreWindows ({ centresMs, dimensions, readVoice }: Windows, means: readonly Float32Array[], check: () => void): Float32Array {
  const scores = new Float32Array(centresMs.length * means.length)
  const own = new Float32Array(dimensions)
  for (let index = 0; index < centresMs.length; index++) {
    check()
    readVoice(index, own)
    for (const [voice, mean] of means.entries()) scores[index * means.length + voice] = LIKENESS_SCALE * dot(own, mean)
  }
  return scores
}

/** The voice of each window by the algorithm of Viterbi: the likeliest sequence of `count` voices. */
function decode (scores: Float32Array, count: number, check: () => void): Uint16Array {
  const from = new Uint16Array(scores.length)
  const best = new Float64Array(count)
  const topOf = (): number => best.reduce((top, value, voice) => value > best[top]! ? voice : top, 0)
  for (let start = 0; start < scores.length; start += count) {
    if (start / count % CHECKED_WINDOWS === 0) check()
    const top = topOf()
    const limit = best[top]! - CHANGE_COST
    for (let voice = 0; voice < count; voice++) {
      from[start + voice] = best[voice]! >= limit ? voice : top
      best[voice] = scores[start + voice]! + Math.max(best[voice]!, limit)
    }
  }
  const path = new Uint16Array(scores.length / count)
  let voice = topOf()
  for (let index = path.length - 1; index >= 0; index--) {
    path[index] = voice
    voice = from[index * count + voice]!
  }
  return path
}

function median (values: Float32Array): number {
  return values.sort()[values.length >> 1] ?? 0
}

type Label = { voice: number, confidence: number }

/** How clearly each window is its voice (0..1): how likely this voice is among all, times how typical the window is of the voice. */
function judge (scores: Float32Array, path: Uint16Array, count: number, check: () => void): Label[] {
  const ownOf = (index: number): number => scores[index * count + path[index]!]! / LIKENESS_SCALE
  const owns = Array.from({ length: count }, (_, voice) =>
    median(Float32Array.from([...path.keys()].filter((index) => path[index] === voice), ownOf)))
  return Array.from(path, (voice, index) => {
    if (index % CHECKED_WINDOWS === 0) check()
    let sum = 0
    for (let other = 0; other < count; other++) sum += Math.exp(scores[index * count + other]! - scores[index * count + voice]!)
    const typical = 1 / (1 + Math.exp((owns[voice]! - ownOf(index) - TYPICAL_DROP) / TYPICAL_WIDTH))
    return { voice, confidence: typical / sum }
  })
}

type Stretch = Label & { startMs: number, endMs: number }

/** Each region divided among the voices of the windows nearest to its moments. */
function divideRegions (
  regions: readonly Region[], centresMs: readonly number[], labels: readonly Label[], check: () => void
): Stretch[] {
  const stretches: Stretch[] = []
  let nearest = 0
  const centre = (index: number): number => centresMs[index] ?? Infinity
  for (const region of regions) {
    check()
    let startMs = region.startMs
    while (startMs < region.endMs && centresMs.length > 0) {
      while (centre(nearest + 1) - startMs <= Math.abs(startMs - centre(nearest))) nearest++
      const endMs = Math.min(region.endMs, Math.max(startMs + 1, Math.round((centre(nearest) + centre(nearest + 1)) / 2)))
      stretches.push({ startMs, endMs, ...labels[nearest]! })
      startMs = endMs
    }
  }
  return stretches
}

const round3 = (value: number): number => Math.round(1000 * value) / 1000

const doubtsOf = ({ startMs, endMs, confidence }: Stretch): Doubt[] =>
  confidence < DOUBTFUL ? [{ startMs, endMs, confidence: round3(confidence) }] : []

/** Stretches of one voice joined, over pauses too. The confidence of a turn is the mean over its time. */
function joinStretches (stretches: readonly Stretch[]): SpeakerTurn[] {
  const turns: Array<SpeakerTurn & { ms: number, doubts: Doubt[] }> = []
  for (const stretch of stretches) {
    const last = turns.at(-1)
    const ms = stretch.endMs - stretch.startMs
    if (last?.voice === stretch.voice && stretch.startMs - last.endMs < MAX_PAUSE_MS) {
      last.confidence = (last.confidence * last.ms + stretch.confidence * ms) / (last.ms + ms)
      last.ms += ms
      last.endMs = stretch.endMs
      last.doubts.push(...doubtsOf(stretch))
    } else turns.push({ ...stretch, ms, doubts: doubtsOf(stretch) })
  }
  return turns.map(({ ms: _, confidence, doubts, ...turn }) =>
    ({ ...turn, confidence: round3(confidence), ...(doubts.length > 0 && { doubts }) }))
}

/** Moves changes of speaker out of words, to the nearest boundary between two words. The order of the turns stays. */
export function moveToWords (turns: readonly SpeakerTurn[], words: readonly SpokenWord[]): SpeakerTurn[] {
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

/**
 * Finds who talks when. Voices are numbered from 0 in the order of their first turns. The work grows in proportion to the length. `check`
 * is called often and may throw to stop the work. Throws a RangeError for bytes it cannot read.
 */
export function findSpeakerTurns ({ pieces, count }: SpeakerEvidence, check: () => void = () => {}): SpeakerTurn[] {
  const observations = pieces.map((piece) => {
    check()
    return openObservation(piece)
  })
  const regions = findRegions(observations, OBSERVED_FRAME_MS)
  check()
  const windows = joinPieces(observations)
  check()
  const { centresMs, dimensions, readVoice } = windows
  const shares = shareOfSpeech(regions, centresMs, check)
  const all = [...centresMs.keys()]
  const clear = all.filter((index) => shares[index]! >= MIN_SPEECH_SHARE)
  const used = sampleWindows(clear.length > 0 ? clear : all, windows, check)
  const prints = {
    centresMs: used.map((index) => centresMs[index]!),
    voices: used.map((index) => readVoice(index, new Float32Array(dimensions)))
  }
  const means = findVoices(prints, count, { hopMs: OBSERVED_HOP_MS, check })
  const scores = scoreWindows(windows, means, check)
  const labels = means.length === 0 ? [] : judge(scores, decode(scores, means.length, check), means.length, check)
  const turns = joinStretches(divideRegions(regions, centresMs, labels, check))
  check()
  return renumberVoices(turns)
}
