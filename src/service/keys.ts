/** API keys: create, authenticate, list, rotate, revoke. */
import { timingSafeEqual } from 'node:crypto'
import { DEFAULT_OWNER, generateKey, hashKey, keyState, MAX_GRACE_SECONDS } from '../domain/access.js'
import type { ApiKey, KeyState, Page, Plan, Principal } from '../domain/access.js'
import { AppError, isBusy, isNoRoom } from '../domain/errors.js'
import type { ApiKeyStore, NewApiKey } from '../store/api-keys.js'
import type { InTransaction } from '../store/database.js'

/** The last use is written at most this often: a poll must not cost a disk write. */
const LAST_USE_RESOLUTION_MS = 60_000
const EVERY_KEY: Page = { after: 0, limit: -1 }

type Deps = { apiKeys: ApiKeyStore, inTransaction: InTransaction, now: () => number }

export type CreatedKey = { id: number, key: string, owner: string, plan: Plan }
export type KeyView = ApiKey & { state: KeyState }
/** Options of a new key. Without a plan it gets its owner's. */
type KeyOptions = { name: string, plan?: Plan | undefined, expiresInSeconds?: number | undefined }

const unknownKey = (): AppError => new AppError('not_found', 'There is no such key.')

export function createKeys ({ apiKeys, inTransaction, now }: Deps) {
  function noteUse (keyId: number): void {
    try {
      apiKeys.touch(keyId, now())
    } catch (error) {
      // A full disk or another process's long write must not lock out an owner who only wants to read.
      if (!isNoRoom(error) && !isBusy(error)) throw error
    }
  }

  const view = (key: ApiKey): KeyView => ({ ...key, state: keyState(key, now()) })

  function find (id: number, ownerId?: number): KeyView {
    const key = apiKeys.find(id)
    if (!key || (ownerId !== undefined && key.ownerId !== ownerId)) throw unknownKey()
    return view(key)
  }

  function insert (fields: Omit<NewApiKey, 'hash' | 'lastFour'>): CreatedKey {
    const key = generateKey()
    const id = apiKeys.insert({ ...fields, hash: hashKey(key), lastFour: key.slice(-4) })
    const { owner, plan } = find(id)
    return { id, key, owner, plan }
  }

  function insertFor (ownerId: number, { name, plan, expiresInSeconds }: KeyOptions): CreatedKey {
    const ownerPlan = apiKeys.findOwnerPlan(ownerId)
    if (ownerPlan === undefined) throw new AppError('not_found', 'There is no such owner.')
    const at = now()
    return insert({
      ownerId,
      name,
      plan: plan ?? ownerPlan,
      now: at,
      expiresAt: expiresInSeconds === undefined ? undefined : at + expiresInSeconds * 1000
    })
  }

  /** Throws `conflict` unless the key is live and has no replacement. */
  function requireRotatable ({ id, replacedBy, state }: KeyView): void {
    if (replacedBy !== undefined) throw new AppError('conflict', `Key ${id} was already replaced by key ${replacedBy}. Rotate that one.`)
    if (state !== 'live') throw new AppError('conflict', `Key ${id} is ${state}. Create a new one instead.`)
  }

  return {
    /** The principal of this key. Undefined for unknown, revoked and expired keys alike. */
    authenticate (key: string): Principal | undefined {
      const hash = hashKey(key)
      const found = apiKeys.findByHash(hash, now())
      if (!found || !timingSafeEqual(found.hash, hash)) return undefined
      const { keyId, ownerId, plan, lastUsedAt = 0 } = found
      if (now() - lastUsedAt >= LAST_USE_RESOLUTION_MS) noteUse(keyId)
      return { keyId, ownerId, plan }
    },
    /** Creates a key for the owner with this name, and the owner too if new. The key itself is returned only here. */
    create ({ owner, ...options }: KeyOptions & { owner: string }): CreatedKey {
      return inTransaction(() => insertFor(apiKeys.ensureOwner(owner, now()), options))
    },
    /** Creates a key for an existing owner. Throws `not_found`. */
    createFor: (ownerId: number, options: KeyOptions): CreatedKey => inTransaction(() => insertFor(ownerId, options)),
    /** The id of the owner with this name. Creates the owner if there is none. */
    ensureOwner: (name: string): number => apiKeys.ensureOwner(name, now()),
    /** The id of the owner with this name; the default owner need not exist yet. Throws `not_found`. */
    requireOwner (name: string): number {
      const id = name === DEFAULT_OWNER ? apiKeys.ensureOwner(name, now()) : apiKeys.findOwner(name)
      if (id === undefined) throw new AppError('not_found', `There is no owner "${name}". See: stenobox owners list`)
      return id
    },
    /** Finds a key in any state, of any owner unless one is given. Throws `not_found`. */
    find,
    /** All keys or a page of them, ordered by id; only those of one owner if `ownerId` is given. */
    list: (page: Page = EVERY_KEY, ownerId?: number): KeyView[] => apiKeys.list(page, ownerId).map(view),
    /**
     * Creates a key with the same owner, name, plan and lifetime. The old key works for `graceSeconds` more. Throws `not_found`, also when
     * it is not a key of the given owner, and `conflict` when the old key is not live or already has a replacement.
     */
    rotate (id: number, graceSeconds: number, givenOwner?: number): CreatedKey {
      if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > MAX_GRACE_SECONDS) {
        throw new RangeError(`graceSeconds: ${graceSeconds}`)
      }
      return inTransaction(() => {
        const old = find(id, givenOwner)
        requireRotatable(old)
        const { ownerId, name, plan, createdAt, expiresAt } = old
        // Use one moment for everything: lifetimes would drift with every rotation.
        const at = now()
        const created = insert({
          ownerId,
          name,
          plan,
          now: at,
          expiresAt: expiresAt === undefined ? undefined : at + expiresAt - createdAt
        })
        apiKeys.replace(id, created.id, at + graceSeconds * 1000)
        return created
      })
    },
    /** False when there is no such key or it is already revoked. */
    revoke: (id: number): boolean => apiKeys.revoke(id, now()),
    /** Revokes a key of an owner. Revoking it again changes nothing. Throws `not_found`. */
    revokeOwned: (id: number, ownerId: number): KeyView => inTransaction(() => {
      find(id, ownerId)
      apiKeys.revoke(id, now())
      return find(id)
    }),
    hasKeys: (): boolean => apiKeys.count() > 0
  }
}
export type Keys = ReturnType<typeof createKeys>
