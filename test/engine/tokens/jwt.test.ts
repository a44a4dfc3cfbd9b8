import { createHmac } from 'node:crypto'
import { exportSPKI, importJWK, generateKeyPair, exportJWK } from 'jose'
import type { CryptoKey, JWTPayload } from 'jose'
import t from 'tap'
import { createLocalKeys } from '../../../dist/engine/tokens/jwks.js'
import { createTokenVerifier } from '../../../dist/engine/tokens/jwt.js'
import { createClock } from '../../support/clock.ts'
import { createSigningKey, signToken } from '../../support/issuer.ts'

const ISSUER = 'https://id.example/'
const AUDIENCE = 'https://steno.example'
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

async function setUp () {
  const clock = createClock()
  const key = await createSigningKey('one')
  const now = Math.floor(clock.now() / 1000)
  const verify = createTokenVerifier({
    issuer: ISSUER,
    audiences: [`${AUDIENCE}/api/v1`, AUDIENCE],
    findKey: createLocalKeys(key.publicJwk),
    now: clock.now
  })
  const good: JWTPayload = { iss: ISSUER, aud: AUDIENCE, sub: 'anna', iat: now, exp: now + 900, scope: 'transcripts:read' }
  return {
    clock,
    key,
    now,
    verify,
    good,
    sign: async (changes: JWTPayload = {}, header = {}) => await signToken(key, { ...good, ...changes }, header)
  }
}

t.test('a token of the issuer, meant for us, in its time', async (t) => {
  const { verify, sign, good, now, clock } = await setUp()
  t.strictSame(await verify(await sign()), good)
  for (const aud of [['https://else.example', AUDIENCE], `${AUDIENCE}/api/v1`]) t.ok(await verify(await sign({ aud })))
  for (const typ of ['AT+JWT', 'application/at+jwt', 'JWT', undefined]) t.ok(await verify(await sign({}, { typ })), String(typ))
  t.ok(await verify(await sign({ typ: 'Bearer', nonce: 'x' }, { typ: 'JWT' })), 'an access token of older Keycloak')
  t.ok(await verify(await sign({ nbf: now + 20, iat: now + 20 })), 'clocks a little apart')
  const token = await sign()
  clock.advance(920_000)
  t.ok(await verify(token))
  clock.advance(20_000)
  t.equal(await verify(token), undefined, 'and not more')
})

t.test('claims that do not fit', async (t) => {
  const { verify, sign, now } = await setUp()
  const bad: Array<[string, JWTPayload]> = [
    ['another audience', { aud: 'https://else.example' }],
    ['other audiences', { aud: ['a', 'b'] }],
    ['a longer audience', { aud: AUDIENCE + '/' }],
    ['no audience', { aud: undefined as never }],
    ['another issuer', { iss: 'https://id.example' }],
    ['no issuer', { iss: undefined as never }],
    ['expired', { exp: now - 31 }],
    ['no end', { exp: undefined as never }],
    ['an end that is text', { exp: String(now + 900) as never }],
    ['not yet', { nbf: now + 60 }],
    ['from the future', { iat: now + 60 }],
    ['bound to a key', { cnf: { jkt: 'x' } }]
  ]
  for (const [what, claims] of bad) t.equal(await verify(await sign(claims)), undefined, what)
})

t.test('other tokens of the same issuer, above all ID tokens', async (t) => {
  const { verify, sign } = await setUp()
  for (const typ of ['logout+jwt', 'dpop+jwt', 'id+jwt', 'secevent+jwt']) t.equal(await verify(await sign({}, { typ })), undefined, typ)
  const foreign: JWTPayload[] = [
    { nonce: 'n' },
    { at_hash: 'x' },
    { c_hash: 'x' },
    { events: {} },
    { typ: 'ID' },
    { typ: 'Refresh' },
    { token_use: 'id' }
  ]
  for (const claims of foreign) t.equal(await verify(await sign(claims, { typ: 'JWT' })), undefined, JSON.stringify(claims))
})

t.test('signatures of nobody and of others', async (t) => {
  const { verify, sign, key, good } = await setUp()
  const [header = '', payload = '', signature = ''] = (await sign()).split('.')
  for (const alg of ['none', 'None', 'nOnE']) t.equal(await verify(`${base64({ alg, typ: 'at+jwt' })}.${base64(good)}.`), undefined, alg)
  const publicKey = await importJWK({ ...key.publicJwk }, 'ES256', { extractable: true }) as CryptoKey
  for (const secret of [await exportSPKI(publicKey), JSON.stringify(key.publicJwk), '']) {
    for (const kid of ['one', undefined]) {
      const input = `${base64({ alg: 'HS256', typ: 'at+jwt', kid })}.${base64(good)}`
      t.equal(
        await verify(`${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`),
        undefined,
        'the public key as a secret'
      )
    }
  }
  const stranger = await createSigningKey('one')
  t.equal(await verify(await signToken(stranger, good)), undefined, 'another key under the same id')
  t.equal(await verify(await signToken(await createSigningKey('two'), good)), undefined, 'an unknown id')
  t.equal(await verify(await signToken(stranger, good, { jwk: stranger.publicJwk })), undefined, 'a key that came along')
  t.equal(await verify(`${header}.${base64({ ...good, sub: 'bert' })}.${signature}`), undefined, 'changed afterwards')
  t.equal(await verify(`${header}.${payload}.`), undefined)
  t.equal(await verify(await sign({}, { crit: ['b64'], b64: true })) === undefined, false, 'a critical header that is understood')
  const weak = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
  const rsa = { privateKey: weak.privateKey, publicJwk: { ...await exportJWK(weak.publicKey), kid: 'one', alg: 'RS256' } }
  t.equal(await verify(await signToken(rsa, good)), undefined, 'another kind of key')
})

t.test('a shared secret is no key, even where one is found', async (t) => {
  const { good, clock } = await setUp()
  const secret = Buffer.alloc(64, 'k')
  const verify = createTokenVerifier({
    issuer: ISSUER,
    audiences: [`${AUDIENCE}/api/v1`, AUDIENCE],
    findKey: async () => secret,
    now: clock.now
  })
  for (const [alg, hash] of [['HS256', 'sha256'], ['HS384', 'sha384'], ['HS512', 'sha512']] as const) {
    const input = `${base64({ alg, typ: 'at+jwt' })}.${base64(good)}`
    t.equal(await verify(`${input}.${createHmac(hash, secret).update(input).digest('base64url')}`), undefined, alg)
  }
})

t.test('text that is no token', async (t) => {
  const { verify, sign } = await setUp()
  const token = await sign()
  const texts = [
    '',
    '.',
    '..',
    'a.b.c',
    'null',
    '{}',
    token.slice(0, -1),
    `${token}.x.y`,
    token.replace('.', '..'),
    token.split('.').slice(0, 2).join('.'),
    `${base64(null)}.${base64({})}.x`,
    `${base64({ alg: 'ES256' })}.bm8.x`,
    '🙂.🙂.🙂',
    'A'.repeat(100_000),
    `${token.split('.')[0]}.${'A'.repeat(100_000)}.x`
  ]
  for (const text of texts) t.equal(await verify(text), undefined, text.slice(0, 60))
})
