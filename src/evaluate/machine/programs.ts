/** Running other programs: always an argv array, never a shell. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { watchPeak } from './load.js'

/** `peakBytes`: resident memory at its peak, as seen every 20 ms; NaN when the program ended before it was looked at. */
export type ProgramRun = { seconds: number, peakBytes: number, stdout: string, stderr: string }

export type ProgramOptions = { cwd?: string, env?: NodeJS.ProcessEnv }

const running = new Set<ChildProcess>()
process.once('exit', () => { for (const child of running) child.kill('SIGKILL') })

/** Kills the program if this process ends first, so that nothing outlives an interrupted benchmark. */
export function endWithUs (child: ChildProcess): void {
  running.add(child)
  child.once('close', () => running.delete(child))
}

/** Runs to the end; throws with the last of stderr when the exit code is not 0. */
export function runProgram (file: string, args: readonly string[], options: ProgramOptions = {}): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    endWithUs(child)
    const stopWatching = watchPeak(child.pid)
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.once('error', (cause) => reject(new Error(`${file} could not be started`, { cause })))
    child.once('close', (code, signal) => {
      const [seconds, peakBytes] = [(performance.now() - startedMs) / 1000, stopWatching()]
      const [output, errors] = [stdout, stderr].map((chunks) => Buffer.concat(chunks).toString()) as [string, string]
      if (code === 0) return resolve({ seconds, peakBytes, stdout: output, stderr: errors })
      reject(new Error(`${file} ended with ${code ?? signal}: ${errors.slice(-2000)}`))
    })
  })
}
