import { statSync } from 'node:fs'
import t from 'tap'
import { createLazyTransaction, createTransaction, createUnsyncedTransaction, openDatabase } from '../../dist/store/database.js'
import { nameOf, openStores } from '../support/store.ts'

t.test('a data directory is created, for its owner alone', async (t) => {
  const dataDir = t.testdir() + '/new/data'
  openDatabase(dataDir).close()
  t.equal(statSync(dataDir).mode & 0o777, 0o700)
  t.ok(statSync(dataDir + '/app.db').isFile())
})

t.test('the database waits for locks, survives a crash and checks references', async (t) => {
  const { db } = openStores(t, t.testdir())
  t.equal(db.pragma('busy_timeout', { simple: true }), 5000)
  t.equal(db.pragma('journal_mode', { simple: true }), 'wal')
  t.equal(db.pragma('foreign_keys', { simple: true }), 1)
  t.equal(db.pragma('synchronous', { simple: true }), 2, 'FULL')
})

t.test('every table is STRICT', async (t) => {
  const { db } = openStores(t)
  const tables = db.pragma('table_list') as Array<{ schema: string, name: string, type: string, strict: number }>
  // The full-text index is a virtual table with shadow tables of its module.
  const ours = tables.filter(({ schema, name, type }) => schema === 'main' && type === 'table' && !name.startsWith('sqlite_'))
  t.ok(ours.length >= 9)
  t.strictSame(ours.filter(({ strict }) => strict !== 1), [])
  const wrongType = db.prepare('INSERT INTO owner (name, created_at) VALUES (\'a\', \'yesterday\')')
  t.throws(() => wrongType.run(), { code: 'SQLITE_CONSTRAINT_DATATYPE' })
})

t.test('rows refer to rows that are there, and states are known ones', async (t) => {
  const { db, jobs, addJob } = openStores(t)
  t.throws(() => jobs.insert({ ownerId: 99, mediaId: 99, fileName: nameOf('x'), options: { sttQuality: 'fast' }, now: 0 }), {
    code: 'SQLITE_CONSTRAINT_FOREIGNKEY'
  })
  const id = addJob('a')
  for (const [table, column, key] of [['job', 'status', 'id'], ['work', 'state', 'job_id'], ['media', 'state', 'id']] as const) {
    const update = db.prepare(`UPDATE ${table} SET ${column} = 'odd' WHERE ${key} = ?`)
    t.throws(() => update.run(id), { code: 'SQLITE_CONSTRAINT_CHECK' }, table)
  }
})

t.test('a transaction that throws leaves nothing behind, and passes the error on', async (t) => {
  const { apiKeys, db, inTransaction } = openStores(t)
  const failure = new Error('half-way')
  t.throws(() => inTransaction(() => {
    apiKeys.ensureOwner('a', 0)
    throw failure
  }), failure)
  t.strictSame(db.prepare('SELECT * FROM owner').all(), [])
  t.equal(inTransaction(() => apiKeys.ensureOwner('a', 0)), 1)
})

t.test('a transaction holds the write lock from its start', async (t) => {
  const dataDir = t.testdir()
  const { db } = openStores(t, dataDir)
  const other = openDatabase(dataDir)
  t.teardown(() => { other.close() })
  other.pragma('busy_timeout = 0')
  createTransaction(db)(() => {
    t.throws(() => createTransaction(other)(() => {}), { code: 'SQLITE_BUSY' })
  })
  createTransaction(other)(() => {})
})

t.test('a lazy transaction waits neither for others nor for the disk; the next one does again', async (t) => {
  const dataDir = t.testdir()
  const { db, apiKeys } = openStores(t, dataDir)
  const other = openDatabase(dataDir)
  t.teardown(() => { other.close() })
  const patience = () => [db.pragma('busy_timeout', { simple: true }), db.pragma('synchronous', { simple: true })]
  const inLazyTransaction = createLazyTransaction(db)
  t.strictSame(inLazyTransaction(patience), [0, 1])
  t.strictSame(patience(), [5000, 2])
  createTransaction(other)(() => {
    t.throws(() => inLazyTransaction(() => {}), { code: 'SQLITE_BUSY' })
  })
  t.strictSame(patience(), [5000, 2])
  const failure = new Error('half-way')
  t.throws(() => inLazyTransaction(() => {
    apiKeys.ensureOwner('a', 0)
    throw failure
  }), failure)
  t.strictSame(db.prepare('SELECT * FROM owner').all(), [])
})

t.test('an unsynced transaction waits for others, but not for the disk; the next one does again', async (t) => {
  const { db } = openStores(t, t.testdir())
  const patience = () => [db.pragma('busy_timeout', { simple: true }), db.pragma('synchronous', { simple: true })]
  t.strictSame(createUnsyncedTransaction(db)(patience), [5000, 1])
  t.strictSame(patience(), [5000, 2])
})

t.test('a data directory that cannot be created or written is named at once', async (t) => {
  const file = `${t.testdir({ file: '' })}/file`
  for (const directory of ['/proc/stenobox/data', '/sys', `${file}/data`]) {
    t.throws(
      () => openDatabase(directory),
      { message: /^the data directory \S+ cannot be created or written; choose another directory with STENOBOX_DATA_DIR/ }, directory
    )
  }
})
