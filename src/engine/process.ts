/** Runs other programs: argv arrays, no shell, a minimal environment, limits on time and memory, bounded stderr. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import type { Readable } from 'node:stream'

/** Enough for the last messages of a program. */
const STDERR_LIMIT = 16 * 1024
/** Address space for a media program: hostile files must not use up the machine's memory. */
const MAX_ADDRESS_SPACE = 4 * 1024 ** 3
/** Decoding runs at lower priority than the thread that answers HTTP, and inference. */
const NICE = '12'

/**
 * Environment variables that programs get: paths, the temporary directory, the locale. Others may be secret or change behaviour: FFREPORT
 * makes ffmpeg write a file, http_proxy leads it past the guard.
 */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'LC_CTYPE']

/** glibc reserves 128 MiB of address space for each thread that allocates, and a few threads would use up the limit. */
const ONE_ARENA = { MALLOC_ARENA_MAX: '1' }

/**
 * Since version 1.29, onnxruntime's packages send usage data to their maker, in every process that has not set this before it loads them
 * (https://github.com/microsoft/onnxruntime/pull/27379).
 */
const NO_TELEMETRY = { ORT_DISABLE_TELEMETRY: '1' }

/** Keeps libraries from sending usage data. Call it on the main thread, before a thread that loads them is started. */
export function forbidTelemetry (): void {
  Object.assign(process.env, NO_TELEMETRY)
}

const pickEnvironment = (names: readonly string[]): NodeJS.ProcessEnv => Object.fromEntries(names.flatMap((name) => {
  const value = process.env[name]
  return value === undefined ? [] : [[name, value]]
}))
const createEnvironment = (): NodeJS.ProcessEnv => ({ ...ONE_ARENA, ...NO_TELEMETRY, ...pickEnvironment(PASSED_ON) })

export type Outcome = {
  /** Exit code; undefined when a signal ended the program. */
  code: number | undefined
  /** The end of stderr. For decisions and the debug log; never shown to people. */
  stderr: string
  /** Why we stopped the program. */
  stopped: 'timeout' | 'aborted' | undefined
}

export type Running = {
  stdout: Readable
  /** Settles when the program has exited and its streams are closed. Rejects when it could not be started. */
  ended: Promise<Outcome>
  stop (): void
}

export type Limits = {
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Address space in bytes. Default: `MAX_ADDRESS_SPACE`. */
  maxAddressSpace?: number
  /** Processor time. A program on a busy machine has as much of it as on an idle one. */
  maxCpuSeconds?: number
  /** The largest file it may write, in bytes. */
  maxFileBytes?: number
  /** Its whole environment. Default: `PASSED_ON` from ours. */
  env?: Readonly<Record<string, string>>
  cwd?: string
  /** What it reads from stdin. Default: nothing. */
  input?: string
}

/** Starts a program with limits. Arguments are passed unchanged; no shell interprets them. */
export function runLimited (program: string, args: readonly string[], limits: Limits): Running {
  const { maxAddressSpace = MAX_ADDRESS_SPACE, maxCpuSeconds, maxFileBytes, env = createEnvironment(), cwd, input } = limits
  const fileLimit = maxFileBytes === undefined ? [] : [`--fsize=${maxFileBytes}`]
  const cpuLimit = maxCpuSeconds === undefined ? [] : [`--cpu=${maxCpuSeconds}`]
  const prlimit = [`--as=${maxAddressSpace}`, '--core=0', ...cpuLimit, ...fileLimit]
  const child = spawn('prlimit', [...prlimit, 'nice', '-n', NICE, program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'], env, ...(cwd !== undefined && { cwd })
  })
  // A program that ends before it has read everything says so by its code.
  child.stdin.on('error', () => {}).end(input ?? '')
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
  // The reader of stdout may fail before it awaits `ended`; an unhandled rejection would end our process.
  ended.catch(() => {})
  return { stdout: child.stdout, ended, stop: () => { stop('aborted') } }
}

/** Variables that our own programs also get: the devices for inference, and the folder for Node's coverage. */
const FOR_COMPANIONS = ['CUDA_VISIBLE_DEVICES', 'GGML_VK_VISIBLE_DEVICES', 'NODE_V8_COVERAGE']

/** How a companion ended. `stderr`: its last bytes, for decisions and the debug log; never shown to people. */
export type CompanionEnd = { stderr: string, code: number | undefined, signal: NodeJS.Signals | undefined }

export type Companion = {
  /** Undefined when it could not be started. */
  pid: number | undefined
  /** Sends a message that survives structured clone. Messages to a program that has ended are dropped. */
  send (message: object): void
  /** Settles when the program has ended. */
  ended: Promise<CompanionEnd>
  /** Asks it to end. No more messages are passed. */
  disconnect (): void
  /** Ends it at once, whatever it is doing. */
  stop (): void
}

/** Has the kernel end a program with its parent. A companion notices the end of its parent by itself, but not while it is stopped. */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL']
let canEndWithParent: boolean | undefined

/** Empty where `setpriv` is missing or too old: util-linux before 2.33, busybox. */
function endWithParent (): readonly string[] {
  const [program = '', ...args] = WITH_PARENT
  canEndWithParent ??= spawnSync(program, [...args, 'true'], { stdio: 'ignore', env: createEnvironment() }).status === 0
  return canEndWithParent ? WITH_PARENT : []
}

/**
 * Starts a script of ours as a program that stays and answers messages. `nice`: its priority, 19 is the lowest. It ends when this process
 * ends. For native code that may crash, hang or need all memory: only that program is lost then.
 */
export function startCompanion (script: string, nice: number, onMessage: (message: unknown) => void): Companion {
  const env = { ...createEnvironment(), ...pickEnvironment(FOR_COMPANIONS) }
  const argv = [...endWithParent(), 'nice', '-n', String(nice), process.execPath, '--no-warnings', script]
  const child = spawn('prlimit', ['--core=0', ...argv], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'], serialization: 'advanced', env
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => { stderr = (stderr + text).slice(-STDERR_LIMIT) })
  const read = new Promise<void>((resolve) => { child.stderr?.once('close', resolve) })
  child.on('message', onMessage)
  const ended = new Promise<CompanionEnd>((resolve) => {
    child.once('error', (error) => { resolve({ stderr: error.message, code: undefined, signal: undefined }) })
    // Node does not report `close` after `disconnect`.
    child.once('exit', (code, signal) => {
      read.then(() => { resolve({ stderr, code: code ?? undefined, signal: signal ?? undefined }) })
    })
  })
  return {
    pid: child.pid,
    // The callback takes the error of a program that has just ended; `ended` reports the end.
    send: (message) => { if (child.connected) child.send(message, () => {}) },
    ended,
    disconnect: () => { if (child.connected) child.disconnect() },
    stop: () => { child.kill('SIGKILL') }
  }
}

/** Runs a program to its end. Returns up to `maxBytes` of its stdout. */
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

/** The first line of `program -version` (or `--version`); undefined when it does not run. */
export async function programVersion (program: string): Promise<string | undefined> {
  const flag = program.startsWith('ff') ? '-version' : '--version'
  return await new Promise((resolve) => {
    execFile(program, [flag], { timeout: 10_000, env: createEnvironment() }, (error, stdout) => {
      resolve(error ? undefined : stdout.split('\n')[0])
    })
  })
}
