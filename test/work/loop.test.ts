/** The loop over a real table of work: what it claims, stops, gives back and takes over. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { mock } from 'node:test'
import t from 'tap'
import type { Test } from 'tap'
import type { WorkClaim } from '../../dist/domain/work.js'
import type { Queue } from '../../dist/service/queue.js'
import { repeat } from '../../dist/work/kind.js'
import type { Kind } from '../../dist/work/kind.js'
import { createLoop } from '../../dist/work/loop.js'
import { openSteps } from '../support/steps.ts'

const POLL_MS = 500
const RENEW_MS = 60_000

/** A step under way: the test ends it. */
type Step = { claim: WorkClaim, signal: AbortSignal, end (): void, fail (error: Error): void }

/** A loop whose steps end when the test says so, and whose clock goes when told. */
async function openLoop (t: Test) {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => { mock.timers.reset() })
  const steps = await openSteps(t)
  const { orders, queue, work } = steps
  const under: Step[] = []
  const errors: string[] = []
  const log = { info () {}, warn () {}, error (_: object, message: string) { errors.push(message) } }
  const locks = { isFree: true }
  const hooks = { recover: (): void => {}, takeOver: (): void => {} }

  /** A kind whose steps wait for the test. */
  function createHeldKind (kind: string, slots: number, changes: Partial<Kind> = {}): Kind {
    return {
      kind,
      lane: { slots, claims: () => repeat(() => queue.claim({ kinds: [kind], next: () => orders.oldest(kind) })) },
      run: async (claim, signal) => {
        await new Promise<void>((resolve, reject) => { under.push({ claim, signal, end: resolve, fail: reject }) })
        if (signal.aborted) work.release(claim)
        else work.finish(claim)
      },
      ...changes
    }
  }

  function createTestLoop (kinds: readonly Kind[], changes: Partial<Queue> = {}) {
    const loop = createLoop({
      kinds,
      queue: { ...queue, ...changes },
      recover: async () => { hooks.recover() },
      tryLock () {
        if (!locks.isFree) return undefined
        locks.isFree = false
        return { release () { locks.isFree = true } }
      },
      onTakeOver: () => { hooks.takeOver() },
      log
    })
    t.teardown(async () => {
      for (const step of under) step.end()
      await loop.stop()
    })
    return loop
  }

  return {
    ...steps,
    under,
    errors,
    locks,
    hooks,
    createHeldKind,
    createTestLoop,
    running: (): string[] => under.map(({ claim: { kind, jobId, idx } }) => `${kind} ${jobId}/${idx}`),
    /** Ends the step that was begun first. */
    async endFirst (): Promise<void> {
      under.shift()?.end()
      await nextTurn()
    },
    async tick (ms = POLL_MS): Promise<void> {
      mock.timers.tick(ms)
      await nextTurn()
    },
    rows: (): unknown => steps.db.prepare('SELECT kind, state, attempt FROM work ORDER BY id').all(),
    addWork: (kind: string, idx: number, jobId: number): void => { work.insert({ kind, jobId, idx, run: 0 }) }
  }
}

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

t.test('renewing that fails is tried again at the next turn', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, errors, tick } = await openLoop(t)
  addWork('one', 0, addJob('a'))
  createTestLoop([createHeldKind('one', 1)], { renew () { throw new Error('the disk is full') } }).start()
  await nextTurn()
  await tick(RENEW_MS)
  await tick(RENEW_MS)
  t.strictSame(errors, ['renewing leases failed', 'renewing leases failed'])
})

t.test('a step that could not note its end is given back at the next tick, as soon as that is possible', async (t) => {
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

t.test('what a dead process left is taken back before anything is claimed', async (t) => {
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

t.test('a lock that cannot be asked for is asked for again', async (t) => {
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

t.test('a stop aborts what runs, lets end what has a grace, and claims nothing more', async (t) => {
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

t.test('work of a kind that nobody knows is an error, not a silence', async (t) => {
  const { addJob, addWork, createHeldKind, createTestLoop, errors, orders, queue } = await openLoop(t)
  addWork('other', 0, addJob('a'))
  const lane = { slots: 1, claims: () => repeat(() => queue.claim({ kinds: ['other'], next: () => orders.oldest('other') })) }
  createTestLoop([createHeldKind('one', 1, { lane })]).start()
  await nextTurn()
  t.strictSame(errors, ['claiming work failed'])
})
