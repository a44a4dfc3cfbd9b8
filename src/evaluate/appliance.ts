/** Starts and stops a real appliance with its own data, models and port, by the command that a user would type. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ROOT } from './machine/paths.js'
import { findFreePort } from './machine/ports.js'
import { endWithUs, runProgram } from './machine/programs.js'

const COMMAND = fileURLToPath(new URL('../cli/index.js', import.meta.url))
const START_TIMEOUT_MS = 120_000

export type ApplianceOptions = {
  dataDir: string
  modelsDir: string
  /** Absent: the appliance decides, as it does for its users. */
  workers?: number
  /** More environment variables. */
  settings?: Readonly<Record<string, string>>
}

export type Appliance = {
  url: string
  pid: number
  /** From the start of the process to the first 200 of GET /readyz. */
  readyMs: number
  stop: () => Promise<void>
  /** As a power cut would: no chance to tidy up. */
  kill: () => Promise<void>
}

export async function startAppliance (options: ApplianceOptions): Promise<Appliance> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const logPath = options.dataDir + '.log'
  const log = openSync(logPath, 'a')
  const startedMs = performance.now()
  const env = { ...applianceEnv(options), STENOBOX_PORT: String(port) }
  const child = spawn(process.execPath, [COMMAND, 'serve'], { cwd: ROOT, env, stdio: ['ignore', log, log] })
  closeSync(log)
  endWithUs(child)
  const readyMs = await waitUntilReady(url, child, startedMs, logPath)
  return { url, pid: child.pid as number, readyMs, stop: () => end(child, 'SIGTERM'), kill: () => end(child, 'SIGKILL') }
}

/** Makes a key; works whether or not the appliance runs. */
export async function createKey (options: ApplianceOptions, owner: string): Promise<string> {
  const args = [COMMAND, 'keys', 'create', '--name', 'evaluation', '--owner', owner, '--json']
  const run = await runProgram(process.execPath, args, { cwd: ROOT, env: applianceEnv(options) })
  return (JSON.parse(run.stdout) as { key: string }).key
}

function applianceEnv ({ dataDir, modelsDir, workers, settings }: ApplianceOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('STENOBOX_'))
  return {
    ...Object.fromEntries(inherited),
    STENOBOX_HOST: '127.0.0.1',
    STENOBOX_DATA_DIR: dataDir,
    STENOBOX_MODELS_DIR: modelsDir,
    STENOBOX_LOG_LEVEL: 'warn',
    ...(workers === undefined ? {} : { STENOBOX_WORKERS: String(workers) }),
    ...settings
  }
}

async function waitUntilReady (url: string, child: ChildProcess, startedMs: number, logPath: string): Promise<number> {
  while (performance.now() - startedMs < START_TIMEOUT_MS) {
    if (child.exitCode !== null || child.signalCode !== null) break
    const status = await fetch(url + '/readyz').then(async (reply) => { await reply.arrayBuffer(); return reply.status }, () => 0)
    if (status === 200) return performance.now() - startedMs
    await sleep(5)
  }
  child.kill('SIGKILL')
  throw new Error(`The appliance did not become ready: ${readFileSync(logPath, 'utf8').slice(-2000)}`)
}

async function end (child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
