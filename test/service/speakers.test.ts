/** The seam for telling speakers apart: what comes of an engine that answers, and of one that does not. */
import t from 'tap'
import type { Test } from 'tap'
import type { SpeakerEngine } from '../../dist/engine/speech/speakers.js'
import { createPipeline } from '../../dist/service/pipeline.js'
import { createFiles } from '../../dist/store/files.js'
import { makeSegments } from '../support/transcript.ts'
import { openStores } from '../support/store.ts'

/** A job whose windows are all done but one step, and a pipeline with this engine. */
function build (t: Test, speakers?: SpeakerEngine) {
  const stores = openStores(t)
  const warnings: string[] = []
  const log = { info () {}, warn (_: object, message: string) { warnings.push(message) }, error () {} }
  const unused = (): never => { throw new Error('not part of this test') }
  const pipeline = createPipeline({
    ...stores,
    deliveries: { enqueue () {} },
    files: createFiles(t.testdir()),
    speech: { slots: 1, hasModel: unused, transcribe: unused, detectLanguage: unused, detectSpeech: unused, prepareDetector: unused, describe: unused, warmUp: unused },
    ...(speakers ? { speakers } : {}),
    retention: { release: async () => {} },
    ffmpeg: { probeMedia: unused, decodeAudio: unused },
    maxMediaSeconds: 3600,
    now: () => 0,
    log
  })
  const jobId = stores.addDecodedJob('a', 0)
  stores.jobs.setDecoded(jobId, 10_000, 0)
  stores.transcripts.insertWindow(jobId, 0, makeSegments())
  return { ...stores, pipeline, jobId, warnings }
}

t.test('without an engine a transcript has no speakers', async (t) => {
  const { pipeline, jobs, transcripts, jobId } = build(t)
  await pipeline.settleAll()
  t.equal(jobs.find(jobId)?.status, 'completed')
  t.strictSame(transcripts.list(jobId), makeSegments())
})

t.test('words take their speaker from the engine\'s turns', async (t) => {
  const { pipeline, jobs, transcripts, jobId } = build(t, { findTurns: async () => [{ startMs: 0, endMs: 1e9, voice: 4 }] })
  await pipeline.settleAll()
  t.equal(jobs.find(jobId)?.status, 'completed')
  t.ok(transcripts.list(jobId).every(({ speaker, words }) => speaker === 'Speaker 1' && words.every((word) => word.speaker === 'Speaker 1')))
})

t.test('an engine that fails costs the speakers, never the transcript', async (t) => {
  const { pipeline, jobs, transcripts, jobId, warnings } = build(t, { findTurns: async () => { throw new Error('no such model') } })
  await pipeline.settleAll()
  t.equal(jobs.find(jobId)?.status, 'completed')
  t.strictSame(transcripts.list(jobId), makeSegments())
  t.strictSame(warnings, ['speakers could not be told apart'])
})

t.test('a job is completed once, however often it is looked at meanwhile', async (t) => {
  let calls = 0
  let answer = (): void => {}
  const { pipeline, jobs, jobId } = build(t, {
    findTurns: async () => {
      calls++
      await new Promise<void>((resolve) => { answer = resolve })
      return []
    }
  })
  const first = pipeline.settleAll()
  await pipeline.settleAll()
  t.equal(jobs.find(jobId)?.status, 'processing')
  answer()
  await first
  t.equal(jobs.find(jobId)?.status, 'completed')
  t.equal(calls, 1)
})
