import t from 'tap'
import { hashKey } from '../../dist/domain/access.js'
import { openStores } from '../support/store.ts'

const hash = hashKey('service_sk_x')

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
  t.strictSame(apiKeys.findByHash(hash), { keyId, ownerId, plan: 'pro', hash, lastUsedAt: undefined })
  t.equal(apiKeys.findByHash(hashKey('service_sk_y')), undefined)
  apiKeys.touch(keyId, 9)
  t.equal(apiKeys.findByHash(hash)?.lastUsedAt, 9)
})

t.test('a revoked key is not found, and is revoked once', async (t) => {
  const { apiKeys } = openStores(t)
  const keyId = apiKeys.insert({ ownerId: apiKeys.ensureOwner('a', 1), name: 'laptop', plan: 'free', hash, lastFour: 'wxyz', now: 5 })
  t.equal(apiKeys.revoke(keyId, 7), true)
  t.equal(apiKeys.findByHash(hash), undefined)
  t.equal(apiKeys.revoke(keyId, 8), false)
  t.equal(apiKeys.revoke(99, 8), false)
  t.equal(apiKeys.list()[0]?.revokedAt, 7)
})

t.test('the list shows what a person may see of a key', async (t) => {
  const { apiKeys } = openStores(t)
  t.equal(apiKeys.count(), 0)
  const ownerId = apiKeys.ensureOwner('a', 1)
  const id = apiKeys.insert({ ownerId, name: 'laptop', plan: 'enterprise', hash, lastFour: 'wxyz', now: 5 })
  t.strictSame(apiKeys.list(), [{
    id, name: 'laptop', owner: 'a', plan: 'enterprise', lastFour: 'wxyz', createdAt: 5, lastUsedAt: undefined, revokedAt: undefined
  }])
  t.equal(apiKeys.count(), 1)
})

t.test('no two keys share a hash, and plans are known ones', async (t) => {
  const { apiKeys } = openStores(t)
  const key = { ownerId: apiKeys.ensureOwner('a', 1), name: 'laptop', plan: 'free', hash, lastFour: 'wxyz', now: 5 } as const
  apiKeys.insert(key)
  t.throws(() => apiKeys.insert(key), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
  t.throws(() => apiKeys.insert({ ...key, hash: hashKey('other'), plan: 'gold' as 'free' }), { code: 'SQLITE_CONSTRAINT_CHECK' })
})
