/** Bursts of GET requests with autocannon. */
import { createRequire } from 'node:module'
import { formatMs } from '../../dist/evaluate/report.js'
import type { Cell } from '../../dist/evaluate/report.js'
import { largest, percentile } from '../../dist/evaluate/machine/statistics.js'

export type Burst = { requests: number, seconds: number, p50Ms: number, p99Ms: number, maxMs: number, errors: number }
export type BurstOptions = {
  seconds: number
  connections: number
  /** Requests a second over all connections; absent: as many as are answered. */
  rate?: number
}
type CannonResult = { duration: number, errors: number, timeouts: number, non2xx: number }
type CannonOptions = {
  url: string
  connections: number
  overallRate?: number
  duration: number
  headers: Record<string, string>
  ignoreCoordinatedOmission?: boolean
}
type Cannon = {
  (options: CannonOptions, done: (error: Error | null, result: CannonResult) => void): {
    on: (event: 'response', listener: (client: unknown, status: number, bytes: number, timeMs: number) => void) => void
  }
}

/** Asks for `url`; without a key where none is needed. */
export function fire (url: string, key: string | undefined, { seconds, connections, rate }: BurstOptions): Promise<Burst> {
  const cannon = createRequire(import.meta.url)('autocannon') as Cannon
  const times: number[] = []
  return new Promise((resolve, reject) => {
    const options = {
      url, connections, duration: seconds, headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      ...(rate === undefined ? {} : { overallRate: rate, ignoreCoordinatedOmission: true })
    }
    const running = cannon(options, (error, result) => {
      if (error) return reject(error)
      resolve({
        requests: times.length, seconds: result.duration,
        p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), maxMs: largest(times),
        // Its `errors` hold the time-outs as well.
        errors: result.errors + result.non2xx
      })
    })
    // Its own histogram counts whole milliseconds.
    running.on('response', (_client, _status, _bytes, timeMs) => times.push(timeMs))
  })
}

export const BURST_COLUMNS = ['requests', 'per second', 'p50', 'p99', 'max', 'errors']

export function burstCells (burst: Burst): Cell[] {
  const rate = (burst.requests / burst.seconds).toFixed(0)
  return [burst.requests, rate, formatMs(burst.p50Ms), formatMs(burst.p99Ms), formatMs(burst.maxMs), burst.errors]
}
