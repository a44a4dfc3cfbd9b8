/** Recordings converted with ffmpeg: to what whisper-cli reads, to samples, and from samples. */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { runProgram } from './programs.js'

const RAW = ['-f', 's16le', '-ar', '16000', '-ac', '1']

/** 16 kHz mono WAV, the one format whisper-cli reads reliably. */
export async function convertToWav (source: string, target: string): Promise<string> {
  await runFfmpeg(['-i', source, '-ar', '16000', '-ac', '1', '-c:a', 'pcm_s16le', target])
  return target
}

/** Writes the sound of a recording as the appliance stores it: 16 kHz mono s16le. */
export async function writeSamples (source: string, target: string): Promise<void> {
  await runFfmpeg(['-i', source, ...RAW, target])
}

/** The sound of a recording, 16 kHz mono; `scratch` is a file name to use meanwhile. */
export async function readSamples (source: string, scratch: string): Promise<Int16Array> {
  await writeSamples(source, scratch)
  const bytes = readFileSync(scratch)
  rmSync(scratch)
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1)
}

/** A recording of these samples so many times over, in the coding that the name of `target` asks for. */
export async function writeRecording (samples: Int16Array, copies: number, target: string): Promise<string> {
  const raw = target + '.raw'
  const fd = openSync(raw, 'w')
  for (let copy = 0; copy < copies; copy++) writeSync(fd, samples)
  closeSync(fd)
  await runFfmpeg([...RAW, '-i', raw, target])
  rmSync(raw)
  return target
}

/** Throws an Error with the end of what ffmpeg said when it fails. */
export async function runFfmpeg (args: readonly string[]): Promise<void> {
  await runProgram('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-nostdin', '-y', ...args])
}
