/** Webhook endpoints: create, list, change, delete; and which addresses may be receivers at all. */
import { AppError } from '../domain/errors.js'
import { generateSecret } from '../domain/webhook.js'
import type { JobWebhook } from '../domain/webhook.js'
import type { Fetcher } from '../engine/http/fetcher.js'
import { FetchError, parseUrl } from '../engine/http/guard.js'
import type { ApiKeyStore } from '../store/api-keys.js'
import type { InTransaction } from '../store/database.js'
import type { DeliveryStore } from '../store/deliveries.js'
import type { Endpoint, WebhookStore } from '../store/webhooks.js'

type Deps = {
  webhooks: WebhookStore
  deliveries: Pick<DeliveryStore, 'endPending'>
  apiKeys: Pick<ApiKeyStore, 'isLive'>
  inTransaction: InTransaction
  fetcher: Pick<Fetcher, 'check'>
  now: () => number
}

export type EndpointChanges = { url?: string, apiKeyId?: number | null, isActive?: boolean }

/** Endpoints of one owner: every end of a job is told to all of them. */
const MAX_ENDPOINTS = 100

/** Hosts that say by themselves where they lead. Others are looked up when something is sent: what a name stands for may change. */
const LITERAL_HOST = /^(\[.*\]|\d+(\.\d+){3}|(.*\.)?localhost\.?)$/

export function createWebhooks ({ webhooks, deliveries, apiKeys, inTransaction, fetcher, now }: Deps) {
  /** Throws `invalid_request`, naming the field, for what is no http or https address, and for addresses that nothing is ever sent to. */
  async function checkUrl (url: string, field: string): Promise<void> {
    try {
      if (LITERAL_HOST.test(parseUrl(url, 'webhooks').hostname)) await fetcher.check('webhooks', url)
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      if (error.code === 'invalid_url' || error.code === 'blocked') throw new AppError('invalid_request', `${field}: ${error.message}`, { cause: error })
    }
  }

  function requireKey (apiKeyId: number | null | undefined, ownerId: number): void {
    if (apiKeyId === undefined || apiKeyId === null || apiKeys.isLive(apiKeyId, ownerId, now())) return
    throw new AppError('invalid_request', 'apiKeyId: there is no such live key.')
  }

  function find (id: number, ownerId: number): Endpoint {
    const endpoint = webhooks.find(id, ownerId)
    if (!endpoint) throw new AppError('not_found', 'There is no such webhook endpoint.')
    return endpoint
  }

  return {
    /** A new endpoint, and its signing secret, which is shown here and never again. Throws `invalid_request`, and `conflict` when the owner has as many as one may. */
    async create (ownerId: number, { url, apiKeyId }: { url: string, apiKeyId?: number | undefined }): Promise<{ endpoint: Endpoint, secret: string }> {
      await checkUrl(url, 'url')
      requireKey(apiKeyId, ownerId)
      if (webhooks.count(ownerId) >= MAX_ENDPOINTS) throw new AppError('conflict', `There are ${MAX_ENDPOINTS} endpoints already: delete one first.`)
      const secret = generateSecret()
      const id = webhooks.insert({ ownerId, url, secret, apiKeyId, now: now() })
      return { endpoint: find(id, ownerId), secret }
    },

    list: (ownerId: number): Endpoint[] => webhooks.list(ownerId),

    /** Changes what is named. What waits for an endpoint that is switched off has failed. Throws `not_found`, `invalid_request`. */
    async update (id: number, ownerId: number, { url, apiKeyId, isActive }: EndpointChanges): Promise<Endpoint> {
      find(id, ownerId)
      if (url !== undefined) await checkUrl(url, 'url')
      requireKey(apiKeyId, ownerId)
      return inTransaction(() => {
        const known = find(id, ownerId)
        const changed = {
          ...known,
          url: url ?? known.url,
          apiKeyId: apiKeyId === undefined ? known.apiKeyId : apiKeyId ?? undefined,
          isActive: isActive ?? known.isActive
        }
        webhooks.update(changed)
        if (!changed.isActive) deliveries.endPending(id)
        return changed
      })
    },

    /** What was sent stays in the log; what waits has failed. Throws `not_found`. */
    remove (id: number, ownerId: number): void {
      inTransaction(() => {
        find(id, ownerId)
        deliveries.endPending(id)
        webhooks.remove(id)
      })
    },

    /** What signs a test of `url`: the secret given, that of the owner's endpoint there, else a new one, which `isNew` says. Throws `invalid_request`. */
    async chooseSecret (ownerId: number, url: string, given: string | undefined): Promise<{ secret: string, isNew: boolean }> {
      await checkUrl(url, 'url')
      const known = given ?? webhooks.findSecret(ownerId, url)
      return known === undefined ? { secret: generateSecret(), isNew: true } : { secret: known, isNew: false }
    },

    /**
     * Where the end of one job is to be told, as its caller asked; undefined when nothing was asked. Without a secret it gets a new one, which
     * the caller has to be shown. Throws `invalid_request`.
     */
    async openJobWebhook ({ webhookUrl, webhookSecret }: { webhookUrl?: string | undefined, webhookSecret?: string | undefined }): Promise<JobWebhook | undefined> {
      if (webhookUrl === undefined && webhookSecret !== undefined) throw new AppError('invalid_request', 'webhookSecret: needs a webhookUrl.')
      if (webhookUrl === undefined) return undefined
      await checkUrl(webhookUrl, 'webhookUrl')
      return { url: webhookUrl, secret: webhookSecret ?? generateSecret() }
    }
  }
}
export type { Endpoint }
export type Webhooks = ReturnType<typeof createWebhooks>
