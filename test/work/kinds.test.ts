/** The policies of kinds: how many at once, for whom, in which order. */
import t from 'tap'
import type { Test } from 'tap'
import type { WorkClaim } from '../../dist/domain/work.js'
import { LEASE_MS } from '../../dist/service/queue.js'
import type { Kind } from '../../dist/work/kind.js'
import { createDecodeKind } from '../../dist/work/kinds/decode.js'
import { createFetchKind } from '../../dist/work/kinds/fetch.js'
import { createSpeakersKind } from '../../dist/work/kinds/speakers.js'
import { openFetching } from '../support/fetching.ts'
import { openSteps } from '../support/steps.ts'

const MIB = 1024 * 1024
const URL = 'https://example.org/talk.mp3'

/** Jobs of up to `count` claims of a kind, as the loop asks for them, while so many run already. */
function claimJobs ({ lane }: Kind, count: number, running = 0): number[] {
  const jobs: number[] = []
  for (const { jobId } of lane.claims(() => running)) {
    jobs.push(jobId)
    if (jobs.length === count) break
  }
  return jobs
}

async function openKinds (t: Test) {
  const steps = await openSteps(t)
  const decode = createDecodeKind(steps.decoding)
  return {
    ...steps,
    decode,
    /** A window that must be there. */
    claimSpeech (): WorkClaim {
      const claim = steps.transcribing.claim()
      if (!claim) throw new Error('no window waits')
      return claim
    }
  }
}

t.test('each claim takes a turn: two owners share evenly, however many jobs each has', async (t) => {
  const { addDecodedJob, claimSpeech } = await openKinds(t)
  const [a1, a2] = [addDecodedJob('a', 30), addDecodedJob('a', 30)]
  const b = addDecodedJob('b', 30)
  t.strictSame(Array.from({ length: 8 }, () => claimSpeech().jobId), [a1, b, a2, b, a1, b, a2, b])
  const clip = addDecodedJob('a', 1)
  t.strictSame(Array.from({ length: 4 }, () => claimSpeech().jobId), [clip, b, a1, b], 'a new job of an owner is that owner\'s next')
})

t.test('a window given back goes to its job\'s next turn', async (t) => {
  const { addDecodedJob, claimSpeech, queue } = await openKinds(t)
  const [a, b] = [addDecodedJob('a', 2), addDecodedJob('b', 2)]
  queue.release(claimSpeech())
  t.match([claimSpeech(), claimSpeech()], [{ jobId: b, idx: 0 }, { jobId: a, idx: 0 }])
})

t.test('a claim that is not renewed is lost after the lease, by the clock', async (t) => {
  const { addDecodedJob, claimSpeech, transcribing, queue, work, clock } = await openKinds(t)
  addDecodedJob('a', 1)
  t.ok(LEASE_MS >= 2 * 60_000, 'longer than any window takes')
  const first = claimSpeech()
  clock.advance(LEASE_MS - 1)
  t.equal(transcribing.claim(), undefined)
  queue.renew([first])
  clock.advance(LEASE_MS - 1)
  t.equal(transcribing.claim(), undefined)
  clock.advance(1)
  const second = claimSpeech()
  t.equal(second.attempt, 2)
  t.equal(work.finish(first), false)
  t.equal(work.finish(second), true)
})

t.test('a claim whose turn cannot be stored fails', async (t) => {
  const { db, addDecodedJob, transcribing } = await openKinds(t)
  addDecodedJob('a', 1)
  db.exec('CREATE TEMP TRIGGER broken BEFORE UPDATE OF last_turn ON job BEGIN SELECT RAISE(ABORT, \'no turn\'); END')
  t.throws(() => transcribing.claim(), /no turn/)
  t.match(db.prepare('SELECT state, attempt FROM work').get(), { state: 'ready', attempt: 0 })
})

t.test('the third slot of decoding passes over large files', async (t) => {
  const { addJob, decode } = await openKinds(t)
  const large = addJob('a', { sizeBytes: 8 * MIB + 1 })
  const small = addJob('a', { sizeBytes: 8 * MIB })
  t.strictSame(claimJobs(decode, 2, 2), [small])
  t.strictSame(claimJobs(decode, 2), [large])
})

t.test('however many small files an owner has, the last slot of decoding is for the clip of another', async (t) => {
  const { addJob, decode } = await openKinds(t)
  const a = Array.from({ length: 6 }, () => addJob('a', { sizeBytes: 50_000 }))
  const claimed: number[] = []
  const claims = (): Iterable<WorkClaim> => decode.lane.claims(() => claimed.length)
  for (const { jobId } of claims()) claimed.push(jobId)
  t.strictSame(claimed, a.slice(0, 3))
  const [large, clip] = [addJob('b', { sizeBytes: 100 * MIB }), addJob('b')]
  for (const { jobId } of claims()) claimed.push(jobId)
  t.strictSame(claimed, [...a.slice(0, 3), clip])
  t.strictSame(claimJobs(decode, 2, 1), [large, a[3]], 'the rest waits for the first slots; the owner with fewer decodes is next')
})

t.test('an owner has at most 8 recordings in progress, and clips beyond that up to 24', async (t) => {
  const { addJob, decode } = await openKinds(t)
  const large = Array.from({ length: 10 }, () => addJob('a', { sizeBytes: 100 * MIB }))
  t.strictSame(claimJobs(decode, 10), large.slice(0, 8))
  const clips = Array.from({ length: 18 }, () => addJob('a'))
  t.strictSame(claimJobs(decode, 18), clips.slice(0, 16))
  const b = addJob('b', { sizeBytes: 100 * MIB })
  t.strictSame(claimJobs(decode, 1), [b], 'others are not held up')
})

t.test('all owners together have at most 24 recordings in progress, and clips beyond that up to 72', async (t) => {
  const { addJob, decode } = await openKinds(t)
  const owners = Array.from({ length: 10 }, (_, index) => `owner ${index}`)
  for (let round = 0; round < 8; round++) for (const owner of owners) addJob(owner, { sizeBytes: 100 * MIB })
  t.equal(claimJobs(decode, 30).length, 24)
  for (let round = 0; round < 20; round++) for (const owner of owners) addJob(owner)
  t.equal(claimJobs(decode, 60).length, 48)
})

t.test('a clip does not wait for the speakers of long recordings, and owners take turns', async (t) => {
  const { addDecodedJob, diarizing, jobs, speakers, work } = await openKinds(t)
  const add = (owner: string, minutes: number): number => {
    const id = addDecodedJob(owner, 1)
    jobs.setDecoded(id, minutes * 60_000, 0)
    speakers.request(id, {})
    work.insert({ kind: 'speakers', jobId: id, run: 0 })
    return id
  }
  const kind = createSpeakersKind(diarizing)
  const [a1, a2, b] = [add('a', 600), add('a', 600), add('b', 600)]
  t.strictSame(claimJobs(kind, 1), [a1], 'the first slot is for any recording')
  t.strictSame(claimJobs(kind, 1, 1), [], 'the last one is not for long ones')
  const clip = add('c', 1)
  t.strictSame(claimJobs(kind, 1, 1), [clip])
  t.strictSame(claimJobs(kind, 2), [b, a2], 'the owner served longest ago is next')
})

t.test('slots for fetches are left for other owners, even beside four who have as many sources as they like', async (t) => {
  const { addUrlJob, fetching } = await openFetching(t, {})
  const fetch = createFetchKind(fetching)
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((owner) => Array.from({ length: 6 }, () => addUrlJob(owner, URL)))
  const claimed: number[] = []
  for (const { jobId } of fetch.lane.claims(() => claimed.length)) claimed.push(jobId)
  t.strictSame(claimed, [a?.[0], b?.[0], c?.[0], d?.[0]], 'one for each')
  const e = addUrlJob('e', URL)
  t.strictSame(claimJobs(fetch, 6, 4), [e], 'the next owner finds a place')
})

t.test('an owner fetches three at once; the last slot is for owners with no running fetch', async (t) => {
  const { addUrlJob, fetching, work } = await openFetching(t, {})
  const fetch = createFetchKind(fetching)
  const a = Array.from({ length: 5 }, () => addUrlJob('a', URL))
  t.strictSame(claimJobs(fetch, 5), a.slice(0, 3))
  const b = [addUrlJob('b', URL), addUrlJob('b', URL)]
  work.takeBack()
  t.strictSame(claimJobs(fetch, 5, fetch.lane.slots - 1), [b[0], a[0]])
})
