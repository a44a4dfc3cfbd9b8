import { createHash } from 'node:crypto'
import t from 'tap'
import type { Test } from 'tap'
import { createOauth, publicPart } from '../../dist/service/oauth.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

const DAY_MS = 24 * 60 * 60_000

function openOauth (t: Test) {
  const stores = openStores(t)
  const clock = createClock()
  const oauth = createOauth({ oauth: stores.oauth, inTransaction: stores.inTransaction, now: clock.now })
  const ownerId = stores.apiKeys.ensureOwner('anna', 0)
  return { ...stores, clock, oauth, ownerId }
}

t.test('a record is found by its id until it expires, and its id is not stored', async (t) => {
  const { oauth, clock, db } = openOauth(t)
  const id = 'a-very-secret-refresh-token'
  oauth.saveRecord('RefreshToken', id, { jti: id, kind: 'RefreshToken', scope: 'transcripts:read' }, 60)
  t.strictSame(oauth.findRecord('RefreshToken', id), { jti: id, kind: 'RefreshToken', scope: 'transcripts:read' })
  t.equal(oauth.findRecord('AuthorizationCode', id), undefined)
  t.notOk(db.serialize().includes(id))
  oauth.saveRecord('RefreshToken', id, { jti: id, scope: 'x' }, 60)
  t.equal(oauth.findRecord('RefreshToken', id)?.['scope'], 'x', 'saved again, it is replaced')
  clock.advance(60_000)
  t.equal(oauth.findRecord('RefreshToken', id), undefined)
  oauth.sweep()
  t.equal(db.prepare('SELECT count(*) FROM oauth_record').pluck().get(), 0)
})

t.test('a record is consumed once, and says when', async (t) => {
  const { oauth, clock } = openOauth(t)
  oauth.saveRecord('AuthorizationCode', 'code', { jti: 'code' }, 60)
  t.equal(oauth.consumeRecord('AuthorizationCode', 'code'), true)
  t.equal(oauth.consumeRecord('AuthorizationCode', 'code'), false)
  t.equal(oauth.consumeRecord('AuthorizationCode', 'other'), false)
  t.equal(oauth.findRecord('AuthorizationCode', 'code')?.['consumed'], Math.floor(clock.now() / 1000))
  oauth.removeRecord('AuthorizationCode', 'code')
  t.equal(oauth.findRecord('AuthorizationCode', 'code'), undefined)
})

t.test('a session is found by its second name, without its id', async (t) => {
  const { oauth, clock } = openOauth(t)
  oauth.saveRecord('Session', 'cookie', { jti: 'cookie', uid: 'second', accountId: '1' }, 60)
  t.strictSame(oauth.findRecordByUid('Session', 'second'), { uid: 'second', accountId: '1' })
  t.equal(oauth.findRecordByUid('Session', 'cookie'), undefined)
  clock.advance(60_000)
  t.equal(oauth.findRecordByUid('Session', 'second'), undefined)
})

t.test('ending a grant, a client or an owner ends everything issued to it', async (t) => {
  const { oauth, ownerId, owners } = openOauth(t)
  const [one, two] = ['One', 'Two'].map((name) => oauth.addClient({ name, redirectUris: ['https://app.example/'] }).id) as [string, string]
  const give = (clientId: string, grantId: string): void => {
    oauth.saveRecord('Grant', grantId, { jti: grantId, accountId: String(ownerId), clientId }, 60)
    oauth.saveRecord('RefreshToken', `token-${grantId}`, { grantId, accountId: String(ownerId), clientId }, 60)
  }
  const left = (): string[] => ['a', 'b', 'c'].filter((grantId) => oauth.findRecord('RefreshToken', `token-${grantId}`))
  give(one, 'a')
  give(one, 'b')
  give(two, 'c')
  t.match(oauth.listGrants(), [{ id: 'a', owner: 'anna', client: 'One' }, { id: 'b', client: 'One' }, { id: 'c', client: 'Two' }])
  t.equal(oauth.revokeGrant('a'), true)
  t.equal(oauth.revokeGrant('a'), false)
  t.strictSame(left(), ['b', 'c'])
  t.equal(oauth.removeClient(one), true)
  t.equal(oauth.removeClient(one), false)
  t.strictSame(left(), ['c'])
  owners.remove(ownerId)
  t.strictSame(left(), [])
  t.strictSame(oauth.listGrants(), [])
})

t.test('clients that registered themselves are forgotten when nobody wants them, and have a limit', async (t) => {
  const { oauth, clock, ownerId } = openOauth(t)
  const added = oauth.addClient({ name: 'Editor', redirectUris: ['https://app.example/'] })
  t.throws(() => oauth.addClient({ name: 'x', redirectUris: ['https://app.example/', 'http://app.example/'] }), { code: 'invalid_request' })
  oauth.registerClient('used', { client_id: 'used', redirect_uris: ['https://b.example/'] })
  oauth.registerClient('unused', { client_id: 'unused', redirect_uris: [] })
  oauth.saveRecord('Grant', 'g', { accountId: String(ownerId), clientId: 'used' }, 30 * 24 * 3600)
  clock.advance(7 * DAY_MS)
  oauth.sweep()
  t.ok(oauth.findClient('unused'))
  clock.advance(1)
  oauth.sweep()
  t.strictSame(oauth.listClients().map(({ id }) => id), [added.id, 'used'])
  t.match(oauth.findClient('used'), { name: 'used', isDynamic: true, redirectUris: ['https://b.example/'] })
  for (let i = 1; i < 1000; i++) oauth.registerClient(`c${i}`, { redirect_uris: [] })
  t.throws(() => { oauth.registerClient('one more', { redirect_uris: [] }) }, { code: 'conflict' })
  clock.advance(15 * 60_000 + 1)
  oauth.registerClient('one more', { redirect_uris: [] })
  t.equal(oauth.findClientMetadata('c1'), undefined, 'room is made of those that came to nothing')
  t.ok(oauth.findClient('used'))
})

t.test('one signing key, created on first use and stored; its public part is separate', async (t) => {
  const { oauth } = openOauth(t)
  const key = oauth.signingKey()
  t.strictSame(oauth.signingKey(), key)
  t.match(key, { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', d: String })
  const { kty, crv, x, y } = key
  t.equal(key['kid'], createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url'))
  t.notOk('d' in publicPart(key))
})
