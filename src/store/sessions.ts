/** Sessions of people who are signed in on the page. */
import type { Plan, Role } from '../domain/access.js'
import type { StoredSession } from '../domain/page-session.js'
import type { Database } from './database.js'

type SessionRow = { id: number, owner_id: number, created_at: number, last_used_at: number, plan: Plan, is_administrator: 0 | 1 }
export type FoundSession = StoredSession & { plan: Plan, role: Role }

const toRole = (isAdministrator: 0 | 1): Role => isAdministrator === 1 ? 'administrator' : 'owner'
const toSession = (row: SessionRow): FoundSession => ({
  id: row.id,
  ownerId: row.owner_id,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  plan: row.plan,
  role: toRole(row.is_administrator)
})

export function createSessionStore (db: Database) {
  const insert = db.prepare<{ ownerId: number, hash: Buffer, now: number }>(`
    INSERT INTO page_session (owner_id, hash, created_at, last_used_at)
    VALUES (:ownerId, :hash, :now, :now)
  `)
  // uses the UNIQUE index on hash
  const findByHash = db.prepare<{ hash: Buffer }, SessionRow>(`
    SELECT s.id, s.owner_id, s.created_at, s.last_used_at, o.plan, o.is_administrator
    FROM page_session s JOIN owner o ON o.id = s.owner_id
    WHERE s.hash = :hash
  `)
  const findRole = db.prepare<{ id: number }, Pick<SessionRow, 'is_administrator'>>(`
    SELECT o.is_administrator FROM page_session s JOIN owner o ON o.id = s.owner_id WHERE s.id = :id
  `)
  const touch = db.prepare<{ id: number, now: number }>('UPDATE page_session SET last_used_at = :now WHERE id = :id')
  const remove = db.prepare<{ id: number }>('DELETE FROM page_session WHERE id = :id')
  const removeByHash = db.prepare<{ hash: Buffer }>('DELETE FROM page_session WHERE hash = :hash')
  const removeOfOwner = db.prepare<{ ownerId: number, exceptId: number }>(`
    DELETE FROM page_session
    WHERE owner_id = :ownerId AND (id < :exceptId OR id > :exceptId)
  `)
  const removeBeyond = db.prepare<{ ownerId: number, limit: number }>(`
    DELETE FROM page_session
    WHERE owner_id = :ownerId AND id <= (
      SELECT id FROM page_session WHERE owner_id = :ownerId ORDER BY id DESC LIMIT 1 OFFSET :limit
    )
  `)
  const removeUnused = db.prepare<{ before: number }>('DELETE FROM page_session WHERE last_used_at <= :before')
  const removeOld = db.prepare<{ before: number }>('DELETE FROM page_session WHERE created_at <= :before')

  return {
    /** Returns the id. */
    insert: (session: { ownerId: number, hash: Buffer, now: number }): number => Number(insert.run(session).lastInsertRowid),
    findByHash (hash: Buffer): FoundSession | undefined {
      const row = findByHash.get({ hash })
      return row && toSession(row)
    },
    /** The role of the owner of a session, as it is now. Undefined when the session was removed. */
    findRole (id: number): Role | undefined {
      const row = findRole.get({ id })
      return row && toRole(row.is_administrator)
    },
    touch: (id: number, now: number): void => { touch.run({ id, now }) },
    remove: (id: number): void => { remove.run({ id }) },
    removeByHash: (hash: Buffer): void => { removeByHash.run({ hash }) },
    /** Removes the sessions of an owner, except one. */
    removeOfOwner: (ownerId: number, exceptId: number = 0): void => { removeOfOwner.run({ ownerId, exceptId }) },
    /** Removes all but the newest `limit` sessions of an owner. */
    removeBeyond: (ownerId: number, limit: number): void => { removeBeyond.run({ ownerId, limit }) },
    /** Removes sessions last used, or created, at these times or before. */
    removeEnded ({ usedBefore, createdBefore }: { usedBefore: number, createdBefore: number }): void {
      removeUnused.run({ before: usedBefore })
      removeOld.run({ before: createdBefore })
    }
  }
}
export type SessionStore = ReturnType<typeof createSessionStore>
