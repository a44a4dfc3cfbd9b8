/** API keys, and the owners created with them. */
import type { ApiKey, Page, Plan } from '../domain/access.js'
import type { Database } from './database.js'

type PrincipalRow = { key_id: number, owner_id: number, plan: Plan, hash: Buffer, last_used_at: number | null }
type KeyRow = {
  id: number, name: string, owner_id: number, owner: string, plan: Plan, last_four: string
  created_at: number, last_used_at: number | null, expires_at: number | null, revoked_at: number | null, replaced_by: number | null
}
export type NewApiKey = {
  ownerId: number
  name: string
  plan: Plan
  hash: Buffer
  lastFour: string
  now: number
  expiresAt?: number | undefined
}

function toKey (row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    ownerId: row.owner_id,
    owner: row.owner,
    plan: row.plan,
    lastFour: row.last_four,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    replacedBy: row.replaced_by ?? undefined
  }
}

const SELECT_KEY = `
  SELECT k.id, k.name, k.owner_id, o.name AS owner, k.plan, k.last_four, k.created_at, k.last_used_at, k.expires_at,
    k.revoked_at, k.replaced_by
  FROM api_key k JOIN owner o ON o.id = k.owner_id
`

export function createApiKeyStore (db: Database) {
  const upsertOwner = db.prepare<{ name: string, now: number }>(`
    INSERT INTO owner (name, created_at)
    VALUES (:name, :now)
    ON CONFLICT (name) DO NOTHING
  `)
  const findOwner = db.prepare<{ name: string }, { id: number }>('SELECT id FROM owner WHERE name = :name')
  const firstOwners = db.prepare<[], { id: number, is_account: 0 | 1 }>(`
    SELECT id, password_hash IS NOT NULL AS is_account FROM owner WHERE id > 0 ORDER BY id LIMIT 2
  `)
  const findOwnerPlan = db.prepare<{ ownerId: number }, { plan: Plan }>('SELECT plan FROM owner WHERE id = :ownerId')
  const insertKey = db.prepare<Omit<NewApiKey, 'expiresAt'> & { expiresAt: number | null }>(`
    INSERT INTO api_key (owner_id, name, plan, hash, last_four, created_at, expires_at)
    VALUES (:ownerId, :name, :plan, :hash, :lastFour, :now, :expiresAt)
  `)
  // uses the UNIQUE index on hash
  const findByHash = db.prepare<{ hash: Buffer, now: number }, PrincipalRow>(`
    SELECT id AS key_id, owner_id, plan, hash, last_used_at
    FROM api_key
    WHERE hash = :hash AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
  `)
  const find = db.prepare<{ id: number }, KeyRow>(SELECT_KEY + 'WHERE k.id = :id')
  const list = db.prepare<Page, KeyRow>(SELECT_KEY + `
    WHERE k.id > :after
    ORDER BY k.id
    LIMIT :limit
  `)
  const listOfOwner = db.prepare<Page & { ownerId: number }, KeyRow>(SELECT_KEY + `
    WHERE k.owner_id = :ownerId AND k.id > :after
    ORDER BY k.id
    LIMIT :limit
  `)
  const touch = db.prepare<{ id: number, now: number }>('UPDATE api_key SET last_used_at = :now WHERE id = :id')
  const revoke = db.prepare<{ id: number, now: number }>(`
    UPDATE api_key
    SET revoked_at = :now
    WHERE id = :id AND revoked_at IS NULL
  `)
  const replace = db.prepare<{ id: number, replacedBy: number, expiresAt: number }>(`
    UPDATE api_key
    SET replaced_by = :replacedBy, expires_at = min(:expiresAt, coalesce(expires_at, :expiresAt))
    WHERE id = :id
  `)
  const isLive = db.prepare<{ id: number, ownerId: number, now: number }, { id: number }>(`
    SELECT id FROM api_key WHERE id = :id AND owner_id = :ownerId AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
  `)
  const count = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM api_key')

  return {
    /** The owner's id. Creates the owner if new. */
    ensureOwner (name: string, now: number): number {
      upsertOwner.run({ name, now })
      const row = findOwner.get({ name })
      if (!row) throw new Error('owner vanished after insert')
      return row.id
    },
    /** The owner's id. Undefined when there is no such owner. */
    findOwner: (name: string): number | undefined => findOwner.get({ name })?.id,
    /** The id of the only owner, if it is an account. */
    findOnlyAccount (): number | undefined {
      const [first, second] = firstOwners.all()
      return second === undefined && first?.is_account === 1 ? first.id : undefined
    },
    /** Undefined when there is no such owner. */
    findOwnerPlan: (ownerId: number): Plan | undefined => findOwnerPlan.get({ ownerId })?.plan,
    insert (key: NewApiKey): number {
      return Number(insertKey.run({ ...key, expiresAt: key.expiresAt ?? null }).lastInsertRowid)
    },
    /** The live key with this hash. */
    findByHash: (
      hash: Buffer,
      now: number
    ): { keyId: number, ownerId: number, plan: Plan, hash: Buffer, lastUsedAt: number | undefined } | undefined => {
      const row = findByHash.get({ hash, now })
      return (
        row && { keyId: row.key_id, ownerId: row.owner_id, plan: row.plan, hash: row.hash, lastUsedAt: row.last_used_at ?? undefined }
      )
    },
    /** Finds a key in any state. */
    find (id: number): ApiKey | undefined {
      const row = find.get({ id })
      return row && toKey(row)
    },
    /** A page of all keys, or of one owner's. */
    list: (page: Page, ownerId?: number): ApiKey[] =>
      (ownerId === undefined ? list.all(page) : listOfOwner.all({ ...page, ownerId })).map(toKey),
    touch: (id: number, now: number): void => {
      touch.run({ id, now })
    },
    /** False when there is no such key or it is already revoked. */
    revoke: (id: number, now: number): boolean => revoke.run({ id, now }).changes === 1,
    /** Stores the replacement of a key. The key stops working at `expiresAt`, or earlier if it expires before that. */
    replace: (id: number, replacedBy: number, expiresAt: number): void => {
      replace.run({ id, replacedBy, expiresAt })
    },
    /** True for a live key of this owner. */
    isLive: (id: number, ownerId: number, now: number): boolean => isLive.get({ id, ownerId, now }) !== undefined,
    count: (): number => count.get()?.n ?? 0
  }
}
export type ApiKeyStore = ReturnType<typeof createApiKeyStore>
