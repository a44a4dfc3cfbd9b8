/** The one way in: every door gets the same answer to the same request. */
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import type { JobRequest } from '../../dist/domain/submission.js'
import { createRetries } from '../../dist/service/retries.js'
import type { Submit } from '../../dist/service/submit.js'
import { buildAppliance } from '../support/appliance.ts'
import { callerOf, openSubmit, sha256 } from '../support/submit.ts'
import { runCommand } from '../support/program.ts'
import { randomBytes } from '../support/random.ts'

const BYTES = randomBytes(3000, 1)
const URL = 'https://example.org/talk.mp3'

async function open (t: Test, changes: Parameters<typeof openSubmit>[1] = {}) {
  const opened = await openSubmit(t, changes)
  const path = `${opened.dataDir}/talk.wav`
  writeFileSync(path, BYTES)
  const caller = callerOf(opened.owner)
  const local = { path, sizeBytes: BYTES.length }
  const submitFile = async (request: JobRequest = {}) => await opened.submit.submitFile(caller, local, request)
  return { ...opened, caller, path, local, submitFile }
}

t.test('a local file becomes a job; the file itself stays where it is', async (t) => {
  const { submitFile, path, owner, jobs, media, files } = await open(t)
  const { job } = await submitFile({ fileName: ' talk.wav\n', options: { sttQuality: 'accurate' } })
  t.match(job, { ownerId: owner, fileName: 'talk.wav', status: 'queued', options: { sttQuality: 'accurate' } })
  t.strictSame(jobs.find(job.id), job)
  const source = media.find(job.mediaId)
  t.match(source, { sizeBytes: 3000, sha256: sha256(BYTES) })
  t.ok(readFileSync(files.mediaPath(source?.file ?? '')).equals(BYTES))
  t.ok(readFileSync(path).equals(BYTES))
})

t.test('a name without a visible character: a file is called recording, an address keeps the name of its source', async (t) => {
  const { submitFile, begin, jobs, submitAddress } = await open(t)
  t.equal((await submitFile({ fileName: '\u0007 ' })).job.fileName, 'recording')
  t.equal((await begin(BYTES, { fileName: ' ' })).fileName, 'recording')
  t.equal(jobs.find(await submitAddress(URL, { fileName: ' ' }))?.fileName, 'talk.mp3')
})

t.test('a local file that is too large, or grows too large, makes no job and no media', async (t) => {
  const { submit, caller, local, submitFile, countJobs, list } = await open(t, { maxMediaBytes: 2999 })
  const refusal = { code: 'media_too_large', message: 'fileSize: this appliance accepts files up to 2999 bytes.' }
  await t.rejects(submitFile(), refusal)
  await t.rejects(submit.submitFile(caller, { ...local, sizeBytes: 2999 }, {}), refusal)
  t.equal(countJobs(), 0)
  t.strictSame(list('media'), [])
})

t.test('a job that cannot be stored leaves no media file', async (t) => {
  const { submit, local, countJobs, list } = await open(t)
  await t.rejects(submit.submitFile(callerOf(999), local, {}), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' })
  t.equal(countJobs(), 0)
  t.strictSame(list('media'), [])
})

t.test('room is what is free above the reserve', async (t) => {
  const { submit } = await openSubmit(t, { files: { freeBytes: async () => 5000 }, minFreeBytes: 1000 })
  await t.resolves(submit.requireRoom(4000))
  await t.rejects(submit.requireRoom(4001), { name: 'AppError', code: 'insufficient_storage' })
})

t.test('a secret that was made is in the reply, a given one is not', async (t) => {
  const { submitFile, db } = await open(t)
  const { webhookSecret } = await submitFile({ webhookUrl: 'https://example.org/hook' })
  t.match(webhookSecret, /^whsec_/)
  t.equal(db.prepare('SELECT webhook_secret FROM job').pluck().get(), webhookSecret)
  t.notOk('webhookSecret' in await submitFile({ webhookUrl: 'https://example.org/hook', webhookSecret: 's' }))
  t.notOk('webhookSecret' in await submitFile())
})

/** A door that the product does not have: a line of text names a file and says how to transcribe it. It needs nothing but `submit`. */
async function lineDoor (submit: Submit, ownerId: number, line: string): Promise<string> {
  const [path = '', size = '', language] = line.split(' ')
  const request = { fileName: 'from a line', language }
  const { job } = await submit.submitFile({ ownerId, plan: 'free' }, { path, sizeBytes: Number(size) }, request)
  return `job ${job.id} is ${job.status}`
}

t.test('a new door needs only submit, and every rule applies to it', async (t) => {
  const { submit, path, owner, jobs, countJobs } = await open(t)
  let woken = 0
  submit.onQueued(() => { woken++ })
  t.equal(await lineDoor(submit, owner, `${path} 3000 German`), 'job 1 is queued')
  t.match(jobs.find(1), { fileName: 'from a line', options: { language: 'de', sttQuality: 'balanced' } })
  await t.rejects(lineDoor(submit, owner, `${path} 3000 klingon`), { code: 'invalid_request', message: /^language: / })
  t.strictSame([countJobs(), woken], [1, 1])
})

/** All ways to a job, each with a valid request. */
async function openWays (t: Test, changes: Parameters<typeof openSubmit>[1] = {}) {
  const opened = await open(t, changes)
  const { submit, service, caller, local } = opened
  const retries = createRetries({ ...opened, now: opened.clock.now })
  return {
    ...opened,
    retries,
    ways: {
      upload: async (): Promise<unknown> => await service.begin(caller, { fileName: 'talk.mp3', sizeBytes: 3000 }),
      address: async (): Promise<unknown> => await submit.submitAddress(caller, { url: URL, field: 'url' }, {}),
      file: async (): Promise<unknown> => await submit.submitFile(caller, local, {}),
      again: async (): Promise<unknown> => await submit.resubmit(caller.ownerId, 3000, () => { throw new Error('not reached') })
    }
  }
}

t.test('a full queue stops every way before anything is stored', async (t) => {
  const { ways, addJob, countJobs, list } = await openWays(t, { maxQueued: 1 })
  addJob('other')
  for (const [name, way] of Object.entries(ways)) await t.rejects(way(), { code: 'queue_full', headers: { 'retry-after': '60' } }, name)
  t.strictSame([countJobs(), list('media')], [1, []])
})

t.test('a full disk stops every way before anything is stored', async (t) => {
  const { ways, countJobs, list } = await openWays(t, { files: { freeBytes: async () => 999 }, minFreeBytes: 1000 })
  for (const [name, way] of Object.entries(ways)) await t.rejects(way(), { code: 'insufficient_storage' }, name)
  t.strictSame([countJobs(), list('media')], [0, []])
})

t.test('used minutes stop every way before anything is stored', async (t) => {
  const { ways, service, begin, caller, plans, countJobs, list, retries, addJob, jobs } = await openWays(t)
  const { id } = await begin(BYTES)
  const failed = addJob('owner')
  jobs.fail(failed, 'timeout', 1)
  plans.set('enterprise', { speechMinutesPerMonth: 0 })
  const refusal = { code: 'minutes_exceeded', message: /0 minutes.*"enterprise"/ }
  for (const way of [ways.upload, ways.address, ways.file]) await t.rejects(way(), refusal)
  await t.rejects(service.complete(id, caller, undefined), refusal)
  await t.rejects(retries.retry(failed, caller), refusal)
  t.strictSame([countJobs(), list('media')], [1, []])
})

t.test('the same bad field gets the same sentence over HTTP, for an upload and an address, and on the command line', async (t) => {
  const { call, key } = await buildAppliance(t)
  const mine = key()
  const dataDir = t.testdirName
  const path = `${dataDir}/talk.wav`
  writeFileSync(path, BYTES)
  const bad: Array<[field: RegExp, body: object, options: string[]]> = [
    [/^fileName: /, { fileName: 'x'.repeat(256) }, ['--name', 'x'.repeat(256)]],
    [/^fileName: /, { fileName: '' }, ['--name', '']],
    [/^language: /, { language: 'klingon' }, ['--language', 'klingon']],
    [/^language: /, { language: '' }, ['--language', '']],
    [/^options\.prompt: /, { options: { prompt: 'x'.repeat(2001) } }, ['--prompt', 'x'.repeat(2001)]],
    [/terms/, { options: { terms: ['x'.repeat(65)] } }, ['--terms', 'x'.repeat(65)]],
    [/terms/, { options: { terms: ['!?'] } }, ['--terms', '!?']]
  ]
  for (const [field, body, options] of bad) {
    const upload = await call(mine, 'POST', '/api/v1/media/uploads/init', { fileName: 'talk.mp3', fileSize: 3000, ...body })
    const address = await call(mine, 'POST', '/api/v1/transcriptions', { source: { url: URL }, ...body })
    const { code, stdout, stderr } = await runCommand(dataDir, ['transcribe', path, ...options])
    t.match(upload, { status: 400, body: { code: 'invalid_request', error: field } })
    t.equal(address.body.error, upload.body.error)
    t.strictSame({ code, stdout, stderr }, { code: 1, stdout: '', stderr: `stenobox: ${upload.body.error}\n` })
  }
})
