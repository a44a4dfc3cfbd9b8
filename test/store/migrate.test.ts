import BetterSqlite3 from 'better-sqlite3'
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
  t.throws(() => migrate(db, t.testdir({ ...TWO_STEPS, '0002-two.sql': 'CREATE TABLE two (id INTEGER); CREATE TABLE one (id INTEGER);' })), /already exists/)
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
