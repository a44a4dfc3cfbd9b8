/**
 * Packs a recording into windows for the decoder: at most 30 s each, cut in pauses. Certain non-speech is skipped where that saves a
 * window; in one side of a call, long silence always is. Streaming and deterministic: a job that decodes again after a crash finds its
 * finished windows unchanged.
 */
import { MAX_WINDOW_SAMPLES, samplesToMs } from './audio.js'
import type { Channel } from './channels.js'
import { FRAME_MS, FRAME_SAMPLES, framesOf, judgeFrames } from './speech-spans.js'
import type { DetectedFrame, JudgedFrame, SkipReason } from './speech-spans.js'
import type { SkippedSpan } from './transcript.js'
import { planWindows } from './window-plan.js'
import type { FrameSpan, Pauses, Step } from './window-plan.js'

/** Samples `startSample` up to, not including, `endSample`. */
export type AudioSpan = { startSample: number, endSample: number }
/**
 * The bounds of a window and its gaps, which are not decoded. `speechMs`: how much of it is likely speech; absent when not known.
 * `channel`: whose sound it is; absent: of all channels, mixed.
 */
export type AudioWindow = AudioSpan & { gaps?: AudioSpan[], speechMs?: number, channel?: Channel }

/** What a window is for: detecting the language of the recording from a sample, or transcribing speech. */
export type WindowPurpose = 'language' | 'speech'

/** The parts of a window that are decoded: everything between its gaps, in order. */
export function decodedSpans ({ startSample, endSample, gaps = [] }: AudioWindow): AudioSpan[] {
  const starts = [startSample, ...gaps.map((gap) => gap.endSample)]
  const ends = [...gaps.map((gap) => gap.startSample), endSample]
  return starts.map((start, index) => ({ startSample: start, endSample: ends[index] ?? endSample }))
}

/** A stretch of the recording (or a moment), and the index of the decoded span it lies in. */
export type Placed = { startMs: number, endMs: number, span: number }
/** Converts times in a window, where gaps do not exist, to times in the recording. */
export type WindowClock = (startMs: number, endMs: number) => Placed

/**
 * Creates the clock of a window. A stretch across a gap goes to the span that holds most of it: nobody speaks a word around a silence.
 * Times outside the window move to its ends.
 */
export function createWindowClock (window: AudioWindow): WindowClock {
  let decodedMs = 0
  const spans = decodedSpans(window).map(({ startSample, endSample }) => {
    const fromMs = decodedMs
    decodedMs += samplesToMs(endSample - startSample)
    return { fromMs, toMs: decodedMs, offsetMs: samplesToMs(startSample) - fromMs }
  })
  const lastSpan = spans.length - 1
  return (startMs, endMs) => {
    const overlaps = spans.map(({ fromMs, toMs }) => Math.min(endMs, toMs) - Math.max(startMs, fromMs))
    const most = Math.max(...overlaps)
    // Where two spans meet, a moment belongs to the later one; after the end, to the last.
    const span = startMs >= decodedMs ? lastSpan : most > 0 ? overlaps.indexOf(most) : overlaps.lastIndexOf(most)
    const { fromMs, toMs, offsetMs } = spans[span] ?? { fromMs: 0, toMs: 0, offsetMs: 0 }
    const clampMs = (ms: number): number => offsetMs + Math.min(Math.max(ms, fromMs), toMs)
    return { startMs: clampMs(startMs), endMs: clampMs(Math.max(startMs, endMs)), span }
  }
}

/** How far ahead a window is planned. */
const HORIZON_FRAMES = framesOf(90_000)
/** How much sound after and before a frame is used to judge it. */
const AHEAD_FRAMES = framesOf(30_000)
const CONTEXT_FRAMES = framesOf(60_000)

const toSpan = ({ start, end }: FrameSpan): AudioSpan => ({ startSample: start * FRAME_SAMPLES, endSample: end * FRAME_SAMPLES })

function toWindow ({ start, end, gaps }: Step, totalSamples: number, speechFrames: number): AudioWindow {
  const { startSample, endSample } = toSpan({ start, end })
  const isUncut = gaps.length === 0
  return {
    startSample,
    endSample: Math.min(endSample, totalSamples, isUncut ? startSample + MAX_WINDOW_SAMPLES : endSample),
    ...(isUncut ? {} : { gaps: gaps.map(toSpan) }),
    speechMs: speechFrames * FRAME_MS
  }
}

/** The list of skipped spans. Touching spans with the same reason are merged; each has the highest probability and level of its frames. */
function createSkippedList () {
  const list: SkippedSpan[] = []
  return {
    list,
    /** Cuts the last span: the recording may end inside its last frame. */
    endAt (endMs: number): void {
      const last = list.at(-1)
      if (last) last.endMs = Math.min(last.endMs, endMs)
    },
    add ({ start, end }: FrameSpan, frames: readonly JudgedFrame[]): void {
      const reason: SkipReason = frames.some((frame) => frame.reason === 'noise') ? 'noise' : 'silence'
      const probability = Math.max(...frames.map((frame) => frame.probability))
      const levelDb = Math.max(...frames.map((frame) => frame.levelDb))
      const last = list.at(-1)
      if (last?.endMs === start * FRAME_MS && last.reason === reason) {
        last.endMs = end * FRAME_MS
        last.probability = Math.max(last.probability, probability)
        last.levelDb = Math.max(last.levelDb, levelDb)
      } else list.push({ startMs: start * FRAME_MS, endMs: end * FRAME_MS, reason, probability, levelDb })
    }
  }
}

/** Creates the packer of one recording, or of one side of a call (`close`). Feed it all frames in order, then call `finish`. */
export function createWindowPacker (pauses: Pauses = 'keep') {
  /** Frames from `base` on. The next window is planned from `next` on. */
  let detected: DetectedFrame[] = []
  let [base, next] = [0, 0]
  const skipped = createSkippedList()

  /** Plans the next window with the gaps before and in it, and moves on to its end. */
  function decide (isFinished: boolean, totalSamples: number): AudioWindow[] {
    const left = base + detected.length - next
    const isEnd = isFinished && left < HORIZON_FRAMES + AHEAD_FRAMES
    const judged = judgeFrames(detected.slice(0, next - base + HORIZON_FRAMES + AHEAD_FRAMES))
    const frames = judged.slice(next - base, isEnd ? undefined : next - base + HORIZON_FRAMES)
    const steps = planWindows(frames, isEnd ? 'recording' : 'piece', pauses)
    const first = steps.findIndex(({ isWindow }) => isWindow)
    const offset = next
    const move = ({ start, end }: FrameSpan): FrameSpan => ({ start: start + offset, end: end + offset })
    const windows: AudioWindow[] = []
    for (const step of steps.slice(0, first + 1 || undefined)) {
      for (const span of step.isWindow ? step.gaps : [step]) skipped.add(move(span), frames.slice(span.start, span.end))
      const speechFrames = frames.slice(step.start, step.end).filter(({ isLikely }) => isLikely).length
      if (step.isWindow) windows.push(toWindow({ ...step, ...move(step), gaps: step.gaps.map(move) }, totalSamples, speechFrames))
      next = offset + step.end
    }
    const passed = Math.max(0, next - CONTEXT_FRAMES - base)
    detected = detected.slice(passed)
    base += passed
    return windows
  }

  return {
    /** Adds frames. Returns the windows that are now certain. */
    push (frames: Iterable<DetectedFrame>): AudioWindow[] {
      for (const frame of frames) detected.push(frame)
      const windows: AudioWindow[] = []
      while (base + detected.length - next >= HORIZON_FRAMES + AHEAD_FRAMES) windows.push(...decide(false, Infinity))
      return windows
    },
    /** Returns the last windows. `totalSamples`: the length of the recording, which may end inside the last frame. */
    finish (totalSamples: number): AudioWindow[] {
      const windows: AudioWindow[] = []
      while (next < base + detected.length) windows.push(...decide(true, totalSamples))
      skipped.endAt(samplesToMs(totalSamples))
      return windows
    },
    /** The skipped spans, in order; complete after `finish`. */
    skipped: (): readonly SkippedSpan[] => skipped.list
  }
}
