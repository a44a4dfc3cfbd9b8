/** Jobs that end, endpoints that receive events, and a scripted network. */
import type { Test } from 'tap'
import type { FetchAnswer, FetchRequest } from '../../dist/engine/http/fetcher.js'
import { FetchError } from '../../dist/domain/fetch-error.js'
import type { FetchErrorCode } from '../../dist/domain/fetch-error.js'
import { createDeliveries } from '../../dist/service/deliveries.js'
import { createWebhooks } from '../../dist/service/webhooks.js'
import { createClock } from './clock.ts'
import { openStores } from './store.ts'

export type Answer = { status: number, retryAfter?: string } | Error
/** A receiver with this answer. */
export const fail = (status = 500): Answer => ({ status })
/** A receiver that does not answer. */
export const lost = (code: FetchErrorCode = 'unreachable'): FetchError => new FetchError(code, 'webhooks')
export const SILENT = { info () {}, warn () {}, error () {} }

export function openDeliveries (t: Test) {
  const stores = openStores(t)
  const { jobs, deliveries: deliveryStore, webhooks: webhookStore, apiKeys, inTransaction, work, orders } = stores
  const clock = createClock()
  const owner = apiKeys.ensureOwner('a', 0)
  const sent: FetchRequest[] = []
  const pauses: number[] = []
  const logged: string[] = []
  /** The network's next answers; 204 when none are left. */
  const answers: Answer[] = []
  const fetcher = {
    async request (request: FetchRequest): Promise<FetchAnswer> {
      sent.push(request)
      const answer = answers.shift() ?? { status: 204 }
      if (answer instanceof Error) throw answer
      const headers = answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter }
      return { status: answer.status, headers, url: request.url, body: (async function * () {})(), async discard () {} }
    },
    check: async () => {}
  }
  const log = { ...SILENT, warn (_: object, message: string) { logged.push(message) } }
  const pause = async (ms: number): Promise<void> => { pauses.push(ms) }
  const queue = stores.createQueue(clock.now)
  const deliveries = createDeliveries({
    jobs, deliveries: deliveryStore, webhooks: webhookStore, work, orders, queue, inTransaction, fetcher, now: clock.now, log, pause
  })
  const webhooks = createWebhooks({ webhooks: webhookStore, deliveries: deliveryStore, apiKeys, inTransaction, fetcher, now: clock.now })
  const { signal } = new AbortController()

  /** Creates a job of owner `a` that ends now. */
  function endJob (more: Parameters<typeof stores.addJob>[1] = {}, owned = 'a'): number {
    const id = stores.addJob(owned, more)
    inTransaction(() => {
      jobs.fail(id, 'no_audio_stream', clock.now())
      deliveries.enqueue(id)
    })
    return id
  }

  return {
    ...stores,
    clock,
    queue,
    owner,
    sent,
    pauses,
    logged,
    answers,
    fetcher,
    service: deliveries,
    endpoints: webhooks,
    endJob,
    addEndpoint: async (more: { url?: string, apiKeyId?: number } = {}, ownerId = owner) =>
      await webhooks.create(ownerId, { url: 'https://example.org/hook', ...more }),
    addKey: (name: string, ownerId = owner): number =>
      apiKeys.insert({ ownerId, name, plan: 'pro', hash: Buffer.from(name), lastFour: 'abcd', now: 0 }),
    /** Attempts all due deliveries and returns their number. */
    async attemptDue (): Promise<number> {
      let count = 0
      for (const { receiver } of deliveries.listReady()) {
        for (let claim = deliveries.claim(receiver); claim; claim = deliveries.claim(receiver)) {
          await deliveries.attempt(claim, signal)
          count++
        }
      }
      return count
    },
    counts: (jobId: number) => deliveryStore.count(jobId),
    list: (filter: { endpointId?: number, status?: 'success' | 'failed', limit?: number } = {}) =>
      deliveries.list(owner, { limit: 100, ...filter })
  }
}
