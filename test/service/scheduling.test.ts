import t from 'tap'
import type { Test } from 'tap'
import { createScheduling, LEASE_MS } from '../../dist/service/scheduling.js'
import type { WindowClaim } from '../../dist/store/windows.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

const MIB = 1024 * 1024

function openScheduling (t: Test) {
  const stores = openStores(t)
  const clock = createClock()
  const { jobs, sources, windows, inTransaction } = stores
  const scheduling = createScheduling({ jobs, sources, windows, inTransaction, now: clock.now })
  return {
    ...stores,
    clock,
    scheduling,
    /** A window that must be there. */
    claimWindow (): WindowClaim {
      const claim = scheduling.claimWindow()
      if (!claim) throw new Error('no window waits')
      return claim
    },
    decodeAll: (onlySmall: boolean, count: number) => Array.from({ length: count }, () => scheduling.claimDecode(onlySmall)?.job.id)
  }
}

t.test('each claim takes a turn: two owners share evenly, however many jobs each has', async (t) => {
  const { addDecodedJob, claimWindow } = openScheduling(t)
  const [a1, a2] = [addDecodedJob('a', 30), addDecodedJob('a', 30)]
  const b = addDecodedJob('b', 30)
  t.strictSame(Array.from({ length: 8 }, () => claimWindow().jobId), [a1, b, a2, b, a1, b, a2, b])
  const clip = addDecodedJob('a', 1)
  t.strictSame(Array.from({ length: 4 }, () => claimWindow().jobId), [clip, b, a1, b], 'a new job of an owner is that owner\'s next')
})

t.test('a window given back goes to its job\'s next turn', async (t) => {
  const { addDecodedJob, claimWindow, windows } = openScheduling(t)
  const [a, b] = [addDecodedJob('a', 2), addDecodedJob('b', 2)]
  windows.release(claimWindow())
  t.match([claimWindow(), claimWindow()], [{ jobId: b, idx: 0 }, { jobId: a, idx: 0 }])
})

t.test('a claim that is not renewed is lost after the lease, by the clock', async (t) => {
  const { addDecodedJob, claimWindow, scheduling, windows, clock } = openScheduling(t)
  addDecodedJob('a', 1)
  t.ok(LEASE_MS >= 2 * 60_000, 'longer than any window takes')
  const first = claimWindow()
  clock.advance(LEASE_MS - 1)
  t.equal(scheduling.claimWindow(), undefined)
  scheduling.renewWindow(first)
  clock.advance(LEASE_MS - 1)
  t.equal(scheduling.claimWindow(), undefined)
  clock.advance(1)
  const second = claimWindow()
  t.equal(second.attempt, 2)
  t.equal(windows.finish(first), false)
  t.equal(windows.finish(second), true)
})

t.test('the same for decodes', async (t) => {
  const { addJob, scheduling, clock, jobs } = openScheduling(t)
  const id = addJob('a')
  const first = scheduling.claimDecode(false)
  if (!first) throw new Error('a decode waits')
  clock.advance(LEASE_MS - 1)
  scheduling.renewDecode(first)
  clock.advance(LEASE_MS - 1)
  t.equal(scheduling.claimDecode(false), undefined)
  clock.advance(1)
  t.match(scheduling.claimDecode(false), { job: { id }, attempt: 2 })
  t.equal(jobs.isDecodeClaim(id, 1), false)
})

t.test('the place kept for clips passes over large files', async (t) => {
  const { addJob, decodeAll } = openScheduling(t)
  const large = addJob('a', { sizeBytes: 8 * MIB + 1 })
  const small = addJob('a', { sizeBytes: 8 * MIB })
  t.strictSame(decodeAll(true, 2), [small, undefined])
  t.strictSame(decodeAll(false, 2), [large, undefined])
})

t.test('an owner has at most 8 recordings in progress, and clips beyond that up to 24', async (t) => {
  const { addJob, decodeAll } = openScheduling(t)
  const large = Array.from({ length: 10 }, () => addJob('a', { sizeBytes: 100 * MIB }))
  t.strictSame(decodeAll(false, 10), [...large.slice(0, 8), undefined, undefined])
  const clips = Array.from({ length: 18 }, () => addJob('a'))
  t.strictSame(decodeAll(false, 18), [...clips.slice(0, 16), undefined, undefined])
  const b = addJob('b', { sizeBytes: 100 * MIB })
  t.strictSame(decodeAll(false, 1), [b], 'others are not held up')
})

t.test('all owners together have at most 24 recordings in progress, and clips beyond that up to 72', async (t) => {
  const { addJob, decodeAll } = openScheduling(t)
  const owners = Array.from({ length: 10 }, (_, index) => `owner ${index}`)
  for (let round = 0; round < 8; round++) for (const owner of owners) addJob(owner, { sizeBytes: 100 * MIB })
  t.equal(decodeAll(false, 30).filter((id) => id !== undefined).length, 24)
  for (let round = 0; round < 20; round++) for (const owner of owners) addJob(owner)
  t.equal(decodeAll(false, 60).filter((id) => id !== undefined).length, 48)
})

t.test('what a dead process left is taken back at once, without its leases running out', async (t) => {
  const { addJob, addDecodedJob, claimWindow, scheduling, windows } = openScheduling(t)
  const decoding = addJob('a')
  const running = addDecodedJob('b', 1)
  scheduling.claimDecode(false)
  const lost = claimWindow()
  t.equal(scheduling.claimDecode(false), undefined)
  t.equal(scheduling.claimWindow(), undefined)
  scheduling.takeBackAll()
  t.match(scheduling.claimDecode(false), { job: { id: decoding }, attempt: 2 })
  t.match(claimWindow(), { jobId: running, attempt: 2 })
  t.equal(windows.finish(lost), false, 'and the dead stores nothing')
})

t.test('a claim that cannot take its turn is no claim', async (t) => {
  const { db, addDecodedJob, scheduling, windows } = openScheduling(t)
  const jobId = addDecodedJob('a', 1)
  db.exec('CREATE TEMP TRIGGER broken BEFORE UPDATE OF last_turn ON job BEGIN SELECT RAISE(ABORT, \'no turn\'); END')
  t.throws(() => scheduling.claimWindow(), /no turn/)
  t.match(windows.list(jobId, 'speech'), [{ status: 'queued', attempt: 0 }])
})
