/** Owners: create, change, log in, remove. */
import type { Owner, Page, Plan, Role } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import type { PageSession } from '../domain/page-session.js'
import { cleanTerms } from '../domain/terms.js'
import type { InTransaction } from '../store/database.js'
import type { IdentityStore } from '../store/identities.js'
import type { OwnerStore } from '../store/owners.js'
import type { SessionStore } from '../store/sessions.js'
import type { Passwords } from './passwords.js'

type Deps = {
  owners: OwnerStore
  identities: Pick<IdentityStore, 'end'>
  sessions: Pick<SessionStore, 'findRole' | 'removeOfOwner'>
  passwords: Passwords
  inTransaction: InTransaction
  now: () => number
  /** False on the command line, which can make another administrator. */
  keepsLastAdministrator: boolean
}

const unknownOwner = (): AppError => new AppError('not_found', 'There is no such owner.')
const nameTaken = (): AppError => new AppError('conflict', 'There is already an owner with this name.')

export function createOwners ({ owners, identities, sessions, passwords, inTransaction, now, keepsLastAdministrator }: Deps) {
  function find (id: number): Owner {
    const owner = owners.find(id)
    if (!owner) throw unknownOwner()
    return owner
  }

  /** Throws `conflict` for the last administrator who can sign in. Call it in the transaction that takes the role or the sign-in away. */
  function requireOtherAdministrator (id: number): void {
    if (!keepsLastAdministrator) return
    const [first, second] = owners.listAdministrators()
    if (first !== id || second !== undefined) return
    throw new AppError(
      'conflict',
      'This is the last administrator who can sign in. Make another owner who can sign in an administrator first, or use the command ' +
        '"stenobox owners" on the appliance.'
    )
  }

  /** `hash`: undefined when the owner can no longer log in. Call it in a transaction. Throws `not_found`, `conflict`. */
  function storeHash (id: number, hash: string | undefined, keptSession?: number): void {
    if (hash === undefined) requireOtherAdministrator(id)
    if (!owners.setPasswordHash(id, hash)) throw unknownOwner()
    if (hash === undefined) identities.end(id, now())
    sessions.removeOfOwner(id, keptSession)
  }

  return {
    /** Throws `conflict` when the name is taken. */
    create ({ name, plan = 'enterprise' }: { name: string, plan?: Plan | undefined }): Owner {
      const owner = owners.insert({ name, plan, now: now() })
      if (!owner) throw nameTaken()
      return owner
    },
    /** Throws `not_found`. */
    find,
    findById: (id: number): Owner | undefined => owners.find(id),
    findByName: (name: string): Owner | undefined => owners.findByName(name),
    list: (page: Page): Owner[] => owners.list(page),
    /**
     * Changes the given fields. Throws `not_found`, `invalid_request` for invalid terms, and `conflict` when the name is taken or the last
     * administrator would go.
     */
    change (
      id: number,
      { name, plan, role, terms }: {
        name?: string | undefined, plan?: Plan | undefined, role?: Role | undefined, terms?: readonly string[] | undefined
      }
    ): Owner {
      return inTransaction(() => {
        const owner = find(id)
        if (name !== undefined && (owners.findByName(name) ?? owner).id !== id) throw nameTaken()
        if (role === 'owner') requireOtherAdministrator(id)
        if (role !== undefined) owners.setRole(id, role)
        return owners.update({
          ...owner, name: name ?? owner.name, plan: plan ?? owner.plan, terms: terms ? cleanTerms(terms) : owner.terms
        }) ?? owner
      })
    },
    /** Changes the given maximum ages in days; 0: no maximum; null: as configured. Throws `not_found`. */
    changeRetention (id: number, changes: { mediaDays?: number | null | undefined, transcriptDays?: number | null | undefined }): Owner {
      return inTransaction(() => {
        const owner = find(id)
        const next = (change: number | null | undefined, days: number | undefined) => change === undefined ? days : change ?? undefined
        const [mediaDays, transcriptDays] = [next(changes.mediaDays, owner.mediaDays), next(changes.transcriptDays, owner.transcriptDays)]
        owners.setRetention(id, {
          ...(mediaDays === undefined ? {} : { mediaDays }), ...(transcriptDays === undefined ? {} : { transcriptDays })
        })
        return find(id)
      })
    },
    /**
     * Sets the password and ends the sessions of the owner. null: the owner can no longer log in, not even at the identity provider, and
     * gets no new account there. `by`: the session of the administrator who asks, if there is one. Throws `not_found`, `conflict` when null
     * would lock out the last administrator, `administrator_required` when `by` has ended or lost the role while the hash was computed.
     */
    async setPassword (id: number, password: string | null, by?: Pick<PageSession, 'id'>): Promise<void> {
      find(id)
      const hash = password === null ? undefined : await passwords.hash(password)
      inTransaction(() => {
        if (by && sessions.findRole(by.id) !== 'administrator') {
          throw new AppError('administrator_required', 'You are no longer signed in as an administrator. Nothing was changed.')
        }
        storeHash(id, hash)
      })
    },
    /**
     * Sets the password of the account that is signed in, and ends its other sessions. Throws `unauthorized` when the session has ended
     * while the hash was computed: the account may have been locked out.
     */
    async changePassword ({ id, ownerId }: Pick<PageSession, 'id' | 'ownerId'>, password: string): Promise<void> {
      const hash = await passwords.hash(password)
      inTransaction(() => {
        if (!sessions.findRole(id)) throw new AppError('unauthorized', 'Your session has ended. Sign in again.')
        storeHash(ownerId, hash, id)
      })
    },
    /**
     * The id of the owner with this name and password. Undefined for unknown names, owners without a password and wrong passwords, always
     * after the same time.
     */
    async verifyPassword (name: string, password: string): Promise<number | undefined> {
      const found = owners.findPasswordHash(name)
      const isRight = await passwords.verify(found?.passwordHash, password)
      // A password that was changed while it was compared is wrong: its sessions have ended, and no new one may begin.
      return isRight && owners.findPasswordHash(name)?.passwordHash === found?.passwordHash ? found?.id : undefined
    },
    /**
     * Removes an owner and their dead keys. Throws `not_found`, and `conflict` while there are transcripts or live keys, and for the last
     * administrator.
     */
    remove (id: number): void {
      inTransaction(() => {
        find(id)
        requireOtherAdministrator(id)
        if (owners.hasTranscripts(id)) throw new AppError('conflict', 'This owner has transcripts. Delete them first.')
        if (owners.hasLiveKeys(id, now())) throw new AppError('conflict', 'This owner has live API keys. Revoke them first.')
        owners.remove(id)
      })
    }
  }
}
export type Owners = ReturnType<typeof createOwners>
