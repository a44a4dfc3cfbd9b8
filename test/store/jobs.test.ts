import t from 'tap'
import { openStores } from '../support/store.ts'

t.test('a job comes back as it was stored', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a', { now: 5, fileName: 'Grüße.mp3', options: { sttQuality: 'fast' } })
  const job = jobs.find(id)
  t.strictSame(job, {
    id,
    ownerId: 1,
    status: 'queued',
    stage: 'decode',
    mediaId: 1,
    source: undefined,
    fileName: 'Grüße.mp3',
    title: undefined,
    tags: [],
    speakers: [],
    options: { sttQuality: 'fast' },
    language: undefined,
    durationMs: undefined,
    channels: 1,
    doneMs: 0,
    failureCode: undefined,
    retryCount: 0,
    createdAt: 5,
    updatedAt: 5,
    completedAt: undefined
  })
  t.equal(jobs.find(id + 1), undefined)
  t.match(jobs.find(addJob('a', { options: { sttQuality: 'fast', language: 'de' } })), { language: 'de' })
})

t.test('a job of somebody else is not found', async (t) => {
  const { jobs, apiKeys, addJob } = openStores(t)
  const id = addJob('a')
  t.equal(jobs.findOwned(id, apiKeys.ensureOwner('a', 0))?.id, id)
  t.equal(jobs.findOwned(id, apiKeys.ensureOwner('b', 0)), undefined)
})

t.test('each stage is noted with its times; one that is entered again keeps its first start', async (t) => {
  const { jobs, addJob, claimDecode } = openStores(t)
  const id = addJob('a')
  claimDecode(1000)
  jobs.enterStage(id, 'decode', 'language', 1100)
  jobs.setDecoded(id, 5000, 1100)
  jobs.enterStage(id, 'language', 'transcribe', 1200)
  jobs.enterStage(id, 'transcribe', 'transcribe', 1250)
  jobs.enterStage(id, 'transcribe', 'complete', 1300)
  t.equal(jobs.complete(id, 1400), true)
  t.strictSame(jobs.listStages(id), [
    { stage: 'decode', startedAt: 1000, finishedAt: 1100 },
    { stage: 'language', startedAt: 1100, finishedAt: 1200 },
    { stage: 'transcribe', startedAt: 1200, finishedAt: 1250 },
    { stage: 'complete', startedAt: 1300, finishedAt: 1400 }
  ])
  t.match(jobs.find(id), { stage: 'complete', status: 'completed', updatedAt: 1400, completedAt: 1400 })
})

t.test('what no open window covers is done when the length is known', async (t) => {
  const { jobs, windows, addDecodedJob, claimWindow, finishWindow } = openStores(t)
  const id = addDecodedJob('a', 3)
  const claim = claimWindow()
  if (!claim) throw new Error('a window waits')
  finishWindow(claim)
  windows.insert({ jobId: id, purpose: 'language', idx: 0 }, { startSample: 0, endSample: 160_000 })
  jobs.setDecoded(id, 45_000, 1000)
  t.match(jobs.find(id), { durationMs: 45_000, doneMs: 25_000 }, '15 s of silence and one window of 10 s')
  jobs.addDone(id, 10_000, 1100)
  t.match(jobs.find(id), { doneMs: 35_000, updatedAt: 1100 })
  jobs.complete(id, 1200)
  t.match(jobs.find(id), { doneMs: 45_000 }, 'all of it when the job is complete')
})

t.test('what is done of one of two channels counts half', async (t) => {
  const { jobs, addDecodedJob } = openStores(t)
  const id = addDecodedJob('a', 2)
  jobs.setDecoded(id, 15_000, 1000, 2)
  t.match(jobs.find(id), { channels: 2, doneMs: 5000 }, 'two windows of 10 s are open')
  jobs.addDone(id, 10_001, 1100)
  t.match(jobs.find(id), { doneMs: 10_000 })
})

t.test('a job ends once', async (t) => {
  const { jobs, addJob, claimDecode } = openStores(t)
  const [failing, completing] = [addJob('a'), addJob('a')]
  t.equal(jobs.complete(failing, 900), false, 'not before it has begun')
  claimDecode(1000)
  claimDecode(1000)
  t.equal(jobs.fail(failing, 'timeout', 1500), true)
  t.equal(jobs.complete(failing, 1600), false)
  t.equal(jobs.fail(failing, 'internal_error', 1600), false)
  t.match(jobs.find(failing), { status: 'failed', failureCode: 'timeout', completedAt: 1500 })
  jobs.setDecoded(completing, 5000, 1000)
  t.equal(jobs.complete(completing, 1500), true)
  t.equal(jobs.complete(completing, 1600), false)
  t.equal(jobs.fail(completing, 'timeout', 1600), false)
  t.match(jobs.find(completing), { status: 'completed', failureCode: undefined, doneMs: 5000, completedAt: 1500 })
  t.equal(claimDecode(9999), undefined, 'neither is claimed again')
})

t.test('the detected language is stored apart from the one asked for', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a', { options: { sttQuality: 'balanced' } })
  jobs.setHeardLanguage(id, 'jw', 7)
  t.match(jobs.find(id), { language: 'jw', updatedAt: 7, options: { sttQuality: 'balanced' } })
})

t.test('only a failed job is queued again', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  jobs.retry(id, 5)
  t.match(jobs.find(id), { status: 'queued', retryCount: 0, updatedAt: 0 })
  jobs.fail(id, 'timeout', 10)
  jobs.retry(id, 20)
  t.match(jobs.find(id), {
    status: 'queued', stage: 'decode', retryCount: 1, failureCode: undefined, completedAt: undefined, updatedAt: 20
  })
})

t.test('jobs that have not ended are counted, whoever owns them', async (t) => {
  const { jobs, addJob, addDecodedJob } = openStores(t)
  t.equal(jobs.countActive(), 0)
  const [queued] = [addJob('a'), addDecodedJob('b', 1)]
  t.equal(jobs.countActive(), 2)
  jobs.fail(queued, 'timeout', 1)
  t.equal(jobs.countActive(), 1)
})

t.test('the stage is the first of which some work is not finished', async (t) => {
  const { jobs, work, addJob, addUrlJob } = openStores(t)
  const id = addJob('a')
  const stageOf = (jobId: number): string | undefined => jobs.find(jobId)?.stage
  t.strictSame([stageOf(id), stageOf(addUrlJob('a', 'https://example.org/'))], ['decode', 'fetch'])
  for (const kind of ['complete', 'transcribe', 'language', 'webhook']) work.insert({ kind, jobId: id, run: 0 })
  for (const stage of ['decode', 'language', 'transcribe', 'complete']) {
    t.equal(stageOf(id), stage)
    work.remove({ jobId: id, kind: stage })
  }
})

t.test('a job of an address is fetched first when it is retried, one of an upload is decoded', async (t) => {
  const { jobs, addJob, addUrlJob, claimDecode, claimFetch } = openStores(t)
  const [upload, address] = [addJob('a'), addUrlJob('a', 'https://example.org/')]
  for (const id of [upload, address]) {
    jobs.fail(id, 'timeout', 1)
    jobs.retry(id, 2)
  }
  t.match([claimDecode(3), claimFetch(3)], [{ jobId: upload, run: 1 }, { jobId: address, run: 1 }])
  t.equal(claimDecode(3), undefined)
})
