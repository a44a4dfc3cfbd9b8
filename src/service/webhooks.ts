/** Webhook endpoints: create, list, change and delete them, and check which URLs may receive webhooks. */
import type { Endpoint } from '../domain/delivery.js'
import { AppError } from '../domain/errors.js'
import { FetchError } from '../domain/fetch-error.js'
import { requireHostName } from '../domain/source.js'
import { generateSecret } from '../domain/webhook.js'
import type { Fetcher } from '../engine/http/fetcher.js'
import { parseUrl } from '../engine/http/guard.js'
import type { ApiKeyStore } from '../store/api-keys.js'
import type { InTransaction } from '../store/database.js'
import type { DeliveryStore } from '../store/deliveries.js'
import type { WebhookStore } from '../store/webhooks.js'

type Deps = {
  webhooks: WebhookStore
  deliveries: Pick<DeliveryStore, 'endPending'>
  apiKeys: Pick<ApiKeyStore, 'isLive'>
  inTransaction: InTransaction
  fetcher: Pick<Fetcher, 'check'>
  now: () => number
}

export type EndpointChanges = { url?: string, apiKeyId?: number | null, isActive?: boolean }

/** The most endpoints an owner may have. Each one gets an event for every job. */
const MAX_ENDPOINTS = 100

/**
 * Hosts that are IP addresses and can be checked at once. Host names are checked on every delivery, because they may point elsewhere by
 * then.
 */
const LITERAL_HOST = /^(\[.*\]|\d+(\.\d+){3}|(.*\.)?localhost\.?)$/

export function createWebhooks ({ webhooks, deliveries, apiKeys, inTransaction, fetcher, now }: Deps) {
  /** Throws `invalid_request` naming the field, unless `url` is an http or https URL that webhooks may be sent to. */
  async function checkUrl (url: string, field: string): Promise<void> {
    try {
      const { hostname } = parseUrl(url, 'webhooks')
      requireHostName(hostname, field)
      if (LITERAL_HOST.test(hostname)) await fetcher.check('webhooks', url)
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      if (error.code === 'invalid_url' || error.code === 'blocked') {
        throw new AppError('invalid_request', `${field}: ${error.message}`, { cause: error })
      }
    }
  }

  function requireKey (apiKeyId: number | null | undefined, ownerId: number): void {
    if (apiKeyId === undefined || apiKeyId === null || apiKeys.isLive(apiKeyId, ownerId, now())) return
    throw new AppError('invalid_request', 'apiKeyId: you have no live key with this id. Leave it out, or give the id of a key that works.')
  }

  function find (id: number, ownerId: number): Endpoint {
    const endpoint = webhooks.find(id, ownerId)
    if (!endpoint) throw new AppError('not_found', 'There is no such webhook endpoint.')
    return endpoint
  }

  return {
    checkUrl,
    /**
     * Creates an endpoint with a signing secret, which is returned only here. Throws `invalid_request`, and `conflict` when the owner has
     * too many.
     */
    async create (
      ownerId: number,
      { url, apiKeyId }: { url: string, apiKeyId?: number | undefined }
    ): Promise<{ endpoint: Endpoint, secret: string }> {
      await checkUrl(url, 'url')
      requireKey(apiKeyId, ownerId)
      if (webhooks.count(ownerId) >= MAX_ENDPOINTS) {
        throw new AppError('conflict', `There are already ${MAX_ENDPOINTS} endpoints. Delete one first.`)
      }
      const secret = generateSecret()
      const id = webhooks.insert({ ownerId, url, secret, apiKeyId, now: now() })
      return { endpoint: find(id, ownerId), secret }
    },

    list: (ownerId: number): Endpoint[] => webhooks.list(ownerId),

    /** Changes the given fields. Turning an endpoint off fails its pending deliveries. Throws `not_found`, `invalid_request`. */
    async update (id: number, ownerId: number, { url, apiKeyId, isActive }: EndpointChanges): Promise<Endpoint> {
      find(id, ownerId)
      if (url !== undefined) await checkUrl(url, 'url')
      requireKey(apiKeyId, ownerId)
      return inTransaction(() => {
        const known = find(id, ownerId)
        const changed = {
          ...known,
          url: url ?? known.url,
          apiKeyId: apiKeyId === undefined ? known.apiKeyId : (apiKeyId ?? undefined),
          isActive: isActive ?? known.isActive
        }
        webhooks.update(changed)
        if (!changed.isActive) deliveries.endPending(id)
        return changed
      })
    },

    /** Removes an endpoint. Its deliveries stay in the log; pending ones fail. Throws `not_found`. */
    remove (id: number, ownerId: number): void {
      inTransaction(() => {
        find(id, ownerId)
        deliveries.endPending(id)
        webhooks.remove(id)
      })
    },

    /**
     * The secret to sign a test of `url` with: the given one, else that of the owner's endpoint, else a new one (`isNew`). Throws
     * `invalid_request`.
     */
    async chooseSecret (ownerId: number, url: string, given: string | undefined): Promise<{ secret: string, isNew: boolean }> {
      await checkUrl(url, 'url')
      const known = given ?? webhooks.findSecret(ownerId, url)
      return known === undefined ? { secret: generateSecret(), isNew: true } : { secret: known, isNew: false }
    }
  }
}
export type Webhooks = ReturnType<typeof createWebhooks>
