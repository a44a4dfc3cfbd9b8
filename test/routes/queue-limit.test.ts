/** A full queue: refused before bytes are sent, and nothing that was sent is lost. */
import t from 'tap'
import { buildAppliance } from '../support/appliance.ts'
import { openStores } from '../support/store.ts'

const FULL = { status: 429, headers: { 'retry-after': '60' }, body: { success: false, code: 'queue_full' } }

t.test('a full queue refuses init and complete; the upload completes later, with the same Idempotency-Key too', async (t) => {
  const { call, key } = await buildAppliance(t, { STENOBOX_MAX_QUEUED: '2' })
  const stores = openStores(t, t.testdirName)
  const mine = key()
  const init = async () => await call(mine, 'POST', '/api/v1/media/uploads/init', { fileName: 'talk.mp3', fileSize: 5 })
  const { body: { data } } = await init()
  await call(mine, 'PUT', `/api/v1/media/uploads/${String(data['uploadId'])}/parts/1`, Buffer.from('words'))
  const complete = async () =>
    await call(mine, 'POST', '/api/v1/media/uploads/complete', { uploadId: data['uploadId'] }, { 'idempotency-key': 'k' })
  const [queued] = [stores.addJob('default'), stores.addJob('somebody else')]
  t.match(await init(), FULL)
  t.match(await complete(), FULL)
  t.match(
    await call(mine, 'GET', `/api/v1/media/uploads/${String(data['uploadId'])}`),
    { status: 200, body: { data: { missing: [], received: [{ partNumber: 1 }] } } }
  )
  stores.jobs.fail(queued, 'timeout', 1)
  t.match(await complete(), { status: 200, body: { data: { status: 'queued' } } })
  t.match(await init(), FULL)
  t.match(await complete(), { status: 200 }, 'a complete one is complete, full or not')
})

t.test('of two uploads that complete at once, the one without a place keeps its parts', async (t) => {
  const { call, key } = await buildAppliance(t, { STENOBOX_MAX_QUEUED: '1' })
  const stores = openStores(t, t.testdirName)
  const mine = key()
  const uploads = await Promise.all([1, 2].map(async () => {
    const { body: { data } } = await call(mine, 'POST', '/api/v1/media/uploads/init', { fileName: 'talk.mp3', fileSize: 5 })
    await call(mine, 'PUT', `/api/v1/media/uploads/${String(data['uploadId'])}/parts/1`, Buffer.from('words'))
    return data['uploadId']
  }))
  const complete = async (uploadId: unknown) => await call(mine, 'POST', '/api/v1/media/uploads/complete', { uploadId })
  const replies = await Promise.all(uploads.map(complete))
  t.strictSame(replies.map(({ status }) => status).sort(), [200, 429])
  t.equal(stores.jobs.countActive(), 1)
  stores.jobs.fail(1, 'timeout', 1)
  const refused = uploads[replies.findIndex(({ status }) => status === 429)]
  t.match(
    await call(mine, 'POST', '/api/v1/media/uploads/complete', { uploadId: refused }),
    { status: 200 },
    'and its parts are still there'
  )
})

t.test('one owner cannot fill the queue while there are others', async (t) => {
  const { call, key } = await buildAppliance(t, { STENOBOX_MAX_QUEUED: '8' })
  const stores = openStores(t, t.testdirName)
  const mine = key()
  const submit = async () => await call(mine, 'POST', '/api/v1/transcriptions', { source: { url: 'http://192.0.2.1/talk.mp3' } })
  const statuses = async (count: number) => {
    const found: number[] = []
    for (let index = 0; index < count; index++) found.push((await submit()).status)
    return found
  }
  t.notMatch(await statuses(5), [429], 'an owner alone may have the whole queue')
  const ownerId = stores.apiKeys.ensureOwner('somebody else', 0)
  t.equal(await submit().then(async ({ status }) => { stores.jobs.fail(6, 'timeout', 1); return status }), 201, 'one who has done nothing')
  stores.usage.addRequests({ ownerId, keyId: 0, dayAt: Date.now(), requests: 1 })
  t.match(await submit(), { ...FULL, body: { ...FULL.body, error: /your share of the queue/i } })
  for (const count of [1, 2]) t.equal(stores.addJob('somebody else'), 6 + count)
})
