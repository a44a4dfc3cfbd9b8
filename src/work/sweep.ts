/** What is due regularly: cleaning up every hour, and looking for bottlenecks every minute. */
import type { Log } from '../domain/log.js'

const HOUR_MS = 60 * 60_000

type Sweepable = { sweep (): Promise<void> | void }

type Deps = { places: readonly Sweepable[], log: Log, everyMs?: number }

/** Sweeps every place at start and then every hour, or `everyMs`. When one fails, the others are still swept. */
export function createSweep ({ places, log, everyMs = HOUR_MS }: Deps) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()
  const run = (): void => {
    running = Promise.all(places.map(async (place) => {
      try {
        await place.sweep()
      } catch (error) {
        log.error({ err: error }, 'sweep failed')
      }
    }))
  }
  return {
    start (): void {
      run()
      timer = setInterval(run, everyMs)
    },
    async stop (): Promise<void> {
      clearInterval(timer)
      await running
    }
  }
}
