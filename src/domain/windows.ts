/**
 * Cuts decoded audio into the windows the decoder sees: at most 30 s each, cut in pauses, digital silence left out.
 * Streaming and deterministic: the same samples give the same windows however they arrive, so a job that decodes
 * again after a crash finds its finished windows unchanged.
 *
 * @NOTE this is the seam for voice activity detection: it will decide here what is speech. Loudness alone cannot tell
 * a quiet voice from noise, so nothing louder than digital silence is dropped.
 */
import { MAX_WINDOW_SAMPLES, SAMPLE_RATE_HZ } from './audio.js'

/** Samples `start` up to, not including, `end`. */
export type AudioWindow = { startSample: number, endSample: number }

/** 20 ms: short enough to find the gap between two sentences, long enough to average over a pitch period. */
const FRAME_SAMPLES = SAMPLE_RATE_HZ / 50
const MAX_FRAMES = MAX_WINDOW_SAMPLES / FRAME_SAMPLES
/** A window is cut in its second half, so that it is worth its encoder run: that costs the same for 1 s as for 30 s. */
const MIN_CUT_FRAME = MAX_FRAMES / 2
/** A second before the end: room for the time stamp that closes the last segment, without which what follows it is decoded once more. */
const MAX_CUT_FRAME = MAX_FRAMES - SAMPLE_RATE_HZ / FRAME_SAMPLES
/** Pauses to look for, longest first, in frames: 0.3 s, as between phrases, and 0.16 s. Of those, the latest ends the window: longer windows are fewer. */
const PAUSES = [15, 8]
/** Frames this much above the quietest tenth of the window still count as pause. */
const PAUSE_MARGIN_DB = 6
/** Below this there is nothing to hear: dither and codec residue of digital silence. */
const SILENCE_DBFS = -65
/** Kept on both sides of what can be heard. */
const PAD_FRAMES = 15

function loudnessDb (samples: Int16Array): number {
  let sum = 0
  for (let i = 0; i < samples.length; i++) sum += (samples[i] ?? 0) ** 2
  return 10 * Math.log10(sum / samples.length / 32_768 ** 2 + 1e-12)
}

/** First frame after the cut: the middle of the latest pause in the second half of a full window. */
function findCut (levels: readonly number[]): number {
  const sorted = [...levels].sort((a, b) => a - b)
  const levelAt = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  // Where less than a tenth is pause, the quietest tenth is sound itself: what is quiet must stay clearly below the median.
  const quiet = Math.min(levelAt(0.1) + PAUSE_MARGIN_DB, levelAt(0.5) - PAUSE_MARGIN_DB)
  const runs = quietRuns(levels, quiet)
  for (const pause of PAUSES) {
    const run = runs.filter(({ from, to }) => to - from >= pause).at(-1)
    if (run) return Math.ceil((run.from + run.to) / 2)
  }
  const tail = levels.slice(MIN_CUT_FRAME, MAX_CUT_FRAME)
  return MIN_CUT_FRAME + tail.lastIndexOf(Math.min(...tail))
}

function quietRuns (levels: readonly number[], quiet: number): Array<{ from: number, to: number }> {
  const runs: Array<{ from: number, to: number }> = []
  for (let i = MIN_CUT_FRAME; i < MAX_CUT_FRAME; i++) {
    if ((levels[i] ?? 0) > quiet) continue
    const last = runs.at(-1)
    if (last?.to === i) last.to = i + 1
    else runs.push({ from: i, to: i + 1 })
  }
  return runs
}

/** A cutter for one recording. Feed it all samples in order, then call `finish`. */
export function createWindowCutter () {
  const pending = new Int16Array(FRAME_SAMPLES)
  let pendingLength = 0
  let levels: number[] = []
  let windowStart = 0
  let total = 0

  /** The audible part of the first `frames` frames, padded; undefined when there is none. */
  function trim (frames: number, endSample: number): AudioWindow | undefined {
    const audible = levels.slice(0, frames)
    const first = audible.findIndex((level) => level > SILENCE_DBFS)
    if (first === -1) return undefined
    const last = audible.findLastIndex((level) => level > SILENCE_DBFS)
    return {
      startSample: windowStart + Math.max(0, first - PAD_FRAMES) * FRAME_SAMPLES,
      endSample: Math.min(endSample, windowStart + (last + 1 + PAD_FRAMES) * FRAME_SAMPLES)
    }
  }

  function take (frames: number, endSample: number): AudioWindow[] {
    const window = trim(frames, endSample)
    levels = levels.slice(frames)
    windowStart += frames * FRAME_SAMPLES
    return window ? [window] : []
  }

  function addFrame (): AudioWindow[] {
    levels.push(loudnessDb(pending.subarray(0, pendingLength)))
    pendingLength = 0
    if (levels.length < MAX_FRAMES) return []
    const cut = findCut(levels)
    return take(cut, windowStart + cut * FRAME_SAMPLES)
  }

  return {
    /** Windows that are settled by these samples. */
    push (samples: Int16Array): AudioWindow[] {
      const windows: AudioWindow[] = []
      total += samples.length
      for (let offset = 0; offset < samples.length;) {
        const part = samples.subarray(offset, offset + FRAME_SAMPLES - pendingLength)
        pending.set(part, pendingLength)
        pendingLength += part.length
        offset += part.length
        if (pendingLength === FRAME_SAMPLES) windows.push(...addFrame())
      }
      return windows
    },
    /** The last window, and the number of samples seen. */
    finish (): { windows: AudioWindow[], totalSamples: number } {
      if (pendingLength > 0) levels.push(loudnessDb(pending.subarray(0, pendingLength)))
      return { windows: take(levels.length, total), totalSamples: total }
    }
  }
}
