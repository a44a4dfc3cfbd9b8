/** Finds who talks when from windows of local speakers and their voice prints; people may talk at once. Pure. */
import { frameToMs, LOCAL_SPEAKERS, SEGMENT_FRAMES, sizeOfSet, STEP_FRAMES } from './powerset.js'
import { unpackSegments } from './segment-observation.js'
import type { LocalVoice, ObservedSegment } from './segment-observation.js'
import type { SpeakerEvidence } from './speaker-turns.js'
import { renumberVoices } from './speaker.js'
import type { SpeakerTurn } from './speaker.js'
import { linkVoices } from './voice-linkage.js'
import type { LinkageRules } from './voice-linkage.js'
import { dot } from './vectors.js'

/** Only voice prints of this much sound (in frames of 17 ms with one speaker) form voices. Shorter ones are assigned to these voices. */
const CLEAR_FRAMES = 90
/** Converts a difference in likeness (cosine) into a difference of log probabilities, for the confidence. */
const LIKENESS_SCALE = 15
/** A pause up to `MAX_PAUSE_MS` belongs to the turn. A turn shorter than `MIN_TURN_MS` is noise. */
const MAX_PAUSE_MS = 300
const MIN_TURN_MS = 100

/** The voice of a local speaker, with the confidence (0..1). */
type Assignment = { speaker: number, voice: number, confidence: number }

/**
 * Assigns voices to a window's local speakers, the best match first. Two people who talk at once get different voices, as long as there
 * are enough voices.
 */
export function assignVoices (locals: readonly LocalVoice[], means: readonly Float32Array[]): Assignment[] {
  const likeness = locals.map(({ voice }) => means.map((mean) => dot(voice, mean)))
  const pairs = likeness.flatMap((row, local) => row.map((value, voice) => ({ local, voice, value }))).sort((a, b) => b.value - a.value)
  const chosen = new Map<number, number>()
  for (const { local, voice } of pairs) {
    const isFree = !chosen.has(local) && ![...chosen.values()].includes(voice)
    if (isFree) chosen.set(local, voice)
  }
  return locals.map(({ speaker }, local) => {
    const row = likeness[local]!
    const voice = chosen.get(local) ?? row.indexOf(Math.max(...row))
    return { speaker, voice, confidence: 1 / row.reduce((sum, value) => sum + Math.exp(LIKENESS_SCALE * (value - row[voice]!)), 0) }
  })
}

/** A turn that has not ended yet. `sum`: the confidence of its frames, added up. */
type OpenTurn = { start: number, end: number, sum: number, frames: number }

/** Collects frames in order of time into turns of each voice. */
function createTurns (endMs: number) {
  const open = new Map<number, OpenTurn>()
  const turns: SpeakerTurn[] = []
  function close (voice: number, { start, end, sum, frames }: OpenTurn): void {
    const [startMs, lastMs] = [frameToMs(start), Math.min(endMs, frameToMs(end))]
    if (lastMs - startMs >= MIN_TURN_MS) turns.push({ startMs, endMs: lastMs, voice, confidence: Math.round(1000 * sum / frames) / 1000 })
  }
  return {
    add (frame: number, voice: number, confidence: number): void {
      const turn = open.get(voice)
      if (turn && frameToMs(frame) - frameToMs(turn.end) <= MAX_PAUSE_MS) {
        open.set(voice, { ...turn, end: frame + 1, sum: turn.sum + confidence, frames: turn.frames + 1 })
        return
      }
      if (turn) close(voice, turn)
      open.set(voice, { start: frame, end: frame + 1, sum: confidence, frames: 1 })
    },
    finish (): SpeakerTurn[] {
      for (const [voice, turn] of open) close(voice, turn)
      return turns.sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs)
    }
  }
}

/**
 * Adds up the votes of overlapping windows for each frame. A frame is read as soon as all windows that contain it are added, so memory does
 * not grow with the recording.
 */
export function createOverlapAdd (
  voices: number, onFrame: (frame: number, active: ReadonlyArray<[voice: number, confidence: number]>) => void
) {
  /** For each frame: the number of windows and of speakers heard, then the votes and confidence of each voice. */
  const width = 2 + 2 * voices
  const sums = new Float32Array(SEGMENT_FRAMES * width)
  let firstFrame = 0

  /** The voices with the most votes, as many as the windows hear speakers on average. */
  function emit (place: number): void {
    const at = place * width
    const windows = sums[at]!
    if (windows === 0) return
    const count = Math.round(sums[at + 1]! / windows)
    const active = Array.from({ length: voices }, (_, voice): [number, number] => [voice, sums[at + 2 + voice]!])
      .filter(([, votes]) => votes > 0).sort((a, b) => b[1] - a[1]).slice(0, count)
    onFrame(firstFrame + place, active.map(([voice]) => [voice, sums[at + 2 + voices + voice]! / windows]))
  }
  function flushTo (frame: number): void {
    const count = Math.min(SEGMENT_FRAMES, frame - firstFrame)
    for (let place = 0; place < count; place++) emit(place)
    sums.copyWithin(0, count * width)
    sums.fill(0, (SEGMENT_FRAMES - count) * width)
    firstFrame = frame
  }
  return {
    /** Windows come in order of time. */
    add ({ index, sets }: Pick<ObservedSegment, 'index' | 'sets'>, assignments: readonly Assignment[]): void {
      flushTo(index * STEP_FRAMES)
      for (let frame = 0; frame < SEGMENT_FRAMES; frame++) {
        const [at, set] = [frame * width, sets[frame]!]
        sums[at]! += 1
        sums[at + 1]! += sizeOfSet(set)
        const heard = new Set<number>()
        for (const { speaker, voice, confidence } of assignments) {
          if (!(set >> speaker & 1) || heard.has(voice)) continue
          heard.add(voice)
          sums[at + 2 + voice]! += 1
          sums[at + 2 + voices + voice]! += confidence
        }
      }
    },
    finish (): void { flushTo(firstFrame + SEGMENT_FRAMES) }
  }
}

/**
 * Finds who talks when. Voices are numbered from 0 in the order of their first turns; turns of different voices overlap where people talk
 * at once. `check` is called often and may throw to stop the work. Throws a RangeError for bytes it cannot read.
 */
export function findSegmentTurns (
  { pieces, count }: SpeakerEvidence, rules: LinkageRules, check: () => void = () => {}
): SpeakerTurn[] {
  const clear: Float32Array[] = []
  const brief: Float32Array[] = []
  let endMs = 0
  for (const piece of pieces) {
    check()
    const read = unpackSegments(piece)
    endMs = Math.max(endMs, read.endMs)
    for (const { clearFrames, voice } of read.segments.flatMap(({ voices }) => voices)) {
      (clearFrames >= CLEAR_FRAMES ? clear : brief).push(voice)
    }
  }
  const prints = clear.length >= Math.max(LOCAL_SPEAKERS, count.min ?? 1) ? clear : [...clear, ...brief]
  const means = linkVoices(prints, count, rules, check)
  const turns = createTurns(endMs)
  const added = createOverlapAdd(means.length, (frame, active) => {
    for (const [voice, confidence] of active) turns.add(frame, voice, confidence)
  })
  for (const piece of pieces) {
    check()
    for (const segment of unpackSegments(piece).segments) added.add(segment, assignVoices(segment.voices, means))
  }
  added.finish()
  return renumberVoices(turns.finish())
}
