import t from 'tap'
import type { Test } from 'tap'
import { createKeys } from '../../dist/service/keys.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

function openKeys (t: Test, changes: { touch?: () => void } = {}) {
  const stores = openStores(t)
  const clock = createClock()
  const apiKeys = { ...stores.apiKeys, ...changes }
  return { ...stores, clock, keys: createKeys({ apiKeys, inTransaction: stores.inTransaction, now: clock.now }) }
}

const LAPTOP = { name: 'laptop', owner: 'anna', plan: 'pro' } as const

t.test('a new key opens the door for its owner', async (t) => {
  const { keys, apiKeys } = openKeys(t)
  const { id, key, owner, plan } = keys.create(LAPTOP)
  t.match(key, /^service_sk_[\w-]{43}$/)
  t.strictSame([owner, plan], ['anna', 'pro'])
  t.strictSame(keys.authenticate(key), { keyId: id, ownerId: apiKeys.ensureOwner('anna', 0), plan: 'pro' })
})

t.test('anything but a live key is refused', async (t) => {
  const { keys } = openKeys(t)
  t.equal(keys.authenticate('service_sk_x'), undefined)
  const { key } = keys.create(LAPTOP)
  for (const wrong of [
    '',
    ' ',
    key.slice(0, -1),
    key + 'A',
    key.toUpperCase(),
    ` ${key}`,
    key.replace('service_sk_', ''),
    '%',
    "' OR 1 = 1 --"
  ]) {
    t.equal(keys.authenticate(wrong), undefined, JSON.stringify(wrong))
  }
})

t.test('the time of a refusal says nothing of a key: a digest is looked up, which is another one for a key that is close', async (t) => {
  const asked: Buffer[] = []
  const { keys, apiKeys } = openKeys(t)
  const { key } = keys.create(LAPTOP)
  const watched = createKeys({
    apiKeys: { ...apiKeys, findByHash: (hash, now) => { asked.push(hash); return apiKeys.findByHash(hash, now) } },
    inTransaction: (run) => run(),
    now: () => 0
  })
  const close = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')
  t.ok(watched.authenticate(key))
  t.equal(watched.authenticate(close), undefined)
  t.equal(asked.length, 2)
  const [right = Buffer.alloc(0), wrong = Buffer.alloc(0)] = asked
  t.strictSame([right.length, wrong.length], [32, 32])
  t.notOk(right.includes(key.slice(-8)))
  t.ok(right.filter((byte, index) => byte === wrong[index]).length < 8, 'hardly a byte is the same')
})

t.test('a rotation happens at one moment, however slow the clock is asked', async (t) => {
  const { apiKeys, inTransaction } = openStores(t)
  const { now, advance } = createClock()
  const keys = createKeys({ apiKeys, inTransaction, now: () => { advance(1); return now() } })
  const old = keys.create({ ...LAPTOP, expiresInSeconds: 100 })
  const fresh = keys.find(keys.rotate(old.id, 10).id)
  const { createdAt, expiresAt } = keys.find(old.id)
  t.equal((fresh.expiresAt ?? 0) - fresh.createdAt, 100_000)
  t.equal((expiresAt ?? 0) - fresh.createdAt, 10_000)
  t.ok(fresh.createdAt > createdAt)
})

t.test('a revoked key is refused at once; other keys still work', async (t) => {
  const { keys, clock } = openKeys(t)
  const [first, second] = [keys.create(LAPTOP), keys.create(LAPTOP)]
  keys.authenticate(first.key)
  clock.advance(5)
  t.equal(keys.revoke(first.id), true)
  t.equal(keys.authenticate(first.key), undefined)
  t.ok(keys.authenticate(second.key))
  t.equal(keys.revoke(first.id), false)
  t.equal(keys.revoke(99), false)
  t.equal(keys.list()[0]?.revokedAt, clock.now())
})

t.test('keys of one name belong to one owner, keys of two names to two', async (t) => {
  const { keys } = openKeys(t)
  const owners = [LAPTOP, { ...LAPTOP, name: 'phone' }, { ...LAPTOP, owner: 'bert' }].map(
    (key) => keys.authenticate(keys.create(key).key)?.ownerId
  )
  t.equal(owners[0], owners[1])
  t.not(owners[0], owners[2])
  t.equal(keys.ensureOwner('bert'), owners[2])
})

t.test('the key itself is not stored anywhere', async (t) => {
  const { keys, db } = openKeys(t)
  const { key } = keys.create(LAPTOP)
  const secret = key.slice('service_sk_'.length, -4)
  t.notOk(db.serialize().includes(secret))
  const [listed] = keys.list()
  t.equal(listed?.lastFour, key.slice(-4))
  t.notMatch(JSON.stringify(listed), secret)
})

t.test('the last use is noted, once a minute at most', async (t) => {
  const { keys, clock } = openKeys(t)
  const { key } = keys.create(LAPTOP)
  const lastUsed = (): number | undefined => keys.list()[0]?.lastUsedAt
  t.equal(lastUsed(), undefined)
  keys.authenticate(key)
  const first = clock.now()
  t.equal(lastUsed(), first)
  clock.advance(59_999)
  keys.authenticate(key)
  t.equal(lastUsed(), first)
  clock.advance(1)
  keys.authenticate(key)
  t.equal(lastUsed(), first + 60_000)
})

t.test('a full disk does not lock anybody out: the last use is worth less than the request', async (t) => {
  const { keys, apiKeys } = openKeys(t, {
    touch: () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    }
  })
  const { id, key } = keys.create(LAPTOP)
  t.strictSame(keys.authenticate(key), { keyId: id, ownerId: apiKeys.ensureOwner('anna', 0), plan: 'pro' })
})

t.test('whether there are keys, and which', async (t) => {
  const { keys, clock } = openKeys(t)
  t.equal(keys.hasKeys(), false)
  const { id } = keys.create(LAPTOP)
  t.equal(keys.hasKeys(), true)
  t.match(keys.list(), [{ id, name: 'laptop', owner: 'anna', plan: 'pro', createdAt: clock.now() }])
})

const DAY_SECONDS = 24 * 3600

t.test('a key that is to end opens nothing afterwards', async (t) => {
  const { keys, clock } = openKeys(t)
  const { id, key } = keys.create({ ...LAPTOP, expiresInSeconds: DAY_SECONDS })
  t.equal(keys.find(id).expiresAt, clock.now() + DAY_SECONDS * 1000)
  clock.advance(DAY_SECONDS * 1000 - 1)
  t.ok(keys.authenticate(key))
  clock.advance(1)
  t.equal(keys.authenticate(key), undefined)
  t.throws(() => keys.rotate(id, 0), { code: 'conflict', message: /expired/ })
})

t.test('a key is made for an owner who exists, on the plan that was said or the owner\'s', async (t) => {
  const { keys, owners } = openKeys(t)
  const { id } = owners.insert({ name: 'anna', plan: 'free', now: 0 }) ?? { id: 0 }
  t.match(keys.createFor(id, { name: 'laptop' }), { owner: 'anna', plan: 'free' })
  t.match(keys.createFor(id, { name: 'phone', plan: 'pro' }), { owner: 'anna', plan: 'pro' })
  t.throws(() => keys.createFor(99, { name: 'laptop' }), { code: 'not_found' })
  t.strictSame(keys.list({ after: 0, limit: 9 }, id).map(({ name }) => name), ['laptop', 'phone'])
})

t.test('rotation makes a key like the old one, which works until the grace is over', async (t) => {
  const { keys, clock } = openKeys(t)
  const old = keys.create(LAPTOP)
  const fresh = keys.rotate(old.id, DAY_SECONDS)
  t.match(fresh, { owner: 'anna', plan: 'pro', key: /^service_sk_[\w-]{43}$/ })
  t.not(fresh.key, old.key)
  t.match(keys.find(old.id), { replacedBy: fresh.id, expiresAt: clock.now() + DAY_SECONDS * 1000, revokedAt: undefined })
  t.match(keys.find(fresh.id), { name: 'laptop', expiresAt: undefined, replacedBy: undefined })
  const owners = [old, fresh].map(({ key }) => keys.authenticate(key)?.ownerId)
  t.ok(owners[0])
  t.equal(owners[0], owners[1])
  clock.advance(DAY_SECONDS * 1000)
  t.equal(keys.authenticate(old.key), undefined)
  t.ok(keys.authenticate(fresh.key))
})

t.test('without a grace the old key ends at once; a key in its grace can still be revoked', async (t) => {
  const { keys } = openKeys(t)
  const [first, second] = [keys.create(LAPTOP), keys.create(LAPTOP)]
  keys.rotate(first.id, 0)
  t.equal(keys.authenticate(first.key), undefined)
  keys.rotate(second.id, DAY_SECONDS)
  t.equal(keys.revoke(second.id), true)
  t.equal(keys.authenticate(second.key), undefined)
})

t.test('a key that was to end is replaced by one that ends as long after its making, and never lives longer itself', async (t) => {
  const { keys, clock } = openKeys(t)
  const old = keys.create({ ...LAPTOP, expiresInSeconds: 2 * DAY_SECONDS })
  const end = keys.find(old.id).expiresAt
  clock.advance(DAY_SECONDS * 1000)
  const fresh = keys.rotate(old.id, 30 * DAY_SECONDS)
  t.equal(keys.find(fresh.id).expiresAt, clock.now() + 2 * DAY_SECONDS * 1000)
  t.equal(keys.find(old.id).expiresAt, end)
})

t.test('what cannot be rotated says why, and leaves no key behind', async (t) => {
  const { keys } = openKeys(t)
  const [replaced, revoked] = [keys.create(LAPTOP), keys.create(LAPTOP)]
  const fresh = keys.rotate(replaced.id, DAY_SECONDS)
  keys.revoke(revoked.id)
  t.throws(() => keys.rotate(replaced.id, 0), { code: 'conflict', message: new RegExp(`replaced by key ${fresh.id}\\.`) })
  t.ok(keys.authenticate(replaced.key), 'its grace is as it was')
  t.throws(() => keys.rotate(revoked.id, 0), { code: 'conflict', message: /revoked/ })
  t.throws(() => keys.rotate(99, 0), { code: 'not_found' })
  for (const grace of [-1, 0.5, 30 * DAY_SECONDS + 1, NaN]) t.throws(() => keys.rotate(fresh.id, grace), RangeError)
  t.equal(keys.list().length, 3)
})

t.test('once the only owner is an account, the name of the default owner means it', async (t) => {
  const { keys, owners, apiKeys } = openKeys(t)
  const anna = keys.ensureOwner('anna')
  t.not(keys.ensureOwner('default'), anna, 'not an account')
  owners.remove(keys.ensureOwner('default'))
  owners.setPasswordHash(anna, 'hash')
  t.equal(keys.ensureOwner('default'), anna)
  t.equal(keys.requireOwner('default'), anna)
  t.equal(keys.create({ name: 'laptop', owner: 'default' }).owner, 'anna')
  t.equal(apiKeys.findOwner('default'), undefined)
  keys.ensureOwner('bert')
  t.not(keys.ensureOwner('default'), anna, 'beside others, nobody is meant')
})
