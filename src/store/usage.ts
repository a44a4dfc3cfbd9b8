/** Usage of owners: requests per day, audio per month, and the latest requests of each key. */
import { LOGGED_REQUEST_TTL_MS, MAX_LOGGED_REQUESTS } from '../domain/usage.js'
import type { LoggedRequest } from '../domain/usage.js'
import type { Database } from './database.js'

/** The requests of one key on the day that begins at `dayAt`. `keyId` 0 stands for all OAuth tokens of the owner. */
export type Tally = { ownerId: number, keyId: number, dayAt: number, requests: number }

type LogRow = { request_id: string, key_id: number, method: string, path: string, status: number, duration_ms: number, at: number }

const toLogged = (row: LogRow): LoggedRequest => ({
  id: row.request_id,
  keyId: row.key_id,
  method: row.method,
  path: row.path,
  status: row.status,
  durationMs: row.duration_ms,
  at: row.at
})

export function createUsageStore (db: Database) {
  // Insert through the owner and the key: an owner or key removed in the meantime gets no row and does not fail the others.
  const addRequests = db.prepare<Tally>(`
    INSERT INTO request_count (owner_id, day_at, key_id, requests)
    SELECT id, :dayAt, :keyId, :requests
    FROM owner
    WHERE id = :ownerId
    ON CONFLICT (owner_id, day_at, key_id) DO UPDATE
    SET requests = requests + excluded.requests
  `)
  const insertLogged = db.prepare<LoggedRequest>(`
    INSERT INTO request_log (key_id, request_id, method, path, status, duration_ms, at)
    SELECT k.id, :id, :method, :path, :status, :durationMs, :at
    FROM api_key k
    WHERE k.id = :keyId
  `)
  const countOfOwner = db.prepare<{ ownerId: number, dayAt: number }, number>(`
    SELECT coalesce(sum(requests), 0)
    FROM request_count
    WHERE owner_id = :ownerId AND day_at = :dayAt
  `).pluck()
  const countOfKey = db.prepare<{ ownerId: number, keyId: number, fromAt: number }, number>(`
    SELECT coalesce(sum(requests), 0)
    FROM request_count
    WHERE owner_id = :ownerId AND day_at >= :fromAt AND key_id = :keyId
  `).pluck()
  const listLogged = db.prepare<{ keyId: number, limit: number }, LogRow>(`
    SELECT request_id, key_id, method, path, status, duration_ms, at
    FROM request_log
    WHERE key_id = :keyId
    ORDER BY id DESC
    LIMIT :limit
  `)
  const removeBeyond = db.prepare<{ keyId: number }>(`
    DELETE FROM request_log
    WHERE key_id = :keyId AND id <= (
      SELECT id FROM request_log WHERE key_id = :keyId ORDER BY id DESC LIMIT 1 OFFSET ${MAX_LOGGED_REQUESTS}
    )
  `)
  const removeBefore = db.prepare<{ keyId: number, before: number }>('DELETE FROM request_log WHERE key_id = :keyId AND at < :before')
  const nextKey = db.prepare<{ keyId: number }, number | null>('SELECT min(key_id) FROM request_log WHERE key_id > :keyId').pluck()
  const addAudio = db.prepare<{ ownerId: number, monthAt: number, usedMs: number }>(`
    INSERT INTO audio_month (owner_id, month_at, used_ms)
    VALUES (:ownerId, :monthAt, :usedMs)
    ON CONFLICT (owner_id, month_at) DO UPDATE
    SET used_ms = used_ms + excluded.used_ms
  `)
  const addAudioOfDay = db.prepare<{ ownerId: number, dayAt: number, usedMs: number }>(`
    INSERT INTO audio_day (owner_id, day_at, used_ms)
    VALUES (:ownerId, :dayAt, :usedMs)
    ON CONFLICT (owner_id, day_at) DO UPDATE
    SET used_ms = used_ms + excluded.used_ms
  `)
  const requestsByDay = db.prepare<{ ownerId: number, fromAt: number }, { dayAt: number, requests: number }>(`
    SELECT day_at AS dayAt, sum(requests) AS requests
    FROM request_count
    WHERE owner_id = :ownerId AND day_at >= :fromAt
    GROUP BY day_at
  `)
  const audioByDay = db.prepare<{ ownerId: number, fromAt: number }, { dayAt: number, usedMs: number }>(`
    SELECT day_at AS dayAt, used_ms AS usedMs FROM audio_day WHERE owner_id = :ownerId AND day_at >= :fromAt
  `)
  const findAudio = db
    .prepare<{ ownerId: number, monthAt: number }, number>(
      'SELECT used_ms FROM audio_month WHERE owner_id = :ownerId AND month_at = :monthAt'
    )
    .pluck()

  return {
    addRequests: (tally: Tally): void => { addRequests.run(tally) },
    insertLogged: (request: LoggedRequest): void => { insertLogged.run(request) },
    /** Requests of all keys and tokens on one day. */
    countOfOwner: (ownerId: number, dayAt: number): number => countOfOwner.get({ ownerId, dayAt }) ?? 0,
    /** Requests of one key since the day that begins at `fromAt`. */
    countOfKey: (ownerId: number, keyId: number, fromAt: number): number => countOfKey.get({ ownerId, keyId, fromAt }) ?? 0,
    /** Latest first. */
    listLogged: (keyId: number, limit: number): LoggedRequest[] => listLogged.all({ keyId, limit }).map(toLogged),
    /** Removes the log lines of a key beyond the limit. */
    removeBeyond: (keyId: number): void => { removeBeyond.run({ keyId }) },
    /** Removes old log lines. */
    removeExpired (now: number): void {
      for (let keyId = nextKey.get({ keyId: 0 }); keyId; keyId = nextKey.get({ keyId })) {
        removeBefore.run({ keyId, before: now - LOGGED_REQUEST_TTL_MS })
      }
    },
    /** `monthAt`: the start of the month. */
    addAudio: (ownerId: number, monthAt: number, usedMs: number): void => { addAudio.run({ ownerId, monthAt, usedMs }) },
    /** `dayAt`: the start of the day. */
    addAudioOfDay: (ownerId: number, dayAt: number, usedMs: number): void => { addAudioOfDay.run({ ownerId, dayAt, usedMs }) },
    /** Requests of all keys and tokens by the start of the day, of days since `fromAt` that had some. */
    requestsByDay: (ownerId: number, fromAt: number): Map<number, number> =>
      new Map(requestsByDay.all({ ownerId, fromAt }).map(({ dayAt, requests }) => [dayAt, requests])),
    /** Audio in ms by the start of the day, of days since `fromAt` that had some. */
    audioByDay: (ownerId: number, fromAt: number): Map<number, number> =>
      new Map(audioByDay.all({ ownerId, fromAt }).map(({ dayAt, usedMs }) => [dayAt, usedMs])),
    findAudio: (ownerId: number, monthAt: number): number => findAudio.get({ ownerId, monthAt }) ?? 0
  }
}
export type UsageStore = ReturnType<typeof createUsageStore>
