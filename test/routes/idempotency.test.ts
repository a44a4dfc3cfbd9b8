/** Idempotency-Key over HTTP. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { buildAppliance } from '../support/appliance.ts'
import type { TestAppliance } from '../support/appliance.ts'

const INIT = '/api/v1/media/uploads/init'
const BODY = { fileName: 'talk.mp3', fileSize: 5 }
const keyed = (key: string, more: Record<string, string> = {}): Record<string, string> => ({ 'idempotency-key': key, ...more })

/** Begins an upload. */
const init = async ({ call }: TestAppliance, who: string, headers: Record<string, string>, body: object = BODY) =>
  await call(who, 'POST', INIT, body, headers)

t.test('the same request is carried out once and answered alike, also by the next process', async (t) => {
  const it = await buildAppliance(t)
  const mine = it.key()
  const first = await init(it, mine, keyed('k'))
  t.match([first.status, first.headers['idempotency-replayed']], [201, undefined])
  const again = await init(it, mine, keyed('k'), { fileSize: 5, fileName: 'talk.mp3' })
  t.match(
    [again.status, again.headers['idempotency-replayed'], again.headers['content-type']],
    [201, 'true', first.headers['content-type']]
  )
  t.strictSame(again.body, first.body)
  t.not((await init(it, mine, keyed('other'))).body.data['uploadId'], first.body.data['uploadId'])
  t.not((await init(it, mine, {})).body.data['uploadId'], first.body.data['uploadId'])

  await it.http.close()
  await it.appliance.close()
  const next = await buildAppliance(t, { STENOBOX_DATA_DIR: t.testdirName })
  t.strictSame((await init(next, mine, keyed('k'))).body, first.body)
})

t.test('another request under the key is refused; other owners and operations have their own', async (t) => {
  const it = await buildAppliance(t)
  const [mine, alsoMine, theirs] = [it.key(), it.key(), it.key('somebody else')]
  const first = await init(it, mine, keyed('k'))
  t.match(await init(it, mine, keyed('k'), { ...BODY, fileSize: 6 }), { status: 422, body: { code: 'idempotency_mismatch' } })
  t.strictSame((await init(it, alsoMine, keyed('k'))).body, first.body, 'another key of the owner')
  t.match(await init(it, theirs, keyed('k'), { ...BODY, fileSize: 6 }), { status: 201 })
  const { uploadId } = first.body.data
  t.match(await it.call(mine, 'POST', '/api/v1/media/uploads/complete', { uploadId }, keyed('k')), {
    status: 409,
    body: { code: 'parts_missing' }
  })
})

t.test('several at once are carried out once', async (t) => {
  const it = await buildAppliance(t)
  const mine = it.key()
  const replies = await Promise.all([1, 2, 3].map(async () => await init(it, mine, keyed('k'))))
  const { body } = await init(it, mine, keyed('k'))
  for (const reply of replies) {
    if (reply.status === 409) t.match(reply, { headers: { 'retry-after': '1' }, body: { code: 'idempotency_in_flight' } })
    else t.match(reply, { status: 201, body })
  }
})

t.test('a refused request is carried out when its cause is gone', async (t) => {
  const it = await buildAppliance(t)
  const mine = it.key()
  const complete = async (uploadId: unknown) =>
    await it.call(
      mine,
      'POST',
      '/api/v1/media/uploads/complete',
      { uploadId },
      keyed(`complete ${String(uploadId)}`.replaceAll(' ', '-'))
    )
  const { body: { data: { uploadId } } } = await init(it, mine, {})
  t.match(await complete(uploadId), { status: 409, body: { code: 'parts_missing' } })
  await it.call(mine, 'PUT', `/api/v1/media/uploads/${String(uploadId)}/parts/1`, Buffer.from('words'))
  t.match(await complete(uploadId), { status: 200, headers: { 'idempotency-replayed': undefined } })
  const sha256 = createHash('sha256').update('words').digest('hex')
  const other = (await init(it, mine, {}, { ...BODY, sha256 })).body.data['uploadId']
  await it.call(mine, 'PUT', `/api/v1/media/uploads/${String(other)}/parts/1`, Buffer.from('wards'))
  t.match(await complete(other), { status: 400, body: { code: 'digest_mismatch' } })
  await it.call(mine, 'PUT', `/api/v1/media/uploads/${String(other)}/parts/1`, Buffer.from('words'))
  t.match(
    await complete(other),
    { status: 200, headers: { 'idempotency-replayed': undefined } },
    'the part was sent again, as the error asks'
  )
  const { uploads } = it.appliance
  const { begin } = uploads
  uploads.begin = async () => { throw new Error('a fault') }
  t.match(await init(it, mine, keyed('fault')), { status: 500 })
  uploads.begin = begin
  t.match(await init(it, mine, keyed('fault')), { status: 201 })
})

t.test('what the plan did not include is carried out when the plan does', async (t) => {
  const it = await buildAppliance(t)
  const { keys } = it.appliance
  const [free, enterprise] = (['free', 'enterprise'] as const).map((plan) => keys.create({ name: 'test', owner: 'anna', plan }).key)
  const body = { ...BODY, options: { speakers: true } }
  for (const attempt of [1, 2]) {
    t.match(await init(it, free ?? '', keyed('k'), body), {
      status: 403, headers: { 'idempotency-replayed': undefined }, body: { code: 'not_in_plan' }
    }, `attempt ${attempt}`)
  }
  t.match(await init(it, enterprise ?? '', keyed('k'), body), { status: 201, headers: { 'idempotency-replayed': undefined } })
})

t.test('a request that is not understood may be corrected under its key', async (t) => {
  const it = await buildAppliance(t)
  const mine = it.key()
  t.match(await init(it, mine, keyed('k'), { fileName: 'talk.mp3' }), { status: 400 })
  t.match(await init(it, mine, keyed('k')), { status: 201 })
})

t.test('keys that cannot be; and without a credential none is looked at', async (t) => {
  const it = await buildAppliance(t)
  const mine = it.key()
  for (const key of ['', ' ', 'a b', 'ä', 'tab\there', 'x'.repeat(256)]) {
    t.match(
      await init(it, mine, keyed(key)),
      { status: 400, body: { code: 'invalid_request', error: /idempotency-key/i } },
      JSON.stringify(key)
    )
  }
  t.match(await init(it, mine, keyed('x'.repeat(255))), { status: 201 })
  t.match(await init(it, mine, keyed('!~{}"\\')), { status: 201 })
  const { call } = it
  t.match(await call(undefined, 'POST', INIT, BODY, keyed('a b')), { status: 401 })
})

t.test('operations without idempotency ignore the key', async (t) => {
  const it = await buildAppliance(t)
  const mine = it.key()
  t.match(await it.call(mine, 'GET', '/api/v1/transcriptions', undefined, keyed('a b')), { status: 200 })
})
