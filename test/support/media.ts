/** Creates and reads media with the real programs. */
import { execFileSync } from 'node:child_process'
import { decodeAudio, probeMedia } from '../../dist/engine/media/ffmpeg.js'
import type { MediaFacts } from '../../dist/engine/media/ffmpeg.js'

export type DecodeLimits = Parameters<typeof decodeAudio>[2]
export const LIMITS: DecodeLimits = { maxSeconds: 3600, timeoutMs: 120_000 }

/** Runs ffmpeg with these arguments and returns the path of the output file. */
export function makeMedia (path: string, ...args: string[]): string {
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, path], { stdio: ['ignore', 'ignore', 'ignore'] })
  return path
}

/** All the sound of a file. Without `facts`, it is probed first, as in the pipeline. */
export async function decodeWhole (path: string, limits: Partial<DecodeLimits> = {}, facts?: MediaFacts): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(decodeAudio(path, facts ?? await probeMedia(path), { ...LIMITS, ...limits })))
}

export const toSamples = (sound: Buffer): Int16Array => new Int16Array(new Uint8Array(sound).buffer)
