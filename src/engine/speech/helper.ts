/**
 * Runs native inference in a process of its own, starts it with the first call, and replaces it when it crashes or hangs. Interrupted
 * calls run again; only the call that ended the process fails.
 */
import { fileURLToPath } from 'node:url'
import { SpeechError } from '../../domain/speech-error.js'
import type { SpeechErrorCode } from '../../domain/speech-error.js'
import { startCompanion } from '../process.js'
import type { Companion, CompanionEnd } from '../process.js'
import type { PoolName, PoolTasks, PoolThreads, Reply } from './helper-protocol.js'

const PROGRAM = fileURLToPath(new URL('helper-program.js', import.meta.url))
/** The threads lower their own priority. */
const NICE = 0
/** How often running calls are checked. */
const TICK_MS = 5000
/** A call whose pulse has not changed in this many checks hangs. Loading a large model from a slow disk takes some minutes. */
const HANG_TICKS = 60
/** The same for a call that was told to stop: the server cannot end before it. */
const STOP_TICKS = 3
/** A process that has finished a call is replaced at once; others after this delay, which doubles each time up to the maximum. */
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 10_000
/** How long an idle process may take to end by itself. */
const CLOSE_MS = 5000

/** The input without its flag: the helper creates the flags. */
export type Sent<I> = I extends null ? null : Omit<I, 'abort'>

export type HelperPool<T extends Record<string, { input: unknown, output: unknown }>> = {
  threads: number
  /**
   * Runs a task. Rejects with `SpeechError`: the codes of the task, `aborted` when `signal` aborts, `worker_crashed` when it ended the
   * process or hung, and `out_of_memory` when the process ended because memory ran out.
   */
  run<N extends keyof T & string>(task: N, input: Sent<T[N]['input']>, signal?: AbortSignal): Promise<T[N]['output']>
}

type Call = {
  pool: PoolName
  task: string
  input: object | null
  signal: AbortSignal | undefined
  resolve: (value: unknown) => void
  reject: (error: SpeechError) => void
  /** The last pulse, and how many checks ago it changed. */
  pulse: number
  stillTicks: number
}

type Options = {
  threads: PoolThreads
  /** Called once for each process that ended although it was needed. */
  onCrash?: (reason: string) => void
  tickMs?: number
  hangTicks?: number
}

const aborted = (): SpeechError => new SpeechError('aborted', 'stopped on request')

/** True if its caller no longer waits for it. */
const isStopped = ({ signal }: Call): boolean => signal?.aborted === true

/** The code for a call that ended its process. ggml and the C++ runtime report failed allocations on stderr. */
const toCode = ({ stderr }: CompanionEnd): SpeechErrorCode =>
  /bad_alloc|out of memory|cannot allocate|(?:failed|unable) to allocate/i.test(stderr) ? 'out_of_memory' : 'worker_crashed'

export function createInferenceHelper ({ threads, onCrash = () => {}, tickMs = TICK_MS, hangTicks = HANG_TICKS }: Options) {
  let companion: Companion | undefined
  let held: readonly string[] = []
  let nextId = 1
  const running = new Map<number, Call>()
  const waiting: Call[] = []
  /** Calls that were running when a process ended. They run again one at a time, to find the one that ends processes. */
  const suspects: Call[] = []
  let suspect: Call | undefined
  let hung: Call | undefined
  /** Processes that ended since the last finished call. */
  let fruitless = 0
  let restart: NodeJS.Timeout | undefined
  let isClosing = false

  function onReply (reply: Reply): void {
    if ('pulses' in reply) {
      for (const { id, pulse } of reply.pulses) {
        const call = running.get(id)
        if (call && call.pulse !== pulse) Object.assign(call, { pulse, stillTicks: 0 })
      }
      return
    }
    if ('held' in reply) {
      held = reply.held
      return
    }
    const call = running.get(reply.id)
    running.delete(reply.id)
    fruitless = 0
    if (call === suspect) suspect = undefined
    if (reply.result.ok) call?.resolve(reply.result.value)
    else call?.reject(new SpeechError(reply.result.code, reply.result.message))
    pump()
  }

  function onEnd (end: CompanionEnd): void {
    companion = undefined
    held = []
    const calls = [...running.values()]
    running.clear()
    suspect = undefined
    const culprit = hung ?? (calls.length === 1 ? calls[0] : undefined)
    const reason = hung ? 'a call did not compute any more' : `it ended with ${end.signal ?? `code ${end.code}`}`
    hung = undefined
    if (isClosing) return [...calls, ...waiting, ...suspects].forEach(({ reject }) => { reject(aborted()) })
    onCrash(reason)
    for (const call of calls) {
      if (isStopped(call)) call.reject(aborted())
      else if (call !== culprit) suspects.push(call)
      else call.reject(new SpeechError(toCode(end), `the inference process was replaced: ${reason}`))
    }
    const delayMs = fruitless === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (fruitless - 1))
    fruitless++
    restart = setTimeout(() => {
      restart = undefined
      pump()
    }, delayMs)
  }

  function start (): Companion {
    const started = startCompanion(PROGRAM, NICE, (message) => { onReply(message as Reply) })
    started.send({ open: threads })
    started.ended.then(onEnd)
    return started
  }

  function begin (call: Call): void {
    const id = nextId++
    running.set(id, Object.assign(call, { pulse: 0, stillTicks: 0 }))
    companion ??= start()
    companion.send({ id, pool: call.pool, task: call.task, input: call.input })
  }

  /** Sends the calls that may run now. */
  function pump (): void {
    if (restart || suspect) return
    suspect = suspects.shift()
    if (suspect) return begin(suspect)
    for (const call of waiting.splice(0)) begin(call)
  }

  /** Stops a call: at once if it has not begun. */
  function stop (call: Call): void {
    for (const queue of [waiting, suspects]) {
      const index = queue.indexOf(call)
      if (index >= 0) queue.splice(index, 1).forEach(({ reject }) => { reject(aborted()) })
    }
    call.stillTicks = 0
    for (const [id, other] of running) if (other === call) companion?.send({ abort: id })
  }

  function tick (): void {
    for (const call of running.values()) {
      if (++call.stillTicks < (isStopped(call) ? Math.min(STOP_TICKS, hangTicks) : hangTicks)) continue
      hung = call
      companion?.stop()
      return
    }
  }
  const timer = setInterval(tick, tickMs)
  timer.unref()

  const openPool = <P extends PoolName>(pool: P): HelperPool<PoolTasks[P]> => ({
    threads: threads[pool],
    async run (task, input, signal) {
      // A process that starts after the end would keep the server from ending.
      if (signal?.aborted || isClosing) throw aborted()
      let onAbort = (): void => {}
      const answer = new Promise<unknown>((resolve, reject) => {
        const call: Call = { pool, task, input: input as object | null, signal, resolve, reject, pulse: 0, stillTicks: 0 }
        onAbort = () => { stop(call) }
        waiting.push(call)
      })
      signal?.addEventListener('abort', onAbort, { once: true })
      pump()
      return await answer.finally(() => { signal?.removeEventListener('abort', onAbort) }) as never
    }
  })

  return {
    speech: openPool('speech'),
    detector: openPool('detector'),
    /** The files of the speech models that are in memory. */
    heldModels: (): readonly string[] => held,
    /** The process id of the helper; undefined when it is not running. */
    pid: (): number | undefined => companion?.pid,
    /** Ends the process. Call it when no call is running; later calls reject with `aborted`. */
    async close (): Promise<void> {
      isClosing = true
      clearInterval(timer)
      clearTimeout(restart)
      if (!companion) return
      const { ended, disconnect, stop: kill } = companion
      disconnect()
      const late = setTimeout(kill, CLOSE_MS)
      await ended
      clearTimeout(late)
    }
  }
}
export type InferenceHelper = ReturnType<typeof createInferenceHelper>
