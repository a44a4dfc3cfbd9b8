/** The loop: what it claims, renews and stops. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { WorkClaim } from '../../dist/domain/work.js'
import { repeat } from '../../dist/work/kind.js'
import { openLoop, RENEW_MS } from '../support/loop.ts'

t.test('every free slot is filled, and filled again when a step ends', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, endFirst, running } = await openLoop(t)
  const id = addJob('a')
  for (const idx of [0, 1, 2]) addWork('one', idx, id)
  for (const idx of [0, 1]) addWork('two', idx, id)
  const loop = createTestLoop([createHeldKind('one', 2), createHeldKind('two', 1)])
  t.strictSame(running(), [], 'nothing before the start')
  loop.start()
  await nextTurn()
  t.strictSame(running(), [`one ${id}/0`, `one ${id}/1`, `two ${id}/0`])
  await endFirst()
  t.strictSame(running(), [`one ${id}/1`, `two ${id}/0`, `one ${id}/2`])
  addWork('one', 7, id)
  loop.wake()
  t.equal(running().length, 3, 'no more than there are slots')
})

t.test('a lane is told that work is looked for while all its slots are taken', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, under } = await openLoop(t)
  let full = 0
  const kind = createHeldKind('a', 1)
  const loop = createTestLoop([{ ...kind, lane: { ...kind.lane, onFull () { full++ } } }])
  addWork('a', 0, addJob('a'))
  loop.start()
  await nextTurn()
  t.equal(under.length, 1)
  const before = full
  loop.wake()
  t.equal(full, before + 1)
})

t.test('a full disk is said once, work waits, and goes on by itself when there is room', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, errors, locks, tick, under } = await openLoop(t)
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  let claims = 0
  const kind = createHeldKind('a', 1)
  const claimAll = kind.lane.claims
  const loop = createTestLoop([{
    ...kind, lane: {
      ...kind.lane, claims (running) {
        claims++
        if (!locks.canWrite) throw full
        return claimAll(running)
      }
    }
  }])
  addWork('a', 0, addJob('a'))
  locks.canWrite = false
  loop.start()
  for (let count = 0; count < 120; count++) await tick()
  t.match(errors, [/^nothing can be written/])
  t.equal(errors.length, 1)
  t.equal(claims, 1, 'nothing is tried while the disk is full')
  locks.canWrite = true
  for (let count = 0; count < 11; count++) await tick()
  t.equal(under.length, 1, 'five seconds later')
})

t.test('kinds of one lane share its slots', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, orders, queue, endFirst, running } = await openLoop(t)
  const id = addJob('a')
  for (const kind of ['one', 'two']) for (const idx of [0, 1]) addWork(kind, idx, id)
  const next = (): number | undefined => orders.oldest('two') ?? orders.oldest('one')
  const claim = (): WorkClaim | undefined => queue.claim({ kinds: ['one', 'two'], next })
  const lane = { slots: 3, claims: () => repeat(claim) }
  createTestLoop([createHeldKind('one', 0, { lane }), createHeldKind('two', 0, { lane })]).start()
  await nextTurn()
  t.strictSame(running(), [`two ${id}/0`, `two ${id}/1`, `one ${id}/0`])
  await endFirst()
  t.strictSame(running().at(-1), `one ${id}/1`)
})

t.test('a step that makes work wakes the loop, which does not wait for its next tick', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, running } = await openLoop(t)
  const id = addJob('a')
  addWork('first', 0, id)
  const first = createHeldKind('first', 1, {
    async run (_, signal, wake) {
      addWork('second', 0, id)
      wake()
      await new Promise((resolve) => { signal.addEventListener('abort', resolve) })
    }
  })
  const loop = createTestLoop([createHeldKind('second', 1), first])
  loop.start()
  await nextTurn()
  t.strictSame(running(), [`second ${id}/0`])
})

t.test('what another process submitted, or what has come due, is noticed with the next tick', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, running, tick } = await openLoop(t)
  const id = addJob('a')
  createTestLoop([createHeldKind('one', 1)]).start()
  await nextTurn()
  addWork('one', 0, id)
  t.strictSame(running(), [])
  await tick()
  t.strictSame(running(), [`one ${id}/0`])
})

t.test('a job that is removed or has ended stops its own steps and no others, and not what outlives its run', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, under, work } = await openLoop(t)
  const [first, second] = [addJob('a'), addJob('a')]
  for (const id of [first, second]) for (const kind of ['one', 'two']) addWork(kind, 0, id)
  work.insert({ kind: 'after', jobId: first, run: undefined })
  const loop = createTestLoop([createHeldKind('one', 9), createHeldKind('two', 9), createHeldKind('after', 9)])
  loop.start()
  await nextTurn()
  const aborted = (): string[] => under.filter(({ signal }) => signal.aborted).map(({ claim }) => `${claim.kind} ${claim.jobId}`)
  t.equal(under.length, 5)
  loop.abandon(first)
  t.strictSame(aborted(), [`one ${first}`, `two ${first}`])
  loop.abandon(99)
  t.equal(aborted().length, 2)
})

t.test('leases of what runs are renewed', async (t) => {
  const { addJob, addWork, clock, createHeldKind, createTestLoop, db, endFirst, tick } = await openLoop(t)
  const id = addJob('a')
  for (const idx of [0, 1]) addWork('one', idx, id)
  createTestLoop([createHeldKind('one', 1)]).start()
  await nextTurn()
  const leases = (): unknown => db.prepare('SELECT lease_until FROM work WHERE kind = \'one\' ORDER BY idx').pluck().all()
  t.strictSame(leases(), [300_000, null])
  clock.advance(60_000)
  await tick(RENEW_MS)
  t.strictSame(leases(), [360_000, null])
  await endFirst()
  t.strictSame(leases(), [360_000])
})

t.test('a stop aborts running steps, waits for kinds with a grace period, and claims nothing more', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, running, under } = await openLoop(t)
  const id = addJob('a')
  for (const kind of ['one', 'patient']) for (const idx of [0, 1]) addWork(kind, idx, id)
  const loop = createTestLoop([createHeldKind('one', 1), createHeldKind('patient', 1, { graceMs: 60_000 })])
  loop.start()
  await nextTurn()
  const stopped = loop.stop()
  await nextTurn()
  t.strictSame(under.map(({ signal }) => signal.aborted), [true, false])
  for (const step of under.splice(0)) step.end()
  await stopped
  loop.wake()
  t.strictSame(running(), [])
})

t.test('work of an unknown kind is an error', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, errors, orders, queue } = await openLoop(t)
  addWork('other', 0, addJob('a'))
  const lane = { slots: 1, claims: () => repeat(() => queue.claim({ kinds: ['other'], next: () => orders.oldest('other') })) }
  createTestLoop([createHeldKind('one', 1, { lane })]).start()
  await nextTurn()
  t.strictSame(errors, ['claiming work failed'])
})
