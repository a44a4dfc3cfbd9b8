/** Uploads over HTTP: parts in any order, again, wrong ones; completion; and whose they are. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { buildAppliance } from '../support/appliance.ts'
import type { TestAppliance } from '../support/appliance.ts'

const MIB = 1024 * 1024
const bytes = Buffer.alloc(2 * MIB + 5, 'abcdefg')
const sha256 = createHash('sha256').update(bytes).digest('hex')
type Init = { uploadId: string, partSize: number, partCount: number, parts: Array<{ partNumber: number, url: string }>, expiresAt: string }

const partOf = (number: number): Buffer => bytes.subarray((number - 1) * MIB, number * MIB)
const RAW = { 'content-type': 'application/octet-stream' }

async function begin ({ call }: TestAppliance, key: string, more: object = {}): Promise<Init> {
  const reply = await call(key, 'POST', '/api/v1/media/uploads/init', { fileName: 'talk.mp3', fileSize: bytes.length, ...more })
  return reply.body.data as unknown as Init
}

/** The path of a part's URL: what inject takes. */
const path = (upload: Init, number: number): string => new URL(upload.parts[number - 1]?.url ?? '').pathname

t.test('begin says how to send, send takes any order and repeats, complete makes one job', async (t) => {
  const it = await buildAppliance(t)
  const key = it.key()
  const upload = await begin(it, key, { sha256 })
  t.match(upload, { partSize: MIB, partCount: 3, parts: [{ partNumber: 1 }, { partNumber: 2 }, { partNumber: 3 }] })
  t.ok(Date.parse(upload.expiresAt) > Date.now())
  for (const number of [3, 1, 3]) {
    const reply = await it.call(key, 'PUT', path(upload, number), partOf(number), RAW)
    t.match(
      reply,
      {
        status: 200, headers: { etag: /^"[0-9a-f]{64}"$/ },
        body: { success: true, data: { partNumber: number, size: partOf(number).length } }
      }
    )
  }
  const missing = await it.call(key, 'POST', '/api/v1/media/uploads/complete', { uploadId: upload.uploadId })
  t.match(missing, { status: 409, body: { code: 'parts_missing', error: /1 of 3 parts.*: 2\./ } })
  const state = await it.call(key, 'GET', `/api/v1/media/uploads/${upload.uploadId}`)
  t.match(state.body.data, { fileName: 'talk.mp3', fileSize: bytes.length, missing: [2], received: [{ partNumber: 1 }, { partNumber: 3 }] })
  // No content type at all: curl -T sends none.
  t.match(await it.call(key, 'PUT', path(upload, 2), partOf(2)), { status: 200 })
  const wrong = await it.call(key, 'POST', '/api/v1/media/uploads/complete', { uploadId: upload.uploadId, sha256: '0'.repeat(64) })
  t.match(wrong, { status: 400, body: { code: 'digest_mismatch' } })
  const complete = async () => await it.call(key, 'POST', '/api/v1/media/uploads/complete', { uploadId: upload.uploadId, sha256 })
  const [one, two] = await Promise.all([complete(), complete()])
  t.match(one, { status: 200, body: { success: true, data: { jobId: 1, status: 'queued' } } })
  t.strictSame(two?.body, one?.body, 'completing twice at once makes one job')
  t.match(
    await it.call(key, 'POST', '/api/v1/media/uploads/complete', { uploadId: upload.uploadId }),
    { status: 200, body: { data: { jobId: 1 } } }
  )
  t.match(await it.call(key, 'PUT', path(upload, 1), partOf(1), RAW), { status: 409, body: { code: 'conflict' } })
  t.match(await it.call(key, 'DELETE', `/api/v1/media/uploads/${upload.uploadId}`), { status: 409 })
  t.match(
    await it.call(key, 'GET', '/api/v1/jobs/1'),
    { status: 200, body: { data: { id: 1, status: 'queued', progress: 0, failure: null, retryCount: 0, webhooks: { pending: 0 } } } }
  )
  t.match(
    await it.call(key, 'GET', '/api/v1/transcriptions/1'),
    { status: 200, body: { data: { id: 1, status: 'pending', fileName: 'talk.mp3' } } }
  )
  t.match(await it.call(key, 'GET', '/api/v1/transcriptions/1/export?format=txt'), { status: 422, body: { code: 'not_completed' } })
})

t.test('parts that are too long, too short, or do not exist', async (t) => {
  const it = await buildAppliance(t)
  const key = it.key()
  const upload = await begin(it, key)
  t.match(
    await it.call(key, 'PUT', path(upload, 1), bytes, RAW),
    { status: 413, body: { code: 'payload_too_large', error: /1048576 bytes/ } }
  )
  t.match(
    await it.call(key, 'PUT', path(upload, 1), Buffer.from('x'), RAW),
    { status: 400, body: { code: 'invalid_request', error: /1048576 bytes.*1 arrived/ } }
  )
  t.match(await it.call(key, 'PUT', path(upload, 3), partOf(1), RAW), { status: 413 }, 'the last part is 5 bytes long')
  for (const number of ['0', '-1', '4', 'x']) {
    t.match(
      await it.call(key, 'PUT', path(upload, 1).replace(/1$/, number), partOf(1), RAW),
      { status: 400, body: { error: /partNumber/ } }
    )
  }
  const state = await it.call(key, 'GET', `/api/v1/media/uploads/${upload.uploadId}`)
  t.strictSame(state.body.data['received'], [])
})

t.test('a digest that does not fit what arrived, then the right bytes', async (t) => {
  const it = await buildAppliance(t)
  const key = it.key()
  const upload = await begin(it, key, { sha256 })
  for (const number of [1, 2, 3]) await it.call(key, 'PUT', path(upload, number), number === 2 ? Buffer.alloc(MIB) : partOf(number), RAW)
  const complete = async (): Promise<unknown> => await it.call(key, 'POST', '/api/v1/media/uploads/complete', { uploadId: upload.uploadId })
  t.match(await complete(), { status: 400, body: { code: 'digest_mismatch' } })
  await it.call(key, 'PUT', path(upload, 2), partOf(2), RAW)
  t.match(await complete(), { status: 200 })
})

t.test('an upload can be dropped, expires, and is nobody else\'s', async (t) => {
  let now = Date.now()
  const it = await buildAppliance(t, {}, () => now)
  const mine = it.key('me')
  const theirs = it.key('somebody else')
  const dropped = await begin(it, mine)
  t.match(await it.call(mine, 'DELETE', `/api/v1/media/uploads/${dropped.uploadId}`), { status: 200 })
  t.match(await it.call(mine, 'PUT', path(dropped, 1), partOf(1), RAW), { status: 404 })

  const upload = await begin(it, mine)
  const unknown = await it.call(theirs, 'GET', '/api/v1/media/uploads/00000000-0000-4000-8000-000000000000')
  for (const [method, url, payload] of [
    ['GET', `/api/v1/media/uploads/${upload.uploadId}`, undefined],
    ['PUT', path(upload, 1), partOf(1)],
    ['DELETE', `/api/v1/media/uploads/${upload.uploadId}`, undefined],
    ['POST', '/api/v1/media/uploads/complete', { uploadId: upload.uploadId }]
  ] as const) {
    const reply = await it.call(theirs, method, url, payload)
    t.match(reply, { status: 404, body: { error: unknown.body.error, code: unknown.body.code } }, `${method} by another owner`)
  }
  now += 25 * 60 * 60 * 1000
  t.match(await it.call(mine, 'GET', `/api/v1/media/uploads/${upload.uploadId}`), { status: 410, body: { code: 'gone' } })
})

t.test('another owner sees no job, no transcription, no export', async (t) => {
  const it = await buildAppliance(t)
  const mine = it.key('me')
  const upload = await begin(it, mine)
  for (const number of [1, 2, 3]) await it.call(mine, 'PUT', path(upload, number), partOf(number), RAW)
  await it.call(mine, 'POST', '/api/v1/media/uploads/complete', { uploadId: upload.uploadId })
  const theirs = it.key('somebody else')
  for (const url of ['/api/v1/jobs/1', '/api/v1/transcriptions/1', '/api/v1/transcriptions/1/export?format=txt']) {
    const other = await it.call(theirs, 'GET', url)
    const unknown = await it.call(theirs, 'GET', url.replace('/1', '/999'))
    t.match([other.status, unknown.status], [404, 404])
    t.equal(other.body.error, unknown.body.error, 'the same answer as for an id that does not exist')
  }
})

t.test('part URLs begin with the public address when there is one', async (t) => {
  const it = await buildAppliance(t, { STENOBOX_PUBLIC_URL: 'https://words.example.org/steno/' })
  const upload = await begin(it, it.key())
  t.match(upload.parts[0]?.url, `https://words.example.org/steno/api/v1/media/uploads/${upload.uploadId}/parts/1`)
})
