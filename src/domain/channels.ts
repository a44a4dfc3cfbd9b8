/** Tells whether the two channels of a recording hold different people, as in a recorded call. Pure. */
import Type from 'typebox'
import type { Static } from 'typebox'
import { FRAME_SAMPLES, framesOf } from './speech-spans.js'
import { sumsAround, tallestAround } from './frame-sums.js'

export const CHANNEL_MODES = ['auto', 'separate', 'mixed'] as const
/** How the channels of a recording are transcribed. */
export const ChannelMode = Type.Enum(CHANNEL_MODES, {
  description: 'what becomes of the two channels of a stereo recording. separate: each is transcribed by itself, and speakers are told ' +
    'apart by channel; mixed: both are transcribed as one; auto: separate if they hold different voices, as in a recorded call. ' +
    'Recordings with one channel, with more than two, or with the same sound in both are always mixed. Default: auto'
})
export type ChannelMode = Static<typeof ChannelMode>

/** The channels of a recording that has two. */
export const CHANNELS = [1, 2] as const
export type Channel = typeof CHANNELS[number]

/**
 * `separate`: each channel has a voice of its own. `same`: both have the same sound. `mixed`: anything else, such as music or a room in
 * stereo. `isInverted`: one channel is the other one with its sign changed, so that their sum would be silent.
 */
export type ChannelVerdict = { kind: 'separate' | 'same' | 'mixed', isInverted: boolean }

/** A frame counts as loud as its loudest neighbour within this distance, so that pauses between syllables do not count as silence. */
const REACH_FRAMES = framesOf(160)
/** Sound this far below the loud frames of its channel, or below `FLOOR_DB`, counts as silence. In dB of full scale. */
const ACTIVE_RANGE_DB = 25
const FLOOR_DB = -60
const LOUD_SHARE = 0.95
/** One channel is this much louder where only one person talks. Crosstalk of telephones is at -25 dB or below. */
const ALONE_DB = 12
/** Each channel must have this much sound while the other is silent: the length of a single word. */
const MIN_ALONE_FRAMES = framesOf(300)
/** In a conversation, people seldom talk at once. In music and in a room, both channels have sound nearly always. */
const MAX_BOTH_SHARE = 0.3
/** A recording with this much sound in both channels at once, and this share of all sound, is not a call. */
const SURE_BOTH_FRAMES = framesOf(30_000)
const SURE_BOTH_SHARE = 0.5
/** Two channels whose samples are more alike than this have the same sound. */
const SAME_LIKENESS = 0.98
const INVERTED_LIKENESS = -0.8
/** Leakage: quieter than the other channel by this much more than its own voice is, or a likeness of it and 6 dB quieter. */
const LEAK_DB = 18
const LEAK_LIKENESS = 0.6
const LEAK_LIKENESS_DB = 6

const toDb = (power: number): number => 10 * Math.log10(power + 1e-12)

/** Sums over whole frames: squares of the first and second channel, and products of both, per sample. Full scale is 1. */
type Frames = { first: Float32Array, second: Float32Array, product: Float32Array }

/** A growing list of numbers in typed arrays. */
function createSeries () {
  let values = new Float32Array(1024)
  let length = 0
  return {
    push (value: number): void {
      if (length === values.length) {
        const larger = new Float32Array(2 * length)
        larger.set(values)
        values = larger
      }
      values[length++] = value
    },
    view: (): Float32Array => values.subarray(0, length)
  }
}

/** `levels`: of each channel, in dB. `likeness`: of both channels around each frame, -1..1. */
type Picture = {
  levels: readonly [Float32Array, Float32Array]
  likeness: Float32Array
  isActive: (channel: 0 | 1, frame: number) => boolean
}

function percentile (values: Float32Array, share: number): number {
  return values.toSorted()[Math.floor(share * (values.length - 1))] ?? FLOOR_DB
}

function draw ({ first, second, product }: Frames): Picture {
  const levels = [first, second].map((powers) => tallestAround(powers.map(toDb), REACH_FRAMES)) as [Float32Array, Float32Array]
  const limits = levels.map((level) => Math.max(FLOOR_DB, percentile(level, LOUD_SHARE) - ACTIVE_RANGE_DB)) as [number, number]
  const [xx, yy, xy] = [sumsAround(first, REACH_FRAMES), sumsAround(second, REACH_FRAMES), sumsAround(product, REACH_FRAMES)]
  const likeness = Float32Array.from(xy, (value, frame) => value / Math.sqrt(xx[frame]! * yy[frame]! + 1e-18))
  return { levels, likeness, isActive: (channel, frame) => levels[channel][frame]! > limits[channel] }
}

type Count = { alone: readonly [number, number], both: number }

/** 0 or 1: only this channel has sound; -1: both have; undefined: neither has. */
function whoSounds ({ levels, isActive }: Picture, frame: number): 0 | 1 | -1 | undefined {
  const difference = levels[0][frame]! - levels[1][frame]!
  if (difference >= ALONE_DB && isActive(0, frame)) return 0
  if (difference <= -ALONE_DB && isActive(1, frame)) return 1
  return isActive(0, frame) && isActive(1, frame) ? -1 : undefined
}

function count (picture: Picture): Count {
  const alone: [number, number] = [0, 0]
  let both = 0
  for (let frame = 0; frame < picture.likeness.length; frame++) {
    const who = whoSounds(picture, frame)
    if (who === -1) both++
    else if (who !== undefined) alone[who]++
  }
  return { alone, both }
}

const sum = (values: Float32Array): number => values.reduce((total, value) => total + value, 0)

/** The level of a voice: the median of its channel where only that channel has sound. */
function voiceDb (picture: Picture, channel: 0 | 1): number {
  const own = picture.levels[channel].filter((_, frame) => whoSounds(picture, frame) === channel)
  return percentile(own, 0.5)
}

/** Consecutive frames for which `test` holds, as samples. */
function spansWhere (frames: number, test: (frame: number) => boolean): Array<{ startSample: number, endSample: number }> {
  const spans: Array<{ startSample: number, endSample: number }> = []
  for (let frame = 0; frame < frames; frame++) {
    if (!test(frame)) continue
    const startSample = frame * FRAME_SAMPLES
    const last = spans.at(-1)
    if (last?.endSample === startSample) last.endSample += FRAME_SAMPLES
    else spans.push({ startSample, endSample: startSample + FRAME_SAMPLES })
  }
  return spans
}

/** Compares the two channels of a recording while it is decoded. */
export function createChannelComparison () {
  const series = { first: createSeries(), second: createSeries(), product: createSeries() }
  let [xx, yy, xy, filled] = [0, 0, 0, 0]

  function endFrame (): void {
    series.first.push(xx / FRAME_SAMPLES)
    series.second.push(yy / FRAME_SAMPLES)
    series.product.push(xy / FRAME_SAMPLES);
    [xx, yy, xy, filled] = [0, 0, 0, 0]
  }
  const framesSoFar = (): Frames => ({ first: series.first.view(), second: series.second.view(), product: series.product.view() })

  let last: Picture | undefined
  /** The levels and likeness of the sound so far. */
  function look (): Picture {
    const frames = framesSoFar()
    if (last?.likeness.length !== frames.first.length) last = draw(frames)
    return last
  }

  return {
    /** Adds interleaved samples of both channels, 16 bit. */
    push (samples: Int16Array): void {
      for (let index = 0; index + 1 < samples.length; index += 2) {
        const [x, y] = [samples[index]! / 32_768, samples[index + 1]! / 32_768]
        xx += x * x
        yy += y * y
        xy += x * y
        if (++filled === FRAME_SAMPLES) endFrame()
      }
    },
    /** Judges the sound so far. */
    judge (): ChannelVerdict {
      const frames = framesSoFar()
      // Two silent channels count as alike.
      const likeness = (sum(frames.product) + 1e-12) / (Math.sqrt(sum(frames.first) * sum(frames.second)) + 1e-12)
      const { alone: [first, second], both } = count(look())
      const isInverted = likeness < INVERTED_LIKENESS
      if (Math.abs(likeness) > SAME_LIKENESS && first + second === 0) return { kind: 'same', isInverted }
      const isCall = Math.min(first, second) >= MIN_ALONE_FRAMES && both <= MAX_BOTH_SHARE * (first + second + both)
      return { kind: isCall ? 'separate' : 'mixed', isInverted }
    },
    /** True when the rest cannot change the verdict to `separate`: both channels had sound at once for too long. */
    isSurelyMixed (): boolean {
      const { alone: [first, second], both } = count(look())
      return both >= SURE_BOTH_FRAMES && both >= SURE_BOTH_SHARE * (first + second + both)
    },
    /** Where a channel contains only sound that leaked from the other one. */
    listLeaks (channel: Channel): Array<{ startSample: number, endSample: number }> {
      const picture = look()
      const [own, other] = channel === 1 ? [0, 1] as const : [1, 0] as const
      const voices = [voiceDb(picture, 0), voiceDb(picture, 1)] as const
      return spansWhere(picture.likeness.length, (frame) => {
        const [ownDb, otherDb] = [picture.levels[own][frame]!, picture.levels[other][frame]!]
        if (!picture.isActive(other, frame)) return false
        if (ownDb - voices[own] <= otherDb - voices[other] - LEAK_DB) return true
        return Math.abs(picture.likeness[frame]!) >= LEAK_LIKENESS && ownDb <= otherDb - LEAK_LIKENESS_DB
      })
    }
  }
}
