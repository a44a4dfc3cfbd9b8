/** Quotas and the periods they count over. Days and months are in UTC. */

/** From `startMs` up to, but not including, `endMs`. */
export type Period = { startMs: number, endMs: number }

const DAY_MS = 24 * 3_600_000

/** The UTC day of a moment. */
export function dayAt (ms: number): Period {
  const startMs = Math.floor(ms / DAY_MS) * DAY_MS
  return { startMs, endMs: startMs + DAY_MS }
}

/** The UTC calendar month of a moment. */
export function monthAt (ms: number): Period {
  const date = new Date(ms)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) }
}

/** The days up to and including that of a moment, oldest first. */
export const daysUntil = (ms: number, count: number): Period[] =>
  Array.from({ length: count }, (_, index) => dayAt(ms - (count - 1 - index) * DAY_MS))

/** One line of the request log. */
export type LoggedRequest = {
  /** The id that error replies carry as `requestId`. */
  id: string
  keyId: number
  method: string
  /** The route template, such as /api/v1/jobs/{id}: no ids and no query. */
  path: string
  status: number
  durationMs: number
  /** When it arrived. */
  at: number
}

/** The most requests that the log of a key keeps. */
export const MAX_LOGGED_REQUESTS = 1000
export const LOGGED_REQUEST_TTL_MS = 30 * DAY_MS

/** A limit and what is left of it. `resetAt` is in ms since 1970. */
export type Quota = { limit: number, remaining: number, windowSeconds: number, resetSeconds: number, resetAt: number }

/** `remaining` is in whole units, rounded up: it is 0 exactly when the limit is reached. */
export function quotaOf (limit: number, used: number, { startMs, endMs }: Period, now: number): Quota {
  return {
    limit,
    remaining: Math.max(0, Math.ceil(limit - used)),
    windowSeconds: (endMs - startMs) / 1000,
    resetSeconds: Math.ceil((endMs - now) / 1000),
    resetAt: endMs
  }
}
