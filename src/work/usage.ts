/** Writes usage to the database once a second and at shutdown. */
import type { Log } from '../domain/log.js'
import type { Usage } from '../service/usage.js'

const WRITE_MS = 1000

export function createUsageWriter ({ usage, log }: { usage: Pick<Usage, 'flush'>, log: Log }) {
  let timer: NodeJS.Timeout | undefined
  let isFailing = false

  function write (): void {
    try {
      usage.flush()
      isFailing = false
    } catch (error) {
      // A disk may be full for hours, so this is logged once. Only the oldest lines of the request log are lost.
      if (!isFailing) log.warn({ err: error }, 'usage could not be written; it is kept in memory until it can')
      isFailing = true
    }
  }

  return {
    start (): void { timer = setInterval(write, WRITE_MS) },
    /** Call it when no more requests are running. */
    stop (): void {
      clearInterval(timer)
      write()
    }
  }
}
