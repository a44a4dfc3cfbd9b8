/** Retries over HTTP, and what polling says of them. */
import { readdirSync, rmSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { buildAppliance } from '../support/appliance.ts'
import { openStores } from '../support/store.ts'

async function build (t: Test, settings: Record<string, string> = {}) {
  const built = await buildAppliance(t, settings)
  const { call, key } = built
  const stores = openStores(t, t.testdirName)
  const mine = key()
  return {
    ...built,
    stores,
    mine,
    retry: async (id: number, who = mine, headers: Record<string, string> = {}) =>
      await call(who, 'POST', `/api/v1/jobs/${id}/retry`, undefined, headers),
    /** An uploaded job. */
    async add (): Promise<number> {
      const { body: { data } } = await call(mine, 'POST', '/api/v1/media/uploads/init', { fileName: 'talk.mp3', fileSize: 5 })
      await call(mine, 'PUT', `/api/v1/media/uploads/${String(data['uploadId'])}/parts/1`, Buffer.from('words'))
      const reply = await call(mine, 'POST', '/api/v1/media/uploads/complete', { uploadId: data['uploadId'] })
      return Number(reply.body.data['jobId'])
    }
  }
}

t.test('what polling calls retryable can be retried, three times', async (t) => {
  const { add, retry, stores, call, mine } = await build(t)
  const id = await add()
  const poll = async (): Promise<unknown> => (await call(mine, 'GET', `/api/v1/jobs/${id}`)).body.data
  t.match(await poll(), { status: 'queued', retryable: false })
  t.match(await retry(id), { status: 409, body: { success: false, code: 'conflict', error: /queued/ } })
  for (const retryCount of [1, 2, 3]) {
    stores.jobs.fail(id, 'timeout', Date.now())
    t.match(await poll(), { status: 'failed', failure: { code: 'timeout' }, retryCount: retryCount - 1, retryable: true })
    const reply = await retry(id)
    t.equal(reply.status, 200)
    t.strictSame(reply.body, { success: true, data: { jobId: id, status: 'queued', retryCount, retryable: false } })
    t.match(await poll(), { status: 'queued', failure: null, retryCount, retryable: false })
  }
  stores.jobs.fail(id, 'timeout', Date.now())
  t.match(await poll(), { status: 'failed', retryCount: 3, retryable: false })
  t.match(await retry(id), { status: 409, body: { code: 'conflict' } })
})

t.test('of two retries at once one gets 200 and the other 409', async (t) => {
  const { add, retry, stores } = await build(t)
  const id = await add()
  stores.jobs.fail(id, 'timeout', Date.now())
  t.strictSame((await Promise.all([retry(id), retry(id)])).map(({ status }) => status).sort(), [200, 409])
})

t.test('a job without its recording: 410, and polling says that it is not retryable', async (t) => {
  const { add, retry, stores, call, mine } = await build(t)
  const id = await add()
  stores.jobs.fail(id, 'timeout', Date.now())
  for (const file of readdirSync(`${t.testdirName}/media`)) rmSync(`${t.testdirName}/media/${file}`)
  t.match(await call(mine, 'GET', `/api/v1/jobs/${id}`), { body: { data: { retryable: false } } })
  t.match(await retry(id), { status: 410, body: { code: 'gone' } })
})

t.test('a job of another owner: 404; a disk that is nearly full: 507', async (t) => {
  const { add, retry, stores, key } = await build(t)
  const id = await add()
  stores.jobs.fail(id, 'timeout', Date.now())
  t.match(await retry(id, key('somebody else')), { status: 404, body: { code: 'not_found' } })
  stores.db.prepare('UPDATE job SET duration_ms = ?').run(1e14)
  t.match(await retry(id), { status: 507, body: { code: 'insufficient_storage' } })
})

t.test('the same retry sent twice under one key counts once', async (t) => {
  const { add, retry, stores, mine } = await build(t)
  const id = await add()
  stores.jobs.fail(id, 'timeout', Date.now())
  const first = await retry(id, mine, { 'idempotency-key': 'once' })
  const second = await retry(id, mine, { 'idempotency-key': 'once' })
  t.match([first.status, second.status, second.headers['idempotency-replayed']], [200, 200, 'true'])
  t.strictSame(second.body, first.body)
})
