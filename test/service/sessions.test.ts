import t from 'tap'
import type { Test } from 'tap'
import { createSessions } from '../../dist/service/sessions.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS

function openSessions (t: Test, dataDir?: string) {
  const stores = openStores(t, dataDir)
  const clock = createClock()
  const sessions = createSessions({ sessions: stores.sessions, inTransaction: stores.inTransaction, now: clock.now })
  const count = (): number => stores.db.prepare<[], number>('SELECT count(*) FROM page_session').pluck().get() ?? 0
  return { ...stores, store: stores.sessions, clock, sessions, count, ownerId: stores.apiKeys.ensureOwner('anna', 0) }
}

t.test('a session is found by its secret of 256 bits, with plan and role as they are now', async (t) => {
  const { sessions, owners, ownerId, clock, db } = openSessions(t)
  const { secret, session } = sessions.begin(ownerId, undefined)
  t.match(secret, /^[\w-]{43}$/)
  t.strictSame(sessions.find(secret), session)
  t.match(session, {
    ownerId, plan: 'enterprise', role: 'owner', expiresAt: clock.now() + 14 * DAY_MS, idleExpiresAt: clock.now() + DAY_MS
  })
  owners.setRole(ownerId, 'administrator')
  t.equal(sessions.find(secret)?.role, 'administrator')
  const others = ['', String(session.id), secret.slice(1), secret + 'A', secret.toUpperCase()]
  for (const other of others) t.equal(sessions.find(other), undefined)
  const row = db.prepare<[], { hash: Buffer }>('SELECT * FROM page_session').get()
  t.notMatch(JSON.stringify(row), secret)
  t.equal(row?.hash.length, 32)
})

t.test('it ends after a day without use, and after two weeks of use', async (t) => {
  const { sessions, ownerId, clock } = openSessions(t)
  const { secret } = sessions.begin(ownerId, undefined)
  for (let day = 0; day < 14; day++) {
    clock.advance(DAY_MS - 1)
    t.ok(sessions.find(secret), `used on day ${day}`)
  }
  clock.advance(14)
  t.equal(sessions.find(secret), undefined, 'two weeks')
  const idle = sessions.begin(ownerId, undefined)
  clock.advance(DAY_MS)
  t.equal(sessions.find(idle.secret), undefined, 'a day')
})

t.test('use is written once a minute', async (t) => {
  const { sessions, ownerId, clock, db } = openSessions(t)
  const { secret } = sessions.begin(ownerId, undefined)
  const lastUse = (): number | undefined => db.prepare<[], number>('SELECT last_used_at FROM page_session').pluck().get()
  const begun = clock.now()
  clock.advance(59_999)
  sessions.find(secret)
  t.equal(lastUse(), begun)
  clock.advance(1)
  sessions.find(secret)
  t.equal(lastUse(), clock.now())
})

t.test('a full disk locks nobody out', async (t) => {
  const { store, clock, ownerId, inTransaction, sessions } = openSessions(t)
  const { secret } = sessions.begin(ownerId, undefined)
  let error: Error = Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' })
  const full = createSessions({ sessions: { ...store, touch: () => { throw error } }, inTransaction, now: clock.now })
  clock.advance(60_000)
  t.equal(full.find(secret)?.ownerId, ownerId)
  error = new Error('something else')
  t.throws(() => full.find(secret), /something else/)
})

t.test('signing in again ends the session that the browser had', async (t) => {
  const { sessions, ownerId } = openSessions(t)
  const first = sessions.begin(ownerId, undefined)
  const second = sessions.begin(ownerId, first.secret)
  t.equal(sessions.find(first.secret), undefined)
  t.ok(sessions.find(second.secret))
  t.ok(sessions.begin(ownerId, 'never a secret'))
})

t.test('an owner has fifty sessions at most: the oldest ends, and nobody else\'s', async (t) => {
  const { sessions, ownerId, apiKeys, count } = openSessions(t)
  const other = sessions.begin(apiKeys.ensureOwner('bert', 0), undefined)
  const secrets = Array.from({ length: 51 }, () => sessions.begin(ownerId, undefined).secret)
  t.equal(count(), 51)
  t.equal(sessions.find(secrets[0] ?? ''), undefined)
  for (const secret of [secrets[1], secrets[50], other.secret]) t.ok(sessions.find(secret ?? ''))
})

t.test('ended sessions are swept, live ones stay', async (t) => {
  const { sessions, ownerId, clock, count } = openSessions(t)
  sessions.begin(ownerId, undefined)
  clock.advance(DAY_MS / 2)
  const live = sessions.begin(ownerId, undefined)
  clock.advance(DAY_MS / 2)
  sessions.sweep()
  t.equal(count(), 1)
  t.ok(sessions.find(live.secret))
  sessions.end(live.session.id)
  t.equal(sessions.find(live.secret), undefined)
})

t.test('a session outlives a restart', async (t) => {
  const dataDir = t.testdir()
  const { sessions, ownerId } = openSessions(t, dataDir)
  const { secret } = sessions.begin(ownerId, undefined)
  t.equal(openSessions(t, dataDir).sessions.find(secret)?.ownerId, ownerId)
})

t.test('all sessions of an owner can end, except one', async (t) => {
  const { sessions, store, ownerId, apiKeys } = openSessions(t)
  const [kept, ended] = [sessions.begin(ownerId, undefined), sessions.begin(ownerId, undefined)]
  const other = sessions.begin(apiKeys.ensureOwner('bert', 0), undefined)
  const live = (): boolean[] => [kept, ended, other].map(({ secret }) => sessions.find(secret) !== undefined)
  store.removeOfOwner(ownerId, kept.session.id)
  t.strictSame(live(), [true, false, true])
  store.removeOfOwner(ownerId)
  t.strictSame(live(), [false, false, true])
})
