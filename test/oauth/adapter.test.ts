import { errors } from 'oidc-provider'
import t from 'tap'
import { createAdapter } from '../../dist/oauth/adapter.js'
import { createOauth } from '../../dist/service/oauth.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

t.test('a code is consumed once, even by two requests at the same time', async (t) => {
  const { oauth, inTransaction } = openStores(t)
  const adapter = createAdapter(createOauth({ oauth, inTransaction, now: createClock().now }))
  const codes = adapter('AuthorizationCode')
  await codes.upsert('code', { jti: 'code', scope: 'transcripts:read' }, 60)
  const found = await Promise.all([codes.find('code'), codes.find('code')])
  t.ok(found.every((code) => code && code.consumed === undefined))
  await codes.consume('code')
  await t.rejects(codes.consume('code'), errors.InvalidGrant)
})

t.test('a client above the limit is refused as invalid client metadata', async (t) => {
  const { oauth, inTransaction } = openStores(t)
  const clients = createAdapter(createOauth({ oauth, inTransaction, now: createClock().now }))('Client')
  for (let i = 0; i < 1000; i++) await clients.upsert(`c${i}`, { client_id: `c${i}`, redirect_uris: [] })
  await t.rejects(clients.upsert('one more', { redirect_uris: [] }), errors.InvalidClientMetadata)
  t.match(await clients.find('c1'), { client_id: 'c1' })
  t.equal(await clients.find('one more'), undefined)
})

t.test('pending requests are limited, and expired ones make room', async (t) => {
  const { oauth, inTransaction, db } = openStores(t)
  const clock = createClock()
  const adapter = createAdapter(createOauth({ oauth, inTransaction, now: clock.now }))
  const interactions = adapter('Interaction')
  db.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
    INSERT INTO oauth_record (kind, id_hash, payload, created_at, expires_at)
    SELECT 'Interaction', CAST(n AS BLOB), '{}', 0, ${clock.now() + 900_000} FROM numbers
  `)
  await t.rejects(interactions.upsert('one more', {}, 900), errors.TemporarilyUnavailable)
  await adapter('RefreshToken').upsert('token', {}, 900)
  clock.advance(900_000)
  await interactions.upsert('one more', {}, 900)
  t.ok(await interactions.find('one more'))
})
