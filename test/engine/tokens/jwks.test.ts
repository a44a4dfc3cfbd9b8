import t from 'tap'
import type { Test } from 'tap'
import { parseAllowEntry } from '../../../dist/domain/addresses.js'
import { createFetcher } from '../../../dist/engine/http/fetcher.js'
import { createRemoteKeys } from '../../../dist/engine/tokens/jwks.js'
import { createTokenVerifier } from '../../../dist/engine/tokens/jwt.js'
import type { Claims } from '../../../dist/engine/tokens/jwt.js'
import { createClock } from '../../support/clock.ts'
import { createSigningKey, signToken, startIssuer } from '../../support/issuer.ts'
import type { SigningKey } from '../../support/issuer.ts'

const MINUTE_MS = 60_000

async function setUp (t: Test, { path = '', allowed = '127.0.0.1' } = {}) {
  const issuer = await startIssuer(t)
  const clock = createClock()
  const warnings: object[] = []
  const log = { info: () => {}, error: () => {}, warn: (fields: object) => { warnings.push(fields) } }
  const entry = parseAllowEntry(allowed)
  const fetcher = createFetcher({ allow: { sources: [], webhooks: [], oauth: entry ? [entry] : [], models: [] }, offline: false })
  t.teardown(async () => { await fetcher.close() })
  const name = issuer.address + path
  const verify = createTokenVerifier({
    issuer: name,
    audiences: ['us'],
    findKey: createRemoteKeys({ issuer: name, fetcher, now: clock.now, log }),
    now: clock.now
  })
  const ask = async (key: SigningKey): Promise<Claims | undefined> => {
    const now = Math.floor(clock.now() / 1000)
    return await verify(await signToken(key, { iss: name, aud: 'us', sub: 'anna', exp: now + 60 }))
  }
  return { ...issuer, clock, warnings, name, ask }
}

t.test('keys are fetched once, kept, and shared by callers at the same time', async (t) => {
  const { ask, publish, requested } = await setUp(t)
  const key = await createSigningKey('one')
  publish(key)
  const all = await Promise.all(Array.from({ length: 20 }, async () => await ask(key)))
  t.ok(all.every((claims) => claims?.sub === 'anna'))
  t.strictSame(requested, ['/.well-known/oauth-authorization-server', '/keys'])
})

t.test('a provider that only knows OpenID Connect', async (t) => {
  const { ask, pages, address, name, requested } = await setUp(t, { path: '/realms/a' })
  const key = await createSigningKey('one')
  pages.set('/realms/a/.well-known/openid-configuration', { issuer: name, jwks_uri: `${address}/keys` })
  pages.set('/keys', { keys: [key.publicJwk] })
  t.ok(await ask(key))
  t.equal(requested.length, 3)
})

t.test('a new key is found when a token names it; made-up ids do not become requests', async (t) => {
  const { ask, publish, requested, clock } = await setUp(t)
  const [old, next, never] = [await createSigningKey('old'), await createSigningKey('next'), await createSigningKey('never')]
  publish(old)
  t.ok(await ask(old))
  publish(next)
  t.equal(await ask(next), undefined, 'fetched a moment ago')
  clock.advance(31_000)
  t.ok(await ask(next))
  const before = requested.length
  for (let i = 0; i < 50; i++) t.equal(await ask(never), undefined)
  t.equal(requested.length, before)
  clock.advance(31_000)
  for (let i = 0; i < 50; i++) await ask(never)
  t.equal(requested.length, before + 2)
  t.equal(await ask(old), undefined, 'a key that was withdrawn')
})

t.test('after the clock was set back by years, keys are fetched again', async (t) => {
  const { ask, publish, clock } = await setUp(t)
  const [old, fresh] = [await createSigningKey('old'), await createSigningKey('fresh')]
  publish(old)
  t.match(await ask(old), { sub: 'anna' })
  clock.advance(-10 * 365 * 24 * 60 * MINUTE_MS)
  publish(fresh)
  t.match(await ask(fresh), { sub: 'anna' })
  t.equal(await ask(old), undefined, 'withdrawn')
})

t.test('a withdrawn key counts for ten minutes at most', async (t) => {
  const { ask, publish, clock } = await setUp(t)
  const [old, next] = [await createSigningKey('old'), await createSigningKey('next')]
  publish(old)
  t.ok(await ask(old))
  publish(next)
  clock.advance(9 * MINUTE_MS)
  t.ok(await ask(old))
  clock.advance(2 * MINUTE_MS)
  t.equal(await ask(old), undefined)
})

t.test('a provider that is down: known keys count for a day, then nothing can be told', async (t) => {
  const { ask, publish, state, clock, warnings, requested } = await setUp(t)
  const key = await createSigningKey('one')
  publish(key)
  t.ok(await ask(key))
  state.status = 503
  clock.advance(11 * MINUTE_MS)
  t.ok(await ask(key))
  const before = requested.length
  clock.advance(4 * MINUTE_MS)
  t.ok(await ask(key))
  t.equal(requested.length, before, 'not asked again for five minutes: callers would wait each time')
  t.equal(warnings.length, 1)
  clock.advance(25 * 60 * MINUTE_MS)
  await t.rejects(ask(key), { code: 'unavailable', headers: { 'retry-after': '30' } })
  state.status = 200
  clock.advance(MINUTE_MS)
  t.ok(await ask(key))
})

t.test('no keys at all: unavailable, not a bad token', async (t) => {
  const { ask, publish, clock, warnings, requested } = await setUp(t)
  const key = await createSigningKey('one')
  await t.rejects(ask(key), { code: 'unavailable' })
  const before = requested.length
  await t.rejects(ask(key), { code: 'unavailable' })
  t.equal(requested.length, before)
  t.match(warnings, [{ reason: /no metadata/ }])
  publish(key)
  clock.advance(2000)
  t.ok(await ask(key))
})

t.test('metadata that lies, and pages that are no keys', async (t) => {
  const { ask, pages, address, clock, warnings } = await setUp(t)
  const key = await createSigningKey('one')
  pages.set('/keys', { keys: [key.publicJwk] })
  const wellKnown = '/.well-known/oauth-authorization-server'
  const lies: Array<[unknown, RegExp]> = [
    [{ issuer: `${address}/`, jwks_uri: `${address}/keys` }, /a different issuer/],
    [{ issuer: address }, /no jwks_uri/],
    [{ issuer: address, jwks_uri: 5 }, /no jwks_uri/],
    [{ issuer: address, jwks_uri: `${address}/nothing` }, /no key set/],
    [{ issuer: address, jwks_uri: 'file:///etc/passwd' }, /not a complete http/],
    [{ issuer: address, jwks_uri: 'http://10.0.0.1/' }, /not on the public internet/],
    ['{"issuer"', /no metadata/],
    ['[]', /no metadata/],
    ['x'.repeat(1024 * 1024), /more than is accepted/]
  ]
  for (const [page, reason] of lies) {
    clock.advance(MINUTE_MS)
    pages.set(wellKnown, page)
    await t.rejects(ask(key), { code: 'unavailable' })
    t.match(warnings.at(-1), { reason })
  }
  clock.advance(MINUTE_MS)
  pages.set(wellKnown, { issuer: address, jwks_uri: `${address}/keys` })
  pages.set('/keys', { keys: [{ ...key.publicJwk, x: 'AAAA' }] })
  await t.rejects(ask(key), { code: 'unavailable' }, 'a key that cannot be read')
  clock.advance(11 * MINUTE_MS)
  pages.set('/keys', { keys: 'none' })
  await t.rejects(ask(key), { code: 'unavailable' })
})

t.test('an issuer that the administrator did not allow is not asked', async (t) => {
  const { ask, publish, requested, warnings } = await setUp(t, { allowed: '10.1.2.3' })
  const key = await createSigningKey('one')
  publish(key)
  await t.rejects(ask(key), { code: 'unavailable' })
  t.strictSame(requested, [])
  t.match(warnings, [{ code: 'blocked' }])
})
