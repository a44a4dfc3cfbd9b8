/** Who owners are at the identity provider. */
import type { Identity } from '../domain/identity.js'
import type { Database } from './database.js'

type IdentityRow = { issuer: string, subject: string, created_at: number }
export type StoredIdentity = Identity & { createdAt: number }

export function createIdentityStore (db: Database) {
  const insert = db.prepare<Identity & { ownerId: number, now: number }>(`
    INSERT INTO owner_identity (owner_id, issuer, subject, created_at)
    VALUES (:ownerId, :issuer, :subject, :now)
  `)
  // uses the UNIQUE index on issuer and subject, as the next two
  const findOwner = db.prepare<Identity, { owner_id: number }>(
    'SELECT owner_id FROM owner_identity WHERE issuer = :issuer AND subject = :subject AND ended_at IS NULL'
  )
  const findEnded = db.prepare<Identity, { owner_id: number }>(
    'SELECT owner_id FROM owner_identity WHERE issuer = :issuer AND subject = :subject AND ended_at IS NOT NULL'
  )
  const removeEnded = db.prepare<Identity>(
    'DELETE FROM owner_identity WHERE issuer = :issuer AND subject = :subject AND ended_at IS NOT NULL'
  )
  const findOfOwner = db.prepare<{ ownerId: number }, IdentityRow>(
    'SELECT issuer, subject, created_at FROM owner_identity WHERE owner_id = :ownerId AND ended_at IS NULL'
  )
  const findAny = db.prepare<{ ownerId: number }, { subject: string }>(
    'SELECT subject FROM owner_identity WHERE owner_id = :ownerId LIMIT 1'
  )
  const end = db.prepare<{ ownerId: number, now: number }>(
    'UPDATE owner_identity SET ended_at = :now WHERE owner_id = :ownerId AND ended_at IS NULL'
  )
  const remove = db.prepare<{ ownerId: number }>('DELETE FROM owner_identity WHERE owner_id = :ownerId AND ended_at IS NULL')

  return {
    /** Throws when the owner has an identity that has not ended, or when an owner has, or had, this one. */
    insert: (identity: Identity & { ownerId: number, now: number }): void => { insert.run(identity) },
    findOwner: (identity: Identity): number | undefined => findOwner.get(identity)?.owner_id,
    findOfOwner (ownerId: number): StoredIdentity | undefined {
      const row = findOfOwner.get({ ownerId })
      return row && { issuer: row.issuer, subject: row.subject, createdAt: row.created_at }
    },
    /** Whether an owner has an identity, or had one that has ended. */
    isOfPerson: (ownerId: number): boolean => findAny.get({ ownerId }) !== undefined,
    /** Whether an owner had this identity and it has ended. */
    hasEnded: (identity: Identity): boolean => findEnded.get(identity) !== undefined,
    /** Ends the identity of an owner, and keeps it. */
    end: (ownerId: number, now: number): void => { end.run({ ownerId, now }) },
    /** Removes the identity of an owner. Those that have ended stay: they keep people out. */
    remove: (ownerId: number): void => { remove.run({ ownerId }) },
    /** Forgets that an identity has ended. */
    removeEnded: ({ issuer, subject }: Identity): void => { removeEnded.run({ issuer, subject }) }
  }
}
export type IdentityStore = ReturnType<typeof createIdentityStore>
