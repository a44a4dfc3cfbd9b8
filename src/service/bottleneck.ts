/** Tells the administrator when memory or the disk holds up the work, and what to do. */
import type { Log } from '../domain/log.js'
import { findBottleneck } from '../domain/pressure.js'
import type { Bottleneck, Pressure } from '../domain/pressure.js'

const HOUR_MS = 3_600_000

const ADVICE: Readonly<Record<Bottleneck, string>> = {
  memory: 'memory is the bottleneck: lower STENOBOX_WORKERS, use a smaller model, or add memory',
  disk: 'the disk is the bottleneck: put the data directory on a faster disk, or lower STENOBOX_WORKERS'
}

type Deps = {
  readPressure: () => Promise<Pressure>
  /** Whether work is running. While none is, other programs hold nothing up. */
  isBusy: () => boolean
  log: Log
  now: () => number
}

export function createBottleneckWatch ({ readPressure, isBusy, log, now }: Deps) {
  const warnedAt = new Map<Bottleneck, number>()
  let before: Pressure | undefined

  return {
    /** Looks once; call it every minute. Each bottleneck is logged at most once an hour. */
    async sweep (): Promise<void> {
      const pressure = await readPressure()
      const found = isBusy() ? findBottleneck(pressure, before) : undefined
      before = pressure
      if (found === undefined || now() - (warnedAt.get(found) ?? -Infinity) < HOUR_MS) return
      warnedAt.set(found, now())
      log.warn({ pressure }, ADVICE[found])
    }
  }
}
