/** Runs ffmpeg and ffprobe: what a file is, and its sound as 16 kHz mono samples. */
import { BYTES_PER_SAMPLE, SAMPLE_RATE_HZ } from '../../domain/audio.js'
import { JobFailure } from '../../domain/errors.js'
import { runLimited, runToEnd } from '../process.js'
import type { Outcome } from '../process.js'
import { announcedWavMs } from './wav.js'

/**
 * Containers we open. Formats that can name other files (playlists, concat scripts, image sequences, subtitles, devices) are left out, so
 * that no upload can make ffmpeg read another file.
 */
const CONTAINERS = [
  'aac', 'ac3', 'aiff', 'amr', 'amrnb', 'amrwb', 'ape', 'asf', 'au', 'avi', 'caf', 'dts', 'dtshd', 'eac3', 'flac', 'flv', 'gsm',
  'loas', 'matroska,webm', 'matroska', 'webm', 'mov,mp4,m4a,3gp,3g2,mj2', 'mov', 'mp4', 'm4a', '3gp', '3g2', 'mp3', 'mpc', 'mpc8',
  'mpeg', 'mpegts', 'mxf', 'nut', 'ogg', 'oma', 'rm', 'sln', 'spdif', 'tta', 'voc', 'w64', 'wav', 'wv', 'xwma', 'dsf', 'dv'
].join(',')
export const SAFE_INPUT = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', CONTAINERS]
/**
 * In transport streams, ffmpeg moves the sound to time 0 if only the sound is decoded, unless an offset is given. A microsecond is enough.
 */
export const KEEP_CLOCK = ['-itsoffset', '0.000001']
const PROBE_TIMEOUT_MS = 60_000
/**
 * Ten minutes of AAC or Opus decode within 300 MiB of address space. A file of 50 kB with a gap in its time stamps makes ffmpeg fill
 * gigabytes with silence, and several recordings are decoded at once.
 */
export const MAX_ADDRESS_SPACE = 1024 ** 3
/** Containers whose header gives the exact length: less decoded sound means that the file was cut off. */
const EXACT_CONTAINERS = /^(mov|flac|aiff|au|wv|tta)\b/
/**
 * Gaps are filled after the conversion to 16 kHz, because ffmpeg holds the silence of a whole gap in memory, several times. In this order,
 * two hours of one channel fit into `MAX_ADDRESS_SPACE`; an hour took 1.6 GB at 44.1 kHz. Files without gaps have the same samples either
 * way.
 */
const filters = (channels: 1 | 2): string =>
  `aresample=16000,aformat=channel_layouts=${channels === 1 ? 'mono' : 'stereo'}:sample_fmts=s16,aresample=async=1:first_pts=0`
export const FILTERS_OF_MIX = filters(1)
/** ffmpeg's message when it had no memory to fill a gap. It then continues without the silence, and exits with 0. */
const LOST_CLOCK = /Failed to compensate for timestamp delta/
/** ffmpeg's messages for files that end too early. */
const CUT_OFF = /moov atom not found|File ended prematurely|Truncat|partial file/i

export type MediaFacts = {
  /** The length according to the container; undefined when it does not say. An estimate in some formats. */
  durationMs: number | undefined
  /** Set when the length is exact: less decoded sound means a damaged file. */
  exactDurationMs: number | undefined
  /** Absent when the file does not say. */
  channels?: number | undefined
}

type Probed = {
  format?: { format_name?: string, duration?: string }
  streams?: Array<{ codec_type?: string, duration?: string, bit_rate?: string, channels?: number }>
}

const toMs = (seconds: string | undefined): number | undefined => {
  const ms = Math.round(Number(seconds) * 1000)
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}

/** Throws `JobFailure`: unsupported_media, no_audio_stream, decode_failed, timeout. */
export async function probeMedia (path: string, signal?: AbortSignal): Promise<MediaFacts> {
  const args = [
    ...SAFE_INPUT,
    '-v',
    'error',
    '-show_entries',
    'format=format_name,duration:stream=codec_type,duration,bit_rate,channels',
    '-of',
    'json',
    '-i',
    path
  ]
  const outcome = await runToEnd('ffprobe', args, {
    timeoutMs: PROBE_TIMEOUT_MS, maxBytes: 1024 * 1024, maxAddressSpace: MAX_ADDRESS_SPACE, signal
  })
  throwIfStopped(outcome, signal)
  if (outcome.code !== 0) {
    throw CUT_OFF.test(outcome.stderr)
      ? new JobFailure('decode_failed', 'ffprobe: the file is cut off')
      : new JobFailure('unsupported_media', 'ffprobe does not recognise the file')
  }
  const { format, streams = [] } = JSON.parse(outcome.stdout) as Probed
  const audio = streams.find((stream) => stream.codec_type === 'audio')
  if (!audio) {
    throw streams.some((stream) => stream.codec_type === 'video')
      ? new JobFailure('no_audio_stream', 'video without sound')
      : new JobFailure('unsupported_media', 'neither sound nor video')
  }
  const streamMs = toMs(audio.duration)
  return {
    durationMs: streamMs ?? toMs(format?.duration),
    channels: audio.channels,
    exactDurationMs: await exactDuration(path, format?.format_name ?? '', streamMs, Number(audio.bit_rate))
  }
}

async function exactDuration (
  path: string,
  container: string,
  streamMs: number | undefined,
  bitsPerSecond: number
): Promise<number | undefined> {
  if (container === 'wav') return await announcedWavMs(path, bitsPerSecond)
  return EXACT_CONTAINERS.test(container) ? streamMs : undefined
}

/** `channels`: 1 mixes all channels of the file; 2 interleaves the samples of both. */
type DecodeLimits = { maxSeconds: number, timeoutMs: number, channels?: 1 | 2, signal?: AbortSignal | undefined }

/**
 * Decodes the sound of a file, in chunks of whole samples of all channels (16 kHz s16le). `async=1:first_pts=0` keeps the file's clock: a
 * track that starts late or has gaps is padded with silence, so that word times match the video. Throws `JobFailure`: decode_failed,
 * media_too_long, timeout.
 */
export async function * decodeAudio (path: string, facts: MediaFacts, limits: DecodeLimits): AsyncGenerator<Buffer> {
  const { channels = 1 } = limits
  const running = runLimited('ffmpeg', [
    '-nostdin', '-hide_banner', '-v', 'error', '-threads', '1', ...SAFE_INPUT, ...KEEP_CLOCK, '-i', path,
    '-map', '0:a:0', '-vn', '-sn', '-dn', '-filter_threads', '1', '-af', filters(channels),
    '-ac', String(channels), '-ar', String(SAMPLE_RATE_HZ), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'
  ], { ...limits, maxAddressSpace: MAX_ADDRESS_SPACE })
  const frameBytes = channels * BYTES_PER_SAMPLE
  const maxBytes = limits.maxSeconds * SAMPLE_RATE_HZ * frameBytes
  let bytes = 0
  let odd: Buffer = Buffer.alloc(0)
  let read = false
  try {
    for await (const chunk of running.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new JobFailure('media_too_long', `more than ${limits.maxSeconds} s of sound`)
      const whole = odd.length > 0 ? Buffer.concat([odd, chunk]) : chunk
      const end = whole.length - whole.length % frameBytes
      odd = whole.subarray(end)
      if (end > 0) yield whole.subarray(0, end)
    }
    read = true
  } finally {
    if (!read) running.stop()
  }
  const outcome = await running.ended
  const decodedMs = bytes / frameBytes / SAMPLE_RATE_HZ * 1000
  throwIfStopped(outcome, limits.signal)
  throwIfIncomplete(outcome, decodedMs, facts)
}

/** Throws when the program was stopped or not started, which says nothing about the file. */
function throwIfStopped (outcome: Outcome, signal: AbortSignal | undefined): void {
  if (outcome.stopped === 'timeout') throw new JobFailure('timeout', 'the media program took too long')
  signal?.throwIfAborted()
  // `nice` exits with these codes when the program is missing or not executable. The file is not to blame.
  if (outcome.code === 126 || outcome.code === 127) throw new Error('the media program cannot be started; see: stenobox doctor')
}

function throwIfIncomplete (outcome: Outcome, decodedMs: number, facts: MediaFacts): void {
  if (outcome.code !== 0) throw new JobFailure('decode_failed', `ffmpeg ended with ${outcome.code ?? 'a signal'}`)
  if (LOST_CLOCK.test(outcome.stderr)) throw new JobFailure('decode_failed', 'a gap in the time stamps is too long to fill')
  if (decodedMs === 0) throw new JobFailure('decode_failed', 'no sound was decoded')
  const expectedMs = facts.exactDurationMs
  // Tolerate 1 % or one second: encoders pad and round durations, while cut-off files miss far more.
  const isShort = expectedMs !== undefined && decodedMs < expectedMs - Math.max(1000, expectedMs / 100)
  if (isShort || CUT_OFF.test(outcome.stderr)) throw new JobFailure('decode_failed', 'the file ends before its sound does')
}
