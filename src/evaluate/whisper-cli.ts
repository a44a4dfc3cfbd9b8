/**
 * Runs whisper-cli, the program that comes with whisper.cpp, to compare the appliance with it.
 *
 * It is built once, from the same sources as the addon, with whisper.cpp's default options.
 */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ROOT, WHISPER_SOURCES } from './machine/paths.js'
import { runProgram } from './machine/programs.js'

const BUILD = join(ROOT, 'build/whisper-cli')

export type WhisperCliOptions = {
  program: string
  weights: string
  wavs: readonly string[]
  /** Directory for the texts it writes. */
  scratch: string
  /** A language code, or "auto" to have it detected. */
  language: string
  beamSize: number
  /** All cores unless given. */
  threads?: number
  /** Above 1, each file is cut into so many equal pieces, which are transcribed at the same time. */
  processors?: number
  /**
   * `off` passes `-nt`, which also changes the decoding: without time tokens, and cut at exactly every 30 s. `on` is the default of
   * whisper-cli. Its text is better, and the appliance has to deliver times too.
   */
  timestamps?: 'on' | 'off'
}

/** `peakBytes`: resident memory of the process at its peak. */
export type WhisperCliRun = { seconds: number, peakBytes: number, texts: string[] }

/** Path of the program; the first call builds it, which takes a minute or two. */
export async function buildWhisperCli (log: (line: string) => void): Promise<string> {
  const program = join(BUILD, 'bin/whisper-cli')
  if (existsSync(program)) return program
  log('building whisper-cli from the sources of whisper.cpp (once) …')
  await runProgram('cmake', ['-S', WHISPER_SOURCES, '-B', BUILD, '-DCMAKE_BUILD_TYPE=Release'])
  await runProgram('cmake', ['--build', BUILD, '--target', 'whisper-cli', '-j2'])
  return program
}

/** Transcribes the files one after another in one process, so that it loads the weights once. */
export async function runWhisperCli (options: WhisperCliOptions): Promise<WhisperCliRun> {
  const outputs = options.wavs.map((_, index) => join(options.scratch, `whisper-cli-${index}`))
  const run = await runProgram(options.program, [
    '-m', options.weights, '-l', options.language,
    '-bs', String(options.beamSize), '-mc', '0',
    '-t', String(options.threads ?? availableParallelism()),
    '-p', String(options.processors ?? 1),
    ...(options.timestamps === 'off' ? ['-nt'] : []),
    '-np', '-otxt',
    ...outputs.flatMap((output) => ['-of', output]),
    ...options.wavs.flatMap((wav) => ['-f', wav])
  ])
  return { seconds: run.seconds, peakBytes: run.peakBytes, texts: outputs.map((output) => readFileSync(output + '.txt', 'utf8')) }
}

/** Version of the whisper.cpp both sides run. */
export function readWhisperVersion (): string {
  const found = /project\("whisper\.cpp" VERSION ([\d.]+)\)/.exec(readFileSync(join(WHISPER_SOURCES, 'CMakeLists.txt'), 'utf8'))
  return found?.[1] ?? 'unknown'
}
