/** Messages between the main process and `helper-program.ts`. All values survive structured clone. */
import type { DetectorTasks, WorkerResult, WorkerTasks } from '../../workers/protocol.js'

/** The pools of the helper with their tasks. */
export type PoolTasks = { speech: WorkerTasks, detector: DetectorTasks }
export type PoolName = keyof PoolTasks
/** The number of threads of each pool. */
export type PoolThreads = Record<PoolName, number>

/** `open` is the first message. `id`: unique among the calls of one helper. */
export type Request =
  | { open: PoolThreads }
  | { id: number, pool: PoolName, task: string, input: object | null }
  | { abort: number }

/**
 * `pulses`: a number for each running call that grows while the call computes. `held`: the files of the models in memory, sent after
 * each load.
 */
export type Reply =
  | { id: number, result: WorkerResult<unknown> }
  | { pulses: Array<{ id: number, pulse: number }> }
  | { held: string[] }
