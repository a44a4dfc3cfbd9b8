/**
 * Packs the speech of a recording into the windows the decoder sees: at most 30 s each, cut in pauses. What holds no speech is left out,
 * between windows and inside them, so that silence costs nothing. Streaming and deterministic: a job that decodes again after a crash finds
 * its finished windows unchanged.
 */
import { MAX_WINDOW_SAMPLES, SAMPLE_RATE_HZ, samplesToMs } from './audio.js'
import { createSpeechSpotter, FRAME_MS, FRAME_SAMPLES } from './speech-spans.js'
import type { HeardFrame, SpeechFrame } from './speech-spans.js'

/** Samples `startSample` up to, not including, `endSample`. */
export type AudioSpan = { startSample: number, endSample: number }
/** A window's bounds, and what lies between them but is left out; `gaps` absent: nothing is. */
export type AudioWindow = AudioSpan & { gaps?: AudioSpan[] }

const MAX_FRAMES = Math.floor(MAX_WINDOW_SAMPLES / FRAME_SAMPLES)
/** A window is cut in its second half, so that it is worth its encoder run: that costs the same for 1 s as for 30 s. */
const MIN_CUT_FRAME = Math.floor(MAX_FRAMES / 2)
/** A second before the end: room for the time stamp that closes the last segment, without which what follows it is decoded once more. */
const MAX_CUT_FRAME = MAX_FRAMES - Math.round(SAMPLE_RATE_HZ / FRAME_SAMPLES)
/** A pause of this length is the end of a sentence; of several, the latest ends the window, because longer windows are fewer. */
const SENTENCE_PAUSE_MS = 600

/** What is heard of a window: the parts of it that are not gaps, in order. */
export function heardSpans ({ startSample, endSample, gaps = [] }: AudioWindow): AudioSpan[] {
  const starts = [startSample, ...gaps.map((gap) => gap.endSample)]
  const ends = [...gaps.map((gap) => gap.startSample), endSample]
  return starts.map((start, index) => ({ startSample: start, endSample: ends[index] ?? endSample }))
}

/** A moment or a stretch of the recording, and which of the window's heard spans it lies in. */
export type Placed = { startMs: number, endMs: number, span: number }
/** From times in a window, where gaps do not exist, to times in the recording. */
export type WindowClock = (startMs: number, endMs: number) => Placed

/**
 * The clock of a window. What reaches over a gap is placed in the span that holds most of it: nobody speaks a word around a silence. Times
 * outside the window are moved to its ends.
 */
export function createWindowClock (window: AudioWindow): WindowClock {
  let heardMs = 0
  const spans = heardSpans(window).map(({ startSample, endSample }) => {
    const fromMs = heardMs
    heardMs += samplesToMs(endSample - startSample)
    return { fromMs, toMs: heardMs, offsetMs: samplesToMs(startSample) - fromMs }
  })
  const lastSpan = spans.length - 1
  return (startMs, endMs) => {
    const overlaps = spans.map(({ fromMs, toMs }) => Math.min(endMs, toMs) - Math.max(startMs, fromMs))
    const most = Math.max(...overlaps)
    // Where two spans meet, a moment belongs to the later one; beyond the end, to the last.
    const span = startMs >= heardMs ? lastSpan : most > 0 ? overlaps.indexOf(most) : overlaps.lastIndexOf(most)
    const { fromMs, toMs, offsetMs } = spans[span] ?? { fromMs: 0, toMs: 0, offsetMs: 0 }
    const clampMs = (ms: number): number => offsetMs + Math.min(Math.max(ms, fromMs), toMs)
    return { startMs: clampMs(startMs), endMs: clampMs(Math.max(startMs, endMs)), span }
  }
}

type Pause = { cut: number, ms: number }

/** The pauses among the frames of a window, each with the frame before which it would be cut. */
function findPauses (frames: readonly SpeechFrame[]): Pause[] {
  const pauses: Pause[] = []
  let first = 0
  for (const [position, frame] of frames.entries()) {
    if (!frame.isSpeech) continue
    const before = frames[first - 1]
    if (before && position > first) {
      // Where frames were left out, or else in its middle.
      const leap = frames.slice(first, position + 1).findIndex(({ index }, offset) => index !== before.index + 1 + offset)
      pauses.push({ cut: leap === -1 ? Math.ceil((first + position) / 2) : first + leap, ms: (frame.index - before.index - 1) * FRAME_MS })
    }
    first = position + 1
  }
  return pauses
}

/** Where a full window is cut: at the end of its last sentence, else in its longest pause, else where it is quietest. */
function findCut (frames: readonly SpeechFrame[]): number {
  const pauses = findPauses(frames).filter(({ cut }) => cut >= MIN_CUT_FRAME && cut <= MAX_CUT_FRAME)
  const sentenceEnd = pauses.findLast(({ ms }) => ms >= SENTENCE_PAUSE_MS)
  if (sentenceEnd) return sentenceEnd.cut
  const longestMs = Math.max(...pauses.map(({ ms }) => ms))
  const longest = pauses.findLast(({ ms }) => ms === longestMs)
  if (longest) return longest.cut
  const levels = frames.slice(MIN_CUT_FRAME, MAX_CUT_FRAME).map(({ levelDb }) => levelDb)
  return MIN_CUT_FRAME + levels.lastIndexOf(Math.min(...levels))
}

function toWindow (frames: readonly SpeechFrame[], totalSamples: number): AudioWindow {
  const spans: AudioSpan[] = []
  for (const { index } of frames) {
    const startSample = index * FRAME_SAMPLES
    const last = spans.at(-1)
    if (last?.endSample === startSample) last.endSample += FRAME_SAMPLES
    else spans.push({ startSample, endSample: startSample + FRAME_SAMPLES })
  }
  const gaps = spans.slice(1).map((span, index) => ({ startSample: spans[index]?.endSample ?? 0, endSample: span.startSample }))
  return {
    startSample: spans[0]?.startSample ?? 0,
    endSample: Math.min(spans.at(-1)?.endSample ?? 0, totalSamples),
    ...(gaps.length > 0 ? { gaps } : {})
  }
}

/** Windows of one recording. Feed it all frames in order, then call `finish`. */
export function createWindowPacker () {
  let frames: SpeechFrame[] = []
  let settled: AudioWindow[] = []

  const spotter = createSpeechSpotter((frame) => {
    if (!frame.isKept) return
    frames.push(frame)
    if (frames.length < MAX_FRAMES) return
    const cut = findCut(frames)
    settled.push(toWindow(frames.slice(0, cut), Infinity))
    frames = frames.slice(cut)
  })

  function takeSettled (): AudioWindow[] {
    const windows = settled
    settled = []
    return windows
  }

  return {
    /** Windows that are settled by these frames. */
    push (heard: Iterable<HeardFrame>): AudioWindow[] {
      for (const frame of heard) spotter.push(frame)
      return takeSettled()
    },
    /** The last windows; the recording has `totalSamples`, which may end inside the last frame. */
    finish (totalSamples: number): AudioWindow[] {
      spotter.finish()
      if (frames.some(({ isSpeech }) => isSpeech)) settled.push(toWindow(frames, totalSamples))
      frames = []
      return takeSettled()
    }
  }
}
