/** API keys; the owner of a new one is made with it. */
import type { ApiKey, Plan } from '../domain/access.js'
import type { Database } from './database.js'

type PrincipalRow = { key_id: number, owner_id: number, plan: Plan, hash: Buffer, last_used_at: number | null }
type KeyRow = {
  id: number, name: string, owner: string, plan: Plan, last_four: string
  created_at: number, last_used_at: number | null, revoked_at: number | null
}

function toKey (row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner,
    plan: row.plan,
    lastFour: row.last_four,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined
  }
}

export function createApiKeyStore (db: Database) {
  const upsertOwner = db.prepare<{ name: string, now: number }>(`
    INSERT INTO owner (name, created_at)
    VALUES (:name, :now)
    ON CONFLICT (name) DO NOTHING
  `)
  const findOwner = db.prepare<{ name: string }, { id: number }>('SELECT id FROM owner WHERE name = :name')
  const findOwnerPlan = db.prepare<{ ownerId: number }, { plan: Plan }>('SELECT plan FROM owner WHERE id = :ownerId')
  const insertKey = db.prepare<{ ownerId: number, name: string, plan: Plan, hash: Buffer, lastFour: string, now: number }>(`
    INSERT INTO api_key (owner_id, name, plan, hash, last_four, created_at)
    VALUES (:ownerId, :name, :plan, :hash, :lastFour, :now)
  `)
  // uses the UNIQUE index on hash
  const findByHash = db.prepare<{ hash: Buffer }, PrincipalRow>(`
    SELECT id AS key_id, owner_id, plan, hash, last_used_at
    FROM api_key
    WHERE hash = :hash AND revoked_at IS NULL
  `)
  const list = db.prepare<[], KeyRow>(`
    SELECT k.id, k.name, o.name AS owner, k.plan, k.last_four, k.created_at, k.last_used_at, k.revoked_at
    FROM api_key k JOIN owner o ON o.id = k.owner_id
    ORDER BY k.id
  `)
  const touch = db.prepare<{ id: number, now: number }>('UPDATE api_key SET last_used_at = :now WHERE id = :id')
  const revoke = db.prepare<{ id: number, now: number }>(`
    UPDATE api_key
    SET revoked_at = :now
    WHERE id = :id AND revoked_at IS NULL
  `)
  const count = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM api_key')

  return {
    /** The owner's id; the owner is created when new. */
    ensureOwner (name: string, now: number): number {
      upsertOwner.run({ name, now })
      const row = findOwner.get({ name })
      if (!row) throw new Error('owner vanished after insert')
      return row.id
    },
    findOwnerPlan: (ownerId: number): Plan | undefined => findOwnerPlan.get({ ownerId })?.plan,
    insert (key: { ownerId: number, name: string, plan: Plan, hash: Buffer, lastFour: string, now: number }): number {
      return Number(insertKey.run(key).lastInsertRowid)
    },
    /** The live key with this hash. */
    findByHash: (hash: Buffer): { keyId: number, ownerId: number, plan: Plan, hash: Buffer, lastUsedAt: number | undefined } | undefined => {
      const row = findByHash.get({ hash })
      return row && { keyId: row.key_id, ownerId: row.owner_id, plan: row.plan, hash: row.hash, lastUsedAt: row.last_used_at ?? undefined }
    },
    list: (): ApiKey[] => list.all().map(toKey),
    touch: (id: number, now: number): void => { touch.run({ id, now }) },
    /** False when there is no such live key. */
    revoke: (id: number, now: number): boolean => revoke.run({ id, now }).changes === 1,
    count: (): number => count.get()?.n ?? 0
  }
}
export type ApiKeyStore = ReturnType<typeof createApiKeyStore>
