/** Runs the built program as a user does: in another process with its own data directory. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { CLI, NO_MODELS } from './paths.ts'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'

export type Settings = Record<string, string>

/** The environment of the program: nothing from this machine but PATH, and none of its models. */
function environment (dataDir: string, settings: Settings): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    STENOBOX_DATA_DIR: dataDir,
    STENOBOX_MODELS_DIR: NO_MODELS,
    STENOBOX_PORT: '0',
    STENOBOX_WORKERS: '2',
    STENOBOX_MIN_FREE_BYTES: '0',
    STENOBOX_LOG_LEVEL: 'info',
    ...settings
  }
}

async function collect (stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += String(chunk)
  return text
}

/** Runs a command to its end. */
export async function runCommand (
  dataDir: string,
  args: string[],
  settings: Settings = {}
): Promise<{ code: number | null, stdout: string, stderr: string }> {
  const child = spawn(process.execPath, [CLI, ...args], { env: environment(dataDir, settings), stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([
    collect(child.stdout),
    collect(child.stderr),
    once(child, 'close') as Promise<[number | null]>
  ])
  return { code, stdout, stderr }
}

export type RunningServer = {
  /** Everything on stdout until it was ready. */
  greeting: string
  pid: number
  address: string
  /** The server itself when `address` is a checking proxy: use it for bytes, which the proxy takes for text. */
  origin: string
  /** Printed on the first start of a data directory. */
  firstKey: string | undefined
  /** Everything on stderr so far: the log. */
  log: () => string
  kill9 (): Promise<void>
  /** SIGTERM, and the exit code. */
  stop (): Promise<number | null>
}

/** The address from the server's first line, and the key that may follow. The log says "started" once both are printed. */
async function readGreeting (child: ChildProcess): Promise<{ address: string, firstKey: string | undefined, greeting: string }> {
  let text = ''
  let log = ''
  return await new Promise((resolve, reject) => {
    const resolveWhenComplete = (): void => {
      const address = /listens on (https?:\S+)/.exec(text)?.[1]
      if (address && log.includes('"msg":"started"')) {
        resolve({ address, firstKey: /service_sk_\S+/.exec(text)?.[0], greeting: text })
      }
    }
    child.once('close', () => { reject(new Error(`the server ended at once: ${text}`)) })
    child.stderr?.on('data', (chunk: string) => {
      log += chunk
      // Bytes of stdout may still be in its pipe: they are read before the next turn of the event loop ends.
      setImmediate(() => setImmediate(resolveWhenComplete))
    })
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      resolveWhenComplete()
    })
  })
}

/** With STENOBOX_TEST_PRISM set, requests go through a proxy that refuses requests and answers not in the OpenAPI document. */
async function startPrism (upstream: string): Promise<{ address: string, stop (): void }> {
  const child = spawn(
    'node_modules/.bin/prism',
    ['proxy', 'src/routes/openapi.json', upstream, '--errors', '--host', '127.0.0.1', '--port', String(await findFreePort())],
    { stdio: ['ignore', 'pipe', 'inherit'] }
  )
  let text = ''
  const address = await new Promise<string>((resolve, reject) => {
    child.once('close', () => { reject(new Error(`prism ended at once: ${text}`)) })
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const found = /Prism is listening on (http:\S+)/.exec(text)?.[1]
      if (found) resolve(found)
    })
  })
  return { address, stop: () => { child.kill() } }
}

/** Starts `stenobox serve` after `prefix` (a program that sets limits) and waits until it listens. */
export async function startServer (dataDir: string, settings: Settings = {}, prefix: readonly string[] = []): Promise<RunningServer> {
  const [program = '', ...args] = [...prefix, process.execPath, CLI, 'serve']
  const child = spawn(program, args, { env: environment(dataDir, settings), stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { log += chunk })
  const closed = once(child, 'close') as Promise<[number | null]>
  const { address: origin, firstKey, greeting } = await readGreeting(child)
    .catch((error: Error) => { throw new Error(`${error.message}\n${log}`) })
  const prism = process.env['STENOBOX_TEST_PRISM'] ? await startPrism(origin) : undefined
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    prism?.stop()
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    const [code] = await closed
    return code
  }
  return {
    pid: child.pid ?? 0,
    address: prism?.address ?? origin,
    origin,
    firstKey,
    greeting,
    log: () => log,
    kill9: async () => { await end('SIGKILL') },
    stop: async () => await end('SIGTERM')
  }
}
