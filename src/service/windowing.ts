/** Cuts a recording into windows while it is being decoded. Each new piece of sound passes through the voice activity detector. */
import type { Channel } from '../domain/channels.js'
import { FRAME_SAMPLES, LEAD_FRAMES, PIECE_FRAMES } from '../domain/speech-spans.js'
import type { DetectedFrame } from '../domain/speech-spans.js'
import { createWindowPacker } from '../domain/windows.js'
import type { AudioWindow } from '../domain/windows.js'
import type { SpeechEngine } from '../engine/speech/engine.js'

/** The length of sound that speech detection takes at once. */
export const PIECE_SAMPLES = PIECE_FRAMES * FRAME_SAMPLES

/** `audioPath`: the file that decoded sound is appended to, 16 kHz mono s16le. `channel`: whose sound that is; undefined: mixed sound. */
export function createWindowing (speech: Pick<SpeechEngine, 'detectSpeech'>, audioPath: string, channel?: Channel) {
  const packer = createWindowPacker(channel === undefined ? 'keep' : 'close')
  let heardSamples = 0
  let state: Float32Array | undefined

  const ofChannel = (windows: readonly AudioWindow[]): AudioWindow[] =>
    windows.map((window) => channel === undefined ? window : { ...window, channel })

  async function listen (endSample: number): Promise<AudioWindow[]> {
    const leadFrames = Math.min(LEAD_FRAMES, heardSamples / FRAME_SAMPLES)
    const spans = [{ startSample: heardSamples - leadFrames * FRAME_SAMPLES, endSample }]
    const { probabilities, freshProbabilities, levelsDb, ...heard } = await speech.detectSpeech({ audioPath, spans, state, leadFrames })
    state = heard.state
    heardSamples = endSample
    return ofChannel(packer.push(Array.from(probabilities, (probability, index): DetectedFrame =>
      ({ probability, freshProbability: freshProbabilities[index] ?? 0, levelDb: levelsDb[index] ?? 0 }))))
  }

  return {
    /** The windows that are final once the file holds `writtenSamples`. Rejects with `SpeechError`. */
    async advance (writtenSamples: number): Promise<AudioWindow[]> {
      const windows: AudioWindow[] = []
      while (writtenSamples - heardSamples >= PIECE_SAMPLES) windows.push(...await listen(heardSamples + PIECE_SAMPLES))
      return windows
    },
    /** The last windows of a recording of `totalSamples`. Rejects with `SpeechError`. */
    async finish (totalSamples: number): Promise<AudioWindow[]> {
      const windows = await this.advance(totalSamples)
      if (totalSamples > heardSamples) windows.push(...await listen(totalSamples))
      return [...windows, ...ofChannel(packer.finish(totalSamples))]
    },
    /** The spans outside all windows; complete once `finish` has resolved. */
    skipped: () => packer.skipped()
  }
}
