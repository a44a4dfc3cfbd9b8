import t from 'tap'
import type { Test } from 'tap'
import { createKeys } from '../../dist/service/keys.js'
import { createPlans } from '../../dist/service/plans.js'
import { createUsage } from '../../dist/service/usage.js'
import { createLazyTransaction } from '../../dist/store/database.js'
import type { InTransaction } from '../../dist/store/database.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

const HOUR = 3_600_000
/** Three in the afternoon of the last day of a month. */
const START = Date.UTC(2026, 0, 31, 15)

function open (t: Test, dataDir?: string, changes: { inLazyTransaction?: InTransaction } = {}) {
  const stores = openStores(t, dataDir)
  const clock = createClock(START)
  const plans = createPlans(stores)
  const usage = createUsage({ usage: stores.usage, plans, inLazyTransaction: createLazyTransaction(stores.db), now: clock.now, ...changes })
  const access = createKeys({ ...stores, now: clock.now })
  /** The caller behind a new key. */
  const caller = (owner: string, plan: 'free' | 'build' | 'enterprise' = 'free') => {
    const principal = access.authenticate(access.create({ name: 'test', owner, plan }).key)
    if (!principal) throw new Error('a new key opens nothing')
    return principal
  }
  return { ...stores, clock, plans, service: usage, caller }
}
type Opened = ReturnType<typeof open>
type Caller = ReturnType<Opened['caller']>

/** Calls as a request would: counted, then logged. */
function call ({ service }: Opened, who: Caller, id = 'r', status = 200): void {
  service.log(service.count(who), { id, method: 'GET', path: '/x', status })
}
const exceeded = (code: string, retryAfter: number) => ({ name: 'AppError', code, headers: { 'retry-after': String(retryAfter) } })

t.test('a clock that is set back during a request makes it short, not negative', (t) => {
  const { service, clock, caller } = open(t)
  const who = caller('a')
  const counted = service.count(who)
  clock.advance(-5000)
  service.log(counted, { id: 'r', method: 'GET', path: '/x', status: 200 })
  t.match(service.read(who, 1).recent, [{ durationMs: 0 }])
  t.end()
})

t.test('what was counted a moment ago is there, on disk or not', async (t) => {
  const opened = open(t)
  const { service, clock, caller, db } = opened
  const who = caller('a')
  const seen = () => {
    const { requests: { total, today }, recent } = service.read(who, 2)
    return [total, today, recent.map(({ id }) => id)]
  }
  call(opened, who, 'r1')
  t.strictSame(seen(), [1, 1, ['r1']])
  t.equal(db.prepare('SELECT count(*) FROM request_count').pluck().get(), 0, 'not on disk yet')
  service.flush()
  t.equal(db.prepare('SELECT count(*) FROM request_count').pluck().get(), 1)
  t.strictSame(seen(), [1, 1, ['r1']])
  call(opened, who, 'r2')
  call(opened, who, 'r3')
  t.strictSame(seen(), [3, 3, ['r3', 'r2']], 'the last first, across memory and disk')
  clock.advance(9 * HOUR)
  call(opened, who, 'r4')
  t.strictSame(seen(), [1, 1, ['r4', 'r3']], 'another day, and another month')
  t.equal(service.read(who, 1).period.startMs, Date.UTC(2026, 1, 1))
})

t.test('a logged request says what, when and how long', async (t) => {
  const { service, clock, caller } = open(t)
  const who = caller('a')
  const counted = service.count(who)
  clock.advance(12)
  service.log(counted, { id: 'r', method: 'POST', path: '/api/v1/jobs/{id}/retry', status: 409 })
  const expected = [{ id: 'r', keyId: who.keyId, method: 'POST', path: '/api/v1/jobs/{id}/retry', status: 409, durationMs: 12, at: START }]
  t.strictSame(service.read(who, 9).recent, expected)
  service.flush()
  t.strictSame(service.read(who, 9).recent, expected)
})

t.test('a key sees its own requests; the quota counts all keys and tokens of the owner, and nobody else\'s', async (t) => {
  const opened = open(t)
  const { service, plans, caller } = opened
  plans.set('free', { requestsPerDay: 5 })
  const [first, second, stranger] = [caller('a'), caller('a'), caller('b')]
  call(opened, first)
  service.flush()
  call(opened, second)
  call(opened, second)
  const token = { ownerId: first.ownerId, plan: 'free' } as const
  service.log(service.count(token), { id: 'r', method: 'GET', path: '/x', status: 200 })
  call(opened, stranger)
  t.match(service.read(first, 9), { requests: { total: 1, today: 1, quota: { limit: 5, remaining: 1 } }, recent: { length: 1 } })
  t.match(service.read(second, 9).requests, { today: 2, quota: { remaining: 1 } })
  t.match(service.read(stranger, 9).requests, { today: 1, quota: { remaining: 4 } })
  t.match(service.read(token, 9), { requests: { today: 1 }, recent: { length: 0 } }, 'tokens are counted, not logged')
})

t.test('the hundredth request of a day is answered, the next one only after midnight', async (t) => {
  const opened = open(t)
  const { service, clock, caller } = opened
  const who = caller('a')
  for (let i = 0; i < 100; i++) {
    service.requireRequests(who)
    call(opened, who)
    if (i % 30 === 0) service.flush()
  }
  t.throws(() => service.requireRequests(who), exceeded('quota_exceeded', 9 * 3600))
  t.throws(() => service.requireRequests(caller('a')), { code: 'quota_exceeded' }, 'another key of the owner changes nothing')
  t.doesNotThrow(() => service.requireRequests(caller('a', 'enterprise')), 'another plan does')
  clock.advance(9 * HOUR - 1)
  t.throws(() => service.requireRequests(who), exceeded('quota_exceeded', 1))
  clock.advance(1)
  t.doesNotThrow(() => service.requireRequests(who))
})

t.test('a request that is taken back leaves nothing, even when it was written down meanwhile', async (t) => {
  const { service, caller, clock } = open(t)
  const who = caller('a')
  service.takeBack(service.count(who))
  t.equal(service.read(who, 1).requests.today, 0)
  const counted = service.count(who)
  service.flush()
  clock.advance(9 * HOUR)
  service.takeBack(counted)
  service.flush()
  t.equal(service.read(who, 1).requests.today, 0)
  clock.advance(-9 * HOUR)
  t.equal(service.read(who, 1).requests.today, 0, 'on the day it was counted')
})

t.test('a restart continues the counts of the day', async (t) => {
  const dataDir = t.testdir()
  const before = open(t, dataDir)
  const who = before.caller('a')
  before.plans.set('free', { requestsPerDay: 3 })
  for (let i = 0; i < 3; i++) call(before, who, `r${i}`)
  before.service.flush()
  const after = open(t, dataDir)
  t.throws(() => after.service.requireRequests(who), { code: 'quota_exceeded' })
  t.match(after.service.read(who, 1), { requests: { total: 3, today: 3 }, recent: [{ id: 'r2' }] })
})

t.test('a disk that is full or busy loses no count, and is tried again', async (t) => {
  let isFull = true
  const opened: Opened = open(t, undefined, {
    inLazyTransaction: (work) => {
      if (isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
      return opened.inTransaction(work)
    }
  })
  const { service, caller } = opened
  const who = caller('a')
  for (let i = 0; i < 12_000; i++) call(opened, who, `r${i}`)
  t.throws(() => { service.flush() }, { code: 'SQLITE_FULL' })
  t.equal(service.read(who, 1).requests.today, 12_000)
  t.equal(service.read(who, 20_000).recent.length <= 10_000, true, 'the log in memory is bounded')
  isFull = false
  service.flush()
  service.flush()
  t.match(service.read(who, 20_000), { requests: { today: 12_000 }, recent: { length: 1000, 0: { id: 'r11999' } } })
})

t.test('a writer in another process delays no request', async (t) => {
  const dataDir = t.testdir()
  const opened = open(t, dataDir)
  const other = openStores(t, dataDir)
  const who = opened.caller('a')
  call(opened, who)
  other.db.exec('BEGIN IMMEDIATE')
  const start = performance.now()
  t.throws(() => { opened.service.flush() }, { code: 'SQLITE_BUSY' })
  t.ok(performance.now() - start < 4000, 'without the 5 s that other transactions wait for a lock')
  t.equal(opened.service.read(who, 1).requests.today, 1)
  other.db.exec('COMMIT')
  opened.service.flush()
  t.equal(other.usage.countOfOwner(who.ownerId, Date.UTC(2026, 0, 31)), 1)
})

t.test('minutes that are used up come back with the next month', async (t) => {
  const { service, clock, plans, usage, caller } = open(t)
  plans.set('build', { speechMinutesPerMonth: 10 })
  const [who, free] = [caller('a', 'build'), caller('a')]
  usage.addAudio(who.ownerId, Date.UTC(2026, 0, 1), 599_999)
  t.doesNotThrow(() => service.requireMinutes(who), 'a thousandth of a second is left')
  t.match(service.quotasOf(who).minutes, { limit: 10, remaining: 1, windowSeconds: 31 * 86_400, resetSeconds: 9 * 3600 })
  usage.addAudio(who.ownerId, Date.UTC(2026, 0, 1), 1)
  t.throws(() => service.requireMinutes(who), exceeded('minutes_exceeded', 9 * 3600))
  t.doesNotThrow(() => service.requireRequests(who), 'other requests go on')
  t.doesNotThrow(() => service.requireMinutes(free), 'not on a plan that does not meter them')
  t.match(service.read(who, 1).audio, { usedMs: 600_000, limitMinutes: 10 })
  clock.advance(9 * HOUR)
  t.doesNotThrow(() => service.requireMinutes(who))
  t.equal(service.read(who, 1).audio.usedMs, 0)
})

t.test('a plan without limits has no quotas', async (t) => {
  const { service, caller } = open(t)
  t.strictSame(service.quotasOf(caller('a', 'enterprise')), {})
})

t.test('the sweep takes old lines from the log', async (t) => {
  const opened = open(t)
  const { service, clock, caller } = opened
  const who = caller('a')
  call(opened, who)
  service.flush()
  clock.advance(30 * 24 * HOUR)
  service.sweep()
  t.equal(service.read(who, 9).recent.length, 1)
  clock.advance(1)
  service.sweep()
  t.equal(service.read(who, 9).recent.length, 0)
})
