/** How often pages are told of changes, and how much at once. */
import t from 'tap'
import type { Test } from 'tap'
import type { LibraryEvent } from '../../dist/domain/event.js'
import { createEvents } from '../../dist/service/events.js'
import { watchChanges } from '../../dist/store/changes.js'
import { openStores } from '../support/store.ts'

function build (t: Test) {
  const { db, jobs, addJob, ...stores } = openStores(t, t.testdir())
  let ms = 0
  const due: Array<{ atMs: number, callBack: () => void }> = []
  const events = createEvents({
    jobs,
    log: { warn: () => {} },
    elapsed: () => ms,
    later (inMs, callBack) {
      const one = { atMs: ms + inMs, callBack }
      due.push(one)
      return () => { due.splice(due.indexOf(one), 1) }
    }
  })
  watchChanges(db, events.note)
  const told: Array<LibraryEvent | 'heartbeat'> = []
  const listener = {
    send (event: LibraryEvent | 'heartbeat') { told.push(event); return true },
    isAllowed: async () => true, end: () => {}, drop: () => {}
  }
  const ownerOf = (id: number): number => jobs.find(id)?.ownerId ?? 0
  return {
    ...stores, db, jobs, addJob, events, told, listener, ownerOf, due,
    /** Lets time pass, and what is due happen. */
    pass (byMs: number): void {
      ms += byMs
      for (const { callBack } of due.splice(0).filter((one) => one.atMs <= ms || (due.push(one), false))) callBack()
    }
  }
}

t.test('the first event of a job is sent at once, the next ones at most twice a second, with its latest state', async (t) => {
  const { jobs, addJob, events, told, listener, ownerOf, pass } = build(t)
  const id = addJob('anna')
  events.open(ownerOf(id), listener)
  jobs.setDecoded(id, 1000, 1)
  pass(0)
  t.match(told, [{ event: 'job', data: { id, status: 'queued' } }])
  for (let done = 0; done < 10; done++) {
    jobs.addDone(id, 10, 1)
    pass(40)
  }
  t.equal(told.length, 1, 'not before half a second')
  pass(100)
  t.equal(told.length, 2)
  pass(5000)
  t.equal(told.length, 2, 'nothing without a change')
  jobs.addDone(id, 10, 1)
  pass(0)
  t.equal(told.length, 3, 'at once after a pause')
})

t.test('many changes at once are one event, and changes that nobody follows are none', async (t) => {
  const { jobs, addJob, events, told, listener, ownerOf, due, pass } = build(t)
  const ids = Array.from({ length: 150 }, () => addJob('anna'))
  const other = addJob('ben')
  t.equal(due.length, 0)
  const close = events.open(ownerOf(ids[0] ?? 0), listener)
  for (const id of [...ids, other]) jobs.touch(id, 2)
  pass(0)
  t.strictSame(told, [{ event: 'list', data: {} }])
  close()
  jobs.touch(ids[0] ?? 0, 3)
  t.equal(due.length, 0, 'nobody listens any more')
})

t.test('a change that is rolled back says nothing new, and a removed transcription is a change of the list', async (t) => {
  const { db, jobs, addJob, events, told, listener, ownerOf, pass } = build(t)
  const id = addJob('anna')
  events.open(ownerOf(id), listener)
  t.throws(() => db.transaction(() => {
    jobs.fail(id, 'timeout', 1)
    throw new Error('rolled back')
  })())
  pass(0)
  t.match(told, [{ event: 'job', data: { id, status: 'queued' } }])
  jobs.remove(id)
  pass(500)
  t.strictSame(told.slice(1), [{ event: 'list', data: {} }])
})

t.test('a page learns that speakers are wanted, for the first time and again', async (t) => {
  const { addJob, speakers, events, told, listener, ownerOf, pass } = build(t)
  const id = addJob('anna')
  events.open(ownerOf(id), listener)
  speakers.request(id, {})
  pass(0)
  speakers.request(id, { min: 2 })
  pass(500)
  t.strictSame(told, [{ event: 'transcript', data: { id } }, { event: 'transcript', data: { id } }])
})

t.test('a listener that does not keep up is dropped, one whose check fails is ended', async (t) => {
  const { addJob, events, listener, ownerOf, pass } = build(t)
  const id = addJob('anna')
  const seen: string[] = []
  const make = (name: string, more: Partial<typeof listener>) => ({
    ...listener, end: () => { seen.push(`${name} ended`) }, drop: () => { seen.push(`${name} dropped`) }, ...more
  })
  events.open(ownerOf(id), make('slow', { send: () => false }))
  events.open(ownerOf(id), make('unknown', { isAllowed: async () => { throw new Error('no keys of the issuer') } }))
  events.open(ownerOf(id), make('good', {}))
  await events.sweep()
  t.strictSame(seen, ['unknown ended', 'slow dropped'])
  events.stop()
  t.strictSame(seen.slice(2), ['good ended'])
  t.throws(() => events.open(1, listener), { code: 'unavailable' })
  pass(1000)
})
