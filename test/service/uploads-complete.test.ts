import { readFileSync } from 'node:fs'
import t from 'tap'
import { callerOf, MIB, openSubmit, sha256 } from '../support/submit.ts'
import { randomBytes } from '../support/random.ts'

const BYTES = randomBytes(2 * MIB + 500_000, 1)
const DAY_MS = 24 * 3600_000

type Opened = Awaited<ReturnType<typeof openSubmit>>

/** An upload all of whose parts have arrived. */
async function sendAll ({ begin, send }: Opened, more: { sha256?: string } = {}): Promise<string> {
  const { id } = await begin(BYTES, more)
  for (const number of [2, 3, 1]) await send(id, BYTES, number)
  return id
}

t.test('a complete upload becomes a job with its media', async (t) => {
  const opened = await openSubmit(t)
  const { begin, send, service, owner, jobs, media, files, list, clock } = opened
  const { id } = await begin(BYTES, { fileName: 'Grüße.mp3', language: 'de', options: { sttQuality: 'fast' } })
  for (const number of [3, 1, 2]) await send(id, BYTES, number)
  const jobId = await service.complete(id, callerOf(owner), undefined)
  const job = jobs.find(jobId)
  t.match(
    job,
    {
      ownerId: owner, status: 'queued', stage: 'decode', fileName: 'Grüße.mp3',
      options: { sttQuality: 'fast', language: 'de' }, language: 'de',
      createdAt: clock.now()
    }
  )
  const source = media.find(job?.mediaId ?? 0)
  t.match(source, { ownerId: owner, sizeBytes: BYTES.length, sha256: sha256(BYTES) })
  t.ok(readFileSync(files.mediaPath(source?.file ?? '')).equals(BYTES))
  t.strictSame(list('uploads'), [], 'the parts are gone')
  t.match(service.look(id, owner), { upload: { jobId }, missing: [] })
})

t.test('an upload of one part becomes a job too', async (t) => {
  const { begin, send, service, owner, jobs, media, files, list } = await openSubmit(t)
  const bytes = randomBytes(1000, 2)
  const { id } = await begin(bytes)
  await send(id, bytes, 1)
  const jobId = await service.complete(id, callerOf(owner), sha256(bytes))
  const source = media.find(jobs.find(jobId)?.mediaId ?? 0)
  t.ok(readFileSync(files.mediaPath(source?.file ?? '')).equals(bytes))
  t.strictSame(list('uploads'), [])
})

t.test('listeners are called once the job is stored, not earlier', async (t) => {
  const opened = await openSubmit(t)
  let told = 0
  opened.submit.onQueued(() => {
    t.equal(opened.countJobs(), 1)
    told++
  })
  const id = await sendAll(opened)
  t.equal(told, 0)
  await opened.service.complete(id, callerOf(opened.owner), undefined)
  await opened.service.complete(id, callerOf(opened.owner), undefined)
  t.equal(told, 1)
})

t.test('missing parts are listed, and can still be sent', async (t) => {
  const { begin, send, service, owner, list } = await openSubmit(t)
  const { id } = await begin(BYTES)
  await send(id, BYTES, 2)
  await t.rejects(
    service.complete(id, callerOf(owner), undefined),
    { name: 'AppError', code: 'parts_missing', message: /^2 of 3 parts .*: 1, 3\./ }
  )
  t.strictSame(list('media'), [])
  await send(id, BYTES, 1)
  await send(id, BYTES, 3)
  await t.resolves(service.complete(id, callerOf(owner), undefined))
})

t.test('of many missing parts the first ones are listed', async (t) => {
  const { begin, service, owner } = await openSubmit(t)
  const { id } = await begin(Buffer.alloc(30 * MIB))
  await t.rejects(service.complete(id, callerOf(owner), undefined), { message: /^30 of 30 parts .*: 1, 2, .*, 20, …\. / })
})

t.test('a wrong digest makes no job and keeps the parts; the right one then does', async (t) => {
  const opened = await openSubmit(t)
  const { service, owner, send, countJobs, list } = opened
  const id = await sendAll(opened)
  await t.rejects(
    service.complete(id, callerOf(owner), sha256(Buffer.from('other'))),
    { name: 'AppError', code: 'digest_mismatch', message: new RegExp(sha256(BYTES)) }
  )
  t.equal(countJobs(), 0)
  t.strictSame(list('media'), [])
  t.strictSame(service.look(id, owner).missing, [])
  await t.resolves(send(id, BYTES, 2), 'a part may be sent again')
  await t.resolves(service.complete(id, callerOf(owner), sha256(BYTES)))
})

t.test('a digest announced at the beginning is checked', async (t) => {
  const opened = await openSubmit(t)
  const { service, owner } = opened
  const wrong = await sendAll(opened, { sha256: sha256(Buffer.from('other')) })
  await t.rejects(service.complete(wrong, callerOf(owner), undefined), { code: 'digest_mismatch' })
  await t.rejects(service.complete(wrong, callerOf(owner), sha256(BYTES)), { code: 'digest_mismatch' }, 'the one announced first stays')
  const right = await sendAll(opened, { sha256: sha256(BYTES) })
  await t.rejects(
    service.complete(right, callerOf(owner), sha256(Buffer.from('other'))),
    { code: 'digest_mismatch' },
    'two announcements that differ'
  )
  await t.resolves(service.complete(right, callerOf(owner), undefined))
})

t.test('completing again returns the same job, even much later', async (t) => {
  const opened = await openSubmit(t)
  const { service, owner, countJobs, clock } = opened
  const id = await sendAll(opened)
  const jobId = await service.complete(id, callerOf(owner), undefined)
  t.equal(await service.complete(id, callerOf(owner), undefined), jobId)
  clock.advance(2 * DAY_MS)
  t.equal(await service.complete(id, callerOf(owner), undefined), jobId)
  t.equal(countJobs(), 1)
})

t.test('completing twice at the same time makes one job', async (t) => {
  const opened = await openSubmit(t)
  const { service, owner, countJobs, list } = opened
  const id = await sendAll(opened)
  const jobIds = await Promise.all([1, 2, 3].map(async () => await service.complete(id, callerOf(owner), undefined)))
  t.equal(new Set(jobIds).size, 1)
  t.equal(countJobs(), 1)
  t.equal(list('media').length, 1)
})

t.test('a complete upload takes no parts and cannot be dropped', async (t) => {
  const opened = await openSubmit(t)
  const { service, owner, send } = opened
  const id = await sendAll(opened)
  const completing = service.complete(id, callerOf(owner), undefined)
  await t.rejects(service.drop(id, owner), { code: 'conflict' }, 'not while it is being completed')
  await completing
  await t.rejects(send(id, BYTES, 1), { code: 'conflict' })
  await t.rejects(service.drop(id, owner), { code: 'conflict' })
})

t.test('a job that cannot be stored leaves no media, keeps the parts, and completes later', async (t) => {
  const failure = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  let isFull = true
  const opened = await openSubmit(t)
  const { owner, jobs, countJobs, list, db } = opened
  db.function('check_room', () => { if (isFull) throw failure })
  db.exec('CREATE TEMP TRIGGER full BEFORE INSERT ON job BEGIN SELECT check_room(); END')
  const id = await sendAll(opened)
  await t.rejects(opened.service.complete(id, callerOf(owner), undefined), { name: 'AppError', code: 'insufficient_storage' })
  t.equal(countJobs(), 0)
  t.strictSame(list('media'), [])
  t.equal(db.prepare('SELECT count(*) FROM media').pluck().get(), 0, 'the row of the media went with it')
  t.strictSame(opened.service.look(id, owner).missing, [])
  isFull = false
  t.equal(jobs.find(await opened.service.complete(id, callerOf(owner), undefined))?.status, 'queued')
})

t.test('an upload whose link to its job cannot be stored makes no job', async (t) => {
  const opened = await openSubmit(t)
  const { owner, countJobs, list, db, service } = opened
  db.exec('CREATE TEMP TRIGGER broken BEFORE UPDATE OF job_id ON upload BEGIN SELECT RAISE(ABORT, \'no link\'); END')
  const id = await sendAll(opened)
  await t.rejects(service.complete(id, callerOf(owner), undefined), /no link/)
  t.equal(countJobs(), 0)
  t.strictSame(list('media'), [])
})

t.test('a disk without room for the joined file refuses before it writes', async (t) => {
  let free = Number.MAX_SAFE_INTEGER
  const opened = await openSubmit(t, { files: { freeBytes: async () => free }, minFreeBytes: MIB })
  const id = await sendAll(opened)
  free = MIB + BYTES.length - 1
  await t.rejects(opened.service.complete(id, callerOf(opened.owner), undefined), { code: 'insufficient_storage' })
  t.strictSame(opened.list('media'), [])
  free++
  await t.resolves(opened.service.complete(id, callerOf(opened.owner), undefined))
})

t.test('a disk that fills while joining keeps all parts', async (t) => {
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' })
  const opened = await openSubmit(t, { files: { joinParts: async () => { throw full } } })
  const id = await sendAll(opened)
  await t.rejects(
    opened.service.complete(id, callerOf(opened.owner), undefined),
    { name: 'AppError', code: 'insufficient_storage', cause: full }
  )
  t.strictSame(opened.service.look(id, opened.owner).missing, [])
})

t.test('while the queue is full nothing is joined and all parts are kept', async (t) => {
  const opened = await openSubmit(t, { maxQueued: 1, files: { joinParts: async () => { throw new Error('not yet') } } })
  const id = await sendAll(opened)
  const waiting = opened.addJob('other')
  await t.rejects(opened.service.complete(id, callerOf(opened.owner), undefined), { name: 'AppError', code: 'queue_full' })
  await t.rejects(opened.begin(BYTES), { code: 'queue_full' })
  t.strictSame(opened.service.look(id, opened.owner).missing, [])
  opened.jobs.fail(waiting, 'timeout', 0)
  await t.rejects(opened.service.complete(id, callerOf(opened.owner), undefined), /not yet/)
})
