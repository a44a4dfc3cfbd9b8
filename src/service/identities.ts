/** Which account belongs to which person at the identity provider. An account has one identity at most, and an identity one account. */
import type { Plan } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import type { Identity } from '../domain/identity.js'
import type { InTransaction } from '../store/database.js'
import type { IdentityStore, StoredIdentity } from '../store/identities.js'
import type { OwnerStore } from '../store/owners.js'
import type { SessionStore } from '../store/sessions.js'

/** The smallest plan: nobody has decided yet what somebody who comes by themselves may use. */
const PLAN_OF_NEW: Plan = 'free'

type Deps = {
  identities: IdentityStore
  owners: Pick<OwnerStore, 'insert'>
  sessions: Pick<SessionStore, 'removeOfOwner'>
  inTransaction: InTransaction
  now: () => number
}

export function createIdentities ({ identities, owners, sessions, inTransaction, now }: Deps) {
  /** Returns false when there is nothing to change. Throws `conflict` when the identity belongs to another account. */
  function connect (ownerId: number, { issuer, subject }: Identity): boolean {
    const known = identities.findOwner({ issuer, subject })
    if (known === ownerId) return false
    if (known !== undefined) throw new AppError('conflict', 'This person at the provider has another account here already.')
    identities.remove(ownerId)
    identities.removeEnded({ issuer, subject })
    identities.insert({ ownerId, issuer, subject, now: now() })
    return true
  }

  return {
    /** The account of a person; undefined when there is none. */
    ownerOf: (identity: Identity): number | undefined => identities.findOwner(identity),
    /** The identity of an account; undefined when it has none. */
    of: (ownerId: number): StoredIdentity | undefined => identities.findOfOwner(ownerId),
    /**
     * Connects an account, in place of the identity that it had. People who were locked out of it stay locked out. Throws `conflict` when
     * the identity belongs to another account.
     */
    connect: (ownerId: number, identity: Identity): void => { inTransaction(() => connect(ownerId, identity)) },
    /** The same for the administrator: the sessions of the account end. */
    replace (ownerId: number, identity: Identity): void {
      inTransaction(() => {
        if (connect(ownerId, identity)) sessions.removeOfOwner(ownerId)
      })
    },
    /** Removes the identity of an account and ends its sessions, except `keptSession`. */
    disconnect (ownerId: number, keptSession?: number): void {
      inTransaction(() => {
        identities.remove(ownerId)
        sessions.removeOfOwner(ownerId, keptSession)
      })
    },
    /** The same for the administrator: the person does not get another account by themselves. */
    end (ownerId: number): void {
      inTransaction(() => {
        identities.end(ownerId, now())
        sessions.removeOfOwner(ownerId)
      })
    },
    /**
     * Creates an account without a password. Undefined when the name is taken, because a name never gives somebody an owner that exists,
     * and for somebody who was locked out.
     */
    create ({ issuer, subject }: Identity, name: string): number | undefined {
      return inTransaction(() => {
        if (identities.hasEnded({ issuer, subject })) return undefined
        const owner = owners.insert({ name, plan: PLAN_OF_NEW, now: now() })
        if (owner) identities.insert({ ownerId: owner.id, issuer, subject, now: now() })
        return owner?.id
      })
    }
  }
}
export type Identities = ReturnType<typeof createIdentities>
