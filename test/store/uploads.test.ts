import t from 'tap'
import type { Upload } from '../../dist/domain/upload.js'
import { nameOf, openStores } from '../support/store.ts'

const makeUpload = (ownerId: number, changes: Partial<Upload> = {}): Upload => ({
  id: 'u1',
  ownerId,
  fileName: nameOf('Grüße 🎙.mp3'),
  fileType: undefined,
  sizeBytes: 3000,
  partSizeBytes: 1000,
  sha256: undefined,
  options: { sttQuality: 'fast', language: 'de' },
  apiKeyId: undefined,
  webhook: undefined,
  createdAt: 10,
  expiresAt: 100,
  reservedUntil: 100,
  jobId: undefined,
  ...changes
})

t.test('an upload comes back as it was stored, to its owner only', async (t) => {
  const { apiKeys, uploads } = openStores(t)
  const [a, b] = [apiKeys.ensureOwner('a', 0), apiKeys.ensureOwner('b', 0)]
  const bare = makeUpload(a)
  const apiKeyId = apiKeys.insert({ ownerId: a, name: 'k', plan: 'pro', hash: Buffer.from('h'), lastFour: 'abcd', now: 0 })
  const full = makeUpload(a, {
    id: 'u2',
    fileType: 'audio/mpeg',
    sha256: 'ab',
    options: { sttQuality: 'balanced' },
    apiKeyId,
    webhook: { url: 'https://example.org', secret: 's' }
  })
  uploads.insert(bare)
  uploads.insert(full)
  t.strictSame(uploads.find('u1', a), bare)
  t.strictSame(uploads.find('u2', a), full)
  t.equal(uploads.find('u1', b), undefined)
  t.equal(uploads.find('u3', a), undefined)
})

t.test('parts are listed by number; the same number again replaces', async (t) => {
  const { apiKeys, uploads } = openStores(t)
  uploads.insert(makeUpload(apiKeys.ensureOwner('a', 0)))
  const part = (partNumber: number, sha256: string) => ({ partNumber, sizeBytes: 1000, sha256 })
  uploads.upsertPart('u1', part(10, 'a'))
  uploads.upsertPart('u1', part(2, 'b'))
  uploads.upsertPart('u1', part(2, 'c'))
  t.strictSame(uploads.listParts('u1'), [part(2, 'c'), part(10, 'a')])
  t.strictSame(uploads.listParts('u2'), [])
  t.throws(() => { uploads.upsertPart('u2', part(1, 'a')) }, { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' })
})

t.test('removing an upload removes its parts', async (t) => {
  const { apiKeys, uploads, db } = openStores(t)
  const owner = apiKeys.ensureOwner('a', 0)
  uploads.insert(makeUpload(owner))
  uploads.upsertPart('u1', { partNumber: 1, sizeBytes: 1000, sha256: 'a' })
  uploads.remove('u1')
  t.equal(uploads.find('u1', owner), undefined)
  t.strictSame(db.prepare('SELECT * FROM upload_part').all(), [])
})

t.test('an upload expires at its time', async (t) => {
  const { apiKeys, uploads } = openStores(t)
  const owner = apiKeys.ensureOwner('a', 0)
  uploads.insert(makeUpload(owner, { expiresAt: 100 }))
  uploads.insert(makeUpload(owner, { id: 'u2', expiresAt: 101 }))
  t.strictSame(uploads.listExpired(99), [])
  t.strictSame(uploads.listExpired(100), ['u1'])
  t.strictSame(uploads.listExpired(101).sort(), ['u1', 'u2'])
})

t.test('announced bytes are those of open uploads that have not arrived', async (t) => {
  const { apiKeys, uploads, addJob } = openStores(t)
  const owner = apiKeys.ensureOwner('a', 0)
  t.equal(uploads.announcedBytes(0), 0)
  uploads.insert(makeUpload(owner))
  uploads.insert(makeUpload(owner, { id: 'u2', sizeBytes: 500 }))
  uploads.upsertPart('u1', { partNumber: 1, sizeBytes: 1000, sha256: 'a' })
  t.equal(uploads.announcedBytes(50), 2500)
  t.equal(uploads.announcedBytes(100), 0, 'expired ones will not be sent')
  const jobId = addJob('a')
  uploads.setJob('u1', jobId)
  t.equal(uploads.announcedBytes(50), 500)
  t.equal(uploads.find('u1', owner)?.jobId, jobId)
})
