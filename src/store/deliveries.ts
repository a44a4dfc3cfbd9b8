/** Webhook deliveries: the outbox, its claims, and the log of HTTP requests. */
import type { AttemptStatus, DeliveryCounts, DeliveryStatus, WebhookEvent } from '../domain/webhook.js'
import type { Database } from './database.js'

/** Who is to hear of the end of a job: an endpoint, or the job's own URL. */
export type Target = { endpointId: number | undefined, url: string }
export type NewDelivery = { jobId: number, endpointId: number | undefined, receiver: string, event: WebhookEvent, messageId: string, body: string, now: number }

/** The right to send until a time, under an attempt number that no later claimant shares. */
export type DeliveryClaim = {
  id: number
  jobId: number
  ownerId: number
  endpointId: number | undefined
  messageId: string
  body: string
  /** As the endpoint is now: a corrected address counts for what waits already. */
  url: string
  secret: string
  failures: number
  attempt: number
}
type ClaimRow = {
  id: number, job_id: number, owner_id: number, endpoint_id: number | null, message_id: string, body: string, url: string, secret: string
  failures: number, attempt: number
}

/** One HTTP request, as it went. */
export type HttpAttempt = { url: string, status: AttemptStatus, responseCode: number | undefined, error: string | undefined, durationMs: number, at: number }
/** An HTTP request with what it was for. */
export type LoggedAttempt = HttpAttempt & {
  id: number, endpointId: number | undefined, jobId: number, event: WebhookEvent, messageId: string, attempt: number, nextAttemptAt: number | undefined
}
type AttemptRow = {
  id: number, endpoint_id: number | null, job_id: number, event: WebhookEvent, message_id: string, url: string, status: AttemptStatus, attempt: number
  response_code: number | null, error: string | null, duration_ms: number, created_at: number, next_attempt_at: number | null
}
export type AttemptFilter = { endpointId?: number | undefined, status?: AttemptStatus | undefined, limit: number }

const toClaim = (row: ClaimRow): DeliveryClaim => ({
  id: row.id,
  jobId: row.job_id,
  ownerId: row.owner_id,
  endpointId: row.endpoint_id ?? undefined,
  messageId: row.message_id,
  body: row.body,
  url: row.url,
  secret: row.secret,
  failures: row.failures,
  attempt: row.attempt
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

const READY_AT = 'coalesce(lease_until, due_at)'

export function createDeliveryStore (db: Database) {
  // A key that was rotated goes on in its successor: so do the endpoints bound to it.
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
    INSERT INTO webhook_delivery (job_id, endpoint_id, receiver, event, message_id, body, due_at, created_at)
    VALUES (:jobId, :endpointId, :receiver, :event, :messageId, :body, :now, :now)
  `)
  // Goes from receiver to receiver in webhook_delivery_ready, past however many deliveries each has.
  const ready = db.prepare<{ now: number }, { receiver: string }>(`
    WITH RECURSIVE waiting (receiver) AS (
      SELECT min(receiver) FROM webhook_delivery WHERE status = 'pending'
      UNION ALL
      SELECT (SELECT min(d.receiver) FROM webhook_delivery d WHERE d.status = 'pending' AND d.receiver > waiting.receiver)
      FROM waiting
      WHERE receiver IS NOT NULL
    ), earliest AS (
      SELECT receiver, (
        SELECT ${READY_AT} FROM webhook_delivery d WHERE status = 'pending' AND d.receiver = waiting.receiver ORDER BY ${READY_AT} LIMIT 1
      ) AS ready_at
      FROM waiting
      WHERE receiver IS NOT NULL
    )
    SELECT receiver FROM earliest WHERE ready_at <= :now ORDER BY ready_at
  `)
  const claim = db.prepare<{ receiver: string, now: number, leaseUntil: number }, { id: number }>(`
    UPDATE webhook_delivery
    SET attempt = attempt + 1, lease_until = :leaseUntil
    WHERE id = (
      SELECT id FROM webhook_delivery
      WHERE status = 'pending' AND receiver = :receiver AND ${READY_AT} <= :now
      ORDER BY ${READY_AT}
      LIMIT 1
    )
    RETURNING id
  `)
  const claimOne = db.prepare<{ id: number, now: number, leaseUntil: number }, { id: number }>(`
    UPDATE webhook_delivery
    SET attempt = attempt + 1, lease_until = :leaseUntil
    WHERE id = :id AND (lease_until IS NULL OR lease_until <= :now)
    RETURNING id
  `)
  const find = db.prepare<{ id: number }, ClaimRow>(`
    SELECT d.id, d.job_id, j.owner_id, d.endpoint_id, d.message_id, d.body, d.failures, d.attempt,
      iif(d.endpoint_id IS NULL, j.webhook_url, e.url) AS url, iif(d.endpoint_id IS NULL, j.webhook_secret, e.signing_secret) AS secret
    FROM webhook_delivery d JOIN job j ON j.id = d.job_id LEFT JOIN webhook_endpoint e ON e.id = d.endpoint_id
    WHERE d.id = :id
  `)
  const release = db.prepare<{ id: number, attempt: number }>(`
    UPDATE webhook_delivery SET attempt = attempt - 1, lease_until = NULL WHERE id = :id AND attempt = :attempt
  `)
  const delivered = db.prepare<{ id: number, attempt: number }>(`
    UPDATE webhook_delivery SET status = 'delivered', lease_until = NULL WHERE id = :id AND attempt = :attempt
  `)
  const retried = db.prepare<{ id: number, attempt: number }>('UPDATE webhook_delivery SET lease_until = NULL WHERE id = :id AND attempt = :attempt')
  // One that was ended meanwhile, with its endpoint, stays so.
  const failed = db.prepare<{ id: number, attempt: number, dueAt: number | null }>(`
    UPDATE webhook_delivery
    SET failures = failures + 1, lease_until = NULL, due_at = coalesce(:dueAt, due_at),
      status = iif(status = 'pending' AND :dueAt IS NULL, 'failed', status)
    WHERE id = :id AND attempt = :attempt
  `)
  const endPending = db.prepare<{ endpointId: number }>(`
    UPDATE webhook_delivery SET status = 'failed' WHERE endpoint_id = :endpointId AND status = 'pending'
  `)
  const takeBack = db.prepare(`
    UPDATE webhook_delivery INDEXED BY webhook_delivery_ready
    SET lease_until = NULL
    WHERE status = 'pending' AND lease_until IS NOT NULL
  `)
  const counts = db.prepare<{ jobId: number }, { status: DeliveryStatus, n: number }>(`
    SELECT status, count(*) AS n FROM webhook_delivery WHERE job_id = :jobId GROUP BY status
  `)
  const log = db.prepare(`
    INSERT INTO webhook_attempt (delivery_id, owner_id, endpoint_id, url, status, attempt, response_code, error, duration_ms, created_at)
    VALUES (:id, :ownerId, :endpointId, :url, :status, :attempt, :responseCode, :error, :durationMs, :at)
  `)
  const findDelivery = db.prepare<{ attemptId: number, ownerId: number }, { id: number, is_orphan: 0 | 1 }>(`
    SELECT d.id, d.endpoint_id IS NOT NULL AND e.id IS NULL AS is_orphan
    FROM webhook_attempt a JOIN webhook_delivery d ON d.id = a.delivery_id LEFT JOIN webhook_endpoint e ON e.id = d.endpoint_id
    WHERE a.id = :attemptId AND a.owner_id = :ownerId
  `)
  // uses webhook_attempt_by_age
  const removeLogged = db.prepare<{ before: number }>('DELETE FROM webhook_attempt WHERE created_at < :before')
  const isClaim = db.prepare<{ id: number, attempt: number }, { id: number }>('SELECT id FROM webhook_delivery WHERE id = :id AND attempt = :attempt')

  const LOGGED = `
    SELECT a.id, a.endpoint_id, d.job_id, d.event, d.message_id, a.url, a.status, a.attempt, a.response_code, a.error, a.duration_ms, a.created_at,
      iif(d.status = 'pending', d.due_at, NULL) AS next_attempt_at
    FROM webhook_attempt a JOIN webhook_delivery d ON d.id = a.delivery_id
    WHERE a.owner_id = :ownerId
  `
  const findLogged = db.prepare<{ ownerId: number, id: number }, AttemptRow>(`${LOGGED} AND a.id = :id`)
  // Conditions are spelled out, because a partial index is used only where its own is.
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

  function toClaimed (row: { id: number } | undefined): DeliveryClaim | undefined {
    const found = row && find.get(row)
    return found && toClaim(found)
  }

  return {
    listTargets: (jobId: number): Target[] => targets.all({ jobId }).map(({ endpoint_id: endpointId, url }) => ({ endpointId: endpointId ?? undefined, url })),
    insert: (delivery: NewDelivery): void => { insert.run({ ...delivery, endpointId: delivery.endpointId ?? null }) },
    /** Receivers for which something is due, the longest waiting first. */
    listReady: (now: number): string[] => ready.all({ now }).map(({ receiver }) => receiver),
    /** Claims what has been due longest for a receiver. */
    claim: (receiver: string, now: number, leaseUntil: number): DeliveryClaim | undefined => toClaimed(claim.get({ receiver, now, leaseUntil })),
    /** Claims a delivery whatever its state; undefined while another has it. */
    claimOne: (id: number, now: number, leaseUntil: number): DeliveryClaim | undefined => toClaimed(claimOne.get({ id, now, leaseUntil })),
    /** True while nobody else has claimed it since, and it is still there. */
    isClaim: ({ id, attempt }: DeliveryClaim): boolean => isClaim.get({ id, attempt }) !== undefined,
    /** Gives a delivery back unsent: it does not count as an attempt. */
    release: ({ id, attempt }: DeliveryClaim): void => { release.run({ id, attempt }) },
    /** Notes that the receiver has it. */
    setDelivered: ({ id, attempt }: DeliveryClaim): void => { delivered.run({ id, attempt }) },
    /** Notes a failed attempt; without `dueAt` it was the last. */
    setFailed: ({ id, attempt }: DeliveryClaim, dueAt: number | undefined): void => { failed.run({ id, attempt, dueAt: dueAt ?? null }) },
    /** Ends a claim and leaves the schedule as it was. */
    setRetried: ({ id, attempt }: DeliveryClaim): void => { retried.run({ id, attempt }) },
    /** Nothing more goes to this endpoint. */
    endPending: (endpointId: number): void => { endPending.run({ endpointId }) },
    /** For whoever holds the work lock: frees what was under way in processes that died. */
    takeBack: (): void => { takeBack.run() },
    count (jobId: number): DeliveryCounts {
      const found = Object.fromEntries(counts.all({ jobId }).map(({ status, n }) => [status, n]))
      return { pending: 0, delivered: 0, failed: 0, ...found }
    },
    /** Logs an HTTP request; its id. */
    log: ({ id, ownerId, endpointId, attempt }: DeliveryClaim, { responseCode, error, ...request }: HttpAttempt): number => Number(log.run({
      ...request, id, ownerId, endpointId: endpointId ?? null, attempt, responseCode: responseCode ?? null, error: error ?? null
    }).lastInsertRowid),
    /** Removes requests that were made before a time. */
    removeLogged: (before: number): void => { removeLogged.run({ before }) },
    /** The delivery that a logged request was made for; `isOrphan` when its endpoint is gone. */
    findByAttempt (attemptId: number, ownerId: number): { id: number, isOrphan: boolean } | undefined {
      const row = findDelivery.get({ attemptId, ownerId })
      return row && { id: row.id, isOrphan: row.is_orphan === 1 }
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
