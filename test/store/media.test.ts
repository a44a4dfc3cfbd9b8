import t from 'tap'
import { nameOf, openStores } from '../support/store.ts'

t.test('media is found by its id, and its file is known', async (t) => {
  const { apiKeys, media } = openStores(t)
  const ownerId = apiKeys.ensureOwner('a', 0)
  const id = media.insert({ ownerId, file: 'upload-1', sizeBytes: 5_000_000_000, sha256: 'ab' }, 1)
  t.strictSame(media.find(id), { id, ownerId, file: 'upload-1', sizeBytes: 5_000_000_000, sha256: 'ab', state: 'stored' })
  t.equal(media.find(id + 1), undefined)
  t.equal(media.isKnown('upload-1'), true)
  t.equal(media.isKnown('upload-2'), false)
  t.throws(() => media.insert({ ownerId, file: 'upload-1', sizeBytes: 1, sha256: 'cd' }, 1), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
})

t.test('media that is expected is neither known nor found by its digest until it is there', async (t) => {
  const { apiKeys, media } = openStores(t)
  const ownerId = apiKeys.ensureOwner('a', 0)
  const id = media.expect(ownerId, 'source-1', 1)
  t.match(media.find(id), { state: 'expected', sizeBytes: 0 })
  t.equal(media.isKnown('source-1'), false)
  t.equal(media.findStored(ownerId, ''), undefined)
  t.equal(media.fill(id, { sizeBytes: 7, sha256: 'ab' }, 2), true)
  t.equal(media.fill(id, { sizeBytes: 8, sha256: 'cd' }, 3), false, 'once')
  t.match(media.findStored(ownerId, 'ab'), { id, sizeBytes: 7, state: 'stored' })
  t.equal(media.findStored(apiKeys.ensureOwner('b', 0), 'ab'), undefined, 'of nobody else')
  t.equal(media.isKnown('source-1'), true)
})

t.test('something expected that no job waits for is dropped', async (t) => {
  const { apiKeys, jobs, media, addUrlJob } = openStores(t)
  const waited = jobs.find(addUrlJob('a', 'https://example.org/'))?.mediaId ?? 0
  const id = media.expect(apiKeys.ensureOwner('a', 0), 'source-0', 1)
  media.dropEmpty(id)
  media.dropEmpty(waited)
  t.equal(media.find(id), undefined)
  t.ok(media.find(waited))
})

t.test('media goes when no job has a use for it', async (t) => {
  const { jobs, media, addJob, addUrlJob, apiKeys } = openStores(t)
  const upload = addJob('a')
  const uploadMedia = jobs.find(upload)?.mediaId ?? 0
  t.equal(media.expire(uploadMedia, false), undefined, 'not while the job is to be done')
  jobs.fail(upload, 'decode_failed', 1)
  t.equal(media.expire(uploadMedia, false), undefined, 'an upload that failed may be tried again')

  const fetched = addUrlJob('a', 'https://example.org/')
  const id = jobs.find(fetched)?.mediaId ?? 0
  media.fill(id, { sizeBytes: 1, sha256: 'ab' }, 1)
  const twin = jobs.insert({
    ownerId: apiKeys.ensureOwner('a', 0), mediaId: id, fileName: nameOf('x'), options: { sttQuality: 'fast' }, now: 0
  })
  jobs.fail(fetched, 'decode_failed', 1)
  t.equal(media.expire(id, false), undefined, 'another job needs it')
  jobs.begin(twin, 'fetch', 1)
  jobs.setDecoded(twin, 1000, 1)
  jobs.complete(twin, 2)
  t.equal(media.expire(id, true), undefined, 'kept with its transcript')
  t.match(media.expire(id, false), { id, state: 'removed' })
  t.equal(media.expire(id, false), undefined, 'once')
  t.equal(media.isKnown(media.find(id)?.file ?? ''), false)
})

t.test('what was stored before a time goes, but not what is being worked on', async (t) => {
  const { db, jobs, media, addJob } = openStores(t)
  const [old, busy, young] = [addJob('a'), addJob('a'), addJob('a')].map((id) => jobs.find(id))
  db.prepare('UPDATE media SET created_at = 100 WHERE id = ?').run(young?.mediaId)
  jobs.fail(old?.id ?? 0, 'decode_failed', 1)
  jobs.fail(young?.id ?? 0, 'decode_failed', 1)
  t.strictSame(media.expireOlder(old?.ownerId ?? 0, 99).map(({ id }) => id), [old?.mediaId])
  t.match(media.find(busy?.mediaId ?? 0), { state: 'stored' })
  t.strictSame(media.expireOlder(old?.ownerId ?? 0, 100).map(({ id }) => id), [young?.mediaId])
})
