import t from 'tap'
import { openStores } from '../support/store.ts'

t.test('media is found by its id, and its file is known', async (t) => {
  const { apiKeys, media } = openStores(t)
  const ownerId = apiKeys.ensureOwner('a', 0)
  const id = media.insert({ ownerId, file: 'upload-1', sizeBytes: 5_000_000_000, sha256: 'ab' }, 1)
  t.strictSame(media.find(id), { id, ownerId, file: 'upload-1', sizeBytes: 5_000_000_000, sha256: 'ab' })
  t.equal(media.find(id + 1), undefined)
  t.equal(media.isKnown('upload-1'), true)
  t.equal(media.isKnown('upload-2'), false)
  t.throws(() => media.insert({ ownerId, file: 'upload-1', sizeBytes: 1, sha256: 'cd' }, 1), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
})
