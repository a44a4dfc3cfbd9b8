/** Usage: counts and logs requests, measures audio, and says when a plan's share is used up. */
import type { Principal } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import { dayAt, monthAt, quotaOf } from '../domain/usage.js'
import type { LoggedRequest, Period, Quota } from '../domain/usage.js'
import type { InTransaction } from '../store/database.js'
import type { Tally, UsageStore } from '../store/usage.js'
import type { Plans } from './plans.js'

/** Stands for the OAuth tokens of an owner, which are counted together. */
const TOKENS = 0

/** Lines of the log that wait for the disk. What is older goes first when the disk is full for long. */
const MAX_WAITING = 10_000

const MINUTE_MS = 60_000

type Deps = { usage: UsageStore, plans: Pick<Plans, 'limitsOf'>, inLazyTransaction: InTransaction, now: () => number }

/** Whose plan, and whose use. */
export type Consumer = Pick<Principal, 'ownerId' | 'plan' | 'keyId'>

/** A request that was counted, until it is logged or taken back. */
export type CountedRequest = Omit<Tally, 'requests'> & { at: number }

/** What is left, by what is limited; a key is missing where the plan has no limit. */
export type Quotas = { day?: Quota, minutes?: Quota }

export type UsageView = {
  period: Period
  requests: { total: number, today: number, quota: Quota | undefined }
  audio: { usedMs: number, limitMinutes: number | null }
  recent: LoggedRequest[]
}

const exceeded = (code: 'quota_exceeded' | 'minutes_exceeded', what: string, plan: string, { resetSeconds, resetAt }: Quota): AppError =>
  new AppError(code, `${what} that the plan "${plan}" allows are used up. There are more from ${new Date(resetAt).toISOString()} on.`, {
    headers: { 'retry-after': String(resetSeconds) }
  })

export function createUsage ({ usage, plans, inLazyTransaction, now }: Deps) {
  /** Counted, and not yet on disk; by owner, one for each key and day. */
  const tallies = new Map<number, Tally[]>()
  /** Logged, and not yet on disk. */
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

  /** Over all keys of the owner: a second key is no second share. */
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
    /** Throws `minutes_exceeded` when the owner has no audio left this month. For whatever makes a job on behalf of a caller. */
    requireMinutes (consumer: Consumer): void {
      const { minutes } = quotasOf(consumer)
      if (minutes?.remaining === 0) throw exceeded('minutes_exceeded', `The ${minutes.limit} minutes of recordings a month`, consumer.plan, minutes)
    },
    /** Counts a request: in memory, so that neither a full nor a busy disk stands in its way. */
    count ({ ownerId, keyId = TOKENS }: Consumer): CountedRequest {
      const at = now()
      const counted = { ownerId, keyId, dayAt: dayAt(at).startMs, at }
      add(counted, 1)
      return counted
    },
    /** As if it had never been counted. */
    takeBack (counted: CountedRequest): void { add(counted, -1) },
    /** Logs how a request ended. Not those of tokens: nobody can ask for their log. A clock that was set back makes none end before it arrived. */
    log ({ keyId, at }: CountedRequest, ended: Omit<LoggedRequest, 'keyId' | 'at' | 'durationMs'>): void {
      if (keyId === TOKENS) return
      waiting.push({ ...ended, keyId, at, durationMs: Math.max(0, now() - at) })
      if (waiting.length > MAX_WAITING) waiting.splice(0, MAX_WAITING / 10)
    },
    /** Of the authenticated key, what is not on disk yet included. Quota and audio are the owner's. */
    read (consumer: Consumer, limit: number): UsageView {
      const { ownerId, plan, keyId = TOKENS } = consumer
      const [day, month] = [dayAt(now()), monthAt(now())]
      const fresh = waiting.filter((logged) => logged.keyId === keyId).reverse()
      return {
        period: month,
        requests: { total: countOfKey(ownerId, keyId, month), today: countOfKey(ownerId, keyId, day), quota: quotasOf(consumer).day },
        audio: { usedMs: usage.findAudio(ownerId, month.startMs), limitMinutes: plans.limitsOf(plan).speechMinutesPerMonth },
        recent: [...fresh, ...usage.listLogged(keyId, limit)].slice(0, limit)
      }
    },
    /** Writes down what waits, all of it or nothing; throws what the disk says, and keeps it for the next time. */
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
    /** Removes what has been in the log for too long; counts stay. */
    sweep (): void { usage.removeExpired(now()) }
  }
}
export type Usage = ReturnType<typeof createUsage>
