/** Owners of libraries. */
import type { Owner, Page, Plan, Role } from '../domain/access.js'
import { AppError, errorCode } from '../domain/errors.js'
import type { Database } from './database.js'

type OwnerRow = {
  id: number, name: string, plan: Plan, has_password: 0 | 1, is_administrator: 0 | 1, terms: string, media_days: number | null
  transcript_days: number | null, own_media_days: number | null, own_transcript_days: number | null, created_at: number
}

const COLUMNS = `id, name, plan, password_hash IS NOT NULL AS has_password, is_administrator, terms, media_days, transcript_days,
  own_media_days, own_transcript_days, created_at`

function toOwner (row: OwnerRow): Owner {
  return {
    id: row.id, name: row.name, plan: row.plan, hasPassword: row.has_password === 1,
    role: row.is_administrator === 1 ? 'administrator' : 'owner', terms: JSON.parse(row.terms) as string[],
    ...(row.media_days === null ? {} : { mediaDays: row.media_days }),
    ...(row.transcript_days === null ? {} : { transcriptDays: row.transcript_days }),
    ...(row.own_media_days === null ? {} : { ownMediaDays: row.own_media_days }),
    ...(row.own_transcript_days === null ? {} : { ownTranscriptDays: row.own_transcript_days }),
    createdAt: row.created_at
  }
}

/** True when rows in another table still refer to the owner. */
const isReferenced = (error: unknown): boolean => errorCode(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY'

export function createOwnerStore (db: Database) {
  const insert = db.prepare<{ name: string, plan: Plan, now: number }>(`
    INSERT INTO owner (name, plan, created_at)
    VALUES (:name, :plan, :now)
    ON CONFLICT (name) DO NOTHING
  `)
  const find = db.prepare<{ id: number }, OwnerRow>(`SELECT ${COLUMNS} FROM owner WHERE id = :id`)
  const findByName = db.prepare<{ name: string }, OwnerRow>(`SELECT ${COLUMNS} FROM owner WHERE name = :name`)
  const list = db.prepare<Page, OwnerRow>(`
    SELECT ${COLUMNS}
    FROM owner
    WHERE id > :after
    ORDER BY id
    LIMIT :limit
  `)
  const update = db.prepare<{ id: number, name: string, plan: Plan, terms: string }, OwnerRow>(`
    UPDATE owner
    SET name = :name, plan = :plan, terms = :terms
    WHERE id = :id
    RETURNING ${COLUMNS}
  `)
  const setRetention = db.prepare<{ id: number, mediaDays: number | null, transcriptDays: number | null }>(
    'UPDATE owner SET media_days = :mediaDays, transcript_days = :transcriptDays WHERE id = :id'
  )
  const setOwnRetention = db.prepare<{ id: number, mediaDays: number | null, transcriptDays: number | null }>(
    'UPDATE owner SET own_media_days = :mediaDays, own_transcript_days = :transcriptDays WHERE id = :id'
  )
  const findPasswordHash = db.prepare<{ name: string }, { id: number, password_hash: string | null }>(
    'SELECT id, password_hash FROM owner WHERE name = :name'
  )
  const setPasswordHash = db.prepare<{ id: number, passwordHash: string | null }>(
    'UPDATE owner SET password_hash = :passwordHash WHERE id = :id'
  )
  const setRole = db.prepare<{ id: number, isAdministrator: 0 | 1 }>('UPDATE owner SET is_administrator = :isAdministrator WHERE id = :id')
  // uses the indexes owner_with_password and owner_administrator. Others may have come from the provider by themselves.
  const findAccount = db.prepare<[], { id: number }>(`
    SELECT id FROM owner WHERE password_hash IS NOT NULL AND id > 0
    UNION ALL
    SELECT o.id FROM owner o JOIN owner_identity i ON i.owner_id = o.id WHERE o.is_administrator = 1 AND i.ended_at IS NULL AND o.id > 0
    LIMIT 1
  `)
  // uses owner_administrator
  const administrators = db.prepare<[], { id: number }>(`
    SELECT o.id
    FROM owner o
    WHERE o.is_administrator = 1 AND o.id > 0 AND (
      o.password_hash IS NOT NULL OR EXISTS (SELECT 1 FROM owner_identity i WHERE i.owner_id = o.id AND i.ended_at IS NULL)
    )
    LIMIT 2
  `)
  const findOtherActive = db.prepare<{ id: number, sinceMs: number }>(`
    SELECT o.id
    FROM owner o
    WHERE (o.id < :id OR o.id > :id) AND (
      EXISTS (SELECT 1 FROM request_count r WHERE r.owner_id = o.id AND r.day_at >= :sinceMs)
      OR EXISTS (SELECT 1 FROM job j WHERE j.owner_id = o.id AND j.status IN ('queued', 'processing'))
    )
    LIMIT 1
  `)
  const findTranscript = db.prepare<{ id: number }>('SELECT id FROM job WHERE owner_id = :id LIMIT 1')
  const findLiveKey = db.prepare<{ id: number, now: number }>(`
    SELECT id
    FROM api_key
    WHERE owner_id = :id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
    LIMIT 1
  `)
  const removeKeys = db.prepare<{ id: number }>('DELETE FROM api_key WHERE owner_id = :id')
  const remove = db.prepare<{ id: number }>('DELETE FROM owner WHERE id = :id')

  return {
    /** Returns the new owner; undefined when the name is taken. */
    insert (owner: { name: string, plan: Plan, now: number }): Owner | undefined {
      return insert.run(owner).changes === 1 ? toOwner(findByName.get(owner) as OwnerRow) : undefined
    },
    find (id: number): Owner | undefined {
      const row = find.get({ id })
      return row && toOwner(row)
    },
    findByName (name: string): Owner | undefined {
      const row = findByName.get({ name })
      return row && toOwner(row)
    },
    list: (page: Page): Owner[] => list.all(page).map(toOwner),
    update (owner: Pick<Owner, 'id' | 'name' | 'plan' | 'terms'>): Owner | undefined {
      const row = update.get({ ...owner, terms: JSON.stringify(owner.terms) })
      return row && toOwner(row)
    },
    /** Sets maximum ages in days; absent: as configured. */
    setRetention (id: number, { mediaDays, transcriptDays }: Pick<Owner, 'mediaDays' | 'transcriptDays'>): void {
      setRetention.run({ id, mediaDays: mediaDays ?? null, transcriptDays: transcriptDays ?? null })
    },
    /** Sets the maximum ages that the owner wants, in days; null: none. */
    setOwnRetention: (id: number, ages: { mediaDays: number | null, transcriptDays: number | null }): void => {
      setOwnRetention.run({ id, ...ages })
    },
    findPasswordHash (name: string): { id: number, passwordHash: string | undefined } | undefined {
      const row = findPasswordHash.get({ name })
      return row && { id: row.id, passwordHash: row.password_hash ?? undefined }
    },
    /** False when there is no such owner. */
    setPasswordHash: (id: number, passwordHash: string | undefined): boolean =>
      setPasswordHash.run({ id, passwordHash: passwordHash ?? null }).changes === 1,
    /** True when an owner has a password, or an administrator signs in at the identity provider. */
    hasAccount: (): boolean => findAccount.get() !== undefined,
    /** The ids of administrators who can sign in, with a password or at the identity provider; two at most. */
    listAdministrators: (): number[] => administrators.all().map(({ id }) => id),
    setRole: (id: number, role: Role): void => { setRole.run({ id, isAdministrator: role === 'administrator' ? 1 : 0 }) },
    /** Whether another owner has made a request since then (ms since 1970), or has a job that has not ended. */
    hasOtherActive: (id: number, sinceMs: number): boolean => findOtherActive.get({ id, sinceMs }) !== undefined,
    hasTranscripts: (id: number): boolean => findTranscript.get({ id }) !== undefined,
    hasLiveKeys: (id: number, now: number): boolean => findLiveKey.get({ id, now }) !== undefined,
    /** Removes the owner and all keys; false when there is no such owner. Throws `conflict` when other data of the owner is left. */
    remove (id: number): boolean {
      try {
        removeKeys.run({ id })
        return remove.run({ id }).changes === 1
      } catch (cause) {
        if (!isReferenced(cause)) throw cause
        throw new AppError(
          'conflict',
          'Some data of this owner is still stored, such as an unfinished upload. Delete it, or wait until it expires.',
          { cause }
        )
      }
    }
  }
}
export type OwnerStore = ReturnType<typeof createOwnerStore>
