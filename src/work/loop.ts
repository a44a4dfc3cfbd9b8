/**
 * The loop of background work: claims work of every kind when a slot is free, renews leases, and shuts down gracefully. Only the process
 * that holds the work lock of the data directory claims work; other processes keep trying to get the lock.
 */
import { isNoRoom } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import type { WorkClaim } from '../domain/work.js'
import { LEASE_MS } from '../service/queue.js'
import type { Queue } from '../service/queue.js'
import type { Kind, Lane } from './kind.js'

/** Work of other processes, and work that becomes due, is noticed within this time. Work of this process wakes the loop at once. */
const POLL_MS = 500
const RENEW_MS = LEASE_MS / 5
/** On a full disk, the number of ticks between two write tests: five seconds. */
const FULL_TICKS = 10
const FULL = 'nothing can be written, so work stops until there is room: free some space on the disk of the data directory'

type WorkLock = { release (): void }
type Running = { kind: Kind, controller: AbortController, ended: Promise<void> }

type Deps = {
  kinds: readonly Kind[]
  queue: Pick<Queue, 'renew' | 'release' | 'takeBack'>
  /** Called after this process got the work lock and before it claims work. */
  recover: () => Promise<void>
  tryLock: () => WorkLock | undefined
  /** Whether the data directory can be written. Called only while it could not. */
  canWrite: () => Promise<boolean>
  /** Called right before this process starts to claim work. When it throws, the takeover is retried at the next tick. */
  onTakeOver: () => void
  log: Log
}

export function createLoop ({ kinds, queue, recover, tryLock, canWrite, onTakeOver, log }: Deps) {
  const kindNamed = new Map(kinds.map((kind) => [kind.kind, kind]))
  const lanes = [...new Set(kinds.map(({ lane }) => lane))]
  const running = new Map<WorkClaim, Running>()
  const taken = new Map<Lane, number>()
  /** Claims whose step could not store its end, for example on a full disk. They are given back as soon as that works. */
  const stranded: WorkClaim[] = []
  const timers: NodeJS.Timeout[] = []
  let lock: WorkLock | undefined
  let isWorking = false
  let isStopping = false
  let isPumping = false
  let isWoken = false
  /** Ticks until the next write test; undefined while the disk can be written. */
  let fullTicks: number | undefined
  let ticking: Promise<void> = Promise.resolve()

  const runningIn = (lane: Lane): number => taken.get(lane) ?? 0

  /** Logs an error of the loop. A full disk is logged once, however many steps and ticks fail because of it. */
  function note (error: unknown, message: string, details: object = {}): void {
    if (!isNoRoom(error)) return log.error({ err: error, ...details }, message)
    if (fullTicks === undefined) log.error({ err: error }, FULL)
    fullTicks = FULL_TICKS
  }

  /** True when work may go on. */
  async function hasRoom (): Promise<boolean> {
    if (fullTicks === undefined) return true
    if (--fullTicks > 0) return false
    fullTicks = FULL_TICKS
    if (!await canWrite()) return false
    fullTicks = undefined
    log.info({}, 'the disk can be written again, and work goes on')
    return true
  }

  async function run (kind: Kind, claim: WorkClaim, signal: AbortSignal): Promise<void> {
    try {
      await kind.run(claim, signal, pump)
    } catch (error) {
      note(error, 'step failed and will be tried again', { kind: kind.kind, jobId: claim.jobId })
      stranded.push(claim)
    }
    running.delete(claim)
    taken.set(kind.lane, runningIn(kind.lane) - 1)
    pump()
  }

  function start (claim: WorkClaim): void {
    const kind = kindNamed.get(claim.kind)
    if (!kind) throw new Error(`no kind of work is registered as ${claim.kind}`)
    const controller = new AbortController()
    taken.set(kind.lane, runningIn(kind.lane) + 1)
    // Registered before it runs: a step may end its job, and so abort itself, before its first await.
    const entry: Running = { kind, controller, ended: Promise.resolve() }
    running.set(claim, entry)
    entry.ended = run(kind, claim, controller.signal)
  }

  function fill (lane: Lane): void {
    if (runningIn(lane) >= lane.slots) return lane.onFull?.()
    for (const claim of lane.claims(() => runningIn(lane))) {
      start(claim)
      if (runningIn(lane) >= lane.slots) return
    }
  }

  /** Fills every free slot. */
  function pump (): void {
    if (!isWorking || isStopping || fullTicks !== undefined) return
    isWoken = true
    // A step may call pump while it is being started.
    if (isPumping) return
    isPumping = true
    try {
      while (isWoken) {
        isWoken = false
        for (const lane of lanes) fill(lane)
      }
    } catch (error) {
      // The next tick tries again: the database may be full or locked only for a moment.
      note(error, 'claiming work failed')
    } finally {
      isPumping = false
    }
  }

  function renew (): void {
    try {
      if (running.size > 0) queue.renew([...running.keys()])
    } catch (error) {
      // A lease lasts for several renewals, and the next one may succeed.
      note(error, 'renewing leases failed')
    }
  }

  async function takeOver (): Promise<void> {
    if (lock || isStopping) return
    lock = tryLock()
    if (!lock) return
    queue.takeBack()
    await recover()
    onTakeOver()
    isWorking = true
  }

  /** Gives back the claims of steps that could not store their end. */
  function rescue (): void {
    for (let claim = stranded[0]; claim; claim = stranded[0]) {
      queue.release(claim)
      stranded.shift()
    }
  }

  async function turn (): Promise<void> {
    if (!await hasRoom()) return
    try {
      await takeOver()
    } catch (error) {
      note(error, 'taking over the work failed')
      lock?.release()
      lock = undefined
      return
    }
    try {
      rescue()
    } catch (error) {
      note(error, 'giving work back failed')
    }
    pump()
  }

  function tick (): void {
    ticking = ticking.then(turn)
  }

  return {
    start (): void {
      tick()
      timers.push(setInterval(tick, POLL_MS), setInterval(renew, RENEW_MS))
    },
    /** Looks for work now. */
    wake: pump,
    /** Whether a piece of work is running. */
    isBusy: (): boolean => running.size > 0,
    /** Stops running work of a job that has ended or was removed: its result would not be stored. */
    abandon (jobId: number): void {
      for (const [claim, { controller }] of running) {
        if (claim.jobId === jobId && claim.run !== undefined) controller.abort(new Error('the job has ended'))
      }
    },
    /**
     * Stops claiming, lets kinds with `graceMs` finish, aborts the rest (it is queued again) within about a second, and releases the work
     * lock.
     */
    async stop (): Promise<void> {
      isStopping = true
      for (const timer of timers) clearInterval(timer)
      await ticking
      const graces = [...running.values()].map(({ kind: { graceMs }, controller }) => {
        if (graceMs !== undefined) return setTimeout(() => { controller.abort(new Error('stopping')) }, graceMs)
        controller.abort(new Error('stopping'))
        return undefined
      })
      await Promise.all([...running.values()].map(async ({ ended }) => { await ended }))
      for (const grace of graces) clearTimeout(grace)
      lock?.release()
      lock = undefined
    }
  }
}
