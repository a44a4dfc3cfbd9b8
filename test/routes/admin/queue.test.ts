/** Work of all owners as the administrator sees it: what runs, what waits, what has failed; never what recordings are called. */
import t from 'tap'
import type { Test } from 'tap'
import { buildAdministered } from '../../support/admin.ts'
import { createClient } from '../../support/client.ts'
import { followEvents } from '../../support/events.ts'
import { AUDIO } from '../../support/paths.ts'
import { openStores } from '../../support/store.ts'
import { waitFor } from '../../support/wait.ts'

const SECRET = 'merger with Acme.mp3'
type Row = { jobId: number, ownerName: string, kind: string | null, stage: string, state: string, pieces: number, progress: number }
type Queue = { jobs: Row[], counts: { queued: number, processing: number, work: Array<{ kind: string, state: string, pieces: number }> } }

async function build (t: Test, settings: Record<string, string> = {}) {
  const dataDir = t.testdir()
  const built = await buildAdministered(t, { STENOBOX_DATA_DIR: dataDir, ...settings })
  const admin = await built.openSession()
  const stores = openStores(t, dataDir)
  /** A job that has failed. */
  const addFailed = (owner: string): number => {
    const id = stores.addJob(owner, { fileName: SECRET })
    stores.jobs.fail(id, 'decode_failed', built.clock.now())
    return id
  }
  const queue = async (query = ''): Promise<Queue> => (await admin.call('GET', `queue${query}`)).body.data as unknown as Queue
  return { ...built, admin, stores, addFailed, queue }
}

t.test('the queue shows what runs before what waits, with owners and progress, and no names', async (t) => {
  const { stores: { addJob, claimDecode }, queue, admin, clock } = await build(t)
  const [first, second, third] = [addJob('anna', { fileName: SECRET }), addJob('ben', { fileName: SECRET }), addJob('anna')]
  claimDecode(clock.now())
  const { jobs: rows, counts } = await queue()
  t.match(rows, [
    { jobId: first, ownerName: 'anna', kind: 'decode', stage: 'decode', state: 'running', pieces: 1, progress: 0 },
    { jobId: second, ownerName: 'ben', kind: null, stage: 'decode', state: 'waiting', pieces: 0 },
    { jobId: third, ownerName: 'anna', state: 'waiting' }
  ])
  t.match(counts, { queued: 2, processing: 1 })
  t.ok(counts.work.some(({ kind, state, pieces }) => kind === 'decode' && state === 'running' && pieces === 1))
  t.strictSame((await queue('?limit=2')).jobs.map(({ jobId }) => jobId), [first, second])
  t.notMatch(JSON.stringify((await admin.call('GET', 'queue')).body), /merger|talk\.mp3/)
})

t.test('with the real program: a recording that is transcribed, beside one that waits', async (t) => {
  const { appliance, http, key, queue } = await build(t)
  const address = await http.listen({ port: 0, host: '127.0.0.1' })
  appliance.start()
  const client = createClient(address, key('anna'))
  const page = await followEvents(address, key('anna'))
  t.teardown(page.close)
  const [first, second] = [await client.uploadFile(`${AUDIO}dialogue.mp3`), await client.uploadFile(`${AUDIO}dialogue.mp3`)]
  const seen = await waitFor('a window of the first beside the second', async () => {
    const { jobs } = await queue()
    const row = jobs.find(({ jobId }) => jobId === first)
    return row?.state === 'running' && jobs.some(({ jobId }) => jobId === second) && jobs
  }, { progress: () => page.seen.length })
  t.ok(seen.every(({ ownerName }) => ownerName === 'anna'))
  await Promise.all([client.ended(first), client.ended(second)])
})

t.test('failed jobs are listed in pages, newest first, with the reason and no names', async (t) => {
  const { addFailed, admin } = await build(t)
  const ids = ['anna', 'ben', 'anna'].map(addFailed)
  const first = await admin.call('GET', 'jobs?status=failed&limit=2')
  const rows = first.body.data as unknown as Array<{ id: number, ownerName: string, code: string, message: string, stage: string }>
  t.strictSame(rows.map(({ id, ownerName }) => [id, ownerName]), [[ids[2], 'anna'], [ids[1], 'ben']])
  t.match(rows[0], { code: 'decode_failed', message: /could not be decoded/, stage: 'decode', retryCount: 0, retryable: false })
  const { nextCursor } = first.body as unknown as { nextCursor: string }
  const second = await admin.call('GET', `jobs?limit=2&cursor=${nextCursor}`)
  t.match(second.body, { data: [{ id: ids[0] }], nextCursor: null })
  t.notMatch(JSON.stringify([first.body, second.body]), /merger/)
  t.match(await admin.call('GET', 'jobs?status=queued'), { status: 400 })
})

t.test('the administrator retries a failed job of an owner whose minutes are used up', async (t) => {
  const { appliance, admin, audited, call, key, stores, clock } = await build(t)
  appliance.plans.set('enterprise', { speechMinutesPerMonth: 1 })
  const anna = key('anna')
  const begun = await call(anna, 'POST', '/api/v1/media/uploads/init', { fileName: SECRET, fileSize: 4 })
  const { uploadId } = begun.body.data as { uploadId: string }
  await call(anna, 'PUT', `/api/v1/media/uploads/${uploadId}/parts/1`, Buffer.from('text'), { 'content-type': 'application/octet-stream' })
  const id = (await call(anna, 'POST', '/api/v1/media/uploads/complete', { uploadId })).body.data['jobId'] as number
  t.match(await admin.call('POST', `jobs/${id}/retry`), { status: 409, body: { code: 'conflict' } }, 'it has not failed')
  stores.jobs.fail(id, 'decode_failed', clock.now())
  stores.usage.addAudio(stores.jobs.find(id)?.ownerId ?? 0, Date.UTC(2026, 0), 60_000)
  t.match(await call(anna, 'POST', `/api/v1/jobs/${id}/retry`), { status: 429, body: { code: 'minutes_exceeded' } })
  t.match(await admin.call('POST', `jobs/${id}/retry`), { status: 200, body: { data: { jobId: id, status: 'queued', retryCount: 1 } } })
  t.match(audited().at(-1), { operation: 'retryJobAsAdministrator', jobId: id })
  t.match(await admin.call('POST', 'jobs/999/retry'), { status: 404 })
  t.match(await call(anna, 'GET', '/api/v1/admin/queue'), { status: 401 }, 'a key is no administrator')
})
