import t from 'tap'
import { openStores } from '../support/store.ts'

t.test('what was heard of the language comes back in order, from samples that are done', async (t) => {
  const { windows, work, addDecodedJob, addSample, claimWindow, finishWindow } = openStores(t)
  const jobId = addDecodedJob('a', 0)
  for (const idx of [0, 1, 2]) addSample(jobId, idx)
  const [first, second] = [claimWindow(), claimWindow()]
  if (!first || !second) throw new Error('two samples wait')
  const german = [{ language: 'de', probability: 0.9 }]
  const english = [{ language: 'en', probability: 0.8 }, { language: 'de', probability: 0.1 }]
  finishWindow(second, english)
  finishWindow(first, german)
  t.strictSame(windows.listPosteriors(jobId), [german, english])
  t.equal(work.hasOpen({ jobId, kind: 'language' }), true)
})

t.test('windows are found, and removed from one on or when they are not done, of their job and purpose only', async (t) => {
  const { windows, addDecodedJob } = openStores(t)
  const [jobId, other] = [addDecodedJob('a', 4), addDecodedJob('b', 4)]
  const key = { jobId, purpose: 'speech' } as const
  windows.insert({ jobId, purpose: 'language', idx: 2 }, { startSample: 0, endSample: 1600 })
  t.strictSame(windows.find({ ...key, idx: 1 }), { startSample: 160_000, endSample: 320_000 })
  t.equal(windows.find({ ...key, idx: 4 }), undefined)
  t.throws(() => { windows.insert({ ...key, idx: 1 }, { startSample: 0, endSample: 1 }) }, { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' })
  windows.removeFrom({ ...key, idx: 2 })
  t.strictSame(windows.list(jobId, 'speech').map(({ idx }) => idx), [0, 1])
  t.equal(windows.list(jobId, 'language').length, 1)
  windows.setOutcome({ ...key, idx: 0 }, { wordCount: 0, isStarter: false })
  windows.removeOpen(jobId)
  t.strictSame(windows.list(jobId, 'speech').map(({ idx }) => idx), [0])
  t.equal(windows.list(jobId, 'language').length, 0)
  t.equal(windows.list(other, 'speech').length, 4)
})

t.test('what warnings are derived from: of the windows that were transcribed', async (t) => {
  const { windows, addJob } = openStores(t)
  const jobId = addJob('a')
  const key = (idx: number) => ({ jobId, purpose: 'speech', idx } as const)
  t.strictSame(windows.readFacts(jobId), { usedStarter: false, speechMs: 0, wordlessMs: 0, wordCount: 0 })
  for (const [idx, speechMs] of [20_000, 12_000, 9000].entries()) {
    windows.insert(key(idx), { startSample: idx, endSample: idx + 1, speechMs })
  }
  windows.insert(key(3), { startSample: 3, endSample: 4 })
  t.strictSame(windows.find(key(0)), { startSample: 0, endSample: 1, speechMs: 20_000 })
  windows.setOutcome(key(0), { wordCount: 40, isStarter: false })
  windows.setOutcome(key(1), { wordCount: 0, isStarter: false })
  windows.setOutcome(key(3), { wordCount: 2, isStarter: false })
  t.strictSame(windows.readFacts(jobId), { usedStarter: false, speechMs: 32_000, wordlessMs: 12_000, wordCount: 42 })
  windows.setOutcome(key(2), { wordCount: 1, isStarter: true })
  t.match(windows.readFacts(jobId), { usedStarter: true, wordCount: 43 })
  windows.removeFrom(key(2))
  t.match(windows.readFacts(jobId), { usedStarter: false, wordCount: 40 }, 'a window that is cut differently takes its facts along')
})
