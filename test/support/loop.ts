/** A loop over a real table of work, whose steps end when the test says so, and whose clock goes when told. */
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Test } from 'tap'
import type { WorkClaim } from '../../dist/domain/work.js'
import type { Queue } from '../../dist/service/queue.js'
import { repeat } from '../../dist/work/kind.js'
import type { Kind } from '../../dist/work/kind.js'
import { createLoop } from '../../dist/work/loop.js'
import { openSteps } from './steps.ts'

const POLL_MS = 500
export const RENEW_MS = 60_000

/** A step under way: the test ends it. */
type Step = { claim: WorkClaim, signal: AbortSignal, end (): void, fail (error: Error): void }

export async function openLoop (t: Test) {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => { mock.timers.reset() })
  const steps = await openSteps(t)
  const { orders, queue, work } = steps
  const under: Step[] = []
  const errors: string[] = []
  const log = { info () {}, warn () {}, error (_: object, message: string) { errors.push(message) } }
  const locks = { isFree: true, canWrite: true }
  const hooks = { recover: (): void => {}, takeOver: (): void => {} }

  /** A kind whose steps wait for the test. */
  function createHeldKind (kind: string, slots: number, changes: Partial<Kind> = {}): Kind {
    return {
      kind,
      lane: { slots, claims: () => repeat(() => queue.claim({ kinds: [kind], next: () => orders.oldest(kind) })) },
      run: async (claim, signal) => {
        await new Promise<void>((resolve, reject) => { under.push({ claim, signal, end: resolve, fail: reject }) })
        if (signal.aborted) work.release(claim)
        else work.finish(claim)
      },
      ...changes
    }
  }

  function createTestLoop (kinds: readonly Kind[], changes: Partial<Queue> = {}) {
    const loop = createLoop({
      kinds,
      queue: { ...queue, ...changes },
      recover: async () => { hooks.recover() },
      tryLock () {
        if (!locks.isFree) return undefined
        locks.isFree = false
        return { release () { locks.isFree = true } }
      },
      canWrite: async () => locks.canWrite,
      onTakeOver: () => { hooks.takeOver() },
      log
    })
    t.teardown(async () => {
      for (const step of under) step.end()
      await loop.stop()
    })
    return loop
  }

  return {
    ...steps,
    under,
    errors,
    locks,
    hooks,
    createHeldKind,
    createTestLoop,
    running: (): string[] => under.map(({ claim: { kind, jobId, idx } }) => `${kind} ${jobId}/${idx}`),
    /** Ends the step that was begun first. */
    async endFirst (): Promise<void> {
      under.shift()?.end()
      await nextTurn()
    },
    async tick (ms = POLL_MS): Promise<void> {
      mock.timers.tick(ms)
      await nextTurn()
    },
    rows: (): unknown => steps.db.prepare('SELECT kind, state, attempt FROM work ORDER BY id').all(),
    addWork: (kind: string, idx: number, jobId: number): void => { work.insert({ kind, jobId, idx, run: 0 }) }
  }
}
