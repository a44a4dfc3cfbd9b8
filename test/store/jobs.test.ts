import t from 'tap'
import { MAX_ATTEMPTS } from '../../dist/domain/job.js'
import type { ClaimLimits } from '../../dist/store/jobs.js'
import { openStores } from '../support/store.ts'

const ALL: ClaimLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxActive: 100, maxPerOwner: 100 }

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
    options: { sttQuality: 'fast' },
    language: undefined,
    durationMs: undefined,
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

t.test('a decode is claimed once, until its lease runs out', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  t.match(jobs.claimDecode(1000, 2000, ALL), { job: { id, status: 'processing', stage: 'decode', updatedAt: 1000 }, attempt: 1 })
  t.equal(jobs.claimDecode(1999, 3000, ALL), undefined)
  t.match(jobs.claimDecode(2000, 3000, ALL), { job: { id }, attempt: 2 })
})

t.test('a lease that is renewed does not run out; only its claimant renews it', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  jobs.claimDecode(1000, 2000, ALL)
  jobs.renewDecode(id, 1, 5000)
  jobs.renewDecode(id, 2, 9000)
  t.equal(jobs.claimDecode(4999, 6000, ALL), undefined)
  t.ok(jobs.claimDecode(5000, 6000, ALL))
})

t.test('only the latest claimant holds the claim', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  t.equal(jobs.isDecodeClaim(id, 0), false, 'nobody has claimed it')
  jobs.claimDecode(1000, 2000, ALL)
  t.equal(jobs.isDecodeClaim(id, 1), true)
  jobs.claimDecode(2000, 3000, ALL)
  t.equal(jobs.isDecodeClaim(id, 1), false)
  t.equal(jobs.isDecodeClaim(id, 2), true)
  jobs.fail(id, 'decode_failed', 2500)
  t.equal(jobs.isDecodeClaim(id, 2), false, 'the job has ended')
})

t.test('a decode that is given back is free at once and does not count', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  jobs.claimDecode(1000, 2000, ALL)
  jobs.releaseDecode(id, 2)
  t.equal(jobs.claimDecode(1001, 2000, ALL), undefined, 'others cannot give it back')
  jobs.releaseDecode(id, 1)
  t.match(jobs.claimDecode(1001, 2000, ALL), { job: { id }, attempt: 1 })
})

t.test('the owner served longest ago is next, then the oldest job', async (t) => {
  const { jobs, addJob } = openStores(t)
  const [a1, a2, b1, c1] = [addJob('a'), addJob('a'), addJob('b'), addJob('c')]
  jobs.takeTurn(a1)
  jobs.takeTurn(b1)
  const order = [1, 2, 3, 4].map(() => jobs.claimDecode(1000, 2000, ALL)?.job.id)
  t.strictSame(order, [c1, a1, a2, b1])
})

t.test('no more jobs are begun than an owner, or the appliance, may have in progress', async (t) => {
  const { jobs, addJob } = openStores(t)
  const limits = { ...ALL, maxActive: 3, maxPerOwner: 2 }
  const [a1, a2, a3, b1] = [addJob('a'), addJob('a'), addJob('a'), addJob('b')]
  addJob('b')
  t.strictSame([1, 2, 3, 4].map(() => jobs.claimDecode(1000, 2000, limits)?.job.id), [a1, a2, b1, undefined])
  jobs.fail(a1, 'timeout', 1500)
  t.equal(jobs.claimDecode(1500, 2500, limits)?.job.id, a3, 'the end of one makes room')
})

t.test('a job that was begun comes back whatever else is in progress', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  addJob('a')
  jobs.claimDecode(1000, 2000, ALL)
  t.match(jobs.claimDecode(2000, 3000, { ...ALL, maxActive: 0, maxPerOwner: 0 }), { job: { id }, attempt: 2 })
  t.equal(jobs.claimDecode(2000, 3000, { ...ALL, maxActive: 0, maxPerOwner: 0 }), undefined)
})

t.test('media above a size is passed over', async (t) => {
  const { jobs, addJob } = openStores(t)
  addJob('a', { sizeBytes: 5001 })
  const small = addJob('a', { sizeBytes: 5000 })
  t.equal(jobs.claimDecode(1000, 2000, { ...ALL, maxBytes: 5000 })?.job.id, small)
  t.equal(jobs.claimDecode(1000, 2000, { ...ALL, maxBytes: 5000 }), undefined)
})

t.test('a job that decodes again, because its sound is gone, is claimable at once', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  jobs.claimDecode(1000, 300_000, ALL)
  jobs.enterStage(id, 'decode', 'transcribe', 1100)
  t.equal(jobs.claimDecode(1200, 300_000, ALL), undefined, 'decoded: nothing to claim')
  jobs.enterStage(id, 'transcribe', 'decode', 1300)
  t.match(jobs.claimDecode(1300, 300_000, ALL), { job: { id }, attempt: 2 })
})

t.test('whoever holds the work lock takes the decodes of the dead back; they count as attempts', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  jobs.claimDecode(1000, 300_000, ALL)
  jobs.takeBackDecodes()
  t.match(jobs.claimDecode(1001, 300_000, ALL), { job: { id }, attempt: 2 })
})

t.test('a decode begun too often without an end is listed', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    t.strictSame(jobs.listExhausted(), [], `attempt ${attempt}`)
    jobs.claimDecode(1000, 2000, ALL)
    jobs.takeBackDecodes()
  }
  t.strictSame(jobs.listExhausted(), [{ id, retryCount: 0 }])
  jobs.fail(id, 'worker_crashed', 3000)
  t.strictSame(jobs.listExhausted(), [], 'what has ended is not')
})

t.test('stopping politely, however often, does not exhaust a decode', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  for (let stop = 0; stop < 2 * MAX_ATTEMPTS; stop++) {
    jobs.claimDecode(1000, 2000, ALL)
    jobs.releaseDecode(id, 1)
  }
  t.strictSame(jobs.listExhausted(), [])
})

t.test('a window begun too often without an end is listed with its job', async (t) => {
  const { db, jobs, windows, addDecodedJob } = openStores(t)
  const id = addDecodedJob('a', 2)
  db.prepare('UPDATE window SET attempt = ? WHERE idx = 1').run(MAX_ATTEMPTS - 1)
  t.strictSame(jobs.listExhausted(), [])
  windows.claim(1000, 2000)
  windows.claim(1000, 2000)
  t.strictSame(jobs.listExhausted(), [], 'not while it runs')
  windows.takeBack()
  t.strictSame(jobs.listExhausted(), [{ id, retryCount: 0 }])
})

t.test('each stage is noted with its times; one that is entered again keeps its first start', async (t) => {
  const { jobs, addJob } = openStores(t)
  const id = addJob('a')
  jobs.claimDecode(1000, 2000, ALL)
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
  const { jobs, windows, addDecodedJob } = openStores(t)
  const id = addDecodedJob('a', 3)
  const claim = windows.claim(1000, 2000)
  if (!claim) throw new Error('a window waits')
  windows.finish(claim)
  windows.insert({ jobId: id, purpose: 'language', idx: 0 }, { startSample: 0, endSample: 160_000 })
  jobs.setDecoded(id, 45_000, 1000)
  t.match(jobs.find(id), { durationMs: 45_000, doneMs: 25_000 }, '15 s of silence and one window of 10 s')
  jobs.addDone(id, 10_000, 1100)
  t.match(jobs.find(id), { doneMs: 35_000, updatedAt: 1100 })
  jobs.complete(id, 1200)
  t.match(jobs.find(id), { doneMs: 45_000 }, 'all of it when the job is complete')
})

t.test('a job ends once', async (t) => {
  const { jobs, addJob } = openStores(t)
  const [failing, completing] = [addJob('a'), addJob('a')]
  t.equal(jobs.complete(failing, 900), false, 'not before it has begun')
  jobs.claimDecode(1000, 2000, ALL)
  jobs.claimDecode(1000, 2000, ALL)
  t.equal(jobs.fail(failing, 'timeout', 1500), true)
  t.equal(jobs.complete(failing, 1600), false)
  t.equal(jobs.fail(failing, 'internal_error', 1600), false)
  t.match(jobs.find(failing), { status: 'failed', failureCode: 'timeout', completedAt: 1500 })
  jobs.setDecoded(completing, 5000, 1000)
  t.equal(jobs.complete(completing, 1500), true)
  t.equal(jobs.complete(completing, 1600), false)
  t.equal(jobs.fail(completing, 'timeout', 1600), false)
  t.match(jobs.find(completing), { status: 'completed', failureCode: undefined, doneMs: 5000, completedAt: 1500 })
  t.equal(jobs.claimDecode(9999, 10_000, ALL), undefined, 'neither is claimed again')
  t.strictSame(jobs.listActive(), [])
})

t.test('jobs that have not ended are listed', async (t) => {
  const { jobs, addJob } = openStores(t)
  const [first, second, third] = [addJob('a'), addJob('b'), addJob('b')]
  jobs.claimDecode(1000, 2000, ALL)
  jobs.fail(second, 'timeout', 1000)
  t.strictSame(jobs.listActive(), [first, third])
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
  t.match(jobs.find(id), { status: 'queued', stage: 'decode', retryCount: 1, failureCode: undefined, completedAt: undefined, updatedAt: 20 })
})

t.test('jobs that have not ended are counted, whoever owns them', async (t) => {
  const { jobs, addJob, addDecodedJob } = openStores(t)
  t.equal(jobs.countActive(), 0)
  const [queued] = [addJob('a'), addDecodedJob('b', 1)]
  t.equal(jobs.countActive(), 2)
  jobs.fail(queued, 'timeout', 1)
  t.equal(jobs.countActive(), 1)
})
