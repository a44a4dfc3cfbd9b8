/** Receiving parts. Completing is in uploads-complete.test.ts. */
import t from 'tap'
import { callerOf, chunksOf, MIB, openSubmit, sha256 } from '../support/submit.ts'
import { randomBytes } from '../support/random.ts'
import { nameOf } from '../support/store.ts'

const BYTES = randomBytes(2 * MIB + 500_000, 1)
const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
const part = (number: number): Buffer => BYTES.subarray((number - 1) * MIB, number * MIB)

t.test('an upload begins with its parts, its options and the time it lasts', async (t) => {
  const { begin, service, owner, clock } = await openSubmit(t)
  const upload = await begin(BYTES, { fileType: 'audio/mpeg', sha256: sha256(BYTES), language: 'de', options: { sttQuality: 'fast' } })
  t.match(upload.id, /^[0-9a-f-]{36}$/)
  t.match(
    upload,
    { ownerId: owner, fileName: 'talk.mp3', partSizeBytes: MIB, createdAt: clock.now(), expiresAt: clock.now() + HOUR_MS, jobId: undefined }
  )
  t.strictSame(service.look(upload.id, owner), { upload, received: [], missing: [1, 2, 3] })
})

t.test('a file that is too large is refused at the beginning', async (t) => {
  const { begin } = await openSubmit(t, { maxMediaBytes: 1000 })
  await t.rejects(begin(Buffer.alloc(1001)), { name: 'AppError', code: 'media_too_large', message: /1000/ })
  await t.resolves(begin(Buffer.alloc(1000)))
})

t.test('parts may come in any order', async (t) => {
  const { begin, send, service, owner } = await openSubmit(t)
  const { id } = await begin(BYTES)
  t.strictSame(await send(id, BYTES, 3), { partNumber: 3, sizeBytes: 500_000, sha256: sha256(part(3)) })
  t.strictSame(service.look(id, owner).missing, [1, 2])
  await send(id, BYTES, 1)
  t.match(service.look(id, owner), { received: [{ partNumber: 1 }, { partNumber: 3 }], missing: [2] })
  await send(id, BYTES, 2)
  t.strictSame(service.look(id, owner).missing, [])
})

t.test('a part sent again replaces the first; the last one counts', async (t) => {
  const { begin, send, service, owner } = await openSubmit(t)
  const { id } = await begin(BYTES)
  const broken = Buffer.from(BYTES)
  broken[10] = (broken[10] ?? 0) ^ 1
  await send(id, broken, 1)
  await send(id, BYTES, 1)
  t.strictSame(service.look(id, owner).received, [{ partNumber: 1, sizeBytes: MIB, sha256: sha256(part(1)) }])
})

t.test('the same part sent twice at the same time is stored once', async (t) => {
  const { begin, send, service, owner, list } = await openSubmit(t)
  const { id } = await begin(BYTES)
  const [first, second] = await Promise.all([send(id, BYTES, 1), send(id, BYTES, 1)])
  t.strictSame(first, second)
  t.equal(service.look(id, owner).received.length, 1)
  t.strictSame(list(`uploads/${id}`), [`1-${sha256(part(1))}.part`])
})

t.test('a broken second transfer of a part leaves the first one intact', async (t) => {
  const { begin, send, service, owner, list } = await openSubmit(t)
  const { id } = await begin(BYTES)
  await send(id, BYTES, 1)
  async function * broken (): AsyncGenerator<Buffer> {
    yield Buffer.alloc(1000)
    throw new Error('connection lost')
  }
  await t.rejects(service.receivePart(id, owner, 1, { lengthBytes: MIB, source: broken() }), /connection lost/)
  t.match(service.look(id, owner).received, [{ sha256: sha256(part(1)) }])
  t.equal(list(`uploads/${id}`).length, 1)
})

t.test('a part must have the expected length, announced or not', async (t) => {
  const { begin, service, owner, list } = await openSubmit(t)
  const { id } = await begin(BYTES)
  for (const lengthBytes of [MIB + 1, undefined]) {
    const error = service.receivePart(id, owner, 1, { lengthBytes, source: chunksOf(Buffer.alloc(MIB + 1)) })
    await t.rejects(error, { name: 'AppError', code: 'payload_too_large', message: /1048576/ }, `too long, ${lengthBytes}`)
  }
  for (const lengthBytes of [MIB - 1, undefined]) {
    const error = service.receivePart(id, owner, 1, { lengthBytes, source: chunksOf(Buffer.alloc(MIB - 1)) })
    await t.rejects(error, { name: 'AppError', code: 'invalid_request', message: /1048576.*1048575/ }, `too short, ${lengthBytes}`)
  }
  await t.rejects(
    service.receivePart(id, owner, 3, { lengthBytes: MIB, source: chunksOf(Buffer.alloc(MIB)) }),
    { code: 'payload_too_large' },
    'the last is shorter'
  )
  t.strictSame(service.look(id, owner).received, [])
  t.notOk(list(`uploads/${id}`).some((name) => name.endsWith('.tmp')))
})

t.test('a wrong announced length is refused before a byte is read', async (t) => {
  const { begin, service, owner } = await openSubmit(t)
  const { id } = await begin(BYTES)
  let isRead = false
  async function * source (): AsyncGenerator<Buffer> {
    isRead = true
    yield part(1)
  }
  await t.rejects(service.receivePart(id, owner, 1, { lengthBytes: MIB + 1, source: source() }), { code: 'payload_too_large' })
  await t.rejects(service.receivePart(id, owner, 1, { lengthBytes: MIB - 1, source: source() }), { code: 'invalid_request' })
  t.equal(isRead, false)
})

t.test('an announced length that differs from what arrives is detected', async (t) => {
  const { begin, service, owner } = await openSubmit(t)
  const { id } = await begin(BYTES)
  for (const length of [MIB - 1, MIB + 1]) {
    await t.rejects(service.receivePart(id, owner, 1, { lengthBytes: MIB, source: chunksOf(Buffer.alloc(length)) }), { name: 'AppError' })
  }
  t.strictSame(service.look(id, owner).received, [])
})

t.test('part 0 and parts after the last one are refused', async (t) => {
  const { begin, service, owner } = await openSubmit(t)
  const { id } = await begin(BYTES)
  for (const number of [0, -1, 4]) {
    await t.rejects(
      service.receivePart(id, owner, number, { lengthBytes: 1, source: chunksOf(Buffer.alloc(1)) }),
      { code: 'invalid_request', message: /1 to 3/ },
      String(number)
    )
  }
})

t.test('an upload cannot be used by another owner', async (t) => {
  const { begin, service, other } = await openSubmit(t)
  const { id } = await begin(BYTES)
  const missing = { name: 'AppError', code: 'not_found', message: 'There is no such upload. It may have expired. Begin a new one.' }
  await t.rejects(service.receivePart(id, other, 1, { lengthBytes: MIB, source: chunksOf(part(1)) }), missing)
  await t.rejects(
    service.receivePart('no-such-id', other, 1, { lengthBytes: MIB, source: chunksOf(part(1)) }),
    missing,
    'the same as an unknown one'
  )
  t.throws(() => service.look(id, other), missing)
  await t.rejects(service.complete(id, callerOf(other), undefined), missing)
  await t.rejects(service.drop(id, other), missing)
})

t.test('an expired upload takes no parts and cannot be completed', async (t) => {
  const { begin, send, service, owner, clock } = await openSubmit(t)
  const { id } = await begin(BYTES)
  clock.advance(HOUR_MS - 1)
  await t.resolves(send(id, BYTES, 1))
  clock.advance(DAY_MS - HOUR_MS)
  await t.resolves(send(id, BYTES, 1))
  clock.advance(1)
  await t.rejects(send(id, BYTES, 2), { code: 'gone' })
  t.throws(() => service.look(id, owner), { code: 'gone' })
  await t.rejects(service.complete(id, callerOf(owner), undefined), { code: 'gone' })
})

t.test('an upload that expires, is dropped or is completed while a part arrives does not take it', async (t) => {
  const { begin, service, owner, clock, uploads, addJob } = await openSubmit(t)
  const sent = async (meanwhile: (id: string) => unknown): Promise<unknown> => {
    const { id } = await begin(Buffer.alloc(10))
    async function * source (): AsyncGenerator<Buffer> {
      yield Buffer.alloc(4)
      await meanwhile(id)
      yield Buffer.alloc(6)
    }
    return await service.receivePart(id, owner, 1, { lengthBytes: 10, source: source() })
  }
  await t.rejects(sent(async (id) => { await service.drop(id, owner) }), { code: 'not_found' })
  await t.rejects(sent((id) => { uploads.setJob(id, addJob('owner')) }), { code: 'conflict' })
  await t.rejects(sent(() => { clock.advance(DAY_MS) }), { code: 'gone' })
})

t.test('dropping an upload removes its parts', async (t) => {
  const { begin, send, service, owner, list, db } = await openSubmit(t)
  const { id } = await begin(BYTES)
  await send(id, BYTES, 1)
  await service.drop(id, owner)
  t.throws(() => service.look(id, owner), { code: 'not_found' })
  t.strictSame(list('uploads'), [])
  t.equal(db.prepare('SELECT count(*) FROM upload_part').pluck().get(), 0)
  await t.rejects(service.drop(id, owner), { code: 'not_found' })
})

t.test('the sweep removes expired uploads and nothing that is in use', async (t) => {
  const { begin, send, service, owner, clock, list } = await openSubmit(t)
  const old = await begin(BYTES)
  await send(old.id, BYTES, 1)
  const done = await begin(Buffer.alloc(100))
  await send(done.id, Buffer.alloc(100), 1)
  await service.complete(done.id, callerOf(owner), undefined)
  clock.advance(60_000)
  await service.sweep()
  t.not(list('uploads').filter((name) => name.startsWith(old.id)).length, 0, 'not expired yet')
  clock.advance(DAY_MS + 60_000)
  const young = await begin(BYTES)
  await service.sweep()
  t.strictSame(list('uploads').filter((name) => name.startsWith(old.id)), [])
  t.strictSame(list('media'), [`upload-${done.id}`])
  t.throws(() => service.look(old.id, owner), { code: 'not_found' })
  t.match(service.look(young.id, owner), { missing: [1, 2, 3] })
})

t.test('below the reserve of free disk nothing is accepted', async (t) => {
  const { begin, uploads, owner, service } = await openSubmit(t, { minFreeBytes: Number.MAX_SAFE_INTEGER })
  await t.rejects(begin(BYTES), { name: 'AppError', code: 'insufficient_storage' })
  uploads.insert({
    id: 'before', ownerId: owner, fileName: nameOf('x'), fileType: undefined, sizeBytes: 10, partSizeBytes: MIB, sha256: undefined,
    options: { sttQuality: 'fast' }, apiKeyId: undefined, webhook: undefined, createdAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER, reservedUntil: Number.MAX_SAFE_INTEGER, jobId: undefined
  })
  await t.rejects(
    service.receivePart('before', owner, 1, { lengthBytes: 10, source: chunksOf(Buffer.alloc(10)) }),
    { code: 'insufficient_storage' }
  )
  t.match(service.look('before', owner), { missing: [1] })
})

t.test('bytes that open uploads have announced count as used', async (t) => {
  const { begin, send, service, owner, other, owners } = await openSubmit(t, {
    files: { freeBytes: async () => 5 * MIB }, minFreeBytes: MIB
  })
  // An owner who is alone has the whole disk.
  owners.remove(other)
  const first = await begin(BYTES)
  await t.rejects(begin(BYTES), { code: 'insufficient_storage' })
  await t.resolves(begin(Buffer.alloc(MIB)))
  await send(first.id, BYTES, 1)
  await t.resolves(begin(Buffer.alloc(MIB)), 'what has arrived is not counted twice')
  await service.drop(first.id, owner)
  await t.resolves(begin(Buffer.alloc(MIB)))
})

t.test('a disk that fills while a part arrives gives insufficient_storage', async (t) => {
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' })
  const { begin, send, service, owner } = await openSubmit(t, { files: { writePart: async () => { throw full } } })
  const { id } = await begin(BYTES)
  await t.rejects(send(id, BYTES, 1), { name: 'AppError', code: 'insufficient_storage', cause: full })
  t.strictSame(service.look(id, owner).received, [])
})

t.test('uploads without a byte take a share of the disk, and end within an hour', async (t) => {
  const { service, owner, other, clock, usage } = await openSubmit(t, { files: { freeBytes: async () => 100 * MIB } })
  usage.addRequests({ ownerId: other, keyId: 0, dayAt: clock.now(), requests: 1 })
  const begin = async (ownerId: number) => (await service.begin(callerOf(ownerId), { fileName: 'talk.mp3', sizeBytes: 10 * MIB })).upload
  for (let count = 0; count < 5; count++) await begin(owner)
  await t.rejects(begin(owner), { code: 'insufficient_storage', message: /your share of the free disk/i })
  await t.resolves(begin(other), 'another owner has room')
  clock.advance(60 * 60_000)
  await t.resolves(begin(owner), 'what was not sent is free again')
})

t.test('the first part keeps an upload open for a day', async (t) => {
  const { begin, send, service, owner, clock } = await openSubmit(t)
  const bytes = Buffer.alloc(MIB + 1)
  const [used, unused] = [await begin(bytes), await begin(bytes)]
  await send(used.id, bytes, 1)
  clock.advance(60 * 60_000)
  t.match(service.look(used.id, owner), { missing: [2] })
  t.throws(() => service.look(unused.id, owner), { code: 'gone' })
  clock.advance(23 * 60 * 60_000)
  t.throws(() => service.look(used.id, owner), { code: 'gone' })
})

t.test('an upload reserves the disk while its parts arrive, and takes parts for longer', async (t) => {
  const { begin, send, service, owner, clock } = await openSubmit(t, { files: { freeBytes: async () => 3 * MIB } })
  const bytes = Buffer.alloc(3 * MIB)
  const { id } = await begin(bytes)
  const isRoomFor = async (size: number): Promise<boolean> =>
    await begin(Buffer.alloc(size)).then(async (other) => { await service.drop(other.id, owner); return true }, () => false)
  clock.advance(40 * 60_000)
  await send(id, bytes, 1)
  clock.advance(40 * 60_000)
  t.strictSame([await isRoomFor(MIB), await isRoomFor(MIB + 1)], [true, false], 'a part arrived 40 minutes ago')
  clock.advance(20 * 60_000)
  t.ok(await isRoomFor(3 * MIB), 'none arrived for an hour')
  await t.resolves(send(id, bytes, 2))
  t.strictSame([await isRoomFor(2 * MIB), await isRoomFor(2 * MIB + 1)], [true, false])
})

t.test('uploads that begin at the same time do not share a place', async (t) => {
  const { begin, service, owner } = await openSubmit(t, { files: { freeBytes: async () => 100 * MIB } })
  const begun = await Promise.allSettled(Array.from({ length: 30 }, async () => await begin(Buffer.alloc(10 * MIB))))
  t.equal(begun.filter(({ status }) => status === 'fulfilled').length, 10)
  await t.rejects(service.begin(callerOf(owner), { fileName: 'x', sizeBytes: 1 }), { code: 'insufficient_storage' })
})

t.test('an owner who has not been seen for a month has no share', async (t) => {
  const { begin, other, usage, clock } = await openSubmit(t, { files: { freeBytes: async () => 100 * MIB } })
  usage.addRequests({ ownerId: other, keyId: 0, dayAt: clock.now(), requests: 1 })
  await t.rejects(begin(Buffer.alloc(80 * MIB)), { code: 'insufficient_storage', message: /your share/i })
  clock.advance(31 * DAY_MS)
  await t.resolves(begin(Buffer.alloc(80 * MIB)))
})

t.test('an owner has at most 200 uploads open', async (t) => {
  const { begin, service, owner } = await openSubmit(t)
  const begun = await Promise.allSettled(Array.from({ length: 210 }, async () => await begin(Buffer.alloc(1))))
  const ids = begun.flatMap((one) => one.status === 'fulfilled' ? [one.value.id] : [])
  t.equal(ids.length, 200)
  await t.rejects(begin(Buffer.alloc(1)), { code: 'queue_full', message: /200 uploads open/ })
  await service.drop(ids[0] ?? '', owner)
  await t.resolves(begin(Buffer.alloc(1)))
})

t.test('an upload waits for the disk with its parts, not before', async (t) => {
  const { begin, send, service, owner, uploads, db } = await openSubmit(t)
  const synced: string[] = []
  for (const name of ['insert', 'upsertPart', 'extend', 'remove'] as const) {
    const change = uploads[name] as (...given: unknown[]) => void
    uploads[name] = (...given: unknown[]): void => {
      synced.push(`${name}: ${db.inTransaction ? 'in a transaction' : 'alone'}, ${db.pragma('synchronous', { simple: true }) === 2}`)
      change(...given)
    }
  }
  const { id } = await begin(BYTES)
  await service.drop(id, owner)
  t.strictSame(synced.splice(0), ['insert: in a transaction, false', 'remove: in a transaction, false'])
  const { id: other } = await begin(BYTES)
  await send(other, BYTES, 1)
  await service.drop(other, owner)
  t.strictSame(synced.slice(1), [
    'upsertPart: in a transaction, true', 'extend: in a transaction, true', 'remove: in a transaction, true'
  ], 'one commit for a part')
})
