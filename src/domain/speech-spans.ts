/**
 * What the frames of a recording are: likely speech, sound that may be speech, or sound that is certainly none. Pure: the same frames give
 * the same answer.
 */
import { SAMPLE_RATE_HZ, SAMPLES_PER_MS } from './audio.js'

/** The detector looks at 32 ms at a time. */
export const FRAME_SAMPLES = 512
export const FRAME_MS = FRAME_SAMPLES / SAMPLES_PER_MS

/**
 * Frames that a fresh detector hears at their own level, about 4 s: so soon after loud music ends, it starts without having heard it. With
 * pieces of 8 s it hears 0.2 s of a quiet sentence of 5 s, with 4 s it hears 4.0 s.
 */
export const PIECE_FRAMES = 128
/** Frames before a piece that the fresh detector hears first, about a second: without a past it needs some before it is reliable. */
export const LEAD_FRAMES = 32

/** Whole frames of a length in ms. */
export const framesOf = (ms: number): number => Math.round(ms * SAMPLE_RATE_HZ / 1000 / FRAME_SAMPLES)

/**
 * What the detector says of one frame, and how loud it is (mean power, dB of full scale). `probability`: of the detector that has heard
 * everything before; `freshProbability`: of one that starts afresh every few seconds, at a level it is used to.
 */
export type HeardFrame = { probability: number, freshProbability: number, levelDb: number }

/** Why sound may be left out: it is as quiet as the recording's floor, or it is louder but nobody is heard to speak in it. */
export type LeftOutReason = 'silence' | 'noise'

/**
 * `probability`: the higher one. `isLikely`: speech for the detector. `reason`: why the frame may be left out; undefined: it must not.
 * `cost`: of leaving it out, in encoder runs.
 */
export type JudgedFrame = { probability: number, levelDb: number, isLikely: boolean, reason: LeftOutReason | undefined, cost: number }

/** Speech begins above the one and ends below the other, as Silero's authors do it: a voice that fades is followed to its end. */
const ONSET_PROBABILITY = 0.5
export const OFFSET_PROBABILITY = 0.35
/** A quarter of a second, Silero's own limit: shorter is a key, a note or a cough. */
const MIN_SPEECH_FRAMES = framesOf(250)
/** Unless the detector is sure: a "no" or "ja" on its own is this short. */
const MIN_SURE_FRAMES = framesOf(128)
const SURE_PROBABILITY = 0.9
/** A dip shorter than a tenth of a second, as before a plosive, does not end a run. */
const MAX_DIP_FRAMES = framesOf(100) - 1

/**
 * The fresh detector is easily fooled by music, which has little range: speech that only it hears must stand in surroundings whose loud
 * frames are this far above their quiet ones. Of 100 pieces of music without a voice, 39 fool it, and 11 with this rule; the other
 * detector, 21.
 */
const MIN_RANGE_DB = 20
const RANGE_FRAMES = framesOf(15_000)
/**
 * In surroundings of less range, which are music or loud noise, the other detector must be surer too: seconds of certainty, which is the
 * probability over a half, summed up. Of the 21 pieces that fool it, 7 stay below. The shortest sentence of a person that was tried has
 * 1.2.
 */
const MIN_CERTAIN_SECONDS = 0.1
/** Frames of zeros are not a floor: a recording that was cut or gated has another one. */
const DIGITAL_SILENCE_DB = -115

/** Above either, for one frame or for the mean of half a second, a sound may be speech: quiet sound, and sound above the floor. */
const MAX_UNLIKELY = { silence: { frame: 0.2, mean: 0.1 }, noise: { frame: 0.1, mean: 0.05 } }
const MEAN_FRAMES = framesOf(512)

/** The level that a tenth of the frames stay below is the floor; frames of steady noise lie within a few dB of it. */
const FLOOR_SHARE = 0.1
const QUIET_ABOVE_FLOOR_DB = 8
/** Levels are means of 0.3 s: a click is not a word. */
const LEVEL_FRAMES = framesOf(288)

/** Kept on both sides of what must stay: a pause of 2 s stays whole. */
const PAD_FRAMES = framesOf(1000)
/** So close to likely speech, sound above the floor stays: laughter, a shout, a voice far from the microphone. */
const NEAR_FRAMES = framesOf(10_000)
/** And so close, sound that may be speech. */
const DOUBT_FRAMES = framesOf(15_000)

/** Of leaving out a second, in encoder runs; and of a second that the detector takes for speech. The order matters, not the figures. */
const COST_PER_SECOND = { silence: 0.002, noise: 0.008, doubt: 0.02, speech: 0.3 }
const FRAME_SECONDS = FRAME_MS / 1000

type Run = { start: number, end: number }

/** Runs of frames that are speech by the hysteresis of the detector's authors. */
function findRuns (probabilities: readonly number[]): Run[] {
  const runs: Run[] = []
  let start = -1
  let last = -1
  let peak = 0
  function close (): void {
    if (start >= 0 && last + 1 - start >= (peak >= SURE_PROBABILITY ? MIN_SURE_FRAMES : MIN_SPEECH_FRAMES)) {
      runs.push({ start, end: last + 1 })
    }
    start = -1
    peak = 0
  }
  for (const [index, probability] of probabilities.entries()) {
    const isAbove = probability >= (start >= 0 ? OFFSET_PROBABILITY : ONSET_PROBABILITY)
    if (isAbove) {
      if (start < 0) start = index
      last = index
      peak = Math.max(peak, probability)
    } else if (start >= 0 && index - last > MAX_DIP_FRAMES) close()
  }
  close()
  return runs
}

/** The value that this share of the values stay below. */
function quantile (values: readonly number[], share: number): number {
  // Typed arrays sort by number, and much faster.
  const sorted = Float32Array.from(values).sort()
  return sorted[Math.floor(share * (sorted.length - 1))] ?? -Infinity
}

/** Means of `length` values around each, of fewer at the ends. */
function smooth (values: readonly number[], length: number): number[] {
  const sums = [0]
  for (const value of values) sums.push((sums.at(-1) ?? 0) + value)
  return values.map((_, index) => {
    const from = Math.max(0, index - (length >> 1))
    const to = Math.min(values.length, from + length)
    return ((sums[to] ?? 0) - (sums[from] ?? 0)) / (to - from)
  })
}

function hasRange (levels: readonly number[], { start, end }: Run): boolean {
  const around = levels.slice(Math.max(0, start - RANGE_FRAMES), end + RANGE_FRAMES).filter((level) => level > DIGITAL_SILENCE_DB)
  // A word alone is too short for a share of the frames: its own level counts too.
  const loudDb = Math.max(quantile(around, 0.95), quantile(levels.slice(start, end), 0.5))
  return loudDb - quantile(around, 0.1) >= MIN_RANGE_DB
}

/** Seconds of certainty in the runs that are near this one. */
function certaintyAround ({ start }: Run, runs: readonly Run[], probabilities: readonly number[]): number {
  return runs.filter((run) => Math.abs(run.start - start) <= RANGE_FRAMES)
    .flatMap((run) => probabilities.slice(run.start, run.end))
    .reduce((sum, probability) => sum + FRAME_SECONDS * Math.max(0, probability - ONSET_PROBABILITY), 0)
}

function findLikely (frames: readonly HeardFrame[], levels: readonly number[]): boolean[] {
  const likely = frames.map(() => false)
  const probabilities = frames.map(({ probability }) => probability)
  const remembered = findRuns(probabilities)
  const runs = [
    ...remembered.filter((run) => certaintyAround(run, remembered, probabilities) >= MIN_CERTAIN_SECONDS || hasRange(levels, run)),
    ...findRuns(frames.map(({ freshProbability }) => freshProbability)).filter((run) => hasRange(levels, run))
  ]
  for (const { start, end } of runs) likely.fill(true, start, end)
  return likely
}

/** How many frames each is away from the next one that is `true`, on either side. */
function distances (marks: readonly boolean[]): number[] {
  const result = marks.map(() => Infinity)
  let before = -Infinity
  for (const [index, isMarked] of marks.entries()) {
    if (isMarked) before = index
    result[index] = index - before
  }
  let after = Infinity
  for (let index = marks.length - 1; index >= 0; index--) {
    if (marks[index]) after = index
    result[index] = Math.min(result[index] ?? Infinity, after - index)
  }
  return result
}

/** The highest level of frames that count as quiet. */
function quietLimit (levels: readonly number[]): number {
  return Math.max(quantile(levels.filter((level) => level > DIGITAL_SILENCE_DB), FLOOR_SHARE) + QUIET_ABOVE_FLOOR_DB, DIGITAL_SILENCE_DB)
}

/**
 * Judges frames by what is around them: a few minutes of a recording at once. What lies beyond the end of a piece is unknown, so unless
 * the recording ends there, leave the last 30 s undecided.
 */
export function judgeFrames (frames: readonly HeardFrame[]): JudgedFrame[] {
  const rawLevels = frames.map(({ levelDb }) => levelDb)
  const levels = smooth(rawLevels, LEVEL_FRAMES)
  const probabilities = frames.map(({ probability, freshProbability }) => Math.max(probability, freshProbability))
  const means = smooth(probabilities, MEAN_FRAMES)
  const likely = findLikely(frames, rawLevels)
  const away = distances(likely)
  const limitDb = quietLimit(rawLevels)

  const kinds = frames.map((_, index) => {
    const [distance = 0, level = 0] = [away[index], levels[index]]
    if (distance === 0) return undefined
    const isUnlikely = ({ frame, mean }: typeof MAX_UNLIKELY.noise): boolean =>
      (probabilities[index] ?? 1) < frame && (means[index] ?? 1) < mean
    if (level <= limitDb && isUnlikely(MAX_UNLIKELY.silence)) return 'silence'
    if (distance > NEAR_FRAMES && isUnlikely(MAX_UNLIKELY.noise)) return 'noise'
    return distance > DOUBT_FRAMES ? 'doubt' : undefined
  })
  const fromKept = distances(kinds.map((kind) => kind === undefined))
  return frames.map(({ levelDb }, index) => {
    const kind = (fromKept[index] ?? 0) > PAD_FRAMES ? kinds[index] : undefined
    const probability = probabilities[index] ?? 0
    const doubt = kind === 'doubt' ? COST_PER_SECOND.speech * probability : 0
    const cost = kind === undefined ? Infinity : FRAME_SECONDS * (COST_PER_SECOND[kind] + doubt)
    return { probability, levelDb, isLikely: likely[index] ?? false, reason: kind === 'doubt' ? 'noise' : kind, cost }
  })
}
