/** What is counted, over which stretch of time, and what is left of it. Days and months are those of UTC. */

/** From `startMs` up to, but not including, `endMs`. */
export type Period = { startMs: number, endMs: number }

const DAY_MS = 24 * 3_600_000

/** The day that holds this moment. */
export function dayAt (ms: number): Period {
  const startMs = Math.floor(ms / DAY_MS) * DAY_MS
  return { startMs, endMs: startMs + DAY_MS }
}

/** The calendar month that holds this moment. */
export function monthAt (ms: number): Period {
  const date = new Date(ms)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) }
}

/** One line of the request log. */
export type LoggedRequest = {
  /** The id that error replies name as `requestId`. */
  id: string
  keyId: number
  method: string
  /** The template of the route, such as /api/v1/jobs/{id}: neither ids nor queries. */
  path: string
  status: number
  durationMs: number
  /** When it arrived. */
  at: number
}

/** What the log of a key holds at most. */
export const MAX_LOGGED_REQUESTS = 1000
export const LOGGED_REQUEST_TTL_MS = 30 * DAY_MS

/** A limit and what is left of it. */
export type Quota = { limit: number, remaining: number, windowSeconds: number, resetSeconds: number, resetAt: number }

/** What is left counts in whole units, rounded up: nothing is left exactly when the limit is reached. */
export function quotaOf (limit: number, used: number, { startMs, endMs }: Period, now: number): Quota {
  return {
    limit,
    remaining: Math.max(0, Math.ceil(limit - used)),
    windowSeconds: (endMs - startMs) / 1000,
    resetSeconds: Math.ceil((endMs - now) / 1000),
    resetAt: endMs
  }
}
