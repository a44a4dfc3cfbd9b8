/** Starting and stopping a real appliance: own data, own models, own port, the command a user would type. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, closeSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from './client.ts'
import type { Client } from './client.ts'
import { installModel } from './model-directory.ts'
import { ROOT } from './paths.ts'
import { findFreePort } from './ports.ts'
import { endWithUs, runProgram } from './programs.ts'
import type { BenchContext } from './report.ts'

const COMMAND = join(ROOT, 'scripts/stenobox.mjs')
const START_TIMEOUT_MS = 120_000

export type ApplianceOptions = {
  dataDir: string
  /** Made by `installModel`. */
  modelsDir: string
  /** Absent: the appliance decides, as it does for its users. */
  workers?: number
  /** More of its environment. */
  settings?: Readonly<Record<string, string>>
}

export type Appliance = {
  url: string
  /** Of the process that serves, which is not the one started where a wrapper is in between. */
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
  const child = spawn(process.execPath, [COMMAND, 'serve'], { cwd: ROOT, env: { ...applianceEnv(options), STENOBOX_PORT: String(port) }, stdio: ['ignore', log, log] })
  closeSync(log)
  endWithUs(child)
  const readyMs = await waitUntilReady(url, child, startedMs, logPath)
  const pid = findServingPid(child.pid as number)
  return { url, pid, readyMs, stop: () => end(child, pid, 'SIGTERM'), kill: () => end(child, pid, 'SIGKILL') }
}

/** Runs an appliance with these weights for as long as `use` takes, with data of its own under `name`. */
export async function withAppliance<T> ({ scratch }: BenchContext, setup: { name: string, weights: string, beamSize: number }, use: (client: Client, pid: number) => Promise<T>): Promise<T> {
  const { name, weights, beamSize } = setup
  const options = { dataDir: join(scratch, `data-${name}`), modelsDir: await installModel(join(scratch, `models-${name}`), weights, beamSize) }
  const key = await createKey(options, 'bench')
  const appliance = await startAppliance(options)
  try {
    return await use(createClient(appliance.url, key), appliance.pid)
  } finally {
    await appliance.stop()
  }
}

/** Makes a key; works whether or not the appliance runs. */
export async function createKey (options: ApplianceOptions, owner: string): Promise<string> {
  const run = await runProgram(process.execPath, [COMMAND, 'keys', 'create', '--name', 'bench', '--owner', owner, '--json'], { cwd: ROOT, env: applianceEnv(options) })
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

async function end (child: ChildProcess, pid: number, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  process.kill(pid, signal)
  await ended
}

/** Follows the wrapper, which runs the same command again under a newer Node, to the process that serves. */
function findServingPid (pid: number): number {
  const child = readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number))
    .find((candidate) => readFileSync(`/proc/${candidate}/cmdline`, 'utf8').split('\0').includes(COMMAND))
  return child === undefined ? pid : findServingPid(child)
}
