/** The end of a job and the list of whom to tell are one step: neither is there without the other. */
import t from 'tap'
import type { Test } from 'tap'
import { MAX_ATTEMPTS } from '../../dist/domain/job.js'
import { createPipeline } from '../../dist/service/pipeline.js'
import { createFiles } from '../../dist/store/files.js'
import { openDeliveries, SILENT } from '../support/deliveries.ts'

/** A pipeline over an owner with one endpoint; `enqueue` stands in for writing down whom to tell. */
async function build (t: Test, enqueue?: (jobId: number) => void) {
  const it = openDeliveries(t)
  await it.addEndpoint()
  const unused = (): never => { throw new Error('not part of this test') }
  const files = createFiles(t.testdir())
  await files.prepare()
  const pipeline = createPipeline({
    ...it,
    deliveries: enqueue ? { enqueue } : it.service,
    files,
    speech: { slots: 1, hasModel: unused, transcribe: unused, detectLanguage: unused, detectSpeech: unused, prepareDetector: unused, describe: unused, warmUp: unused },
    retention: { release: async () => {} },
    ffmpeg: { probeMedia: unused, decodeAudio: unused },
    maxMediaSeconds: 3600,
    now: it.clock.now,
    log: SILENT
  })
  const completing = it.addDecodedJob('a', 0)
  it.jobs.setDecoded(completing, 10_000, 0)
  const failing = it.addJob('a')
  it.db.prepare('UPDATE job SET status = \'processing\', decode_attempt = ? WHERE id = ?').run(MAX_ATTEMPTS, failing)
  return { ...it, pipeline, completing, failing }
}

t.test('a job that ends, either way, is to be told to its owner\'s endpoints, once', async (t) => {
  const { pipeline, completing, failing, attemptDue, counts, sent } = await build(t)
  const ended: number[] = []
  pipeline.onEnded((jobId) => { ended.push(jobId) })
  await pipeline.recover()
  await pipeline.recover()
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
  const { pipeline, completing, failing, jobs } = await build(t, () => { throw new Error('the disk is full') })
  pipeline.onEnded(() => { t.fail('nothing has ended') })
  await t.rejects(pipeline.settleAll(), /full/)
  await t.rejects(pipeline.recover(), /full/)
  t.strictSame([completing, failing].map((id) => jobs.find(id)?.status), ['processing', 'processing'])
})
