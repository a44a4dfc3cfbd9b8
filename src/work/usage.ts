/** Writes usage down, once a second and at the end. */
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
      // A full disk is full for hours: one line is enough. Nothing is lost but the oldest lines of the request log.
      if (!isFailing) log.warn({ err: error }, 'usage could not be written; it is kept in memory until it can')
      isFailing = true
    }
  }

  return {
    start (): void { timer = setInterval(write, WRITE_MS) },
    /** Call it when no request is under way any more. */
    stop (): void {
      clearInterval(timer)
      write()
    }
  }
}
