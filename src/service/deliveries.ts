/** Sends webhooks: signed requests that tell receivers how jobs ended, at least once each, on a schedule. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AttemptFilter, Delivery, HttpAttempt, LoggedAttempt, Target } from '../domain/delivery.js'
import { AppError } from '../domain/errors.js'
import { FetchError } from '../domain/fetch-error.js'
import type { Log } from '../domain/log.js'
import {
  describeEnd, describeTest, eventOf, generateMessageId, MAX_PAUSE_MS, nextDueAt, parseRetryAfter, signedHeaders, TEST_EVENT
} from '../domain/webhook.js'
import type { WorkClaim } from '../domain/work.js'
import type { Fetcher } from '../engine/http/fetcher.js'
import type { InTransaction } from '../store/database.js'
import type { DeliveryStore } from '../store/deliveries.js'
import type { JobStore } from '../store/jobs.js'
import type { WebhookStore } from '../store/webhooks.js'
import type { WorkOrders } from '../store/work-orders.js'
import type { WorkStore } from '../store/work.js'
import { LEASE_MS } from './queue.js'
import type { Queue } from './queue.js'

/** A receiver answers within this time, or has not answered. */
const ANSWER_MS = 10_000
/** The longest wait of a request for other lookups of its owner. */
const PLACE_MS = 10_000
/** A request that got no lookup in that time is due again after this time. */
const BUSY_PAUSE_MS = 30_000
/** Pauses between the short tries of one attempt. */
const TRY_PAUSES_MS = [300, 1000]
/** How long requests stay in the log. Deliveries that wait for a retry are never so old. */
const LOG_MS = 30 * 24 * 60 * 60_000
/** An immediate retry may help if the connection failed or broke, but not if the receiver was too slow. */
const MAY_PASS = new Set(['unreachable', 'broken'])
const GONE = 410

type Deps = {
  jobs: Pick<JobStore, 'find'>
  deliveries: DeliveryStore
  webhooks: Pick<WebhookStore, 'deactivate'>
  work: WorkStore
  orders: Pick<WorkOrders, 'listTurnKeys' | 'ofTurnKey'>
  queue: Pick<Queue, 'claim'>
  inTransaction: InTransaction
  fetcher: Pick<Fetcher, 'request'>
  now: () => number
  log: Log
  /** Waits between tries; ends early, and throws, when the signal aborts. */
  pause?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
}

/** One request and its result. `mayPass`: an immediate retry may help. */
type Try = HttpAttempt & { retryAfterMs: number | undefined, mayPass: boolean }
type Message = { ownerId: number, url: string, secret: string, messageId: string, body: string }

export type TestEvent = { ownerId: number, url: string, event: string | undefined, secret: string }
export type TestResult = { event: string, messageId: string, responseCode: number, durationMs: number }

/** What is served in turn: an endpoint, or all jobs of an owner that name the same host. */
const receiverOf = ({ endpointId, url }: Target, ownerId: number): string =>
  `owner ${ownerId} ${endpointId === undefined ? new URL(url).origin : `endpoint ${endpointId}`}`

/** `receiver`: the key by which `Target`s are served in turn. `owner`: its owner. */
export type ReadyReceiver = { receiver: string, owner: string }
const toReady = (receiver: string): ReadyReceiver => ({ receiver, owner: /^owner \d+/.exec(receiver)?.[0] ?? receiver })

/** How an attempt ended. Undefined: it was given back, so nothing is known about the receiver. */
export type AttemptEnd = 'works' | 'fails' | undefined

const RECEIVER_FAILED = 'The receiver did not accept the request. Check that it runs and answers with a status from 200 to 299.'

function explainStatus (status: number): string {
  const sentence = `The receiver answered ${status}; only 200 to 299 count.`
  return status >= 300 && status < 400 ? `${sentence} Redirects are not followed.` : sentence
}

/** True when a request was not sent because its owner has too many lookups under way. The receiver is not at fault. */
const isOvercrowded = (error: unknown): error is FetchError => error instanceof FetchError && error.code === 'busy'

const toBusyReply = ({ message }: FetchError): AppError => new AppError('unavailable', message, { headers: { 'retry-after': '60' } })

const isSuccess = (tries: readonly Try[]): boolean => tries.at(-1)?.status === 'success'

const KIND = 'webhook'

export function createDeliveries (deps: Deps) {
  const { jobs, deliveries, webhooks, work, orders, queue, inTransaction, fetcher, now, log } = deps
  const { pause = async (ms, signal) => await sleep(ms, undefined, { signal }) } = deps
  /** Sends once. Throws only when `signal` aborts, and `FetchError` with `busy` when the request never got a place. */
  async function send ({ ownerId, url, secret, messageId, body }: Message, signal?: AbortSignal): Promise<Try> {
    const at = now()
    const startedMs = performance.now()
    const took = (): { url: string, at: number, durationMs: number } => ({ url, at, durationMs: Math.round(performance.now() - startedMs) })
    try {
      const { status, headers, discard } = await fetcher.request({
        purpose: 'webhooks',
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signedHeaders(secret, messageId, body, at) },
        body,
        limits: { firstByteMs: ANSWER_MS, totalMs: ANSWER_MS, placeMs: PLACE_MS, maxBytes: Infinity },
        signal,
        share: `owner ${ownerId}`
      })
      // Not awaited, because nobody needs the body.
      discard()
      const retryAfterMs = parseRetryAfter(headers['retry-after'], now())
      const answer = { ...took(), responseCode: status, retryAfterMs }
      if (status >= 200 && status < 300) return { ...answer, status: 'success', error: undefined, mayPass: false }
      return { ...answer, status: 'failed', error: explainStatus(status), mayPass: status >= 500 && retryAfterMs === undefined }
    } catch (error) {
      if (signal?.aborted || (error instanceof FetchError && (error.code === 'aborted' || error.code === 'busy'))) throw error
      const nothing = { ...took(), responseCode: undefined, retryAfterMs: undefined, status: 'failed' } as const
      if (error instanceof FetchError) return { ...nothing, error: error.message, mayPass: MAY_PASS.has(error.code) }
      // Counted as a failed attempt. If it were thrown, the delivery would be tried forever.
      log.error({ err: error }, 'a webhook failed in an unknown way')
      return { ...nothing, error: 'The request failed inside the appliance. Details are in the log.', mayPass: false }
    }
  }

  /** One attempt: up to three requests in short order. Throws as `send` does, but not `busy` once a request was sent. */
  async function tryOften (message: Message, signal?: AbortSignal): Promise<Try[]> {
    const tries: Try[] = []
    for (;;) {
      try {
        tries.push(await send(message, signal))
      } catch (error) {
        if (tries.length > 0 && isOvercrowded(error)) return tries
        throw error
      }
      const pauseMs = TRY_PAUSES_MS[tries.length - 1]
      if (!tries.at(-1)?.mayPass || pauseMs === undefined) return tries
      await pause(pauseMs, signal)
    }
  }

  /** Switches an endpoint off because its receiver is gone. False if the endpoint has another URL by now. */
  function deactivate (endpointId: number, url: string): boolean {
    if (!webhooks.deactivate(endpointId, url)) return false
    deliveries.endPending(endpointId)
    log.warn({ endpointId }, 'webhook endpoint deactivated, because it answers 410')
    return true
  }

  /**
   * Notes how an attempt went; `onFailure` says what that means for the schedule. The id of its last request in the log; undefined when the
   * claim was lost.
   */
  function note (
    claim: WorkClaim, delivery: Delivery, tries: readonly Try[], onFailure: (last: Try, isGone: boolean) => void
  ): number | undefined {
    const last = tries.at(-1)
    return last && inTransaction(() => {
      if (!work.isClaim(claim)) return undefined
      const ids = tries.map(({ retryAfterMs: _, mayPass: __, ...request }) => deliveries.log(delivery, claim.attempt, request))
      if (last.status === 'success') {
        deliveries.setDelivered(delivery.id)
        work.finish(claim)
      } else {
        onFailure(last, last.responseCode === GONE && (delivery.endpointId === undefined || deactivate(delivery.endpointId, delivery.url)))
      }
      return ids.at(-1)
    })
  }

  /** True when the delivery was given up meanwhile, because its endpoint was switched off or deleted. */
  const isOver = ({ id }: Delivery): boolean => deliveries.find(id)?.status !== 'pending'

  function scheduleNext (claim: WorkClaim, delivery: Delivery, { responseCode, retryAfterMs }: Try, isGone: boolean): void {
    const dueAt = isGone ? undefined : nextDueAt(claim.errors + 1, now(), retryAfterMs)
    if (dueAt !== undefined && !isOver(delivery)) {
      work.noteError(claim, dueAt)
      return
    }
    deliveries.setFailed(delivery.id)
    work.finish(claim)
    const { id: deliveryId, jobId, endpointId } = delivery
    if (dueAt === undefined) log.warn({ deliveryId, jobId, endpointId, responseCode }, 'webhook given up')
  }

  /** Claims a delivery whatever its status; undefined while another has it. */
  function claimOne ({ id, jobId }: { id: number, jobId: number }): WorkClaim | undefined {
    const of = { kind: KIND, jobId }
    work.expire(KIND, now())
    // A delivery that has arrived or was given up has no work.
    if (work.find(of, id) === undefined) work.insert({ ...of, idx: id, run: undefined, attempt: deliveries.lastAttempt(id) })
    const workId = work.find(of, id)
    return workId === undefined ? undefined : work.claim(workId, now() + LEASE_MS)
  }

  return {
    /** Stores the deliveries for the end of a job. Call it in the transaction that ends the job. */
    enqueue (jobId: number): void {
      const job = jobs.find(jobId)
      if (job?.completedAt === undefined) throw new Error(`job ${jobId} has not ended`)
      const { ownerId, completedAt } = job
      const body = JSON.stringify(describeEnd({ ...job, completedAt }))
      for (const target of deliveries.listTargets(jobId)) {
        const { endpointId } = target
        const id = deliveries.insert({ jobId, endpointId, event: eventOf(job), messageId: generateMessageId(), body, now: now() })
        work.insert({ kind: KIND, jobId, idx: id, run: undefined, dueAt: now(), turnKey: receiverOf(target, ownerId) })
      }
    },

    /** Receivers for which something is due, the longest waiting first. */
    listReady (): ReadyReceiver[] {
      work.expire(KIND, now())
      return orders.listTurnKeys(KIND, now()).map(toReady)
    },
    /** Claims what has been due longest for a receiver. */
    claim: (receiver: string): WorkClaim | undefined => queue.claim({ kinds: [KIND], next: (at) => orders.ofTurnKey(KIND, receiver, at) }),

    /** Sends what was claimed, and notes when to try again. Gives it back when `signal` aborts, or when it could not be sent yet. */
    async attempt (claim: WorkClaim, signal: AbortSignal): Promise<AttemptEnd> {
      const delivery = deliveries.find(claim.idx)
      // Its endpoint was switched off while a process that died was sending.
      if (delivery?.status !== 'pending') {
        work.finish(claim)
        return undefined
      }
      try {
        const tries = await tryOften(delivery, signal)
        note(claim, delivery, tries, (last, isGone) => { scheduleNext(claim, delivery, last, isGone) })
        return isSuccess(tries) ? 'works' : 'fails'
      } catch (error) {
        if (!signal.aborted && !isOvercrowded(error)) throw error
        work.release(claim, signal.aborted ? 0 : now() + BUSY_PAUSE_MS)
        return undefined
      }
    },

    /** Requests that were made, latest first. */
    list: (ownerId: number, filter: AttemptFilter): LoggedAttempt[] => deliveries.list(ownerId, filter),

    /**
     * Sends the delivery of a logged request again, now and with a fresh signature; when that fails, its schedule stays as it was.
     * Throws `not_found`, `conflict` (under way, or the endpoint is gone), `receiver_failed`, `unavailable`.
     */
    async retry (attemptId: number, ownerId: number): Promise<LoggedAttempt> {
      const found = deliveries.findByAttempt(attemptId, ownerId)
      if (!found) throw new AppError('not_found', 'There is no such delivery.')
      if (found.isOrphan) {
        throw new AppError('conflict', 'The endpoint has been deleted, and its secret with it: nothing can be sent there.')
      }
      const claim = inTransaction(() => claimOne(found))
      const delivery = deliveries.find(found.id)
      if (!claim || !delivery) {
        throw new AppError('conflict', 'This delivery is under way right now. Look at the list again in half a minute.')
      }
      const tries = await tryOften(delivery).catch((error: unknown) => {
        inTransaction(() => { if (isOver(delivery)) work.finish(claim); else work.release(claim) })
        throw isOvercrowded(error) ? toBusyReply(error) : error
      })
      const loggedId = note(claim, delivery, tries, () => {
        if (isOver(delivery)) work.finish(claim)
        else work.putBack(claim)
      })
      const logged = loggedId === undefined ? undefined : deliveries.findLogged(loggedId, ownerId)
      if (!logged) throw new AppError('not_found', 'The delivery has been deleted meanwhile.')
      if (!isSuccess(tries)) throw new AppError('receiver_failed', logged.error ?? RECEIVER_FAILED)
      return logged
    },

    /** Removes old requests from the log, and moves attempts closer that were planned while the clock was wrong. */
    sweep (): void {
      deliveries.removeLogged(now() - LOG_MS)
      work.hurry(KIND, now(), now() + MAX_PAUSE_MS)
    },

    /** Sends a test event, once. Throws `receiver_failed`, `unavailable`. */
    async test ({ ownerId, url, event = TEST_EVENT, secret }: TestEvent): Promise<TestResult> {
      const messageId = generateMessageId()
      const body = JSON.stringify(describeTest(event, now()))
      const { status, error, responseCode, durationMs } = await send({ ownerId, url, secret, messageId, body }).catch((error: unknown) => {
        throw isOvercrowded(error) ? toBusyReply(error) : error
      })
      if (status === 'failed' || responseCode === undefined) throw new AppError('receiver_failed', error ?? RECEIVER_FAILED)
      return { event, messageId, responseCode, durationMs }
    }
  }
}
export type { LoggedAttempt }
export type Deliveries = ReturnType<typeof createDeliveries>
