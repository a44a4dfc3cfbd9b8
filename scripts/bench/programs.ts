/** Running other programs: always an argv array, never a shell. */
import { spawn } from 'node:child_process'

export type ProgramRun = { seconds: number, stdout: string, stderr: string }

/** Runs to the end; throws with the last of stderr when the exit code is not 0. */
export function runProgram (file: string, args: readonly string[], options: { cwd?: string, env?: NodeJS.ProcessEnv } = {}): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    // Nothing of ours goes on when the benchmark is interrupted.
    const stopWithUs = (): void => { child.kill('SIGKILL') }
    process.once('exit', stopWithUs)
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.once('error', (cause) => reject(new Error(`${file} could not be started`, { cause })))
    child.once('close', (code, signal) => {
      process.off('exit', stopWithUs)
      const run = { seconds: (performance.now() - startedMs) / 1000, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }
      if (code === 0) return resolve(run)
      reject(new Error(`${file} ended with ${code ?? signal}: ${run.stderr.slice(-2000)}`))
    })
  })
}
