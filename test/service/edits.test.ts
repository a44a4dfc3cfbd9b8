/** Edits beside everything else that happens to a transcript, and of very long ones. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { KEPT_REVISIONS, KEPT_SEGMENTS } from '../../dist/store/edits.js'
import { openStores } from '../support/store.ts'
import { buildEdits, READER } from '../support/edit-service.ts'
import { makeSpoken } from '../support/edits.ts'

t.test('a hundred thousand words are replaced and brought back without keeping anybody waiting', async (t) => {
  const stores = openStores(t, t.testdir())
  const segments = makeSpoken(Array.from({ length: 10_000 }, (_, index) => ` We said the same words every time ${index} the end.`))
  const { id, service, shown, list } = buildEdits(stores, segments)
  const words = segments.reduce((sum, segment) => sum + segment.words.length, 0)
  t.ok(words >= 100_000, `${words} words`)
  // Processor time of this thread, because other tests run beside this one.
  const usedMs = (): number => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000 }
  let longestMs = 0
  async function measure<T> (work: () => Promise<T>): Promise<T> {
    const ended = new AbortController()
    const watch = (async () => {
      for (let beganAt = usedMs(); !ended.signal.aborted; beganAt = usedMs()) {
        await nextTurn()
        longestMs = Math.max(longestMs, usedMs() - beganAt)
      }
    })()
    const beganAt = performance.now()
    try {
      return await work()
    } finally {
      // After a failure too: the watch would keep the process running.
      ended.abort()
      await watch
      t.comment(`${Math.round(performance.now() - beganAt)} ms, at most ${Math.round(longestMs)} ms at once`)
    }
  }
  const takeTurn = async (): Promise<void> => await nextTurn()
  const before = list()
  t.match(await measure(async () => await service.replace(id, READER, { find: 'the', replace: 'their', wholeWords: true }, { takeTurn })), {
    count: 20_000, revision: 1
  })
  t.match(list(1), [{ text: ' We said their same words every time 0 their end.' }])
  t.match(await measure(async () => await service.undo(id, READER, undefined, { takeTurn })), { revision: 2, undone: 1 })
  t.strictSame(list().map((segment) => ({ ...segment, revision: 0 })), before)
  t.ok(longestMs < 50, `${Math.round(longestMs)} ms`)
  const beganAt = performance.now()
  shown.list(id, READER, { start: { offset: 0 }, limit: 500 })
  t.comment(`a page of 500 segments: ${Math.round(performance.now() - beganAt)} ms`)
})

t.test('the oldest revisions go first, and the machine\'s words never', async (t) => {
  const stores = openStores(t)
  const { id, edits, list, service } = buildEdits(stores, makeSpoken([' One two.', ' Three.']))
  stores.inTransaction(() => {
    for (let count = 0; count < KEPT_REVISIONS; count++) edits.begin(id, 'edit', 0)
  })
  await service.edit(id, READER, '0.0', { text: 'x', base: 0 })
  t.equal(service.listRevisions(id, 1, { before: undefined, limit: 5000 }).length, KEPT_REVISIONS)
  stores.db.prepare('UPDATE revision SET segments = ? WHERE number = 900').run(KEPT_SEGMENTS)
  await service.edit(id, READER, '0.1', { text: 'y', base: 0 })
  t.strictSame(service.listRevisions(id, 1, { before: undefined, limit: 5000 }).map(({ number }) => number).at(-1), 901)
  await t.rejects(service.undo(id, READER, 900, { takeTurn: nextTurn }), { code: 'gone' })
  t.match(await service.edit(id, READER, '0.0', { text: 'One two.', base: 1001 }), { isEdited: false })
  t.match(list(), [{ words: [{ startMs: 0, endMs: 200, probability: 0.5 }, {}] }, { text: ' y' }])
})

t.test('speakers that are identified again are those of edited words, of the machine\'s and of undone ones', async (t) => {
  const stores = openStores(t)
  const { id, edits, list, service } = buildEdits(stores, makeSpoken([' One two three.', ' Four.']))
  await service.edit(id, READER, '0.0', { text: 'One too many three.', base: 0 })
  t.match(list()[0]?.words.map(({ speaker }) => speaker), [undefined, undefined, undefined, undefined])
  stores.transcripts.nameSpeakers(id, (segments) => segments.map((segment) => ({
    ...segment,
    speaker: 'Speaker 2',
    words: segment.words.map((word) => ({ ...word, speaker: word.startMs < 200 ? 'Speaker 1' : 'Speaker 2' }))
  })))
  t.match(edits.find(id, { windowIdx: 0, idx: 0 }), {
    text: ' One too many three.', speaker: 'Speaker 2', words: [{ speaker: 'Speaker 1' }, { speaker: 'Speaker 2' }, {}, {}],
    machine: { text: ' One two three.', words: [{ speaker: 'Speaker 1' }, { speaker: 'Speaker 2' }, { speaker: 'Speaker 2' }] }
  })
  await service.undo(id, READER, undefined, { takeTurn: nextTurn })
  t.match(edits.find(id, { windowIdx: 0, idx: 0 }), {
    text: ' One two three.',
    words: [{ text: ' One', speaker: 'Speaker 1' }, { text: ' two', startMs: 200, endMs: 400, speaker: 'Speaker 2' }, {}]
  })
})

t.test('a text that was deleted comes back with the speakers that were identified meanwhile', async (t) => {
  const stores = openStores(t)
  const { id, edits, service } = buildEdits(stores, makeSpoken([' One two three.', ' Four.']))
  await service.edit(id, READER, '0.0', { text: '', base: 0 })
  stores.transcripts.nameSpeakers(id, (segments) => segments.map((segment) => ({
    ...segment, speaker: 'Speaker 2', words: segment.words.map((word) => ({ ...word, speaker: 'Speaker 2' }))
  })))
  t.match(edits.find(id, { windowIdx: 0, idx: 0 }), { text: '', words: [], speaker: 'Speaker 2' })
  await service.undo(id, READER, undefined, { takeTurn: nextTurn })
  const spoken = { speaker: 'Speaker 2' }
  t.match(edits.find(id, { windowIdx: 0, idx: 0 }), { text: ' One two three.', words: [spoken, spoken, spoken] })
})

t.test('edits wait for each other, drop artifacts, tell the index, and go with their transcription', async (t) => {
  const stores = openStores(t)
  const { id, list, service } = buildEdits(stores, makeSpoken(Array.from({ length: 300 }, () => ' same old words')))
  const { db, jobs } = stores
  const changed: number[] = []
  service.onChanged((jobId) => { changed.push(jobId) })
  db.prepare("INSERT INTO artifact (job_id, mode, attempt) VALUES (?, 'summary', 'x')").run(id)
  const [replaced, edited] = await Promise.all([
    service.replace(id, READER, { find: 'old', replace: 'new' }, { takeTurn: nextTurn }),
    service.edit(id, READER, '0.299', { text: 'mine', base: 1 })
  ])
  t.match(replaced, { count: 300, revision: 1 })
  t.match(edited, { text: ' mine', revision: 2 })
  t.equal(list().filter(({ text }) => text === ' same new words').length, 299)
  t.equal(db.prepare('SELECT count(*) FROM artifact').pluck().get(), 0)
  t.ok(changed.length >= 2 && changed.every((jobId) => jobId === id))
  jobs.remove(id)
  for (const table of ['segment', 'revision', 'revision_segment']) {
    t.equal(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), 0, table)
  }
})
