import t from 'tap'
import { hashKey } from '../../dist/domain/access.js'
import { openStores } from '../support/store.ts'

const hash = hashKey('service_sk_x')
const ALL = { after: 0, limit: -1 }

t.test('an owner is created once', async (t) => {
  const { apiKeys } = openStores(t)
  const first = apiKeys.ensureOwner('a', 1)
  t.equal(apiKeys.ensureOwner('a', 2), first)
  t.not(apiKeys.ensureOwner('b', 3), first)
})

t.test('a live key is found by its hash alone', async (t) => {
  const { apiKeys } = openStores(t)
  const ownerId = apiKeys.ensureOwner('a', 1)
  const keyId = apiKeys.insert({ ownerId, name: 'laptop', plan: 'pro', hash, lastFour: 'wxyz', now: 5 })
  t.strictSame(apiKeys.findByHash(hash, 100), { keyId, ownerId, plan: 'pro', hash, lastUsedAt: undefined })
  t.equal(apiKeys.findByHash(hashKey('service_sk_y'), 100), undefined)
  apiKeys.touch(keyId, 9)
  t.equal(apiKeys.findByHash(hash, 100)?.lastUsedAt, 9)
})

t.test('a revoked key is not found, and is revoked once', async (t) => {
  const { apiKeys } = openStores(t)
  const keyId = apiKeys.insert({ ownerId: apiKeys.ensureOwner('a', 1), name: 'laptop', plan: 'free', hash, lastFour: 'wxyz', now: 5 })
  t.equal(apiKeys.revoke(keyId, 7), true)
  t.equal(apiKeys.findByHash(hash, 100), undefined)
  t.equal(apiKeys.revoke(keyId, 8), false)
  t.equal(apiKeys.revoke(99, 8), false)
  t.equal(apiKeys.list(ALL)[0]?.revokedAt, 7)
})

t.test('the list shows what a person may see of a key', async (t) => {
  const { apiKeys } = openStores(t)
  t.equal(apiKeys.count(), 0)
  const ownerId = apiKeys.ensureOwner('a', 1)
  const id = apiKeys.insert({ ownerId, name: 'laptop', plan: 'enterprise', hash, lastFour: 'wxyz', now: 5 })
  t.strictSame(apiKeys.list(ALL), [{
    id, name: 'laptop', ownerId, owner: 'a', plan: 'enterprise', lastFour: 'wxyz', createdAt: 5,
    lastUsedAt: undefined, expiresAt: undefined, revokedAt: undefined, replacedBy: undefined
  }])
  t.equal(apiKeys.count(), 1)
})

t.test('an expired key is not found, from the very millisecond on', async (t) => {
  const { apiKeys } = openStores(t)
  apiKeys.insert({ ownerId: apiKeys.ensureOwner('a', 1), name: 'laptop', plan: 'free', hash, lastFour: 'wxyz', now: 5, expiresAt: 50 })
  t.ok(apiKeys.findByHash(hash, 49))
  t.equal(apiKeys.findByHash(hash, 50), undefined)
})

t.test('a replaced key ends at the given time, or at its own expiry if that is sooner', async (t) => {
  const { apiKeys } = openStores(t)
  const ownerId = apiKeys.ensureOwner('a', 1)
  const add = (name: string, expiresAt?: number): number =>
    apiKeys.insert({ ownerId, name, plan: 'free', hash: hashKey(name), lastFour: 'wxyz', now: 5, expiresAt })
  const [open, soon, late] = [add('open'), add('soon', 20), add('late', 90)]
  const successor = add('successor')
  for (const id of [open, soon, late]) apiKeys.replace(id, successor, 50)
  t.match([open, soon, late].map((id) => apiKeys.find(id)), [50, 20, 50].map((expiresAt) => ({ expiresAt, replacedBy: successor })))
  t.equal(apiKeys.find(99), undefined)
})

t.test('the list goes page by page, of all or of one owner', async (t) => {
  const { apiKeys } = openStores(t)
  const [anna, bert] = [apiKeys.ensureOwner('anna', 1), apiKeys.ensureOwner('bert', 1)]
  const ids = [anna, bert, anna, anna].map((ownerId, index) =>
    apiKeys.insert({ ownerId, name: `${index}`, plan: 'free', hash: hashKey(`${index}`), lastFour: 'wxyz', now: 5 }))
  const listed = (after: number, limit: number, ownerId?: number): number[] => apiKeys.list({ after, limit }, ownerId).map(({ id }) => id)
  t.strictSame(listed(0, 3), ids.slice(0, 3))
  t.strictSame(listed(ids[2] ?? 0, 3), ids.slice(3))
  t.strictSame(listed(0, 2, anna), [ids[0], ids[2]])
  t.strictSame(listed(ids[2] ?? 0, 2, anna), [ids[3]])
  t.strictSame(listed(0, 9, 99), [])
})

t.test('no two keys share a hash, and plans are known ones', async (t) => {
  const { apiKeys } = openStores(t)
  const key = { ownerId: apiKeys.ensureOwner('a', 1), name: 'laptop', plan: 'free', hash, lastFour: 'wxyz', now: 5 } as const
  apiKeys.insert(key)
  t.throws(() => apiKeys.insert(key), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
  t.throws(() => apiKeys.insert({ ...key, hash: hashKey('other'), plan: 'gold' as 'free' }), { code: 'SQLITE_CONSTRAINT_CHECK' })
})
