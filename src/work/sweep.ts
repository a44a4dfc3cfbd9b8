/** Cleans up, at start and every hour. */
import type { Log } from '../domain/log.js'

const SWEEP_MS = 60 * 60_000

type Sweepable = { sweep (): Promise<void> | void }

/** Sweeps every place. When one fails, the others are still swept. */
export function createSweep ({ places, log }: { places: readonly Sweepable[], log: Log }) {
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
      timer = setInterval(run, SWEEP_MS)
    },
    async stop (): Promise<void> {
      clearInterval(timer)
      await running
    }
  }
}
