/** Deleting transcriptions. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { createQuarantine } from '../../dist/service/quarantine.js'
import { createRemoval } from '../../dist/service/removal.js'
import { createFiles } from '../../dist/store/files.js'
import { buildEdits, READER } from '../support/edit-service.ts'
import { makeSpoken } from '../support/edits.ts'
import { callerOf, openSubmit } from '../support/submit.ts'
import type { Changes } from '../support/submit.ts'
import { randomBytes } from '../support/random.ts'
import { nameOf, openStores } from '../support/store.ts'

const BYTES = randomBytes(1000, 1)

async function open (t: Test, changes: Changes = {}) {
  const opened = await openSubmit(t, changes)
  const { begin, send, service, owner, dataDir, windows, transcripts } = opened
  const removal = createRemoval(opened)
  return {
    ...opened,
    removal,
    /** A job of an upload, with windows, segments and decoded sound. */
    async addJobOfUpload (): Promise<number> {
      const { id } = await begin(BYTES)
      await send(id, BYTES, 1)
      const jobId = await service.complete(id, callerOf(owner), undefined)
      windows.insert({ jobId, purpose: 'speech', idx: 0 }, { startSample: 0, endSample: 160_000 })
      transcripts.insertWindow(jobId, 0, [{ startMs: 0, endMs: 1, text: 'secret', words: [] }])
      mkdirSync(`${dataDir}/work/${jobId}`)
      writeFileSync(`${dataDir}/work/${jobId}/audio.pcm`, BYTES)
      return jobId
    },
    /** Rows by table. */
    rows: (): Record<string, unknown> => Object.fromEntries(['job', 'job_stage', 'media', 'window', 'segment', 'upload', 'upload_part']
      .map((table) => [table, opened.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]))
  }
}

const NOTHING = { job: 0, job_stage: 0, media: 0, window: 0, segment: 0, upload: 0, upload_part: 0 }

for (const status of ['queued', 'processing', 'completed', 'failed']) {
  t.test(`removing a ${status} job removes all its rows and files and calls the listeners`, async (t) => {
    const { removal, addJobOfUpload, db, owner, rows, list, service } = await open(t)
    const id = await addJobOfUpload()
    const uploadId = db.prepare('SELECT id FROM upload').pluck().get() as string
    db.prepare('UPDATE job SET status = ? WHERE id = ?').run(status, id)
    const told: number[] = []
    removal.onRemoved((jobId) => {
      t.equal(rows()['job'], 0, 'when it is gone')
      told.push(jobId)
    })
    await removal.remove(id, owner)
    t.strictSame(rows(), NOTHING)
    t.strictSame(['media', 'work', 'uploads'].flatMap(list), [])
    t.strictSame(told, [id])
    await t.rejects(removal.remove(id, owner), { code: 'not_found' }, 'a second time')
    await t.rejects(service.complete(uploadId, callerOf(owner), undefined), { code: 'not_found' }, 'and the upload does not bring it back')
  })
}

t.test('a job of another owner is not removed', async (t) => {
  const { removal, addJobOfUpload, other, rows, list } = await open(t)
  const id = await addJobOfUpload()
  await t.rejects(removal.remove(id, other), { code: 'not_found' })
  await t.rejects(removal.remove(id + 1, other), { code: 'not_found' })
  t.match(rows(), { job: 1, media: 1, upload: 1, segment: 1 })
  t.equal(list('media').length, 1)
})

t.test('a recording that another job uses stays until that job is removed too', async (t) => {
  const { removal, addJobOfUpload, jobs, owner, list, rows } = await open(t)
  const first = await addJobOfUpload()
  const mediaId = jobs.find(first)?.mediaId ?? 0
  const second = jobs.insert({ ownerId: owner, mediaId, fileName: nameOf('again.mp3'), options: { sttQuality: 'fast' }, now: 0 })
  await removal.remove(first, owner)
  t.match(rows(), { job: 1, media: 1 })
  t.equal(list('media').length, 1)
  await removal.remove(second, owner)
  t.strictSame(rows(), NOTHING)
  t.strictSame(list('media'), [])
})

t.test('on a full disk, the recording of a completed transcription makes room for its deletion', async (t) => {
  const { addJobOfUpload, db, list, owner, rows, ...rest } = await open(t)
  const id = await addJobOfUpload()
  const isFull = (): boolean => list('media').length > 0
  const inUnsyncedTransaction = <T>(work: () => T): T => {
    if (isFull()) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
    return rest.inUnsyncedTransaction(work)
  }
  const removal = createRemoval({ ...rest, inUnsyncedTransaction })
  await t.rejects(removal.remove(id, owner), { code: 'SQLITE_FULL' }, 'one in progress needs its recording')
  t.equal(list('media').length, 1)
  db.prepare('UPDATE job SET status = \'completed\' WHERE id = ?').run(id)
  await removal.remove(id, owner)
  t.strictSame([rows(), list('media')], [NOTHING, []])
})

t.test('a recording that made room in vain is known to be gone', async (t) => {
  const { addJobOfUpload, db, jobs, list, media, owner, ...rest } = await open(t)
  const id = await addJobOfUpload()
  db.prepare('UPDATE job SET status = \'completed\' WHERE id = ?').run(id)
  const full = (): never => { throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' }) }
  const removal = createRemoval({ ...rest, jobs, media, inTransaction: full })
  await t.rejects(removal.remove(id, owner), { code: 'SQLITE_FULL' })
  t.strictSame(list('media'), [])
  t.equal(media.find(jobs.find(id)?.mediaId ?? 0)?.state, 'removed')
})

t.test('all rows are removed, or none', async (t) => {
  const { removal, addJobOfUpload, db, owner, rows, list } = await open(t)
  const id = await addJobOfUpload()
  const before = rows()
  db.exec('CREATE TEMP TRIGGER broken BEFORE DELETE ON media BEGIN SELECT RAISE(ABORT, \'no\'); END')
  await t.rejects(removal.remove(id, owner), /no/)
  t.strictSame(rows(), before)
  t.equal(list('media').length, 1)
})

t.test('the sweep removes a recording that could not be removed earlier', async (t) => {
  const { removal, addJobOfUpload, files, owner, rows, list, media, clock } = await open(t)
  const { removeMedia } = files
  files.removeMedia = async () => { throw new Error('killed half-way') }
  const id = await addJobOfUpload()
  await t.rejects(removal.remove(id, owner), /half-way/)
  t.strictSame(rows(), NOTHING)
  t.equal(list('media').length, 1)
  files.removeMedia = removeMedia
  clock.advance(25 * 3600_000)
  const quarantine = createQuarantine({ media, files, now: clock.now, log: { warn () {} } })
  await quarantine.sweep()
  t.strictSame(list('media'), [])
  clock.advance(8 * 24 * 3600_000)
  await quarantine.sweep()
  t.strictSame(list('quarantine'), [], 'nothing is left of it after a week')
})

t.test('what many edits have left is removed in slices, after which nothing can be undone', async (t) => {
  const stores = openStores(t)
  const { db, inTransaction } = stores
  const { id, edits, service, list } = buildEdits(stores, makeSpoken(Array.from({ length: 1200 }, () => ' a')))
  await service.replace(id, READER, { find: 'a', replace: 'b' }, { takeTurn: nextTurn })
  const files = createFiles(t.testdir())
  const slices: number[] = []
  const inUnsyncedTransaction = <T>(work: () => T): T => {
    const result = inTransaction(work)
    slices.push(Number(db.prepare('SELECT count(*) FROM revision_segment').pluck().get()))
    if (slices.length === 3) throw new Error('killed')
    return result
  }
  const removeHistory = (jobId: number, limit: number): boolean => {
    const isMore = edits.removeHistory(jobId, limit)
    // As on a slow machine: one step fills a slice.
    for (const until = performance.now() + 16; performance.now() < until;);
    return isMore
  }
  const removal = createRemoval({ ...stores, files, edits: { ...edits, removeHistory }, inUnsyncedTransaction })
  await t.rejects(removal.remove(id, READER.ownerId), /killed/)
  t.strictSame(slices, [1200, 700, 200])
  await t.rejects(service.undo(id, READER, undefined, { takeTurn: nextTurn }), { code: 'conflict' })
  t.equal(list().length, 1200, 'the transcript is still whole')
  await removal.remove(id, READER.ownerId)
  for (const table of ['job', 'segment', 'revision', 'revision_segment']) {
    t.equal(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), 0, table)
  }
})

t.test('what search finds is removed in slices; a crash between them leaves the transcript, which is indexed again', async (t) => {
  const stores = openStores(t)
  const { db, inTransaction, passages, work } = stores
  const { id, list } = buildEdits(stores, makeSpoken([' a b']))
  const { ownerId } = READER
  const passage = { startMs: 0, endMs: 1, text: 'a b', speakers: [], sentences: [{ offset: 0, startMs: 0, endMs: 1 }] }
  inTransaction(() => {
    passages.add({ jobId: id, ownerId }, Array.from({ length: 40 }, () => passage), undefined)
    passages.show(id, { model: undefined, fault: undefined, now: 0 })
    work.insert({ kind: 'index', jobId: id, run: undefined })
  })
  const count = (): number => Number(db.prepare('SELECT count(*) FROM passage').pluck().get())
  const inUnsyncedTransaction = <T>(work: () => T): T => {
    const result = inTransaction(work)
    if (count() > 0 && count() < 30) throw new Error('killed')
    return result
  }
  const removeHidden = (jobId: number): boolean => {
    const isMore = passages.removeHidden(jobId)
    // As on a slow machine: one step fills a slice.
    for (const until = performance.now() + 16; performance.now() < until;);
    return isMore
  }
  const deps = { ...stores, files: createFiles(t.testdir()), passages: { ...passages, removeHidden } }
  await t.rejects(createRemoval({ ...deps, inUnsyncedTransaction }).remove(id, ownerId), /killed/)
  t.equal(count(), 24)
  t.equal(list().length, 1, 'the transcript is still whole')
  t.strictSame(passages.listStale(undefined, 0, 9), [id])
  await createRemoval(deps).remove(id, ownerId)
  t.strictSame([count(), stores.jobs.find(id)], [0, undefined])
})
