/** Running other programs: argv arrays, no shell, a bare environment, limits on time and memory, bounded stderr. */
import { execFile, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/** Enough for the end of what a program complains about. */
const STDERR_LIMIT = 16 * 1024
/** Address space a media program may take: hostile files must not eat the machine. */
const MAX_ADDRESS_SPACE = 4 * 1024 ** 3
/** Decoding yields to the thread that answers HTTP, and to inference. */
const NICE = '12'

/**
 * What programs get of our environment: where they and their libraries are, where temporary files go, how text is spelled. The rest may be
 * secret, or change what they do: FFREPORT has ffmpeg write a file, http_proxy leads it past the guard.
 */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'LC_CTYPE']

const createEnvironment = (): NodeJS.ProcessEnv => Object.fromEntries(PASSED_ON.flatMap((name) => {
  const value = process.env[name]
  return value === undefined ? [] : [[name, value]]
}))

export type Outcome = {
  /** Exit code; undefined when a signal ended the program. */
  code: number | undefined
  /** The end of stderr. For decisions and the debug log, never for people. */
  stderr: string
  /** Why the program was stopped before its end. */
  stopped: 'timeout' | 'aborted' | undefined
}

export type Running = {
  stdout: Readable
  /** Settles when the program is gone and its streams are closed. Rejects when it could not be started. */
  ended: Promise<Outcome>
  stop (): void
}

export type Limits = {
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Largest file it may write. */
  maxFileBytes?: number
  /** All of its environment; what is passed on of ours when absent. */
  env?: Readonly<Record<string, string>>
  cwd?: string
}

/** Starts a program with limits. Arguments are passed as they are; nothing interprets them. */
export function runLimited (program: string, args: readonly string[], limits: Limits): Running {
  const { maxFileBytes, env = createEnvironment(), cwd } = limits
  const fileLimit = maxFileBytes === undefined ? [] : [`--fsize=${maxFileBytes}`]
  const child = spawn('prlimit', [`--as=${MAX_ADDRESS_SPACE}`, '--core=0', ...fileLimit, 'nice', '-n', NICE, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'], env, ...(cwd !== undefined && { cwd })
  })
  let stopped: Outcome['stopped']
  const stop = (reason: Outcome['stopped']): void => {
    stopped ??= reason
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => { stop('timeout') }, limits.timeoutMs)
  const onAbort = (): void => { stop('aborted') }
  limits.signal?.addEventListener('abort', onAbort, { once: true })
  if (limits.signal?.aborted) onAbort()

  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => { stderr = (stderr + text).slice(-STDERR_LIMIT) })
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => { resolve({ code: code ?? undefined, stderr, stopped }) })
  }).finally(() => {
    clearTimeout(timer)
    limits.signal?.removeEventListener('abort', onAbort)
  })
  // Whoever reads stdout may fail before it asks for the outcome; that must not end the process.
  ended.catch(() => {})
  return { stdout: child.stdout, ended, stop: () => { stop('aborted') } }
}

/** Runs a program to its end and returns what it wrote to stdout, up to `maxBytes`. */
export async function runToEnd (
  program: string, args: readonly string[], limits: Limits & { maxBytes: number }
): Promise<Outcome & { stdout: string }> {
  const running = runLimited(program, args, limits)
  let stdout = ''
  running.stdout.setEncoding('utf8')
  for await (const text of running.stdout as AsyncIterable<string>) {
    stdout += text
    if (stdout.length > limits.maxBytes) running.stop()
  }
  return { ...await running.ended, stdout }
}

/** First line of `program -version` (or `--version`); undefined when it cannot be run. */
export async function programVersion (program: string): Promise<string | undefined> {
  const flag = program.startsWith('ff') ? '-version' : '--version'
  return await new Promise((resolve) => {
    execFile(program, [flag], { timeout: 10_000, env: createEnvironment() }, (error, stdout) => { resolve(error ? undefined : stdout.split('\n')[0]) })
  })
}
