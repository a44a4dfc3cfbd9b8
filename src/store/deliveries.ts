/** Webhook deliveries: the outbox and the log of HTTP requests. Claims of deliveries are in `work.ts`. */
import type { AttemptFilter, Delivery, HttpAttempt, LoggedAttempt, Target } from '../domain/delivery.js'
import type { AttemptStatus, DeliveryCounts, DeliveryStatus, WebhookEvent } from '../domain/webhook.js'
import type { Database } from './database.js'

export type NewDelivery = {
  jobId: number, endpointId: number | undefined, event: WebhookEvent, messageId: string, body: string, now: number
}

type DeliveryRow = {
  id: number, job_id: number, owner_id: number, endpoint_id: number | null, message_id: string, body: string, url: string, secret: string
  status: DeliveryStatus
}

type AttemptRow = {
  id: number, endpoint_id: number | null, job_id: number, event: WebhookEvent, message_id: string, url: string, status: AttemptStatus
  attempt: number, response_code: number | null, error: string | null, duration_ms: number, created_at: number
  next_attempt_at: number | null
}

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  jobId: row.job_id,
  ownerId: row.owner_id,
  endpointId: row.endpoint_id ?? undefined,
  messageId: row.message_id,
  body: row.body,
  url: row.url,
  secret: row.secret,
  status: row.status
})

const toAttempt = (row: AttemptRow): LoggedAttempt => ({
  id: row.id,
  endpointId: row.endpoint_id ?? undefined,
  jobId: row.job_id,
  event: row.event,
  messageId: row.message_id,
  url: row.url,
  status: row.status,
  attempt: row.attempt,
  responseCode: row.response_code ?? undefined,
  error: row.error ?? undefined,
  durationMs: row.duration_ms,
  at: row.created_at,
  nextAttemptAt: row.next_attempt_at ?? undefined
})

export function createDeliveryStore (db: Database) {
  // Endpoints that are bound to a rotated key receive the jobs of the key that replaced it.
  const targets = db.prepare<{ jobId: number }, { endpoint_id: number | null, url: string }>(`
    WITH RECURSIVE lineage (id) AS (
      SELECT api_key_id FROM job WHERE id = :jobId
      UNION
      SELECT k.id FROM lineage JOIN api_key k ON k.replaced_by = lineage.id
    )
    SELECT e.id AS endpoint_id, e.url
    FROM job j JOIN webhook_endpoint e ON e.owner_id = j.owner_id
    WHERE j.id = :jobId AND e.is_active = 1 AND (e.api_key_id IS NULL OR e.api_key_id IN (SELECT id FROM lineage))
    UNION ALL
    SELECT NULL, webhook_url FROM job WHERE id = :jobId AND webhook_url IS NOT NULL
  `)
  const insert = db.prepare(`
    INSERT INTO webhook_delivery (job_id, endpoint_id, event, message_id, body, created_at)
    VALUES (:jobId, :endpointId, :event, :messageId, :body, :now)
  `)
  const find = db.prepare<{ id: number }, DeliveryRow>(`
    SELECT d.id, d.job_id, j.owner_id, d.endpoint_id, d.message_id, d.body, d.status,
      iif(d.endpoint_id IS NULL, j.webhook_url, e.url) AS url, iif(d.endpoint_id IS NULL, j.webhook_secret, e.signing_secret) AS secret
    FROM webhook_delivery d JOIN job j ON j.id = d.job_id LEFT JOIN webhook_endpoint e ON e.id = d.endpoint_id
    WHERE d.id = :id
  `)
  const setStatus = db.prepare<{ id: number, status: DeliveryStatus }>('UPDATE webhook_delivery SET status = :status WHERE id = :id')
  const failPending = db.prepare<{ id: number }>('UPDATE webhook_delivery SET status = \'failed\' WHERE id = :id AND status = \'pending\'')
  // A delivery that is being sent now stores its own result, so its work stays. Uses webhook_delivery_pending_by_endpoint.
  const removePendingWork = db.prepare<{ endpointId: number }>(`
    DELETE FROM work WHERE id IN (
      SELECT w.id
      FROM webhook_delivery d JOIN work w ON w.job_id = d.job_id AND w.kind = 'webhook' AND w.idx = d.id
      WHERE d.endpoint_id = :endpointId AND d.status = 'pending' AND w.state <> 'running'
    )
  `)
  const endPending = db.prepare<{ endpointId: number }>(`
    UPDATE webhook_delivery SET status = 'failed' WHERE endpoint_id = :endpointId AND status = 'pending'
  `)
  const lastAttempt = db.prepare<{ id: number }, { attempt: number }>(`
    SELECT coalesce(max(attempt), 0) AS attempt FROM webhook_attempt WHERE delivery_id = :id
  `)
  const counts = db.prepare<{ jobId: number }, { status: DeliveryStatus, n: number }>(`
    SELECT status, count(*) AS n FROM webhook_delivery WHERE job_id = :jobId GROUP BY status
  `)
  const log = db.prepare(`
    INSERT INTO webhook_attempt (delivery_id, owner_id, endpoint_id, url, status, attempt, response_code, error, duration_ms, created_at)
    VALUES (:id, :ownerId, :endpointId, :url, :status, :attempt, :responseCode, :error, :durationMs, :at)
  `)
  const findDelivery = db.prepare<{ attemptId: number, ownerId: number }, { id: number, job_id: number, is_orphan: 0 | 1 }>(`
    SELECT d.id, d.job_id, d.endpoint_id IS NOT NULL AND e.id IS NULL AS is_orphan
    FROM webhook_attempt a JOIN webhook_delivery d ON d.id = a.delivery_id LEFT JOIN webhook_endpoint e ON e.id = d.endpoint_id
    WHERE a.id = :attemptId AND a.owner_id = :ownerId
  `)
  // uses webhook_attempt_by_age
  const removeLogged = db.prepare<{ before: number }>('DELETE FROM webhook_attempt WHERE created_at < :before')

  const LOGGED = `
    SELECT a.id, a.endpoint_id, d.job_id, d.event, d.message_id, a.url, a.status, a.attempt, a.response_code, a.error, a.duration_ms,
      a.created_at, (
        SELECT w.due_at FROM work w WHERE d.status = 'pending' AND w.job_id = d.job_id AND w.kind = 'webhook' AND w.idx = d.id
      ) AS next_attempt_at
    FROM webhook_attempt a JOIN webhook_delivery d ON d.id = a.delivery_id
    WHERE a.owner_id = :ownerId
  `
  const findLogged = db.prepare<{ ownerId: number, id: number }, AttemptRow>(`${LOGGED} AND a.id = :id`)
  // Each condition is written out, because SQLite uses a partial index only when the query repeats the index's condition.
  const prepareList = (conditions: string) => db.prepare<{ ownerId: number, endpointId: number | undefined, limit: number }, AttemptRow>(`
    ${LOGGED} ${conditions}
    ORDER BY a.id DESC
    LIMIT :limit
  `)
  const prepareLists = (condition: string) => ({
    any: prepareList(condition),
    success: prepareList(`${condition} AND a.status = 'success'`),
    failed: prepareList(`${condition} AND a.status = 'failed'`)
  })
  const lists = { all: prepareLists(''), ofEndpoint: prepareLists('AND a.endpoint_id = :endpointId') }

  return {
    listTargets: (jobId: number): Target[] => targets.all({ jobId })
      .map(({ endpoint_id: endpointId, url }) => ({ endpointId: endpointId ?? undefined, url })),
    /** Stores a pending delivery. Returns its id. */
    insert: (delivery: NewDelivery): number => Number(insert.run({ ...delivery, endpointId: delivery.endpointId ?? null }).lastInsertRowid),
    find (id: number): Delivery | undefined {
      const row = find.get({ id })
      return row && toDelivery(row)
    },
    /** Marks a delivery as delivered. */
    setDelivered: (id: number): void => { setStatus.run({ id, status: 'delivered' }) },
    /** Marks a pending delivery as failed. */
    setFailed: (id: number): void => { failPending.run({ id }) },
    /** Fails all pending deliveries of this endpoint. */
    endPending (endpointId: number): void {
      removePendingWork.run({ endpointId })
      endPending.run({ endpointId })
    },
    /** The number of the last logged attempt; 0 when there is none. */
    lastAttempt: (id: number): number => lastAttempt.get({ id })?.attempt ?? 0,
    count (jobId: number): DeliveryCounts {
      const found = Object.fromEntries(counts.all({ jobId }).map(({ status, n }) => [status, n]))
      return { pending: 0, delivered: 0, failed: 0, ...found }
    },
    /** Logs an HTTP request. Returns its id. */
    log ({ id, ownerId, endpointId }: Delivery, attempt: number, { responseCode, error, ...request }: HttpAttempt): number {
      const about = { id, ownerId, endpointId: endpointId ?? null, attempt }
      return Number(log.run({ ...request, ...about, responseCode: responseCode ?? null, error: error ?? null }).lastInsertRowid)
    },
    /** Removes logged requests that were made before `before`. */
    removeLogged: (before: number): void => { removeLogged.run({ before }) },
    /** The delivery that a logged request was made for; `isOrphan` when its endpoint is gone. */
    findByAttempt (attemptId: number, ownerId: number): { id: number, jobId: number, isOrphan: boolean } | undefined {
      const row = findDelivery.get({ attemptId, ownerId })
      return row && { id: row.id, jobId: row.job_id, isOrphan: row.is_orphan === 1 }
    },
    findLogged (id: number, ownerId: number): LoggedAttempt | undefined {
      const row = findLogged.get({ id, ownerId })
      return row && toAttempt(row)
    },
    /** Latest first. */
    list: (ownerId: number, { endpointId, status, limit }: AttemptFilter): LoggedAttempt[] =>
      lists[endpointId === undefined ? 'all' : 'ofEndpoint'][status ?? 'any'].all({ ownerId, endpointId, limit }).map(toAttempt)
  }
}
export type DeliveryStore = ReturnType<typeof createDeliveryStore>
