/** Classifies the frames of a recording: likely speech, sound that may be speech, or certainly no speech. Pure. */
import { SAMPLE_RATE_HZ, SAMPLES_PER_MS } from './audio.js'

/** The detector judges 32 ms at a time. */
export const FRAME_SAMPLES = 512
export const FRAME_MS = FRAME_SAMPLES / SAMPLES_PER_MS

/**
 * Length of the pieces that the fresh detector judges, about 4 s. It restarts for each piece, so that it has not heard loud music before
 * the piece. Of a quiet sentence of 5 s it detects 0.2 s with pieces of 8 s, and 4.0 s with pieces of 4 s.
 */
export const PIECE_FRAMES = 128
/** Frames that the fresh detector reads before each piece, about a second: it needs some sound before it is reliable. */
export const LEAD_FRAMES = 32

/** Converts ms to whole frames. */
export const framesOf = (ms: number): number => Math.round(ms * SAMPLE_RATE_HZ / 1000 / FRAME_SAMPLES)

/**
 * The detectors' results for one frame, and its level (mean power, dB of full scale). `probability`: from the detector that reads the
 * whole recording. `freshProbability`: from the detector that restarts every few seconds, on sound adjusted to its usual level.
 */
export type DetectedFrame = { probability: number, freshProbability: number, levelDb: number }

/** Why sound may be skipped: it is as quiet as the recording's noise floor, or louder but without speech. */
export type SkipReason = 'silence' | 'noise'

/**
 * `probability`: the higher of the two. `isLikely`: likely speech. `reason`: why the frame may be skipped; undefined when it must not be
 * skipped. `cost`: the cost of skipping it, in encoder runs.
 */
export type JudgedFrame = { probability: number, levelDb: number, isLikely: boolean, reason: SkipReason | undefined, cost: number }

/** Speech begins above the onset and ends below the offset, as in Silero's own code, so that a fading voice is not cut off. */
export const ONSET_PROBABILITY = 0.5
export const OFFSET_PROBABILITY = 0.35
/** A quarter of a second, Silero's own limit. Shorter sounds are a key, a note or a cough. */
const MIN_SPEECH_FRAMES = framesOf(250)
/** The limit where the detector is sure: a single "no" or "ja" is this short. */
const MIN_SURE_FRAMES = framesOf(128)
const SURE_SPEECH_PROBABILITY = 0.9
/** A dip of a tenth of a second ends a run; shorter ones come before plosives. */
const DIP_FRAMES = framesOf(100)

/**
 * Music, which has little dynamic range, easily fools the fresh detector. Speech that only this detector finds counts where the loud
 * frames nearby are this far above the quiet ones. Of 100 pieces of music without a voice, 39 fool it, and 11 with this rule; 21 fool the
 * other detector.
 */
const MIN_RANGE_DB = 20
const RANGE_FRAMES = framesOf(15_000)
/**
 * Where the range is smaller, in music or loud noise, the other detector needs this many seconds of certainty: the sum of its probability
 * above one half. Of the 21 pieces that fool it, 7 stay below. The shortest human sentence that was tested has 1.2.
 */
const MIN_CERTAIN_SECONDS = 0.1
/** Frames of zeros are not a noise floor: a recording that was cut or gated has another floor. */
const DIGITAL_SILENCE_DB = -115

/**
 * Above either limit, for one frame or for the mean of half a second, sound may be speech. `silence`: for quiet sound. `noise`: for sound
 * above the floor.
 */
const MAX_UNLIKELY = { silence: { frame: 0.2, mean: 0.1 }, noise: { frame: 0.1, mean: 0.05 } }
const MEAN_FRAMES = framesOf(512)

/** The floor is the level that a tenth of the frames stay below. Steady noise lies within a few dB of it. */
const FLOOR_SHARE = 0.1
const QUIET_ABOVE_FLOOR_DB = 8
/** Levels are averaged over 0.3 s: a click is not a word. */
const LEVEL_FRAMES = framesOf(288)

/** Sound that is retained on both sides of frames that must stay, so that a pause of 2 s is not cut. */
const PAD_FRAMES = framesOf(1000)
/** This close to likely speech, sound above the floor stays: laughter, a shout, a voice far from the microphone. */
const NEAR_FRAMES = framesOf(10_000)
/** This close to likely speech, sound that may be speech stays. */
const DOUBT_FRAMES = framesOf(15_000)

/**
 * Cost of skipping a second, in encoder runs. `speech`: of a second that the detector takes for speech. Only the order matters, not the
 * figures.
 */
const COST_PER_SECOND = { silence: 0.002, noise: 0.008, doubt: 0.02, speech: 0.3 }
const FRAME_SECONDS = FRAME_MS / 1000

/** A run of speech: frames `start` up to, not including, `end`. `speechFrames`: how many of them are above the onset. */
export type SpeechRun = { start: number, end: number, peak: number, speechFrames: number }

/** Above `onset` speech begins, below `offset` it ends. */
export type SpeechLimits = { onset: number, offset: number }
const USUAL_LIMITS: SpeechLimits = { onset: ONSET_PROBABILITY, offset: OFFSET_PROBABILITY }

/** Runs of speech, by the hysteresis of the detector's authors. A dip of `dipFrames` ends a run. `probabilities`: one for each frame. */
export function findSpeechRuns (probabilities: ArrayLike<number>, dipFrames: number, { onset, offset } = USUAL_LIMITS): SpeechRun[] {
  const runs: SpeechRun[] = []
  let open: SpeechRun | undefined
  for (let frame = 0; frame < probabilities.length; frame++) {
    const probability = probabilities[frame] ?? 0
    if (open && frame - open.end >= dipFrames) open = undefined
    if (!open && probability >= onset) {
      open = { start: frame, end: frame, peak: 0, speechFrames: 0 }
      runs.push(open)
    }
    if (!open || probability < offset) continue
    open.end = frame + 1
    open.peak = Math.max(open.peak, probability)
    if (probability >= onset) open.speechFrames++
  }
  return runs
}

/** Runs that are long enough to be speech. */
function findRuns (probabilities: readonly number[]): SpeechRun[] {
  return findSpeechRuns(probabilities, DIP_FRAMES)
    .filter(({ start, end, peak }) => end - start >= (peak >= SURE_SPEECH_PROBABILITY ? MIN_SURE_FRAMES : MIN_SPEECH_FRAMES))
}

/** The value that this share of the values stay below. */
function quantile (values: readonly number[], share: number): number {
  // Typed arrays sort numerically, and much faster.
  const sorted = Float32Array.from(values).sort()
  return sorted[Math.floor(share * (sorted.length - 1))] ?? -Infinity
}

/** Moving mean over `length` values; over fewer at the ends. */
function smooth (values: readonly number[], length: number): number[] {
  const sums = [0]
  for (const value of values) sums.push((sums.at(-1) ?? 0) + value)
  return values.map((_, index) => {
    const from = Math.max(0, index - (length >> 1))
    const to = Math.min(values.length, from + length)
    return ((sums[to] ?? 0) - (sums[from] ?? 0)) / (to - from)
  })
}

function hasRange (levels: readonly number[], { start, end }: SpeechRun): boolean {
  const around = levels.slice(Math.max(0, start - RANGE_FRAMES), end + RANGE_FRAMES).filter((level) => level > DIGITAL_SILENCE_DB)
  // A single word is too short to be 5 % of the frames around it, so its own level counts too.
  const loudDb = Math.max(quantile(around, 0.95), quantile(levels.slice(start, end), 0.5))
  return loudDb - quantile(around, 0.1) >= MIN_RANGE_DB
}

/** Seconds of certainty in the runs that are near this one. */
function certaintyAround ({ start }: SpeechRun, runs: readonly SpeechRun[], probabilities: readonly number[]): number {
  return runs.filter((run) => Math.abs(run.start - start) <= RANGE_FRAMES)
    .flatMap((run) => probabilities.slice(run.start, run.end))
    .reduce((sum, probability) => sum + FRAME_SECONDS * Math.max(0, probability - ONSET_PROBABILITY), 0)
}

function findLikely (frames: readonly DetectedFrame[], levels: readonly number[]): boolean[] {
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

/** The distance of each frame to the nearest one that is `true`, on either side. */
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

/** The highest level, in dB, that counts as quiet. */
function quietLimit (levels: readonly number[]): number {
  return Math.max(quantile(levels.filter((level) => level > DIGITAL_SILENCE_DB), FLOOR_SHARE) + QUIET_ABOVE_FLOOR_DB, DIGITAL_SILENCE_DB)
}

/**
 * Judges frames by the sound around them. Pass a few minutes of a recording at once. The sound after the last frame is unknown, so judge
 * the last 30 s again later, unless the recording ends there.
 */
export function judgeFrames (frames: readonly DetectedFrame[]): JudgedFrame[] {
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
  const fromRetained = distances(kinds.map((kind) => kind === undefined))
  return frames.map(({ levelDb }, index) => {
    const kind = (fromRetained[index] ?? 0) > PAD_FRAMES ? kinds[index] : undefined
    const probability = probabilities[index] ?? 0
    const doubt = kind === 'doubt' ? COST_PER_SECOND.speech * probability : 0
    const cost = kind === undefined ? Infinity : FRAME_SECONDS * (COST_PER_SECOND[kind] + doubt)
    return { probability, levelDb, isLikely: likely[index] ?? false, reason: kind === 'doubt' ? 'noise' : kind, cost }
  })
}
