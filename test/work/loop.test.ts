/** The loop with fakes: which work is stopped when a job is gone. */
import t from 'tap'
import { createLoop } from '../../dist/work/loop.js'
import type { Pipeline } from '../../dist/service/pipeline.js'
import type { Scheduling } from '../../dist/service/scheduling.js'

t.test('a job that is removed or has ended stops its decode and its windows, and those of no other', async (t) => {
  const decodes = [1, 2].map((id) => ({ job: { id }, attempt: 1 }))
  const sources = [1, 2].map((jobId) => ({ jobId, url: 'https://example.org/', attempt: 1 }))
  const windows = [1, 2].map((jobId) => ({ jobId, purpose: 'speech', idx: 0, attempt: 1 }))
  const stopped: string[] = []
  const finish: Array<() => void> = []
  let ended: (jobId: number) => void = () => {}
  const untilFinished = async (): Promise<void> => { await new Promise<void>((resolve) => { finish.push(resolve) }) }
  const pipeline = {
    onEnded: (listener: typeof ended) => { ended = listener },
    decode: async ({ job }: { job: { id: number } }, signal: AbortSignal) => {
      signal.addEventListener('abort', () => { stopped.push(`decode ${job.id}`) })
      await untilFinished()
    },
    runWindow: untilFinished,
    recover: async () => {},
    settleAll: async () => {}
  } as unknown as Pipeline
  const scheduling = {
    claimFetch: () => sources.shift(),
    claimDecode: () => decodes.shift(), claimWindow: () => windows.shift(), takeBackAll: () => {}
  } as unknown as Scheduling
  let flags = 0
  const createAbort = () => {
    const name = `window of ${++flags}`
    return { flag: new Int32Array(1), stop: () => { stopped.push(name) } }
  }
  const log = { info () {}, warn () {}, error () {} }
  const fetching = {
    async fetch ({ jobId }: { jobId: number }, signal: AbortSignal) {
      signal.addEventListener('abort', () => { stopped.push(`fetch ${jobId}`) })
      await untilFinished()
    }
  }
  const loop = createLoop({ fetching, pipeline, scheduling, createAbort, tryLock: () => ({ release () {} }), onTakeOver () {}, slots: 2, log })
  loop.start()
  while (finish.length < 6) await new Promise(setImmediate)
  loop.abandon(2)
  t.strictSame(stopped, ['fetch 2', 'decode 2', 'window of 2'])
  loop.abandon(3)
  t.equal(stopped.length, 3)
  ended(1)
  t.strictSame(stopped.slice(3), ['fetch 1', 'decode 1', 'window of 1'])
  for (const end of finish) end()
  await loop.stop()
})
