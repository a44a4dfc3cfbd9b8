/** The thread that reads the library: it begins with a search, ends when idle, and begins with the next one. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { createLibraryPool } from '../../dist/store/library-pool.js'
import { openStores } from '../support/store.ts'

const query = { ownerId: 1, terms: ['harbour'], vectors: [], filter: {}, wanted: 10 }

t.test('an idle thread ends, and the next search begins another one', async (t) => {
  const dataDir = t.testdir()
  openStores(t, dataDir)
  const pool = createLibraryPool(dataDir, 20)
  t.teardown(async () => { await pool.close() })
  t.equal(pool.threads(), 0, 'no search, no thread')
  t.strictSame((await pool.find(query)).candidates, [])
  // However slow the machine is: the test waits until the thread is gone.
  while (pool.threads() > 0) await wait(10)
  t.strictSame((await pool.find(query)).candidates, [])
  t.strictSame(await pool.listModels(), [])
})
