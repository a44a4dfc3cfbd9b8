/** The loop when something fails: steps that cannot note their end, claims, leases, and taking over the work. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { WorkClaim } from '../../dist/domain/work.js'
import { createLoop } from '../../dist/work/loop.js'
import { openLoop, RENEW_MS } from '../support/loop.ts'

t.test('renewing that fails is tried again at the next turn', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, errors, tick } = await openLoop(t)
  addWork('one', 0, addJob('a'))
  createTestLoop([createHeldKind('one', 1)], { renew () { throw new Error('the disk is full') } }).start()
  await nextTurn()
  await tick(RENEW_MS)
  await tick(RENEW_MS)
  t.strictSame(errors, ['renewing leases failed', 'renewing leases failed'])
})

t.test('a step whose end could not be stored is returned at a later tick', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, errors, queue, rows, running, tick, under } = await openLoop(t)
  const id = addJob('a')
  addWork('one', 0, id)
  let isFull = false
  const release = (claim: WorkClaim): void => {
    if (isFull) throw new Error('the disk is full')
    queue.release(claim)
  }
  createTestLoop([createHeldKind('one', 1)], { release }).start()
  await nextTurn()
  isFull = true
  under.shift()?.fail(new Error('the disk is full'))
  await nextTurn()
  t.strictSame(errors, ['step failed and will be tried again'])
  t.match(rows(), [{ kind: 'decode' }, { kind: 'one', state: 'running' }], 'not at once')
  await tick()
  t.strictSame(errors.slice(1), ['giving work back failed'])
  t.strictSame(running(), [])
  isFull = false
  await tick()
  t.strictSame(running(), [`one ${id}/0`])
  t.match(rows(), [{ kind: 'decode' }, { kind: 'one', state: 'running', attempt: 1 }], 'it did not count as an attempt')
  t.equal(errors.length, 2)
})

t.test('claiming that fails is tried again at the next tick', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, errors, running, tick } = await openLoop(t)
  const id = addJob('a')
  addWork('one', 0, id)
  const kind = createHeldKind('one', 1)
  let isFull = true
  function * claims (running: () => number): Generator<WorkClaim> {
    if (isFull) throw new Error('the disk is full')
    yield * kind.lane.claims(running)
  }
  createTestLoop([{ ...kind, lane: { slots: 1, claims } }]).start()
  await nextTurn()
  t.strictSame([errors, running()], [['claiming work failed'], []])
  isFull = false
  await tick()
  t.strictSame(running(), [`one ${id}/0`])
})

t.test('only one process works; when it stops, the other takes its work over at once', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, locks, rows, running, tick, under } = await openLoop(t)
  const id = addJob('a')
  addWork('one', 0, id)
  const [first, second] = [createTestLoop([createHeldKind('one', 1)]), createTestLoop([createHeldKind('one', 1)])]
  first.start()
  second.start()
  await nextTurn()
  await tick()
  second.wake()
  t.strictSame(running(), [`one ${id}/0`])
  const stopped = first.stop()
  await nextTurn()
  t.equal(under[0]?.signal.aborted, true)
  under.shift()?.end()
  await stopped
  t.equal(locks.isFree, true)
  t.match(rows(), [{ kind: 'decode' }, { kind: 'one', state: 'ready', attempt: 0 }])
  await tick()
  t.strictSame(running(), [`one ${id}/0`])
})

t.test('the work of a dead process is taken back before anything is claimed', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, hooks, orders, queue, rows } = await openLoop(t)
  addWork('one', 0, addJob('a'))
  queue.claim({ kinds: ['one'], next: () => orders.oldest('one') })
  hooks.recover = () => { t.match(rows(), [{ kind: 'decode' }, { kind: 'one', state: 'ready', attempt: 1 }]) }
  createTestLoop([createHeldKind('one', 1)]).start()
  await nextTurn()
  t.match(rows(), [{ kind: 'decode' }, { kind: 'one', state: 'running', attempt: 2 }])
})

for (const what of ['recover', 'takeOver'] as const) {
  t.test(`a takeover that fails (${what}) gives the lock back and is tried again`, async (t) => {
    const { addJob, addWork, createHeldKind, createTestLoop, errors, hooks, locks, running, tick } = await openLoop(t)
    const id = addJob('a')
    addWork('one', 0, id)
    const loop = createTestLoop([createHeldKind('one', 1)])
    hooks[what] = () => { throw new Error('the disk is full') }
    loop.start()
    await nextTurn()
    loop.wake()
    t.strictSame([errors, running(), locks.isFree], [['taking over the work failed'], [], true])
    hooks[what] = () => {}
    await tick()
    t.strictSame([running(), locks.isFree], [[`one ${id}/0`], false])
  })
}

t.test('a lock that could not be read is tried again', async (t) => {
  const { addJob, addWork, createHeldKind, queue, errors, tick, running } = await openLoop(t)
  const id = addJob('a')
  addWork('one', 0, id)
  let isBroken = true
  const loop = createLoop({
    kinds: [createHeldKind('one', 1)],
    queue,
    recover: async () => {},
    tryLock () {
      if (isBroken) throw new Error('no such directory')
      return { release () {} }
    },
    canWrite: async () => true,
    onTakeOver () {},
    log: { info () {}, warn () {}, error (_: object, message: string) { errors.push(message) } }
  })
  loop.start()
  await nextTurn()
  t.strictSame([errors, running()], [['taking over the work failed'], []])
  isBroken = false
  await tick()
  t.strictSame(running(), [`one ${id}/0`])
})
