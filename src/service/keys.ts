/** API keys: create, recognise, list, rotate, revoke. */
import { timingSafeEqual } from 'node:crypto'
import { generateKey, hashKey, keyState, MAX_GRACE_SECONDS } from '../domain/access.js'
import type { ApiKey, KeyState, Page, Plan, Principal } from '../domain/access.js'
import { AppError, isBusy, isNoRoom } from '../domain/errors.js'
import type { ApiKeyStore, NewApiKey } from '../store/api-keys.js'
import type { InTransaction } from '../store/database.js'

/** Last use is written at most this often: a poll must not cost a disk write. */
const LAST_USE_RESOLUTION_MS = 60_000
const EVERY_KEY: Page = { after: 0, limit: -1 }

type Deps = { apiKeys: ApiKeyStore, inTransaction: InTransaction, now: () => number }

export type CreatedKey = { id: number, key: string, owner: string, plan: Plan }
export type KeyView = ApiKey & { state: KeyState }
/** What a new key may say besides whose it is; without a plan it gets its owner's. */
type KeyOptions = { name: string, plan?: Plan | undefined, expiresInSeconds?: number | undefined }

const unknownKey = (): AppError => new AppError('not_found', 'There is no such key.')

export function createKeys ({ apiKeys, inTransaction, now }: Deps) {
  function noteUse (keyId: number): void {
    try {
      apiKeys.touch(keyId, now())
    } catch (error) {
      // A full disk, or a long write of another process, must not lock out the owner, who only wants to read.
      if (!isNoRoom(error) && !isBusy(error)) throw error
    }
  }

  const view = (key: ApiKey): KeyView => ({ ...key, state: keyState(key, now()) })

  function find (id: number): KeyView {
    const key = apiKeys.find(id)
    if (!key) throw unknownKey()
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
    return insert({ ownerId, name, plan: plan ?? ownerPlan, now: at, expiresAt: expiresInSeconds === undefined ? undefined : at + expiresInSeconds * 1000 })
  }

  /** Throws `conflict` unless the key is live and was not replaced before. */
  function requireRotatable ({ id, replacedBy, state }: KeyView): void {
    if (replacedBy !== undefined) throw new AppError('conflict', `Key ${id} was replaced by key ${replacedBy} before. Rotate that one.`)
    if (state !== 'live') throw new AppError('conflict', `Key ${id} is ${state}. Create a new one instead.`)
  }

  return {
    /** Who holds this key; undefined for unknown, revoked and expired ones alike. */
    authenticate (key: string): Principal | undefined {
      const hash = hashKey(key)
      const found = apiKeys.findByHash(hash, now())
      if (!found || !timingSafeEqual(found.hash, hash)) return undefined
      const { keyId, ownerId, plan, lastUsedAt = 0 } = found
      if (now() - lastUsedAt >= LAST_USE_RESOLUTION_MS) noteUse(keyId)
      return { keyId, ownerId, plan }
    },
    /** A new key of the owner named so, who is created when new. The key itself is shown here and never again. */
    create ({ owner, ...options }: KeyOptions & { owner: string }): CreatedKey {
      return inTransaction(() => insertFor(apiKeys.ensureOwner(owner, now()), options))
    },
    /** A new key of an owner who exists. Throws `not_found`. */
    createFor: (ownerId: number, options: KeyOptions): CreatedKey => inTransaction(() => insertFor(ownerId, options)),
    ensureOwner: (name: string): number => apiKeys.ensureOwner(name, now()),
    /** Live or dead. Throws `not_found`. */
    find,
    /** All keys, or a page in the order of ids; of one owner when asked so. */
    list: (page: Page = EVERY_KEY, ownerId?: number): KeyView[] => apiKeys.list(page, ownerId).map(view),
    /**
     * A new key like this one: same owner, name and plan, and the same lifetime where it has one. The old one works for `graceSeconds` more.
     * Throws `not_found`, and `conflict` when the key is dead or was replaced before.
     */
    rotate (id: number, graceSeconds: number): CreatedKey {
      if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > MAX_GRACE_SECONDS) throw new RangeError(`graceSeconds: ${graceSeconds}`)
      return inTransaction(() => {
        const old = find(id)
        requireRotatable(old)
        const { ownerId, name, plan, createdAt, expiresAt } = old
        // One moment for all: lifetimes would drift with every rotation.
        const at = now()
        const created = insert({ ownerId, name, plan, now: at, expiresAt: expiresAt === undefined ? undefined : at + expiresAt - createdAt })
        apiKeys.replace(id, created.id, at + graceSeconds * 1000)
        return created
      })
    },
    /** False when there is no such key, or it was revoked before. */
    revoke: (id: number): boolean => apiKeys.revoke(id, now()),
    hasKeys: (): boolean => apiKeys.count() > 0
  }
}
export type Keys = ReturnType<typeof createKeys>
