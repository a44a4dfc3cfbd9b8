/** Sign-in at an identity provider that lies: a provider of our own making, and a clock. */
import { createHmac } from 'node:crypto'
import type { JWTPayload } from 'jose'
import t from 'tap'
import type { Test } from 'tap'
import { readConfig } from '../../dist/config.js'
import { createKeyring } from '../../dist/wiring/tools.js'
import { buildWithAccounts, cookieOf, PASSWORD } from '../support/account.ts'
import type { Injected } from '../support/appliance.ts'
import { createSigningKey, signToken, startIssuer } from '../support/issuer.ts'
import type { SigningKey } from '../support/issuer.ts'

const MINUTE_MS = 60_000
const CLIENT = 'stenobox'
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

async function start (t: Test, settings: Record<string, string> = {}, passwords: 'all' | 'none' = 'none') {
  const issuer = await startIssuer(t)
  const key = await createSigningKey('one')
  const metadata = {
    issuer: issuer.address, jwks_uri: `${issuer.address}/keys`, token_endpoint: `${issuer.address}/token`,
    authorization_endpoint: `${issuer.address}/authorize?tenant=a`
  }
  issuer.publish(key)
  issuer.pages.set('/.well-known/oauth-authorization-server', metadata)
  const built = await buildWithAccounts(t, ['anna'], {
    STENOBOX_PUBLIC_URL: 'http://localhost', STENOBOX_OAUTH_ISSUER: issuer.address, STENOBOX_ALLOW_OAUTH: '127.0.0.1',
    STENOBOX_OAUTH_CLIENT_ID: CLIENT, STENOBOX_OAUTH_CLIENT_SECRET: 'between us', ...settings
  }, passwords)
  const { call, clock } = built

  async function begin () {
    const reply = await call(undefined, 'POST', '/api/v1/session/provider/begin')
    const { searchParams: asked } = new URL(String(reply.body.data?.['url'] ?? 'http://none'))
    return { reply, cookie: cookieOf(reply), state: asked.get('state') ?? '', nonce: asked.get('nonce') ?? '' }
  }
  const finish = async ({ cookie, state }: { cookie: string, state: string }): Promise<Injected> =>
    await call(undefined, 'POST', '/api/v1/session/provider', { code: 'a code', state }, { cookie })

  /** A whole visit whose token is made by `forge` from the claims of a good one. */
  async function visit (forge: (good: JWTPayload) => Promise<unknown> | unknown): Promise<Injected> {
    const begun = await begin()
    const now = Math.floor(clock.now() / 1000)
    const good = { iss: issuer.address, aud: CLIENT, sub: 'anna@work', iat: now, exp: now + 300, nonce: begun.nonce }
    issuer.pages.set('/token', { token_type: 'Bearer', access_token: 'x', id_token: await forge(good) })
    return await finish(begun)
  }
  const sign = async (claims: JWTPayload, by: SigningKey = key, header: object = {}): Promise<string> =>
    await signToken(by, claims, { typ: 'JWT', ...header })
  return { ...built, issuer, metadata, key, begin, finish, visit, sign }
}

t.test('only an ID token that the provider made for us, now, and for this visit says who somebody is', async (t) => {
  const { visit, sign, clock, key } = await start(t)
  const other = await createSigningKey('one')
  const { privateKey, publicJwk } = await createSigningKey('one', 'RS256')
  const hmac = (claims: JWTPayload): string => {
    const text = `${base64({ alg: 'HS256', kid: 'one' })}.${base64(claims)}`
    return `${text}.${createHmac('sha256', 'between us').update(text).digest('base64url')}`
  }
  const forgeries: Record<string, (good: JWTPayload) => unknown> = {
    'another nonce': (good) => sign({ ...good, nonce: 'x' }),
    'no nonce': ({ nonce: _, ...rest }) => sign(rest),
    'another audience': (good) => sign({ ...good, aud: 'another client' }),
    'for others too, and made for one of them': (good) => sign({ ...good, aud: [CLIENT, 'b'], azp: 'b' }),
    'for others too, and nobody knows whom': (good) => sign({ ...good, aud: [CLIENT, 'b'] }),
    'of another issuer': (good) => sign({ ...good, iss: 'https://evil.example' }),
    expired: (good) => sign({ ...good, exp: (good.exp ?? 0) - 400 }),
    'without an end': ({ exp: _, ...rest }) => sign(rest),
    'of the future': (good) => sign({ ...good, iat: (good.iat ?? 0) + 60 }),
    'of nobody': ({ sub: _, ...rest }) => sign(rest),
    'of somebody without a name': (good) => sign({ ...good, sub: '' }),
    'of too much': (good) => sign({ ...good, sub: 'x'.repeat(256) }),
    'by another key with the same name': (good) => sign(good, other),
    'by another kind of key': (good) => sign(good, { privateKey, publicJwk }),
    'by our secret': hmac,
    'by nothing': (good) => `${base64({ alg: 'none' })}.${base64(good)}.`,
    'an access token': (good) => sign(good, key, { typ: 'at+jwt' }),
    'no token': () => undefined,
    'not a token': () => ({ sub: 'anna@work' })
  }
  for (const [what, forge] of Object.entries(forgeries)) {
    const reply = await visit(forge)
    t.match(reply, { status: 403, body: { code: 'sign_in_refused', error: /did not confirm who you are/ } }, what)
    t.notMatch(String(reply.headers['set-cookie']), /stenobox_session/)
    // Otherwise these were too many wrong attempts.
    clock.advance(16 * MINUTE_MS)
  }
  t.match(await visit((good) => sign(good)), { status: 403, body: { code: 'no_account' } }, 'a good one')
  t.match(await visit((good) => sign({ ...good, aud: [CLIENT, 'b'], azp: CLIENT })), { body: { code: 'no_account' } }, 'made for us')
})

t.test('attempts that fail count like wrong passwords', async (t) => {
  const { visit, signIn, clock } = await start(t, {}, 'all')
  for (let attempt = 0; attempt < 5; attempt++) t.equal((await visit(() => 'no token')).status, 403)
  t.match(await visit(() => 'no token'), { status: 429, body: { code: 'too_many_attempts' } })
  t.equal((await signIn('anna', PASSWORD)).status, 429)
  clock.advance(16 * MINUTE_MS)
  t.equal((await signIn('anna', PASSWORD)).status, 200)
})

t.test('an owner whose name means something else here clears only their own attempts', async (t) => {
  const { visit, signIn, appliance: { owners } } = await start(t)
  await owners.setPassword(owners.create({ name: 'identity provider' }).id, PASSWORD)
  for (let attempt = 0; attempt < 4; attempt++) t.equal((await visit(() => 'no token')).status, 403)
  t.equal((await signIn('identity provider', PASSWORD)).status, 200)
  t.equal((await visit(() => 'no token')).status, 403)
  t.equal((await visit(() => 'no token')).status, 429)
})

t.test('a visit lasts ten minutes and belongs to a browser', async (t) => {
  const { begin, finish, clock, issuer } = await start(t)
  const begun = await begin()
  t.match(begun.reply, { status: 200, headers: { 'cache-control': 'no-store' } })
  t.match(begun.reply.headers['set-cookie'], /^stenobox_visit=[\w-]{43}; Max-Age=600; Path=\/api\/v1; HttpOnly; SameSite=Strict$/)
  t.match(begun.reply.body.data['url'], new RegExp(`^${issuer.address}/authorize\\?tenant=a&response_type=code&`))
  clock.advance(10 * MINUTE_MS)
  t.match(await finish(begun), { status: 409, body: { code: 'sign_in_expired' } })
  t.match(await finish({ ...await begin(), cookie: '' }), { status: 409, body: { code: 'sign_in_expired' } })
  t.match(await finish({ cookie: '', state: '' }), { status: 400 })
  const network = await begin()
  for (let count = 0; count < 100; count++) await begin()
  t.equal((await finish(network)).status, 409, 'the oldest of many gives way')
  t.notOk(issuer.requested.includes('/token'), 'the provider hears of none of these')
})

t.test('what is wrong with the appliance or the provider is not the fault of the person', async (t) => {
  const { begin, finish, issuer, logText } = await start(t)
  const answer = async (status: number, body: object): Promise<Injected> => {
    const begun = await begin()
    issuer.pages.set('/token', body)
    issuer.state.status = status
    const reply = await finish(begun)
    issuer.state.status = 200
    return reply
  }
  t.match(await answer(401, { error: 'invalid_client' }), { status: 503, body: { error: /does not accept this appliance/ } })
  t.match(logText(), /check STENOBOX_OAUTH_CLIENT_ID and its secret/)
  for (const status of [500, 503, 429, 302]) {
    t.match(await answer(status, {}), { status: 503, body: { code: 'unavailable' } }, String(status))
  }
  t.match(await answer(400, { error: 'invalid_grant' }), { status: 403, body: { code: 'sign_in_refused' } })
})

t.test('metadata that leads astray is not used, and not asked for at every click', async (t) => {
  const { begin, issuer, metadata, clock } = await start(t)
  const wrong = [
    { issuer: 'https://evil.example' }, { authorization_endpoint: 'javascript:alert(1)' }, { authorization_endpoint: undefined },
    { token_endpoint: 7 }
  ]
  for (const change of wrong) {
    issuer.pages.set('/.well-known/oauth-authorization-server', { ...metadata, ...change })
    t.match((await begin()).reply, { status: 503, body: { code: 'unavailable' } }, JSON.stringify(change))
    const before = issuer.requested.length
    t.equal((await begin()).reply.status, 503)
    t.equal(issuer.requested.length, before)
    clock.advance(MINUTE_MS)
  }
  issuer.pages.set('/.well-known/oauth-authorization-server', metadata)
  t.equal((await begin()).reply.status, 200)
})

t.test('under an https address the cookie is secure, and below its path', async (t) => {
  const { begin } = await start(t, { STENOBOX_PUBLIC_URL: 'https://example.org/steno' })
  t.match((await begin()).reply.headers['set-cookie'], /; Path=\/steno\/api\/v1; HttpOnly; Secure; SameSite=Strict$/)
})

t.test('an account without a password that is locked out is locked out everywhere', async (t) => {
  const { visit, sign, appliance, call } = await start(t, { STENOBOX_OAUTH_CREATE_ACCOUNTS: 'true' })
  const made = await visit((good) => sign(good))
  t.match(made, { status: 200, body: { data: { account: { name: 'anna@work' } } } })
  const cookies = [made.headers['set-cookie']].flat().map(String)
  const cookie = cookies.find((one) => one.startsWith('stenobox_session='))?.split(';')[0] ?? ''
  t.equal((await call(undefined, 'GET', '/api/v1/session', undefined, { cookie })).status, 200)
  await appliance.owners.setPassword(appliance.owners.findByName('anna@work')?.id ?? 0, null)
  t.equal((await call(undefined, 'GET', '/api/v1/session', undefined, { cookie })).status, 401)
  t.match(await visit((good) => sign(good)), { status: 403, body: { code: 'no_account' } })
})

t.test('a person who was locked out gets no other account by themselves, until they are connected again', async (t) => {
  const { visit, sign, appliance: { owners } } = await start(t, { STENOBOX_OAUTH_CREATE_ACCOUNTS: 'true' })
  const name = 'anna@work'
  await visit((good) => sign(good))
  const { id } = owners.findByName(name) ?? { id: 0 }
  owners.change(id, { name: 'anna who has left' })
  await owners.setPassword(id, null)
  t.match(await visit((good) => sign(good)), { status: 403, body: { code: 'no_account' } }, 'although the name is free')
  t.equal(owners.findByName(name), undefined)
  t.match(await visit((good) => sign({ ...good, sub: 'another@work' })), { status: 200 }, 'others do')
  // A new password does not bring the identity back.
  await owners.setPassword(id, PASSWORD)
  t.match(await visit((good) => sign(good)), { status: 403, body: { code: 'no_account' } })
  owners.remove(id)
  t.match(await visit((good) => sign(good)), { status: 200, body: { data: { account: { name } } } }, 'nobody was locked out any more')
})

t.test('a person who was locked out stays locked out when the account is connected with another person', async (t) => {
  const { visit, sign, issuer, appliance: { owners } } = await start(t, { STENOBOX_OAUTH_CREATE_ACCOUNTS: 'true' })
  const signInAs = async (sub: string): Promise<Injected> => await visit((good) => sign({ ...good, sub }))
  await signInAs('anna@work')
  const { id } = owners.findByName('anna@work') ?? { id: 0 }
  owners.change(id, { name: 'the office' })
  const { identities, close } = createKeyring(readConfig({ STENOBOX_DATA_DIR: t.testdirName }))
  t.teardown(close)
  const connect = (subject: string): void => { identities.replace(id, { issuer: issuer.address, subject }) }
  identities.end(id)
  connect('bert@work')
  t.match(await signInAs('bert@work'), { status: 200, body: { data: { account: { name: 'the office' } } } })
  t.match(await signInAs('anna@work'), { status: 403, body: { code: 'no_account' } })
  t.equal(owners.findByName('anna@work'), undefined)
  identities.end(id)
  connect('anna@work')
  t.match(await signInAs('anna@work'), { status: 200, body: { data: { account: { name: 'the office' } } } }, 'connected again')
  t.match(await signInAs('bert@work'), { status: 403, body: { code: 'no_account' } }, 'each of several is remembered')
})

t.test('an account that is locked out while it is being connected stays locked out', async (t) => {
  const { openAs, visit, sign, issuer, clock, appliance: { owners } } = await start(t)
  const { call, cookie } = await openAs()
  const begun = await call('POST', 'account/provider/begin', {})
  const { searchParams: asked } = new URL(String(begun.body.data?.['url']))
  const now = Math.floor(clock.now() / 1000)
  const nonce = asked.get('nonce') ?? ''
  const token = await sign({ iss: issuer.address, aud: CLIENT, sub: 'anna@work', iat: now, exp: now + 300, nonce })
  let lockout: Promise<void> | undefined
  // Runs when the appliance asks for the token.
  issuer.pages.set('/token', {
    toJSON () {
      lockout = owners.setPassword(owners.findByName('anna')?.id ?? 0, null)
      return { token_type: 'Bearer', access_token: 'x', id_token: token }
    }
  })
  const body = { code: 'a code', state: asked.get('state') }
  t.match(await call('PUT', 'account/provider', body, { cookie: `${cookie}; ${cookieOf(begun)}` }), {
    status: 401, body: { code: 'unauthorized' }
  })
  await lockout
  t.match(await visit((good) => sign(good)), { status: 403, body: { code: 'no_account' } })
})

t.test('an account is connected by its person only: with the password, or without one soon after signing in', async (t) => {
  const { openAs, appliance: { owners }, clock } = await start(t, {}, 'all')
  const { call } = await openAs()
  const begin = async (body: object): Promise<Injected> => await call('POST', 'account/provider/begin', body)
  const refused = await begin({})
  t.match(refused, { status: 403, body: { code: 'wrong_password', error: /password of the account/ } })
  t.notOk(refused.headers['set-cookie'], 'no visit has begun')
  t.match(await begin({ password: 'wrong horse battery' }), { status: 403, body: { code: 'wrong_password' } })
  t.match(await begin({ password: PASSWORD }), { status: 200, body: { data: { url: /authorize/ } } })
  for (let attempt = 0; attempt < 5; attempt++) await begin({ password: 'wrong horse battery' })
  t.match(await begin({ password: PASSWORD }), { status: 429, body: { code: 'too_many_attempts' } }, 'guessing ends')

  owners.create({ name: 'bert' })
  const { call: asBert } = await openAs('bert')
  clock.advance(10 * MINUTE_MS)
  t.match(await asBert('POST', 'account/provider/begin', {}), { status: 200 })
  clock.advance(1)
  t.match(await asBert('POST', 'account/provider/begin', {}), { status: 403, body: { code: 'sign_in_too_old', error: /Sign in again/ } })
})

t.test('where nobody set it up, it is off', async (t) => {
  const { call, openAs } = await buildWithAccounts(t, ['anna'], {}, 'none')
  const { call: callAs } = await openAs()
  t.match(await call(undefined, 'GET', '/api/v1/session/options'), { body: { data: { oauth: null } } })
  t.match(await call(undefined, 'POST', '/api/v1/session/provider/begin'), { status: 404, body: { error: /STENOBOX_OAUTH_CLIENT_ID/ } })
  t.match(await call(undefined, 'POST', '/api/v1/session/provider', { code: 'x', state: 'x' }), { status: 404 })
  t.match(await callAs('POST', 'account/provider/begin', {}), { status: 404 })
  t.match(await callAs('DELETE', 'account/provider'), { status: 404 })
  t.match(await callAs('GET', 'account/sign-in'), { status: 200, body: { data: { hasPassword: false, provider: null } } })
})
