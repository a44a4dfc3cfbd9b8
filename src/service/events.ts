/** Tells open pages what changes in their owner's library. Nothing is stored: a page that was away reads the list again. */
import { AppError } from '../domain/errors.js'
import type { Change, LibraryEvent } from '../domain/event.js'
import { jobProgress, shownTitle } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import type { Log } from '../domain/log.js'
import type { JobStore } from '../store/jobs.js'

/** An owner's pages. The oldest one is closed when another is opened: it is the one that was forgotten in a tab. */
export const MAX_STREAMS = 6
/** At most two events a second for each job. */
const TELL_MS = 500
/** If more transcriptions change at once, the only event is `list`. */
const MAX_CHANGES = 100
/** How often a comment is sent, and the credential checked again. Shorter than the idle limits of common proxies. */
export const HEARTBEAT_MS = 15_000

/** One page that listens. */
export type Listener = {
  /** False when the reader does not keep up; the listener is dropped then. */
  send (event: LibraryEvent | 'heartbeat'): boolean
  /** Whether the credential is still valid. */
  isAllowed (): Promise<boolean>
  /** Ends the stream. The client may connect again. */
  end (): void
  /** Ends the stream at once, with what was not read. */
  drop (): void
}

type Pending = { list: boolean, jobs: Set<number>, transcripts: Set<number> }

type Deps = {
  jobs: Pick<JobStore, 'findOwned'>
  log: Pick<Log, 'warn'>
  /** Calls back after `ms`; the result cancels that. */
  later?: (ms: number, callBack: () => void) => () => void
  /** Milliseconds of a clock that is never set back. */
  elapsed?: () => number
}

function wait (ms: number, callBack: () => void): () => void {
  const timer = setTimeout(callBack, ms)
  return () => { clearTimeout(timer) }
}

function describe (job: Job): LibraryEvent {
  const { id, status, stage } = job
  return { event: 'job', data: { id, status, stage, progress: jobProgress(job), title: shownTitle(job) } }
}

export function createEvents ({ jobs, log, later = wait, elapsed = () => performance.now() }: Deps) {
  /** By owner, the oldest first. */
  const listeners = new Map<number, Set<Listener>>()
  const pending = new Map<number, Pending>()
  let toldMs = -Infinity
  let cancel: (() => void) | undefined
  let isStopped = false

  function forget (ownerId: number, listener: Listener): void {
    const own = listeners.get(ownerId)
    if (!own?.delete(listener) || own.size > 0) return
    listeners.delete(ownerId)
    pending.delete(ownerId)
  }

  function send (ownerId: number, event: LibraryEvent | 'heartbeat'): void {
    for (const listener of [...listeners.get(ownerId) ?? []]) {
      if (listener.send(event)) continue
      forget(ownerId, listener)
      listener.drop()
    }
  }

  function tellOwner (ownerId: number, { list, jobs: changed, transcripts }: Pending): void {
    const isMany = changed.size + transcripts.size > MAX_CHANGES
    if (list || isMany) send(ownerId, { event: 'list', data: {} })
    if (isMany) return
    for (const id of changed) {
      const job = jobs.findOwned(id, ownerId)
      if (job) send(ownerId, describe(job))
    }
    for (const id of transcripts) send(ownerId, { event: 'transcript', data: { id } })
  }

  function tell (): void {
    cancel = undefined
    toldMs = elapsed()
    const told = [...pending]
    pending.clear()
    try {
      for (const [ownerId, changes] of told) tellOwner(ownerId, changes)
    } catch (error) {
      // The disk may be busy. Pages read the list again sooner or later, and the next change is sent.
      log.warn({ err: error }, 'changes could not be sent to pages')
    }
  }

  async function check (ownerId: number, listener: Listener): Promise<void> {
    const isAllowed = await listener.isAllowed().catch(() => false)
    if (isAllowed) return
    forget(ownerId, listener)
    listener.end()
  }

  return {
    /** Notes a change, which is sent soon. Cheap, and safe to call in a transaction. */
    note ({ kind, jobId, ownerId }: Change): void {
      if (!listeners.has(ownerId)) return
      const changes = pending.get(ownerId) ?? { list: false, jobs: new Set(), transcripts: new Set() }
      pending.set(ownerId, changes)
      if (kind === 'list') changes.list = true
      else changes[kind === 'job' ? 'jobs' : 'transcripts'].add(jobId)
      cancel ??= later(Math.max(0, toldMs + TELL_MS - elapsed()), tell)
    },

    /** Adds a listener of this owner. The result removes it. Throws `unavailable` while the appliance stops. */
    open (ownerId: number, listener: Listener): () => void {
      if (isStopped) throw new AppError('unavailable', 'The appliance is being stopped.')
      const own = listeners.get(ownerId) ?? new Set()
      listeners.set(ownerId, own.add(listener))
      const [oldest] = own
      if (own.size > MAX_STREAMS && oldest) {
        forget(ownerId, oldest)
        oldest.end()
      }
      return () => { forget(ownerId, listener) }
    },

    /** The heartbeat: ends streams whose credential is no longer valid, and shows the others that the connection lives. */
    async sweep (): Promise<void> {
      await Promise.all([...listeners].flatMap(([ownerId, own]) => [...own].map(async (each) => { await check(ownerId, each) })))
      for (const ownerId of [...listeners.keys()]) send(ownerId, 'heartbeat')
    },

    /** Ends all streams, and refuses new ones. */
    stop (): void {
      isStopped = true
      cancel?.()
      const all = [...listeners.values()].flatMap((own) => [...own])
      listeners.clear()
      pending.clear()
      for (const listener of all) listener.end()
    }
  }
}
export type Events = ReturnType<typeof createEvents>
