/** What a new kind of background work takes: one declaration. This one counts the segments of a transcript. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { repeat } from '../../dist/work/kind.js'
import type { Kind } from '../../dist/work/kind.js'
import { createLoop } from '../../dist/work/loop.js'
import { SILENT } from '../support/deliveries.ts'
import { openSteps } from '../support/steps.ts'
import { makeSegments } from '../support/transcript.ts'

t.test('a kind that counts: one declaration in the list of kinds', async (t) => {
  const { addDecodedJob, db, orders, queue, transcripts, work } = await openSteps(t)
  const counted = new Map<number, number>()
  const next = orders.byTurn(['count'])
  const count: Kind = {
    kind: 'count',
    lane: { slots: 2, claims: () => repeat(() => queue.claim({ kinds: ['count'], next })) },
    async run (claim) {
      counted.set(claim.jobId, transcripts.list(claim.jobId).length)
      work.finish(claim)
    }
  }
  const jobs = [1, 2, 3].map((windows) => {
    const jobId = addDecodedJob('a', 0)
    for (let idx = 0; idx < windows; idx++) transcripts.insertWindow(jobId, idx, makeSegments())
    work.insert({ kind: 'count', jobId, run: 0 })
    return jobId
  })
  const loop = createLoop({
    kinds: [count], queue, recover: async () => {}, tryLock: () => ({ release () {} }), canWrite: async () => true, onTakeOver () {},
    log: SILENT
  })
  loop.start()
  while (counted.size < jobs.length) await nextTurn()
  await loop.stop()
  const each = makeSegments().length
  t.strictSame(jobs.map((id) => counted.get(id)), [each, 2 * each, 3 * each])
  t.equal(db.prepare('SELECT count(*) FROM work').pluck().get(), 0)
})
