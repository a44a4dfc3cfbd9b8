import t from 'tap'
import type { Test } from 'tap'
import { createAccess } from '../../dist/service/access.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

function openAccess (t: Test, changes: { touch?: () => void } = {}) {
  const stores = openStores(t)
  const clock = createClock()
  const apiKeys = { ...stores.apiKeys, ...changes }
  return { ...stores, clock, access: createAccess({ apiKeys, inTransaction: stores.inTransaction, now: clock.now }) }
}

const LAPTOP = { name: 'laptop', owner: 'anna', plan: 'pro' } as const

t.test('a new key opens the door for its owner', async (t) => {
  const { access, apiKeys } = openAccess(t)
  const { id, key, owner, plan } = access.create(LAPTOP)
  t.match(key, /^service_sk_[\w-]{43}$/)
  t.strictSame([owner, plan], ['anna', 'pro'])
  t.strictSame(access.authenticate(key), { keyId: id, ownerId: apiKeys.ensureOwner('anna', 0), plan: 'pro' })
})

t.test('whatever is not exactly a live key opens nothing', async (t) => {
  const { access } = openAccess(t)
  t.equal(access.authenticate('service_sk_x'), undefined)
  const { key } = access.create(LAPTOP)
  for (const wrong of ['', ' ', key.slice(0, -1), key + 'A', key.toUpperCase(), ` ${key}`, key.replace('service_sk_', ''), '%', '\' OR 1 = 1 --']) {
    t.equal(access.authenticate(wrong), undefined, JSON.stringify(wrong))
  }
})

t.test('a revoked key opens nothing, at once; others still do', async (t) => {
  const { access, clock } = openAccess(t)
  const [first, second] = [access.create(LAPTOP), access.create(LAPTOP)]
  access.authenticate(first.key)
  clock.advance(5)
  t.equal(access.revoke(first.id), true)
  t.equal(access.authenticate(first.key), undefined)
  t.ok(access.authenticate(second.key))
  t.equal(access.revoke(first.id), false)
  t.equal(access.revoke(99), false)
  t.equal(access.list()[0]?.revokedAt, clock.now())
})

t.test('keys of one name belong to one owner, keys of two names to two', async (t) => {
  const { access } = openAccess(t)
  const owners = [LAPTOP, { ...LAPTOP, name: 'phone' }, { ...LAPTOP, owner: 'bert' }].map((key) => access.authenticate(access.create(key).key)?.ownerId)
  t.equal(owners[0], owners[1])
  t.not(owners[0], owners[2])
  t.equal(access.ensureOwner('bert'), owners[2])
})

t.test('the key itself is not stored anywhere', async (t) => {
  const { access, db } = openAccess(t)
  const { key } = access.create(LAPTOP)
  const secret = key.slice('service_sk_'.length, -4)
  t.notOk(db.serialize().includes(secret))
  const [listed] = access.list()
  t.equal(listed?.lastFour, key.slice(-4))
  t.notMatch(JSON.stringify(listed), secret)
})

t.test('the last use is noted, once a minute at most', async (t) => {
  const { access, clock } = openAccess(t)
  const { key } = access.create(LAPTOP)
  const lastUsed = (): number | undefined => access.list()[0]?.lastUsedAt
  t.equal(lastUsed(), undefined)
  access.authenticate(key)
  const first = clock.now()
  t.equal(lastUsed(), first)
  clock.advance(59_999)
  access.authenticate(key)
  t.equal(lastUsed(), first)
  clock.advance(1)
  access.authenticate(key)
  t.equal(lastUsed(), first + 60_000)
})

t.test('a full disk does not lock anybody out: the last use is worth less than the request', async (t) => {
  const { access, apiKeys } = openAccess(t, { touch: () => { throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }) } })
  const { id, key } = access.create(LAPTOP)
  t.strictSame(access.authenticate(key), { keyId: id, ownerId: apiKeys.ensureOwner('anna', 0), plan: 'pro' })
})

t.test('whether there are keys, and which', async (t) => {
  const { access, clock } = openAccess(t)
  t.equal(access.hasKeys(), false)
  const { id } = access.create(LAPTOP)
  t.equal(access.hasKeys(), true)
  t.match(access.list(), [{ id, name: 'laptop', owner: 'anna', plan: 'pro', createdAt: clock.now() }])
})
