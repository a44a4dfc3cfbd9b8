/** Find and replace, and undo, with an Idempotency-Key: the server dies in the middle, and the request is sent again. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import type { RequestClaim } from '../../dist/domain/idempotency.js'
import { createIdempotency } from '../../dist/service/idempotency.js'
import { KEPT_REVISIONS } from '../../dist/store/edits.js'
import { createClock } from '../support/clock.ts'
import { buildEdits, READER } from '../support/edit-service.ts'
import { makeSpoken } from '../support/edits.ts'
import { openStores } from '../support/store.ts'

const SEGMENTS = 1500
const ASKED = { find: 'a', replace: 'aa' }
const AGAIN = { takeTurn: async (): Promise<void> => { await nextTurn() } }
const LEASE_MS = 60_000

function start (t: Test) {
  const stores = openStores(t)
  const built = buildEdits(stores, makeSpoken(Array.from({ length: SEGMENTS }, () => ' a b a')))
  const clock = createClock()
  const { idempotency: requests, inUnsyncedTransaction } = stores
  const log = { info () {}, warn () {}, error () {} }
  const idempotency = createIdempotency({ requests, inUnsyncedTransaction, now: clock.now, log })
  const { id, service, list } = built

  /** Begins the request with a key: the first time, or after the lease of an attempt that died. */
  function claim (key = 'k', content: object = ASKED): RequestClaim {
    const begun = idempotency.begin({ scope: 'owner 1', operationId: 'edit', key, content })
    if ('answer' in begun) throw new Error('it has an answer')
    return begun.claim
  }
  /** The first attempt, which dies as kill -9 leaves it: between two commits, its claim held. */
  async function die (work: (course: { takeTurn: () => Promise<void>, claim: RequestClaim }) => Promise<unknown>): Promise<void> {
    let hasChanged = false
    const takeTurn = async (): Promise<void> => {
      if (!hasChanged) hasChanged = service.listRevisions(id, 1, { before: undefined, limit: 1 })[0]?.segments !== before
      if (hasChanged) throw new Error('killed')
    }
    const before = service.listRevisions(id, 1, { before: undefined, limit: 1 })[0]?.segments
    await t.rejects(work({ takeTurn, claim: claim() }), /killed/)
    clock.advance(LEASE_MS)
  }
  const texts = (): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const { text } of list()) counts[text] = (counts[text] ?? 0) + 1
    return counts
  }
  return { ...built, ...stores, clock, idempotency, claim, die, texts }
}

t.test('a replacement that died in the middle is completed by the same request, with the reply of an undisturbed one', async (t) => {
  const { id, service, claim, die, texts } = start(t)
  await die(async (course) => await service.replace(id, READER, ASKED, course))
  const partly = texts()
  t.ok((partly[' aa b aa'] ?? 0) > 0 && (partly[' a b a'] ?? 0) > 0, JSON.stringify(partly))
  const reply = await service.replace(id, READER, ASKED, { ...AGAIN, claim: claim() })
  t.match(reply, { count: 2 * SEGMENTS, revision: 1 })
  t.equal(new Set(reply.segments).size, SEGMENTS)
  t.strictSame(texts(), { ' aa b aa': SEGMENTS }, 'once everywhere')
  await service.undo(id, READER, undefined, AGAIN)
  t.strictSame(texts(), { ' a b a': SEGMENTS }, 'and one undo takes all of it back')
})

t.test('one that was complete when the server died changes nothing when it is sent again', async (t) => {
  const { id, service, clock, claim, texts } = start(t)
  const first = await service.replace(id, READER, ASKED, { ...AGAIN, claim: claim() })
  clock.advance(LEASE_MS)
  t.strictSame(await service.replace(id, READER, ASKED, { ...AGAIN, claim: claim() }), first)
  t.strictSame(texts(), { ' aa b aa': SEGMENTS })
})

t.test('if the transcript was changed since, the same request is refused every time, and says what to do', async (t) => {
  const { id, service, claim, die, idempotency, texts } = start(t)
  await die(async (course) => await service.replace(id, READER, ASKED, course))
  await service.edit(id, READER, '0.0', { text: 'mine', base: 1 })
  const after = texts()
  for (const attempt of [1, 2]) {
    const again = claim()
    await t.rejects(service.replace(id, READER, ASKED, { ...AGAIN, claim: again }), {
      code: 'conflict', message: /interrupted.*revision 1\. Undo that revision.*new Idempotency-Key/
    }, `attempt ${attempt}`)
    idempotency.finish(again, 'k', { status: 409, contentType: 'application/json', body: '{}' })
  }
  t.strictSame(texts(), after)
  t.match(await service.replace(id, READER, { find: 'mine', replace: 'ours' }, { ...AGAIN, claim: claim('new') }), { revision: 3 })
})

t.test('an undo that died in the middle is completed, and undoes nothing else', async (t) => {
  const { id, service, claim, die, texts, shown } = start(t)
  await service.replace(id, READER, { find: 'b', replace: 'c' }, AGAIN)
  await service.replace(id, READER, ASKED, AGAIN)
  await die(async (course) => await service.undo(id, READER, undefined, course))
  t.equal(Object.keys(texts()).length, 2)
  const reply = await service.undo(id, READER, undefined, { ...AGAIN, claim: claim() })
  t.match(reply, { revision: 3, undone: 2, segments: { length: SEGMENTS } })
  t.strictSame(texts(), { ' a c a': SEGMENTS })
  t.match(service.listRevisions(id, 1, { before: undefined, limit: 9 }), [
    { kind: 'undo', segments: SEGMENTS }, { isUndone: true }, { isUndone: false }
  ])
  t.equal(shown.list(id, READER, { start: { offset: 0 }, limit: 1 }).total, SEGMENTS)
})

t.test('an undo that was complete, and whose revision was then too old to keep, undoes nothing else when it is sent again', async (t) => {
  const { id, service, clock, claim, texts } = start(t)
  const course = (): { takeTurn: () => Promise<void>, claim: RequestClaim } => ({ ...AGAIN, claim: claim() })
  await service.edit(id, READER, '0.0', { text: 'the oldest', base: 0 })
  for (let number = 2, base = 0; number <= KEPT_REVISIONS; base = number++) {
    await service.edit(id, READER, '0.1', { text: `text ${number}`, base })
  }
  const first = await service.undo(id, READER, 1, course())
  t.strictSame(first, { revision: KEPT_REVISIONS + 1, undone: 1, segments: ['0.0'] })
  const after = texts()
  clock.advance(LEASE_MS)
  t.strictSame(await service.undo(id, READER, 1, course()), first)
  t.strictSame(texts(), after)
})

t.test('an attempt that lost its claim changes nothing', async (t) => {
  const { id, service, clock, claim, texts } = start(t)
  const first = claim()
  clock.advance(LEASE_MS)
  claim()
  await t.rejects(service.replace(id, READER, ASKED, { ...AGAIN, claim: first }), { code: 'idempotency_in_flight' })
  t.strictSame(texts(), { ' a b a': SEGMENTS })
})
