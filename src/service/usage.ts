/** Usage: counts and logs requests, measures audio, and enforces the limits of plans. */
import type { Principal } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import { dayAt, daysUntil, monthAt, quotaOf } from '../domain/usage.js'
import type { LoggedRequest, Period, Quota } from '../domain/usage.js'
import type { InTransaction } from '../store/database.js'
import type { Tally, UsageStore } from '../store/usage.js'
import type { Plans } from './plans.js'

/** The key id that stands for all OAuth tokens of an owner, which are counted together. */
const TOKENS = 0

/** Log lines that may wait for the disk. When it is full for long, the oldest are dropped. */
const MAX_WAITING = 10_000

const MINUTE_MS = 60_000

type Deps = { usage: UsageStore, plans: Pick<Plans, 'limitsOf'>, inLazyTransaction: InTransaction, now: () => number }

/** The owner who uses something, the plan, and by which key or session. */
export type Consumer = Pick<Principal, 'ownerId' | 'plan' | 'keyId' | 'sessionId'>

/** A counted request, until it is logged or uncounted. */
export type CountedRequest = Omit<Tally, 'requests'> & { at: number }

/** What is left of each limit. Absent where the plan has no limit. */
export type Quotas = { day?: Quota, minutes?: Quota }

export type UsageView = {
  period: Period
  requests: { total: number, today: number, quota: Quota | undefined }
  audio: { usedMs: number, limitMinutes: number | null }
  recent: LoggedRequest[]
}

/** What an owner has used on one day. `audioMs`: length of the recordings whose transcription was completed. */
export type UsageDay = { startMs: number, requests: number, audioMs: number }

const exceeded = (code: 'quota_exceeded' | 'minutes_exceeded', what: string, plan: string, { resetSeconds, resetAt }: Quota): AppError =>
  new AppError(code, `${what} of the plan "${plan}" are used up. The limit resets at ${new Date(resetAt).toISOString()}.`, {
    headers: { 'retry-after': String(resetSeconds) }
  })

export function createUsage ({ usage, plans, inLazyTransaction, now }: Deps) {
  /** Counts not yet on disk, by owner; one tally for each key and day. */
  const tallies = new Map<number, Tally[]>()
  /** Log lines not yet on disk. */
  const waiting: LoggedRequest[] = []

  function add ({ ownerId, keyId, dayAt }: Omit<Tally, 'requests'>, requests: 1 | -1): void {
    const ofOwner = tallies.get(ownerId) ?? []
    const known = ofOwner.find((tally) => tally.keyId === keyId && tally.dayAt === dayAt)
    if (known) known.requests += requests
    else tallies.set(ownerId, [...ofOwner, { ownerId, keyId, dayAt, requests }])
  }

  function countWaiting (ownerId: number, isMeant: (tally: Tally) => boolean): number {
    return (tallies.get(ownerId) ?? []).filter(isMeant).reduce((sum, { requests }) => sum + requests, 0)
  }

  function countOfOwner (ownerId: number, { startMs }: Period): number {
    return usage.countOfOwner(ownerId, startMs) + countWaiting(ownerId, ({ dayAt }) => dayAt === startMs)
  }

  function countOfKey (ownerId: number, keyId: number, { startMs }: Period): number {
    return usage.countOfKey(ownerId, keyId, startMs) + countWaiting(ownerId, (tally) => tally.keyId === keyId && tally.dayAt >= startMs)
  }

  /** Requests of all keys and tokens of an owner since the start of a period. */
  function countSince (ownerId: number, { startMs }: Period): number {
    const stored = [...usage.requestsByDay(ownerId, startMs).values()].reduce((sum, requests) => sum + requests, 0)
    return stored + countWaiting(ownerId, ({ dayAt }) => dayAt >= startMs)
  }

  /** Counts all keys of the owner together: a second key does not double the limit. */
  function quotasOf ({ ownerId, plan }: Consumer): Quotas {
    const { requestsPerDay, speechMinutesPerMonth } = plans.limitsOf(plan)
    const at = now()
    const [day, month] = [dayAt(at), monthAt(at)]
    return {
      ...(requestsPerDay === null ? {} : { day: quotaOf(requestsPerDay, countOfOwner(ownerId, day), day, at) }),
      ...(speechMinutesPerMonth === null
        ? {}
        : { minutes: quotaOf(speechMinutesPerMonth, usage.findAudio(ownerId, month.startMs) / MINUTE_MS, month, at) })
    }
  }

  return {
    quotasOf,
    /** Throws `quota_exceeded` when the owner has no request left today. */
    requireRequests (consumer: Consumer): void {
      const { day } = quotasOf(consumer)
      if (day?.remaining === 0) throw exceeded('quota_exceeded', `The ${day.limit} requests a day`, consumer.plan, day)
    },
    /** Throws `minutes_exceeded` when the owner has no minutes left this month. Call it before creating a job for a caller. */
    requireMinutes (consumer: Consumer): void {
      const { minutes } = quotasOf(consumer)
      if (minutes?.remaining === 0) {
        throw exceeded('minutes_exceeded', `The ${minutes.limit} minutes of recordings a month`, consumer.plan, minutes)
      }
    },
    /** Counts a request in memory, so that a full or busy disk does not block it. */
    count ({ ownerId, keyId = TOKENS }: Consumer): CountedRequest {
      const at = now()
      const counted = { ownerId, keyId, dayAt: dayAt(at).startMs, at }
      add(counted, 1)
      return counted
    },
    /** Undoes `count`. */
    takeBack (counted: CountedRequest): void { add(counted, -1) },
    /**
     * Logs how a request ended, except requests with tokens, whose log nobody can read. Durations are never negative, even if the clock was
     * set back.
     */
    log ({ keyId, at }: CountedRequest, ended: Omit<LoggedRequest, 'keyId' | 'at' | 'durationMs'>): void {
      if (keyId === TOKENS) return
      waiting.push({ ...ended, keyId, at, durationMs: Math.max(0, now() - at) })
      if (waiting.length > MAX_WAITING) waiting.splice(0, MAX_WAITING / 10)
    },
    /**
     * The usage of the authenticated key, including what is not on disk yet. For a person on the page, the counts are those of all keys and
     * tokens, and the log is empty. Quota and audio are those of the owner.
     */
    read (consumer: Consumer, limit: number): UsageView {
      const { ownerId, plan, keyId = TOKENS, sessionId } = consumer
      const [day, month] = [dayAt(now()), monthAt(now())]
      const count = (period: Period): number =>
        sessionId === undefined ? countOfKey(ownerId, keyId, period) : countSince(ownerId, period)
      const fresh = waiting.filter((logged) => logged.keyId === keyId).reverse()
      return {
        period: month,
        requests: { total: count(month), today: count(day), quota: quotasOf(consumer).day },
        audio: { usedMs: usage.findAudio(ownerId, month.startMs), limitMinutes: plans.limitsOf(plan).speechMinutesPerMonth },
        recent: [...fresh, ...usage.listLogged(keyId, limit)].slice(0, limit)
      }
    },
    /** What the owner has used on each of the last `count` days (UTC), oldest first, today included. */
    readDays (ownerId: number, count: number): UsageDay[] {
      const days = daysUntil(now(), count)
      const fromAt = days[0]?.startMs ?? 0
      const [requests, audio] = [usage.requestsByDay(ownerId, fromAt), usage.audioByDay(ownerId, fromAt)]
      return days.map(({ startMs }) => ({
        startMs,
        requests: (requests.get(startMs) ?? 0) + countWaiting(ownerId, ({ dayAt }) => dayAt === startMs),
        audioMs: audio.get(startMs) ?? 0
      }))
    },
    /** Requests with a key since midnight UTC. */
    requestsToday: (ownerId: number, keyId: number): number => countOfKey(ownerId, keyId, dayAt(now())),
    /** Writes everything that waits to disk, all or nothing. If that throws, it stays for the next time. */
    flush (): void {
      if (tallies.size === 0 && waiting.length === 0) return
      inLazyTransaction(() => {
        for (const tally of [...tallies.values()].flat()) usage.addRequests(tally)
        for (const logged of waiting) usage.insertLogged(logged)
        for (const keyId of new Set(waiting.map((logged) => logged.keyId))) usage.removeBeyond(keyId)
      })
      tallies.clear()
      waiting.length = 0
    },
    /** Removes old lines from the log. Counts stay. */
    sweep (): void { usage.removeExpired(now()) }
  }
}
export type Usage = ReturnType<typeof createUsage>
