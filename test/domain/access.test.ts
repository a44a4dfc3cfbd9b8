import { createHash } from 'node:crypto'
import t from 'tap'
import { generateKey, hashKey, isApiKey, registeredScopes, SCOPES } from '../../dist/domain/access.js'

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

t.test('scopes: the registered ones in their order, aliases by their registered name, nothing else', async (t) => {
  t.strictSame([...registeredScopes(Object.keys(SCOPES).reverse())], Object.keys(SCOPES))
  t.strictSame([...registeredScopes(['repurpose:run', 'exports:read', 'transcripts:export'])], ['transcripts:export', 'ai:transform'])
  t.strictSame(
    [...registeredScopes(['', 'openid', 'constructor', '__proto__', 'TRANSCRIPTS:READ', 'transcripts:*', 'transcripts:read '])],
    []
  )
  t.strictSame([...registeredScopes([])], [])
})

t.test('keys and tokens are told apart by how they begin', async (t) => {
  t.ok(isApiKey(generateKey()))
  t.notOk(isApiKey('eyJhbGciOiJFUzI1NiJ9.e30.x'))
})
