/** Webhook endpoints. Deliveries are in `deliveries.ts`. */
import type { Endpoint } from '../domain/delivery.js'
import type { Database } from './database.js'

type EndpointRow = { id: number, owner_id: number, url: string, is_active: 0 | 1, api_key_id: number | null, created_at: number }
const COLUMNS = 'id, owner_id, url, is_active, api_key_id, created_at'

function toEndpoint (row: EndpointRow): Endpoint {
  return {
    id: row.id,
    ownerId: row.owner_id,
    url: row.url,
    isActive: row.is_active === 1,
    apiKeyId: row.api_key_id ?? undefined,
    createdAt: row.created_at
  }
}

export type NewEndpoint = { ownerId: number, url: string, secret: string, apiKeyId: number | undefined, now: number }

export function createWebhookStore (db: Database) {
  const insert = db.prepare(`
    INSERT INTO webhook_endpoint (owner_id, url, signing_secret, api_key_id, created_at)
    VALUES (:ownerId, :url, :secret, :apiKeyId, :now)
  `)
  const find = db.prepare<{ id: number, ownerId: number }, EndpointRow>(`
    SELECT ${COLUMNS} FROM webhook_endpoint WHERE id = :id AND owner_id = :ownerId
  `)
  const list = db.prepare<{ ownerId: number }, EndpointRow>(`
    SELECT ${COLUMNS} FROM webhook_endpoint WHERE owner_id = :ownerId ORDER BY id
  `)
  const count = db.prepare<{ ownerId: number }, { n: number }>('SELECT count(*) AS n FROM webhook_endpoint WHERE owner_id = :ownerId')
  const findSecret = db.prepare<{ ownerId: number, url: string }, { signing_secret: string }>(`
    SELECT signing_secret FROM webhook_endpoint WHERE owner_id = :ownerId AND url = :url ORDER BY id LIMIT 1
  `)
  const update = db.prepare(`
    UPDATE webhook_endpoint SET url = :url, api_key_id = :apiKeyId, is_active = :isActive WHERE id = :id
  `)
  const deactivate = db.prepare<{ id: number, url: string }>('UPDATE webhook_endpoint SET is_active = 0 WHERE id = :id AND url = :url')
  const remove = db.prepare<{ id: number }>('DELETE FROM webhook_endpoint WHERE id = :id')

  return {
    insert: (endpoint: NewEndpoint): number => Number(insert.run({ ...endpoint, apiKeyId: endpoint.apiKeyId ?? null }).lastInsertRowid),
    find (id: number, ownerId: number): Endpoint | undefined {
      const row = find.get({ id, ownerId })
      return row && toEndpoint(row)
    },
    count: (ownerId: number): number => count.get({ ownerId })?.n ?? 0,
    list: (ownerId: number): Endpoint[] => list.all({ ownerId }).map(toEndpoint),
    /** The signing secret of the owner's first endpoint with this URL. */
    findSecret: (ownerId: number, url: string): string | undefined => findSecret.get({ ownerId, url })?.signing_secret,
    update: ({ id, url, apiKeyId, isActive }: Endpoint): void => {
      update.run({ id, url, apiKeyId: apiKeyId ?? null, isActive: isActive ? 1 : 0 })
    },
    /** Turns an endpoint off; false when its URL has changed or it is gone. */
    deactivate: (id: number, url: string): boolean => deactivate.run({ id, url }).changes === 1,
    remove: (id: number): void => {
      remove.run({ id })
    }
  }
}
export type WebhookStore = ReturnType<typeof createWebhookStore>
