/**
 * The clock of the appliance: claims work whenever there is a free place for it, renews leases, and stops politely.
 * Only the process that holds the work lock of the data directory claims anything; the others keep asking for it.
 */
import type { Log } from '../domain/log.js'
import type { Fetching } from '../service/fetching.js'
import type { Pipeline } from '../service/pipeline.js'
import { LEASE_MS } from '../service/scheduling.js'
import type { Scheduling } from '../service/scheduling.js'

/** Work that another process has submitted is noticed within this time; our own wakes the loop at once. */
const POLL_MS = 500
const RENEW_MS = LEASE_MS / 5
/** Decoders at once: reading a file is short work beside recognising it. The last one takes small files only. */
const DECODERS = 3
/** Fetches at once: they wait for the world outside more than they work. The last one takes owners who have none. */
const FETCHERS = 4

type WorkLock = { release (): void }
type Abort = { readonly flag: Int32Array, stop (): void }
type FetchClaim = NonNullable<ReturnType<Scheduling['claimFetch']>>
type DecodeClaim = NonNullable<ReturnType<Scheduling['claimDecode']>>
type WindowClaim = NonNullable<ReturnType<Scheduling['claimWindow']>>

type Deps = {
  fetching: Pick<Fetching, 'fetch'>
  pipeline: Pipeline
  scheduling: Scheduling
  createAbort: () => Abort
  tryLock: () => WorkLock | undefined
  /** Called when this process is about to be the one that works; when it throws, that is put off. */
  onTakeOver: () => void
  /** Windows at once. */
  slots: number
  log: Log
}

export function createLoop ({ fetching, pipeline, scheduling, createAbort, tryLock, onTakeOver, slots, log }: Deps) {
  const fetches = new Map<FetchClaim, AbortController>()
  const decoding = new Map<DecodeClaim, AbortController>()
  const running = new Map<WindowClaim, Abort>()
  const inFlight = new Set<Promise<void>>()
  const timers: NodeJS.Timeout[] = []
  let lock: WorkLock | undefined
  let isWorking = false
  let isStopping = false
  /** Claims whose step could not even note how it ended (a full disk, say): given back as soon as that is possible. */
  const stranded: Array<() => void> = []
  let ticking: Promise<void> = Promise.resolve()

  function track (work: Promise<void>, giveBack: () => void, done: () => void): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => {
        log.error({ err: error }, 'step failed and will be tried again')
        stranded.push(giveBack)
      })
      .finally(() => {
        done()
        inFlight.delete(tracked)
        pump()
      })
    inFlight.add(tracked)
  }

  function startFetch (): boolean {
    if (fetches.size >= FETCHERS) return false
    const claim = scheduling.claimFetch(fetches.size === FETCHERS - 1)
    if (!claim) return false
    const controller = new AbortController()
    fetches.set(claim, controller)
    track(fetching.fetch(claim, controller.signal), () => { scheduling.releaseFetch(claim) }, () => { fetches.delete(claim) })
    return true
  }

  function startDecode (): boolean {
    if (decoding.size >= DECODERS) return false
    const claim = scheduling.claimDecode(decoding.size === DECODERS - 1)
    if (!claim) return false
    const controller = new AbortController()
    decoding.set(claim, controller)
    track(pipeline.decode(claim, controller.signal, pump), () => { scheduling.releaseDecode(claim) }, () => { decoding.delete(claim) })
    return true
  }

  function startWindow (): boolean {
    if (running.size >= slots) return false
    const window = scheduling.claimWindow()
    if (!window) return false
    const abort = createAbort()
    running.set(window, abort)
    track(pipeline.runWindow(window, abort), () => { scheduling.releaseWindow(window) }, () => { running.delete(window) })
    return true
  }

  /** Fills every free place. */
  function pump (): void {
    if (!isWorking || isStopping) return
    try {
      while (startFetch());
      while (startDecode());
      while (startWindow());
    } catch (error) {
      // A database that is full or locked now may not be at the next tick.
      log.error({ err: error }, 'claiming work failed')
    }
  }

  function renew (): void {
    try {
      for (const claim of fetches.keys()) scheduling.renewFetch(claim)
      for (const claim of decoding.keys()) scheduling.renewDecode(claim)
      for (const window of running.keys()) scheduling.renewWindow(window)
    } catch (error) {
      // A lease lasts several turns of this clock; the next one may find the disk less full.
      log.error({ err: error }, 'renewing leases failed')
    }
  }

  async function takeOver (): Promise<void> {
    if (lock || isStopping) return
    lock = tryLock()
    if (!lock) return
    scheduling.takeBackAll()
    await pipeline.recover()
    onTakeOver()
    isWorking = true
  }

  /** Gives back what steps left behind that could not, and ends the jobs that only lacked their last step. */
  async function rescue (): Promise<void> {
    if (stranded.length === 0) return
    for (let giveBack = stranded[0]; giveBack; giveBack = stranded[0]) {
      giveBack()
      stranded.shift()
    }
    await pipeline.settleAll()
  }

  async function turn (): Promise<void> {
    try {
      await takeOver()
    } catch (error) {
      log.error({ err: error }, 'taking over the work failed')
      lock?.release()
      lock = undefined
      return
    }
    try {
      await rescue()
    } catch (error) {
      log.error({ err: error }, 'giving work back failed')
    }
    pump()
  }

  function tick (): void {
    ticking = ticking.then(turn)
  }

  /** Stops what is being done for a job that has ended or was removed: its result would go nowhere. */
  function abandon (jobId: number): void {
    for (const [claim, controller] of fetches) if (claim.jobId === jobId) controller.abort(new Error('the job has ended'))
    for (const [{ job }, controller] of decoding) if (job.id === jobId) controller.abort(new Error('the job has ended'))
    for (const [window, abort] of running) if (window.jobId === jobId) abort.stop()
  }

  pipeline.onEnded(abandon)

  return {
    start (): void {
      tick()
      timers.push(setInterval(tick, POLL_MS), setInterval(renew, RENEW_MS))
    },
    /** Looks for work now. */
    wake: pump,
    abandon,
    /** Stops claiming, stops what runs within about a second (it is queued again), and gives the work lock back. */
    async stop (): Promise<void> {
      isStopping = true
      for (const timer of timers) clearInterval(timer)
      await ticking
      for (const controller of [...fetches.values(), ...decoding.values()]) controller.abort(new Error('stopping'))
      for (const abort of running.values()) abort.stop()
      await Promise.all(inFlight)
      lock?.release()
      lock = undefined
    }
  }
}
