/** API keys: create, recognise, list, revoke. */
import { timingSafeEqual } from 'node:crypto'
import { generateKey, hashKey } from '../domain/access.js'
import type { ApiKey, Plan, Principal } from '../domain/access.js'
import { isBusy, isNoRoom } from '../domain/errors.js'
import type { ApiKeyStore } from '../store/api-keys.js'
import type { InTransaction } from '../store/database.js'

/** Last use is written at most this often: a poll must not cost a disk write. */
const LAST_USE_RESOLUTION_MS = 60_000

type Deps = { apiKeys: ApiKeyStore, inTransaction: InTransaction, now: () => number }

export type CreatedKey = { id: number, key: string, owner: string, plan: Plan }

export function createAccess ({ apiKeys, inTransaction, now }: Deps) {
  function noteUse (keyId: number): void {
    try {
      apiKeys.touch(keyId, now())
    } catch (error) {
      // A full disk, or a long write of another process, must not lock out the owner, who only wants to read.
      if (!isNoRoom(error) && !isBusy(error)) throw error
    }
  }

  return {
    /** Who holds this key; undefined for unknown and revoked ones alike. */
    authenticate (key: string): Principal | undefined {
      const hash = hashKey(key)
      const found = apiKeys.findByHash(hash)
      if (!found || !timingSafeEqual(found.hash, hash)) return undefined
      const { keyId, ownerId, plan, lastUsedAt = 0 } = found
      if (now() - lastUsedAt >= LAST_USE_RESOLUTION_MS) noteUse(keyId)
      return { keyId, ownerId, plan }
    },
    /** A new key, of its owner's plan when none is given; the owner is created when new. The key itself is shown here and never again. */
    create ({ name, owner, plan: given }: { name: string, owner: string, plan?: Plan | undefined }): CreatedKey {
      const key = generateKey()
      return inTransaction(() => {
        const ownerId = apiKeys.ensureOwner(owner, now())
        const plan = given ?? apiKeys.findOwnerPlan(ownerId) ?? 'enterprise'
        const id = apiKeys.insert({ ownerId, name, plan, hash: hashKey(key), lastFour: key.slice(-4), now: now() })
        return { id, key, owner, plan }
      })
    },
    ensureOwner: (name: string): number => apiKeys.ensureOwner(name, now()),
    list: (): ApiKey[] => apiKeys.list(),
    /** False when there is no such key, or it was revoked before. */
    revoke: (id: number): boolean => apiKeys.revoke(id, now()),
    hasKeys: (): boolean => apiKeys.count() > 0
  }
}
export type Access = ReturnType<typeof createAccess>
