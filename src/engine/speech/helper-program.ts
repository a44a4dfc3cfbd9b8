/**
 * The inference helper: the process that loads the native addon and runs its thread pools. A model that crashes or hangs, or takes all
 * memory, ends only this process; `helper.ts` replaces it.
 */
import { SpeechError } from '../../domain/speech-error.js'
import type { HeldModels, WorkerResult } from '../../workers/protocol.js'
import { raiseOomScore } from '../oom-score.js'
import { createDetectorPool, createSpeechPool } from './pool.js'
import type { PoolName, PoolThreads, Reply, Request } from './helper-protocol.js'

const PULSE_MS = 2000

/** A pool whose tasks are chosen by messages. */
type AnyPool = { run (task: string, input: object | null): Promise<unknown>, close (): Promise<void> }

let pools: Readonly<Record<PoolName, AnyPool>> | undefined
/** The flags of each running call: the first stops it, the second is its pulse. */
const flags = new Map<number, Int32Array>()

function send (reply: Reply): void {
  // The callback swallows the error of a server that has just ended; `disconnect` reports that.
  if (process.connected) process.send?.(reply, () => {})
}

function openPools ({ speech: threads, detector }: PoolThreads): Record<PoolName, AnyPool> {
  const speech = createSpeechPool(threads)
  const held = new Map<number, string[]>()
  speech.onPost((message) => {
    const { threadId, paths } = message as HeldModels
    held.set(threadId, paths)
    send({ held: [...new Set([...held.values()].flat())] })
  })
  return { speech: speech as AnyPool, detector: createDetectorPool(detector) as AnyPool }
}

async function perform (pool: PoolName, task: string, input: object | null, abort: Int32Array): Promise<WorkerResult<unknown>> {
  try {
    if (!pools) throw new Error('the pools are not open')
    return { ok: true, value: await pools[pool].run(task, input && { ...input, abort }) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ok: false, code: error instanceof SpeechError ? error.code : 'internal_error', message }
  }
}

async function serve (request: Request): Promise<void> {
  if ('open' in request) {
    pools = openPools(request.open)
  } else if ('abort' in request) {
    const flag = flags.get(request.abort)
    if (flag) Atomics.store(flag, 0, 1)
  } else {
    const { id, pool, task, input } = request
    const abort = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    flags.set(id, abort)
    const result = await perform(pool, task, input, abort)
    flags.delete(id)
    send({ id, result })
  }
}

/** Ends this process at once if it is computing: Node would wait for native calls, and the next server needs the memory. */
async function end (): Promise<void> {
  if (flags.size > 0) process.kill(process.pid, 'SIGKILL')
  await Promise.all(Object.values(pools ?? {}).map(async (pool) => { await pool.close() }))
  process.exit()
}

// Less than that of the language model, which is ended first: transcripts matter more than artifacts.
raiseOomScore(900)
// Ctrl-C and service managers signal all processes at once. The server decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('message', (request: Request) => { serve(request) })
process.on('disconnect', () => { end() })
setInterval(() => {
  if (flags.size > 0) send({ pulses: [...flags].map(([id, flag]) => ({ id, pulse: Atomics.load(flag, 1) })) })
}, PULSE_MS)
