/** The audit log: one JSON line for each act. Off unless a file is configured. */
import type { AuditEvent } from '../domain/audit.js'
import { AppError } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import type { AuditLog } from '../store/audit-log.js'

/** Requests without a valid credential, of all callers together. Without a limit they would fill the disk. */
const NOBODY_PER_MINUTE = 100
const MINUTE_MS = 60_000

type Deps = {
  /** Undefined: the audit log is off. */
  file: AuditLog | undefined
  log: Pick<Log, 'error'>
  now: () => number
}

/** An event as its line has it. `leftOut`, `lost`: how many were not recorded before it. */
export type RecordedEvent = AuditEvent & { time: string, leftOut?: number, lost?: number }

function parseLine (line: string): RecordedEvent[] {
  try {
    const event = JSON.parse(line) as Partial<RecordedEvent> | null
    return event?.time !== undefined && event.actor !== undefined && event.operation !== undefined ? [event as RecordedEvent] : []
  } catch {
    // On a full disk, a line may be written only in part.
    return []
  }
}

export function createAudit ({ file, log, now }: Deps) {
  let nobody = { sinceMs: 0, events: 0, leftOut: 0 }
  /** Lines that could not be written. */
  let lost = 0

  /** False beyond the limit for requests without a valid credential. */
  function mayRecord ({ actor }: AuditEvent): boolean {
    if (actor.type !== 'nobody') return true
    const isOver = now() < nobody.sinceMs || now() - nobody.sinceMs >= MINUTE_MS
    if (isOver) nobody = { ...nobody, sinceMs: now(), events: 0 }
    if (++nobody.events <= NOBODY_PER_MINUTE) return true
    nobody.leftOut++
    return false
  }

  return {
    isOn: file !== undefined,
    /**
     * Appends the event. Never throws, because the act has already happened: when the file cannot be written, the log says so, and the next
     * line that can be written has the number of missing lines as `lost`.
     */
    record (event: AuditEvent): void {
      if (!file || !mayRecord(event)) return
      const { leftOut } = nobody
      const counts = { ...(leftOut > 0 ? { leftOut } : {}), ...(lost > 0 ? { lost } : {}) }
      try {
        file.append(JSON.stringify({ time: new Date(now()).toISOString(), ...event, ...counts }))
        nobody.leftOut = 0
        lost = 0
      } catch (error) {
        lost++
        log.error({ err: error, lost }, 'the audit log cannot be written')
      }
    },
    /**
     * Recorded events, newest first. `before`: where the previous page has ended. Lines that were written only in part are left out. Throws
     * `gone` when the file was rotated since the previous page.
     */
    list ({ before, limit }: { before: number | undefined, limit: number }): { events: RecordedEvent[], next: number | undefined } {
      if (!file) return { events: [], next: undefined }
      const page = file.readBefore(before, limit)
      if (!page) throw new AppError('gone', 'The audit log was rotated meanwhile. Begin with the first page again.')
      return { events: page.lines.flatMap(parseLine), next: page.next }
    },
    close: (): void => { file?.close() }
  }
}
export type Audit = ReturnType<typeof createAudit>
