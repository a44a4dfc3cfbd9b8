/** The seam for telling speakers apart: what comes of an engine that answers, and of one that does not. */
import t from 'tap'
import type { Test } from 'tap'
import type { TurnFinder } from '../../dist/service/speakers.js'
import { openSteps } from '../support/steps.ts'
import { makeSegments } from '../support/transcript.ts'

/** A job that only lacks its last step, and its steps with this engine. */
async function build (t: Test, speakers?: TurnFinder) {
  const steps = await openSteps(t, speakers ? { speakers } : {})
  const jobId = steps.addTranscribedJob('a', 10_000)
  steps.transcripts.insertWindow(jobId, 0, makeSegments())
  return { ...steps, jobId }
}

t.test('without an engine a transcript has no speakers', async (t) => {
  const { completeAll, jobs, transcripts, jobId } = await build(t)
  await completeAll()
  t.equal(jobs.find(jobId)?.status, 'completed')
  t.strictSame(transcripts.list(jobId), makeSegments())
})

t.test('words take their speaker from the engine\'s turns', async (t) => {
  const { completeAll, jobs, transcripts, jobId } = await build(t, {
    findTurns: async () => [{ startMs: 0, endMs: 1e9, voice: 4, confidence: 1 }]
  })
  await completeAll()
  t.equal(jobs.find(jobId)?.status, 'completed')
  t.ok(transcripts.list(jobId).every(({ speaker, words }) =>
    speaker === 'Speaker 1' && words.every((word) => word.speaker === 'Speaker 1')))
})

t.test('an engine that fails costs the speakers, never the transcript', async (t) => {
  const findTurns = async () => { throw new Error('no such model') }
  const { completeAll, jobs, transcripts, jobId, warnings } = await build(t, { findTurns })
  await completeAll()
  t.equal(jobs.find(jobId)?.status, 'completed')
  t.strictSame(transcripts.list(jobId), makeSegments())
  t.strictSame(warnings, ['speakers could not be identified'])
})

t.test('a job is completed once, however often it is looked at meanwhile', async (t) => {
  let calls = 0
  let answer = (): void => {}
  const { completeAll, jobs, jobId } = await build(t, {
    findTurns: async () => {
      calls++
      await new Promise<void>((resolve) => { answer = resolve })
      return []
    }
  })
  const first = completeAll()
  await completeAll()
  t.equal(jobs.find(jobId)?.status, 'processing')
  answer()
  await first
  t.equal(jobs.find(jobId)?.status, 'completed')
  t.equal(calls, 1)
})
