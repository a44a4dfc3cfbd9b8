import { createHash } from 'node:crypto'
import t from 'tap'
import { generateKey, hashKey } from '../../dist/domain/access.js'

t.test('a key is the prefix and 256 random bits', async (t) => {
  const keys = new Set(Array.from({ length: 200 }, generateKey))
  t.equal(keys.size, 200, 'none twice')
  for (const key of keys) {
    t.match(key, /^service_sk_[A-Za-z0-9_-]{43}$/)
    t.equal(Buffer.from(key.slice('service_sk_'.length), 'base64url').length, 32)
  }
})

t.test('what is stored is the SHA-256 of the whole key', async (t) => {
  const key = 'service_sk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  t.equal(hashKey(key).toString('hex'), createHash('sha256').update(key, 'utf8').digest('hex'))
  t.equal(hashKey(key).length, 32)
  t.notSame(hashKey(key), hashKey(key + 'A'))
  t.notSame(hashKey(key), hashKey(key.toLowerCase()))
})
