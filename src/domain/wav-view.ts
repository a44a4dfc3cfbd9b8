/** A recording as a WAV file that is never stored: its size, its header, and where a byte of it is in the recording. Pure. */
import { BYTES_PER_SAMPLE, SAMPLE_RATE_HZ } from './audio.js'
import type { ByteRange } from './byte-range.js'

const HEADER_BYTES = 44
const MAX_FIELD = 0xffffffff

/** The size of the file with so many samples, in bytes. */
export const wavBytes = (samples: number): number => HEADER_BYTES + samples * BYTES_PER_SAMPLE

/** The header of a file with so many samples: 16 kHz, mono, 16 bit. Sizes of 4 GiB and more (37 hours) do not fit and are left open. */
export function wavHeader (samples: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES)
  const view = new DataView(bytes.buffer)
  const put = (at: number, text: string): void => { for (const [index, each] of [...text].entries()) bytes[at + index] = each.charCodeAt(0) }
  put(0, 'RIFF')
  view.setUint32(4, Math.min(MAX_FIELD, wavBytes(samples) - 8), true)
  put(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, SAMPLE_RATE_HZ, true)
  view.setUint32(28, SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, true)
  view.setUint16(32, BYTES_PER_SAMPLE, true)
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true)
  put(36, 'data')
  view.setUint32(40, Math.min(MAX_FIELD, samples * BYTES_PER_SAMPLE), true)
  return bytes
}

/**
 * What a range of the file consists of: bytes of the header, then sound from `startSample` on, of which the first `skipBytes` are not part
 * of the range, and `soundBytes` are.
 */
export function planWav ({ start, end }: ByteRange): { header: ByteRange, startSample: number, skipBytes: number, soundBytes: number } {
  const from = Math.max(0, start - HEADER_BYTES)
  return {
    header: { start: Math.min(start, HEADER_BYTES), end: Math.min(end, HEADER_BYTES) },
    startSample: Math.floor(from / BYTES_PER_SAMPLE),
    skipBytes: from % BYTES_PER_SAMPLE,
    soundBytes: Math.max(0, end - HEADER_BYTES - from)
  }
}
