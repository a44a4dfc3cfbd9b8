/** Requests with an idempotency key: carried out once, even when the process that does it dies. */
import t from 'tap'
import type { Test } from 'tap'
import { createIdempotency } from '../../dist/service/idempotency.js'
import type { RequestClaim } from '../../dist/domain/idempotency.js'
import type { IdempotencyStore } from '../../dist/store/idempotency.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

const REQUEST = { scope: 'owner 1', operationId: 'createThing', key: 'a-key', content: { body: { name: 'x' } } }
const ANSWER = { status: 201, contentType: 'application/json', body: '{"secret":"shown once"}' }
const HOUR_MS = 3600_000

function open (t: Test, changes: Partial<IdempotencyStore> = {}) {
  const { db, idempotency, inUnsyncedTransaction } = openStores(t)
  const clock = createClock()
  const warnings: string[] = []
  const synced: string[] = []
  const note = (): void => { synced.push(db.pragma('synchronous', { simple: true }) === 2 ? 'yes' : 'no') }
  const noted = <A extends unknown[], R>(change: (...given: A) => R) => (...given: A): R => {
    note()
    return change(...given)
  }
  const watched = {
    ...idempotency, insert: noted(idempotency.insert), release: noted(idempotency.release), finish: noted(idempotency.finish)
  }
  const log = { info: () => {}, warn: (_fields: object, message: string) => { warnings.push(message) }, error: () => {} }
  const service = createIdempotency({ requests: { ...watched, ...changes }, inUnsyncedTransaction, now: clock.now, log })
  return {
    db,
    clock,
    warnings,
    service,
    /** Whether each change waited for the disk. */
    syncs: (): string[] => [...synced],
    count: (): unknown => db.prepare('SELECT count(*) FROM idempotent_request').pluck().get(),
    /** Begins a request that must be carried out. */
    claim (request: Partial<typeof REQUEST> = {}): RequestClaim {
      const begun = service.begin({ ...REQUEST, ...request })
      if ('answer' in begun) throw new Error('it has an answer')
      return begun.claim
    }
  }
}

t.test('of one caller, the latest 2000 replies are stored', async (t) => {
  const { service, clock, count, claim } = open(t)
  const other = claim({ scope: 'owner 2' })
  service.finish(other, 'a-key', ANSWER)
  for (let index = 0; index < 2002; index++) {
    clock.advance(1)
    service.finish(claim({ key: `key ${index}` }), `key ${index}`, ANSWER)
  }
  t.equal(count(), 2001)
  t.match(service.begin({ ...REQUEST, key: 'key 2' }), { answer: ANSWER }, 'the oldest that is left')
  t.match(service.begin({ ...REQUEST, scope: 'owner 2' }), { answer: ANSWER }, 'those of others stay')
  t.match(claim({ key: 'key 1' }), { attempt: 1 })
})

t.test('a long reply takes little space, and is the same again', async (t) => {
  const { db, service, claim } = open(t)
  const parts = Array.from({ length: 1000 }, (_, index) =>
    ({ partNumber: index + 1, url: `http://127.0.0.1:8080/api/v1/media/uploads/6f2c1c3e-6d3b-4f60-8a53-0c5f3c0d9b1a/parts/${index + 1}` }))
  const answer = { ...ANSWER, body: JSON.stringify({ success: true, data: { parts } }) }
  service.finish(claim(), REQUEST.key, answer)
  const bytes = Number(db.prepare('SELECT length(answer) FROM idempotent_request').pluck().get())
  t.ok(bytes < answer.body.length / 8, `${bytes} of ${answer.body.length} bytes`)
  t.strictSame(service.begin(REQUEST), { answer })
})

t.test('claims do not wait for the disk; a reply that is stored does', async (t) => {
  const { service, claim, syncs, count } = open(t)
  const first = claim()
  t.strictSame(syncs(), ['no'])
  service.finish(first, REQUEST.key, { ...ANSWER, status: 409 })
  t.strictSame([syncs(), count()], [['no', 'no'], 0])
  service.finish(claim(), REQUEST.key, ANSWER)
  t.strictSame(syncs(), ['no', 'no', 'no', 'yes'])
})

t.test('the first is carried out, the same again gets its answer, another under the key is refused', async (t) => {
  const { service, claim } = open(t)
  const first = claim()
  t.throws(() => service.begin(REQUEST), { code: 'idempotency_in_flight', headers: { 'retry-after': '1' } })
  t.throws(
    () => service.begin({ ...REQUEST, content: { body: { name: 'y' } } }),
    { code: 'idempotency_mismatch' },
    'also while it is under way'
  )
  service.finish(first, REQUEST.key, ANSWER)
  t.strictSame(service.begin(REQUEST), { answer: ANSWER })
  t.throws(() => service.begin({ ...REQUEST, content: {} }), { code: 'idempotency_mismatch' })
  for (const other of [{ scope: 'owner 2' }, { operationId: 'other' }, { key: 'b-key' }]) t.ok(claim(other), JSON.stringify(other))
})

t.test('nothing that is stored tells the key, the request or the answer', async (t) => {
  const { db, service, claim } = open(t)
  service.finish(claim(), REQUEST.key, ANSWER)
  const row = Object.values(db.prepare('SELECT * FROM idempotent_request').get() as object).map(String).join()
  t.notMatch(row, /a-key|shown once|name/)
})

t.test('errors are not stored: the same request is carried out again', async (t) => {
  const { service, claim, count } = open(t)
  for (const status of [403, 409, 422, 429, 500, 507]) {
    service.finish(claim(), REQUEST.key, { ...ANSWER, status })
    t.equal(count(), 0)
  }
})

t.test('a renewed claim is kept; the claim of a dead holder is taken over and its late answer ignored', async (t) => {
  const { clock, service, claim } = open(t)
  const first = claim()
  clock.advance(50_000)
  service.renew(first)
  clock.advance(50_000)
  t.throws(() => service.begin(REQUEST), { code: 'idempotency_in_flight' })
  clock.advance(10_000)
  const second = claim()
  service.finish(first, REQUEST.key, { ...ANSWER, body: 'late' })
  service.finish(first, REQUEST.key, { ...ANSWER, status: 500 })
  service.renew(first)
  t.throws(() => service.begin(REQUEST), { code: 'idempotency_in_flight' }, 'the second is still under way')
  service.finish(second, REQUEST.key, ANSWER)
  t.strictSame(service.begin(REQUEST), { answer: ANSWER })
})

t.test('after 24 hours the key is new again, swept or not', async (t) => {
  const { clock, service, claim, count } = open(t)
  service.finish(claim(), REQUEST.key, ANSWER)
  clock.advance(24 * HOUR_MS - 1)
  await service.sweep()
  t.strictSame(service.begin(REQUEST), { answer: ANSWER })
  clock.advance(1)
  service.finish(claim({ content: { body: { name: 'another' } } }), REQUEST.key, ANSWER)
  clock.advance(24 * HOUR_MS)
  await service.sweep()
  t.equal(count(), 0)
})

t.test('a full or busy disk does not turn an answer into an error; other errors of the database are thrown', async (t) => {
  const fail = (code: string) => () => { throw Object.assign(new Error(code), { code }) }
  for (const code of ['SQLITE_FULL', 'SQLITE_BUSY']) {
    const { service, claim, warnings } = open(t, { finish: fail(code), renew: fail(code) })
    const first = claim()
    service.renew(first)
    service.finish(first, REQUEST.key, ANSWER)
    t.equal(warnings.length, 2)
  }
  const { service, claim } = open(t, { finish: fail('SQLITE_CORRUPT') })
  const first = claim()
  t.throws(() => { service.finish(first, REQUEST.key, ANSWER) }, { code: 'SQLITE_CORRUPT' })
})
