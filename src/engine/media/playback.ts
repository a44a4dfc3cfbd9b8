/** Sound of a recording from any moment on, for people who listen to it. */
import { BYTES_PER_SAMPLE, SAMPLE_RATE_HZ, SAMPLES_PER_MS } from '../../domain/audio.js'
import { runLimited } from '../process.js'
import { FILTERS_OF_MIX, KEEP_CLOCK, MAX_ADDRESS_SPACE, SAFE_INPUT } from './ffmpeg.js'

/** Decoding begins this much earlier: compressed sound depends on the sound before it, and the first samples after a jump are wrong. */
const LEAD_SAMPLES = SAMPLE_RATE_HZ / 2
/** ffmpeg begins at a multiple of 200 ms, which is a whole number of samples at every common rate. Elsewhere, sound would be shifted. */
const GRID_SAMPLES = 200 * SAMPLES_PER_MS

/** Longer than anybody pauses a player. If the listener leaves, ffmpeg ends at once. */
const TIMEOUT_MS = 12 * 3_600_000

/**
 * The sound of a file from a sample on, mixed to 16 kHz s16le, to its end. The samples are those that transcription heard, except for
 * rounding of the decoder. Where the sound cannot be decoded, it ends early. ffmpeg ends when the reader stops or `signal` aborts.
 */
export async function * playSound (path: string, startSample: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const from = Math.floor(Math.max(0, startSample - LEAD_SAMPLES) / GRID_SAMPLES) * GRID_SAMPLES
  const running = runLimited('ffmpeg', [
    '-nostdin', '-hide_banner', '-v', 'error', '-threads', '1', ...SAFE_INPUT,
    ...from === 0 ? [] : ['-ss', (from / SAMPLE_RATE_HZ).toFixed(6)],
    ...KEEP_CLOCK, '-i', path, '-map', '0:a:0', '-vn', '-sn', '-dn', '-filter_threads', '1', '-af', FILTERS_OF_MIX,
    '-ac', '1', '-ar', String(SAMPLE_RATE_HZ), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'
  ], { timeoutMs: TIMEOUT_MS, maxAddressSpace: MAX_ADDRESS_SPACE, signal })
  let skip = (startSample - from) * BYTES_PER_SAMPLE
  try {
    for await (const chunk of running.stdout as AsyncIterable<Buffer>) {
      const part = chunk.subarray(Math.min(skip, chunk.length))
      skip -= chunk.length - part.length
      if (part.length > 0) yield part
    }
  } finally {
    running.stop()
  }
  await running.ended
}
