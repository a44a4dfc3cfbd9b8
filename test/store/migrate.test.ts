import BetterSqlite3 from 'better-sqlite3'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { openDatabase } from '../../dist/store/database.js'
import { migrate } from '../../dist/store/migrate.js'
import { openStores } from '../support/store.ts'

const TWO_STEPS = {
  '0001-one.sql': 'CREATE TABLE one (id INTEGER) STRICT;',
  '0002-two.sql': 'CREATE TABLE two (id INTEGER) STRICT; INSERT INTO two VALUES (2);',
  'README.md': 'not a step'
}

function openMemory (t: { teardown (close: () => void): void }) {
  const db = new BetterSqlite3(':memory:')
  t.teardown(() => { db.close() })
  const version = (): unknown => db.pragma('user_version', { simple: true })
  const tables = (): unknown[] => db.prepare('SELECT name FROM sqlite_master ORDER BY name').pluck().all()
  return { db, version, tables }
}

t.test('a fresh database gets every step, in order', async (t) => {
  const { db, version, tables } = openMemory(t)
  migrate(db, t.testdir(TWO_STEPS))
  t.strictSame([version(), tables()], [2, ['one', 'two']])
})

t.test('steps that were done are not done again', async (t) => {
  const { db, version, tables } = openMemory(t)
  migrate(db, t.testdir({ '0001-one.sql': TWO_STEPS['0001-one.sql'] }))
  db.exec('INSERT INTO one VALUES (1)')
  const both = t.testdir(TWO_STEPS)
  migrate(db, both)
  migrate(db, both)
  t.strictSame([version(), tables()], [2, ['one', 'two']])
  t.strictSame(db.prepare('SELECT * FROM one').pluck().all(), [1], 'rows are kept')
  t.strictSame(db.prepare('SELECT * FROM two').pluck().all(), [2])
})

t.test('a step that fails leaves the database at the step before', async (t) => {
  const { db, version, tables } = openMemory(t)
  const broken = { ...TWO_STEPS, '0002-two.sql': 'CREATE TABLE two (id INTEGER); CREATE TABLE one (id INTEGER);' }
  t.throws(() => migrate(db, t.testdir(broken)), /already exists/)
  t.strictSame([version(), tables()], [1, ['one']])
})

t.test('a data directory of a newer version is refused and left as it is', async (t) => {
  const dataDir = t.testdir()
  const { db, apiKeys } = openStores(t, dataDir)
  apiKeys.ensureOwner('a', 0)
  const version = Number(db.pragma('user_version', { simple: true }))
  db.pragma(`user_version = ${version + 1}`)
  t.throws(() => openDatabase(dataDir), /newer version of Stenobox/)
  t.equal(db.pragma('user_version', { simple: true }), version + 1)
})

t.test('opened again, a database keeps its rows', async (t) => {
  const dataDir = t.testdir()
  const first = openDatabase(dataDir)
  first.prepare('INSERT INTO owner (name, created_at) VALUES (\'a\', 1)').run()
  first.close()
  const { db } = openStores(t, dataDir)
  t.strictSame(db.prepare('SELECT name FROM owner').pluck().all(), ['a'])
})

t.test('identities that were locked out stay beside those that sign in', async (t) => {
  const steps = new URL('../../dist/store/migrations/', import.meta.url)
  const until = (last: string) => Object.fromEntries(readdirSync(steps).filter((name) => name <= last)
    .map((name) => [name, readFileSync(new URL(name, steps), 'utf8')]))
  const { db } = openMemory(t)
  db.function('fold', { deterministic: true }, (text) => text)
  migrate(db, t.testdir(until('0019-turns.sql')))
  db.exec(`INSERT INTO owner (id, name, created_at) VALUES (1, 'ada', 1), (2, 'bert', 1);
    INSERT INTO owner_identity (owner_id, issuer, subject, created_at, ended_at) VALUES (1, 'i', 'a', 1, NULL), (2, 'i', 'b', 1, 5)`)
  migrate(db, t.testdir(until('0020-identities-of-owner.sql')))
  db.exec('INSERT INTO owner_identity (owner_id, issuer, subject, created_at) VALUES (2, \'i\', \'c\', 6)')
  t.strictSame(db.prepare('SELECT owner_id, subject, ended_at FROM owner_identity ORDER BY subject').raw().all(),
    [[1, 'a', null], [2, 'b', 5], [2, 'c', null]])
  t.throws(() => db.exec('INSERT INTO owner_identity (owner_id, issuer, subject, created_at) VALUES (1, \'i\', \'d\', 6)'), /UNIQUE/)
  t.strictSame(db.pragma('foreign_key_check'), [])
})

const DATABASES = new URL('../fixtures/database/', import.meta.url)
const fixtures = readdirSync(DATABASES).filter((name) => name.endsWith('.db.gz'))

/** Everything that makes the schema. */
const schemaOf = (db: BetterSqlite3.Database): unknown[] =>
  db.prepare('SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name').all()

t.ok(fixtures.includes('v1.db.gz'))
for (const name of fixtures) {
  t.test(`${name}: a database of that version is upgraded, and everything in it can be read`, async (t) => {
    const dataDir = t.testdir()
    writeFileSync(`${dataDir}/app.db`, gunzipSync(readFileSync(new URL(name, DATABASES))))
    const { apiKeys, claimDecode, claimWindow, db, deliveries, jobs, orders, transcripts, work } = openStores(t, dataDir)
    t.strictSame(schemaOf(db), schemaOf(openDatabase(':memory:')), 'migrations that were applied may not change')
    t.strictSame(db.pragma('integrity_check', { simple: true }), 'ok')
    t.strictSame(db.pragma('foreign_key_check'), [])
    const ownerId = apiKeys.ensureOwner('ada', 0)
    const library = jobs.listOwned({ ownerId, before: 99, limit: 99 })
    t.match(library.map(({ fileName, status, stage }) => [fileName, status, stage]), [
      ['failed.mp3', 'failed', 'transcribe'], ['completed.mp3', 'completed', 'complete'], ['processing.mp3', 'processing', 'transcribe'],
      ['talk', 'queued', 'fetch'], ['queued.mp3', 'queued', 'decode']
    ])
    const [failed, completed, processing, fetched] = library
    t.match(fetched, { source: { url: 'https://example.org/talk.mp3', fetched: 0 } })
    t.match(failed, { failureCode: 'worker_crashed', language: 'en' })
    t.match(processing, { durationMs: 30_000, doneMs: 10_000 })
    t.match(transcripts.list(completed?.id ?? 0), [{ text: ' Hello there', words: [{ text: ' Hello', startMs: 100 }, { text: ' there' }] }])
    t.strictSame(deliveries.count(completed?.id ?? 0), { pending: 1, delivered: 1, failed: 0 })
    t.match(deliveries.list(ownerId, { limit: 9 }), [{ messageId: 'msg_delivered', responseCode: 204 }])
    t.match(apiKeys.findByHash(Buffer.alloc(32, 7), 0), { ownerId, plan: 'pro' })
    work.takeBack()
    t.match(claimWindow(), { jobId: processing?.id, idx: 1, attempt: 2 }, 'what was under way goes on')
    t.match(claimDecode(1000), { jobId: library.at(-1)?.id })
    t.strictSame(orders.listTurnKeys('webhook', 1000), ['endpoint 1'])
  })
}
