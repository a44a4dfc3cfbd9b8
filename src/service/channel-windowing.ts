/** Cuts each channel of a two-channel recording into windows. */
import { CHANNELS } from '../domain/channels.js'
import { sharedSkips } from '../domain/channel-words.js'
import type { SkippedSpan } from '../domain/transcript.js'
import type { AudioWindow } from '../domain/windows.js'
import type { SpeechEngine } from '../engine/speech/engine.js'
import type { Files } from '../store/files.js'
import { createWindowing, PIECE_SAMPLES } from './windowing.js'

/** A channel with less likely speech than this has no voice: hum, music or a click. */
const LEAST_SPEECH_MS = 250

type Deps = { speech: Pick<SpeechEngine, 'detectSpeech'>, files: Pick<Files, 'audioPath'>, jobId: number }

/**
 * Plans the windows of the channels of a recording of `totalSamples` whose sound is on disk. `store` gets them a few at a time, in an order
 * that depends only on the sound. `needsVoices`: store nothing unless each channel has a voice. Resolves with the spans that are in no
 * window of any channel, or with undefined if a channel has no voice.
 */
export async function cutChannels (
  { speech, files, jobId }: Deps, totalSamples: number, { needsVoices }: { needsVoices: boolean }, store: (found: AudioWindow[]) => void
): Promise<SkippedSpan[] | undefined> {
  const channels = CHANNELS.map((channel) =>
    ({ windowing: createWindowing(speech, files.audioPath(jobId, channel), channel), speechMs: 0 }))
  let waiting: AudioWindow[] = []
  const storeVoices = (): void => {
    if (needsVoices && channels.some(({ speechMs }) => speechMs < LEAST_SPEECH_MS)) return
    store(waiting)
    waiting = []
  }
  const end = totalSamples + PIECE_SAMPLES
  for (let written = PIECE_SAMPLES; written < end; written += PIECE_SAMPLES) {
    for (const channel of channels) {
      const { windowing } = channel
      const found = written < totalSamples ? await windowing.advance(written) : await windowing.finish(totalSamples)
      channel.speechMs += found.reduce((sum, { speechMs = 0 }) => sum + speechMs, 0)
      waiting.push(...found)
    }
    storeVoices()
  }
  return waiting.length > 0 ? undefined : sharedSkips(channels.map(({ windowing }) => windowing.skipped()))
}
