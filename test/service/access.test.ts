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

t.test('a rotation happens at one moment, however slow the clock is asked', async (t) => {
  const { apiKeys, inTransaction } = openStores(t)
  const { now, advance } = createClock()
  const access = createAccess({ apiKeys, inTransaction, now: () => { advance(1); return now() } })
  const old = access.create({ ...LAPTOP, expiresInSeconds: 100 })
  const fresh = access.find(access.rotate(old.id, 10).id)
  const { createdAt, expiresAt } = access.find(old.id)
  t.equal((fresh.expiresAt ?? 0) - fresh.createdAt, 100_000)
  t.equal((expiresAt ?? 0) - fresh.createdAt, 10_000)
  t.ok(fresh.createdAt > createdAt)
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

const DAY_SECONDS = 24 * 3600

t.test('a key that is to end opens nothing afterwards', async (t) => {
  const { access, clock } = openAccess(t)
  const { id, key } = access.create({ ...LAPTOP, expiresInSeconds: DAY_SECONDS })
  t.equal(access.find(id).expiresAt, clock.now() + DAY_SECONDS * 1000)
  clock.advance(DAY_SECONDS * 1000 - 1)
  t.ok(access.authenticate(key))
  clock.advance(1)
  t.equal(access.authenticate(key), undefined)
  t.throws(() => access.rotate(id, 0), { code: 'conflict', message: /expired/ })
})

t.test('a key is made for an owner who exists, on the plan that was said or the owner\'s', async (t) => {
  const { access, owners } = openAccess(t)
  const { id } = owners.insert({ name: 'anna', plan: 'free', now: 0 }) ?? { id: 0 }
  t.match(access.createFor(id, { name: 'laptop' }), { owner: 'anna', plan: 'free' })
  t.match(access.createFor(id, { name: 'phone', plan: 'pro' }), { owner: 'anna', plan: 'pro' })
  t.throws(() => access.createFor(99, { name: 'laptop' }), { code: 'not_found' })
  t.strictSame(access.list({ after: 0, limit: 9 }, id).map(({ name }) => name), ['laptop', 'phone'])
})

t.test('rotation makes a key like the old one, which works until the grace is over', async (t) => {
  const { access, clock } = openAccess(t)
  const old = access.create(LAPTOP)
  const fresh = access.rotate(old.id, DAY_SECONDS)
  t.match(fresh, { owner: 'anna', plan: 'pro', key: /^service_sk_[\w-]{43}$/ })
  t.not(fresh.key, old.key)
  t.match(access.find(old.id), { replacedBy: fresh.id, expiresAt: clock.now() + DAY_SECONDS * 1000, revokedAt: undefined })
  t.match(access.find(fresh.id), { name: 'laptop', expiresAt: undefined, replacedBy: undefined })
  const owners = [old, fresh].map(({ key }) => access.authenticate(key)?.ownerId)
  t.ok(owners[0])
  t.equal(owners[0], owners[1])
  clock.advance(DAY_SECONDS * 1000)
  t.equal(access.authenticate(old.key), undefined)
  t.ok(access.authenticate(fresh.key))
})

t.test('without a grace the old key ends at once; a key in its grace can still be revoked', async (t) => {
  const { access } = openAccess(t)
  const [first, second] = [access.create(LAPTOP), access.create(LAPTOP)]
  access.rotate(first.id, 0)
  t.equal(access.authenticate(first.key), undefined)
  access.rotate(second.id, DAY_SECONDS)
  t.equal(access.revoke(second.id), true)
  t.equal(access.authenticate(second.key), undefined)
})

t.test('a key that was to end is replaced by one that ends as long after its making, and never lives longer itself', async (t) => {
  const { access, clock } = openAccess(t)
  const old = access.create({ ...LAPTOP, expiresInSeconds: 2 * DAY_SECONDS })
  const end = access.find(old.id).expiresAt
  clock.advance(DAY_SECONDS * 1000)
  const fresh = access.rotate(old.id, 30 * DAY_SECONDS)
  t.equal(access.find(fresh.id).expiresAt, clock.now() + 2 * DAY_SECONDS * 1000)
  t.equal(access.find(old.id).expiresAt, end)
})

t.test('what cannot be rotated says why, and leaves no key behind', async (t) => {
  const { access } = openAccess(t)
  const [replaced, revoked] = [access.create(LAPTOP), access.create(LAPTOP)]
  const fresh = access.rotate(replaced.id, DAY_SECONDS)
  access.revoke(revoked.id)
  t.throws(() => access.rotate(replaced.id, 0), { code: 'conflict', message: new RegExp(`replaced by key ${fresh.id} `) })
  t.ok(access.authenticate(replaced.key), 'its grace is as it was')
  t.throws(() => access.rotate(revoked.id, 0), { code: 'conflict', message: /revoked/ })
  t.throws(() => access.rotate(99, 0), { code: 'not_found' })
  for (const grace of [-1, 0.5, 30 * DAY_SECONDS + 1, NaN]) t.throws(() => access.rotate(fresh.id, grace), RangeError)
  t.equal(access.list().length, 3)
})
