/** What is left of deleted rows in the files of the database. */
import t from 'tap'
import type { Test } from 'tap'
import { openDatabase } from '../../dist/store/database.js'
import { createErasure } from '../../dist/store/erasure.js'
import type { Erasure } from '../../dist/store/erasure.js'
import { createPassageStore } from '../../dist/store/passages.js'
import { createTranscriptStore } from '../../dist/store/transcripts.js'
import { createRandom } from '../support/random.ts'
import { scanFor } from '../support/scan.ts'
import { openStores } from '../support/store.ts'

const JOBS = 50
const WINDOWS = 24
const secretOf = (id: number): string => `secret${id}z`
const word = (text: string, probability: number) => ({ text: ` ${text}`, startMs: 0, endMs: 1, probability })

/** Fifty transcripts whose windows were stored in random order, as several at once are; every other one is rewritten, as for speakers. */
function open (t: Test) {
  const dataDir = t.testdir()
  const stores = openStores(t, dataDir)
  const { db, inTransaction, transcripts, addJob } = stores
  const random = createRandom(15)
  const ids = Array.from({ length: JOBS }, () => addJob('a'))
  for (const id of ids) db.prepare('UPDATE job SET file_name = ? WHERE id = ?').run(`${secretOf(id)}.mp3`, id)
  const windows = ids.flatMap((id) => Array.from({ length: WINDOWS }, (_, idx) => ({ id, idx, turn: random() })))
  // Whether a copy survives is not what durability is about, and waiting for the disk would take most of the time.
  db.pragma('synchronous = OFF')
  for (const { id, idx } of windows.sort((one, two) => one.turn - two.turn)) {
    const words = Array.from({ length: 3 + Math.floor(random() * 20) }, () => word(secretOf(id), 0.5))
    const segment = { startMs: 0, endMs: 1, text: words.map(({ text }) => text).join(''), words }
    inTransaction(() => { transcripts.insertWindow(id, idx, [segment, segment, segment]) })
  }
  for (const id of ids.filter((id) => id % 3 === 0)) {
    inTransaction(() => {
      transcripts.nameSpeakers(id, (segments) => segments.map((segment) => ({ ...segment, words: segment.words.slice(1) })))
    })
  }
  const erasure = createErasure(db)
  t.teardown(() => { erasure.close() })
  const deleted = ids.filter((id) => id % 2 === 0)
  return {
    ...stores,
    dataDir,
    erasure,
    ids,
    deleted,
    removeHalf: (): void => { for (const id of deleted) inTransaction(() => { stores.jobs.remove(id) }) },
    found: (of: readonly number[]): string[] => Object.keys(scanFor(dataDir, of.map(secretOf)))
  }
}

function clearAll (erasure: Erasure): void {
  for (let next: number | undefined = 1; next !== undefined;) {
    const stretch = erasure.clear(next)
    if (stretch === 'busy') throw new Error('busy')
    next = stretch.next
  }
  erasure.truncateLog()
}

t.test('nothing of deleted transcripts is left, and everything of the others', async (t) => {
  const { db, transcripts, erasure, ids, deleted, removeHalf, found, dataDir } = open(t)
  t.equal(found(ids).length, JOBS, 'before the deletion, the scan finds every one')
  removeHalf()
  const rest = ids.filter((id) => !deleted.includes(id))
  const texts = rest.map((id) => transcripts.list(id))
  t.ok(erasure.truncateLog())
  t.not(found(deleted).length, 0, 'secure_delete alone leaves copies of rows that SQLite moved')
  clearAll(erasure)
  t.strictSame(found(deleted), [])
  t.equal(found(rest).length, rest.length)
  t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  t.strictSame(rest.map((id) => transcripts.list(id)), texts)
  const other = openDatabase(dataDir)
  t.strictSame(rest.map((id) => createTranscriptStore(other).list(id)), texts, 'also for a connection that reads the file')
  other.close()
})

t.test('what another connection read before the clearing does not come back with what it writes', async (t) => {
  const { deleted, removeHalf, found, dataDir, erasure, ids } = open(t)
  removeHalf()
  const other = openDatabase(dataDir)
  t.teardown(() => { other.close() })
  other.prepare('SELECT sum(length(words)) FROM segment').get()
  clearAll(erasure)
  // Every page with segments is written from the other connection.
  other.prepare('UPDATE segment SET end_ms = 2').run()
  t.ok(erasure.truncateLog())
  t.strictSame(found(deleted), [])
  t.equal(found(ids).length, JOBS - deleted.length)
})

t.test('the same for rows that this connection writes afterwards', async (t) => {
  const { db, deleted, removeHalf, found, erasure } = open(t)
  removeHalf()
  db.prepare('SELECT sum(length(words)) FROM segment').get()
  clearAll(erasure)
  db.prepare('UPDATE segment SET end_ms = 2').run()
  t.ok(erasure.truncateLog())
  t.strictSame(found(deleted), [])
})

t.test('it waits neither for a reader nor for a writer', async (t) => {
  const dataDir = t.testdir()
  const { db, apiKeys } = openStores(t, dataDir)
  const erasure = createErasure(db)
  t.teardown(() => { erasure.close() })
  const other = openDatabase(dataDir)
  t.teardown(() => { other.close() })
  for (const begin of ['BEGIN; SELECT * FROM owner', 'BEGIN IMMEDIATE']) {
    other.exec(begin)
    if (begin === 'BEGIN; SELECT * FROM owner') apiKeys.ensureOwner('a', 0)
    const startedMs = performance.now()
    t.equal(erasure.clear(1), 'busy', begin)
    t.ok(performance.now() - startedMs < 4000, 'less than the patience of other statements')
    other.exec('COMMIT')
    t.equal(db.pragma('busy_timeout', { simple: true }), 5000)
    t.strictSame(erasure.clear(1), { next: undefined })
  }
})

t.test('each deletion of a job or an upload asks for a clearing, also by reference', async (t) => {
  const { db, jobs, addJob } = openStores(t)
  const erasure = createErasure(db)
  t.equal(erasure.findPending(), undefined)
  const id = addJob('a')
  jobs.remove(id)
  t.equal(erasure.findPending(), 1)
  erasure.setCleared(1)
  t.equal(erasure.findPending(), undefined)
  db.prepare(`INSERT INTO upload (id, owner_id, file_name, size_bytes, part_size_bytes, options, created_at, expires_at)
    VALUES ('u', 1, 'x', 1, 1, '{}', 0, 0)`).run()
  db.prepare('DELETE FROM upload').run()
  t.equal(erasure.findPending(), 2)
  t.strictSame(erasure.clear(1), { next: undefined }, 'a database in memory has no file')
})

t.test('the full-text index has no word of deleted passages, and all words of the others', async (t) => {
  const dataDir = t.testdir()
  const { db, jobs, inTransaction, addJob } = openStores(t, dataDir)
  const erasure = createErasure(db)
  t.teardown(() => { erasure.close() })
  const passages = createPassageStore(db)
  const ownerId = (id: number): number => jobs.find(id)?.ownerId ?? 0
  const ids = Array.from({ length: JOBS }, () => addJob('a'))
  // Terms share their beginnings with their neighbours, so the first letters differ.
  const wordOf = (id: number): string => `${String.fromCharCode(97 + id % 26)}secret${id}z`
  for (const id of ids) {
    const passage = { startMs: 0, endMs: 1, text: `${wordOf(id)} harbour`, speakers: [], sentences: [{ offset: 0, startMs: 0, endMs: 1 }] }
    inTransaction(() => {
      passages.add({ jobId: id, ownerId: ownerId(id) }, [passage], undefined)
      passages.show(id, { model: undefined, fault: undefined, now: 0 })
    })
  }
  const deleted = ids.filter((id) => id % 2 === 0)
  for (const id of deleted) inTransaction(() => { jobs.remove(id) })
  let part = erasure.mergeTerms('begin')
  while (part === 'more') part = erasure.mergeTerms('continue')
  t.equal(part, 'done')
  clearAll(erasure)
  t.strictSame(Object.keys(scanFor(dataDir, deleted.map((id) => wordOf(id).slice(1)))), [])
  const matches = db.prepare('SELECT count(*) FROM passage_terms WHERE passage_terms MATCH ?').pluck()
  t.equal(matches.get('harbour'), JOBS - deleted.length)
  t.equal(matches.get(wordOf(ids.find((id) => id % 2 === 1) ?? 0)), 1)
})
