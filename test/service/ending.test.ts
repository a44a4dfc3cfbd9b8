/** The end of a job and the list of whom to tell are one step: neither is there without the other. */
import t from 'tap'
import type { Test } from 'tap'
import { MAX_ATTEMPTS } from '../../dist/domain/job.js'
import { createEnding } from '../../dist/service/ending.js'
import { createFiles } from '../../dist/store/files.js'
import { openDeliveries, SILENT } from '../support/deliveries.ts'

/** The last step over an owner with one endpoint; `enqueue` stands in for writing down whom to tell. */
async function build (t: Test, enqueue?: (jobId: number) => void) {
  const it = openDeliveries(t)
  await it.addEndpoint()
  const files = createFiles(t.testdir())
  await files.prepare()
  const ending = createEnding({
    ...it,
    queue: it.createQueue(it.clock.now),
    deliveries: enqueue ? { enqueue } : it.service,
    files,
    retention: { release: async () => {} },
    now: it.clock.now,
    log: SILENT
  })
  const completing = it.addTranscribedJob('a', 10_000)
  const failing = it.addJob('a')
  it.jobs.begin(failing, 'decode', 0)
  it.db.prepare('UPDATE work SET attempt = ? WHERE job_id = ?').run(MAX_ATTEMPTS, failing)
  return { ...it, ending, completing, failing }
}

t.test('a job that ends, either way, is to be told to its owner\'s endpoints, once', async (t) => {
  const { ending, completing, failing, attemptDue, counts, sent } = await build(t)
  const ended: number[] = []
  ending.onEnded((jobId) => { ended.push(jobId) })
  const claim = ending.claim()
  if (!claim) throw new Error('a job only lacks its last step')
  t.equal(claim.jobId, completing)
  for (let time = 1; time <= 2; time++) {
    await ending.complete(claim)
    await ending.recover()
  }
  t.equal(ending.claim(), undefined)
  t.strictSame(ended.sort(), [completing, failing])
  for (const id of ended) t.strictSame(counts(id), { pending: 1, delivered: 0, failed: 0 })
  await attemptDue()
  const told = sent.map(({ body }) => JSON.parse(String(body)) as { event: string, data: { transcriptionId: number } })
  t.match(told.sort((a, b) => a.data.transcriptionId - b.data.transcriptionId), [
    { event: 'transcription.completed', data: { transcriptionId: completing, duration: 10, language: 'en' } },
    { event: 'transcription.failed', data: { transcriptionId: failing, failure: { code: 'worker_crashed' } } }
  ])
})

t.test('a job does not end when whom to tell cannot be written down', async (t) => {
  const { ending, completing, failing, jobs, work } = await build(t, () => { throw new Error('the disk is full') })
  ending.onEnded(() => { t.fail('nothing has ended') })
  const claim = ending.claim()
  if (!claim) throw new Error('a job only lacks its last step')
  await t.rejects(ending.complete(claim), /full/)
  await t.rejects(ending.recover(), /full/)
  t.strictSame([completing, failing].map((id) => jobs.find(id)?.status), ['processing', 'processing'])
  t.equal(work.isClaim(claim), true, 'its last step is still to be done')
})

t.test('a job that is removed while it is completed leaves nothing behind', async (t) => {
  const { ending, completing, jobs, counts } = await build(t)
  ending.onEnded(() => { t.fail('nothing has ended') })
  const claim = ending.claim()
  jobs.remove(completing)
  if (claim) await ending.complete(claim)
  t.strictSame(counts(completing), { pending: 0, delivered: 0, failed: 0 })
})
