/** kill -9 in the middle of find and replace: the request with the same Idempotency-Key completes it, and applies nothing twice. */
import t from 'tap'
import { addCompleted } from '../support/exports.ts'
import { makeSpoken } from '../support/edits.ts'
import { startServer } from '../support/program.ts'
import { waitFor } from '../support/wait.ts'

const SEGMENTS = 20_000

t.test('a replacement is applied once, although the server was killed while it ran', async (t) => {
  const dataDir = t.testdir({})
  const first = await startServer(dataDir)
  t.teardown(first.stop)
  const segments = makeSpoken(Array.from({ length: SEGMENTS }, () => ' a b'))
  const { id, stores: { db } } = addCompleted(t, dataDir, 'default', {
    fileName: 'talk.mp3', durationMs: (segments.at(-1)?.endMs ?? 0) + 1000, segments
  })
  const replace = async (address: string): Promise<{ status: number, body: unknown }> => {
    const reply = await fetch(`${address}/api/v1/transcriptions/${id}/replace`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.firstKey}`, 'content-type': 'application/json', 'idempotency-key': 'once' },
      body: JSON.stringify({ find: 'a', replace: 'aa' })
    })
    return { status: reply.status, body: await reply.json() }
  }
  const count = (text: string): unknown => db.prepare('SELECT count(*) FROM segment WHERE text = ?').pluck().get(text)
  const begun = db.prepare('SELECT sum(segments) FROM revision').pluck()

  const killed = replace(first.address).then(() => false, () => true)
  await waitFor('the first slice', async () => begun.get() !== null, { everyMs: 1 })
  await first.kill9()
  t.ok(await killed, 'there was no reply')
  t.ok(Number(begun.get()) < SEGMENTS, `${String(begun.get())} of ${SEGMENTS} segments`)
  t.equal(count(' aa b'), begun.get())

  const second = await startServer(dataDir)
  t.teardown(second.stop)
  t.match(await replace(second.address), { status: 409, body: { code: 'idempotency_in_flight' } }, 'it may still be running somewhere')
  // The lease of the dead attempt, a minute later.
  db.prepare('UPDATE idempotent_request SET lease_until = 0').run()
  const { status, body } = await replace(second.address)
  t.match([status, body], [200, { data: { count: SEGMENTS, revision: 1 } }])
  t.strictSame([count(' aa b'), begun.get()], [SEGMENTS, SEGMENTS])
  t.strictSame(await replace(second.address), { status, body }, 'and from now on the stored reply')
})
