import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { openIngest, sha256 } from '../support/ingest.ts'
import { randomBytes } from '../support/random.ts'

const BYTES = randomBytes(3000, 1)

t.test('a local file becomes a job; the file itself stays where it is', async (t) => {
  const { ingest, dataDir, owner, jobs, media, files } = await openIngest(t)
  writeFileSync(`${dataDir}/talk.wav`, BYTES)
  const jobId = await ingest.submitFile(`${dataDir}/talk.wav`, { ownerId: owner, fileName: 'talk.wav', options: { sttQuality: 'accurate' } })
  const job = jobs.find(jobId)
  t.match(job, { ownerId: owner, fileName: 'talk.wav', status: 'queued', options: { sttQuality: 'accurate' } })
  const source = media.find(job?.mediaId ?? 0)
  t.match(source, { sizeBytes: 3000, sha256: sha256(BYTES) })
  t.ok(readFileSync(files.mediaPath(source?.file ?? '')).equals(BYTES))
  t.ok(readFileSync(`${dataDir}/talk.wav`).equals(BYTES))
})

t.test('a local file that is too large makes no job and no media', async (t) => {
  const { ingest, dataDir, owner, countJobs, list } = await openIngest(t, { maxMediaBytes: 2999 })
  writeFileSync(`${dataDir}/talk.wav`, BYTES)
  const submitted = ingest.submitFile(`${dataDir}/talk.wav`, { ownerId: owner, fileName: 'talk.wav', options: { sttQuality: 'fast' } })
  await t.rejects(submitted, { name: 'AppError', code: 'media_too_large' })
  t.equal(countJobs(), 0)
  t.strictSame(list('media'), [])
})

t.test('a job that cannot be stored leaves no media file', async (t) => {
  const { ingest, dataDir, countJobs, list } = await openIngest(t)
  writeFileSync(`${dataDir}/talk.wav`, BYTES)
  const submitted = ingest.submitFile(`${dataDir}/talk.wav`, { ownerId: 999, fileName: 'talk.wav', options: { sttQuality: 'fast' } })
  await t.rejects(submitted, { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' })
  t.equal(countJobs(), 0)
  t.strictSame(list('media'), [])
})

t.test('room is what is free above the reserve', async (t) => {
  const { ingest } = await openIngest(t, { files: { freeBytes: async () => 5000 }, minFreeBytes: 1000 })
  await t.resolves(ingest.requireRoom(4000))
  await t.rejects(ingest.requireRoom(4001), { name: 'AppError', code: 'insufficient_storage' })
})
