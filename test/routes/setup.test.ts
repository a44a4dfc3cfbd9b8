import t from 'tap'
import type { Test } from 'tap'
import { createIdentityStore } from '../../dist/store/identities.js'
import { cookieOf, PASSWORD } from '../support/account.ts'
import { buildAppliance } from '../support/appliance.ts'
import { openStores } from '../support/store.ts'

const PATH = '/api/v1/setup'
const FIRST = { name: 'anna', password: PASSWORD }
const REMOTE = '192.0.2.7'

/** Asks from an address, with headers. */
async function build (t: Test, settings: Record<string, string> = {}) {
  const built = await buildAppliance(t, settings)
  const ask = async (method: 'GET' | 'POST', payload?: object, from: { remoteAddress?: string, headers?: Record<string, string> } = {}) => {
    const reply = await built.http.inject({ method, url: PATH, ...(payload ? { payload } : {}), ...from })
    return { status: reply.statusCode, headers: reply.headers, body: reply.json<{ code: string, data: Record<string, unknown> }>() }
  }
  return { ...built, ask }
}

t.test('the first account is an administrator and is signed in; there is no second time', async (t) => {
  const { ask, call, appliance } = await build(t)
  t.match((await ask('GET')).body.data, { needed: true, tokenRequired: false })
  const reply = await call(undefined, 'POST', PATH, FIRST)
  t.match(reply, { status: 201, body: { data: { account: { name: 'anna', role: 'administrator', plan: 'enterprise' } } } })
  t.match(reply.headers['set-cookie'], /^stenobox_session=[\w-]{43}; /)
  const headers = { cookie: cookieOf(reply) }
  t.equal((await call(undefined, 'GET', '/api/v1/admin/owners', undefined, headers)).status, 200)
  t.match((await ask('GET')).body.data, { needed: false })
  t.match(await ask('POST', { name: 'eve', password: PASSWORD }), { status: 409, body: { code: 'conflict' } })
  t.equal(appliance.owners.findByName('eve'), undefined)
})

t.test('of two at once, one wins', async (t) => {
  const { ask, appliance } = await build(t)
  const replies = await Promise.all(['anna', 'bert', 'carl'].map(async (name) => await ask('POST', { name, password: PASSWORD })))
  t.strictSame(replies.map(({ status }) => status).sort(), [201, 409, 409])
  t.equal(replies.filter(({ headers }) => headers['set-cookie']).length, 1)
  t.equal(appliance.owners.list({ after: 0, limit: 9 }).length, 1)
})

t.test('from another machine it needs the printed token', async (t) => {
  const { ask, appliance: { setup } } = await build(t, { STENOBOX_HOST: '0.0.0.0' })
  const from = { remoteAddress: REMOTE }
  t.match((await ask('GET', undefined, from)).body.data, { needed: true, tokenRequired: true })
  for (const more of [{}, { token: '' }, { token: 'x' }, { token: setup.token.slice(1) }]) {
    t.match(await ask('POST', { ...FIRST, ...more }, from), { status: 401, body: { code: 'unauthorized' } })
  }
  t.match(setup.token, /^[\w-]{22}$/)
  t.match(await ask('POST', { ...FIRST, token: setup.token }, from), { status: 201 })
})

t.test('guessing the token ends after five attempts', async (t) => {
  const { ask, appliance: { setup } } = await build(t)
  const from = { remoteAddress: REMOTE }
  for (let i = 0; i < 5; i++) t.equal((await ask('POST', { ...FIRST, token: `guess ${i}` }, from)).status, 401)
  t.match(await ask('POST', { ...FIRST, token: setup.token }, from), { status: 429, body: { code: 'too_many_attempts' } })
  t.equal((await ask('POST', FIRST)).status, 201, 'this machine is not locked out')
})

t.test('a token is needed whenever somebody else could be behind the request', async (t) => {
  const local = await build(t)
  const required = async (ask: typeof local.ask, headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
    (await ask('GET', undefined, { headers, remoteAddress })).body.data['tokenRequired']
  for (const host of ['localhost', '127.0.0.1:8080', '[::1]:8080', 'steno.localhost']) {
    t.equal(await required(local.ask, { host }), false, host)
  }
  t.equal(await required(local.ask, {}, '::1'), false)
  t.equal(await required(local.ask, {}, '::ffff:127.0.0.1'), false)
  t.equal(await required(local.ask, {}, REMOTE), true, 'another machine')
  for (const host of ['evil.example:8080', 'localhost.evil.example', '192.168.1.2', 'a@evil.example', '%']) {
    t.equal(await required(local.ask, { host }), true, `a name that was made to point here: ${host}`)
  }
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']) {
    t.equal(await required(local.ask, { [name]: '127.0.0.1' }), true, `a proxy that nobody configured: ${name}`)
  }
  for (const settings of [
    { STENOBOX_HOST: '0.0.0.0' }, { STENOBOX_HOST: '::' }, { STENOBOX_TRUSTED_PROXIES: '127.0.0.1' },
    { STENOBOX_PUBLIC_URL: 'https://steno.example.org' }
  ] as Array<Record<string, string>>) {
    t.equal(await required((await build(t, settings)).ask, {}), true, JSON.stringify(settings))
  }
  for (const settings of [{ STENOBOX_HOST: '::1' }, { STENOBOX_PUBLIC_URL: 'http://localhost:8080' }] as Array<Record<string, string>>) {
    t.equal(await required((await build(t, settings)).ask, {}), false, JSON.stringify(settings))
  }
})

t.test('the default owner becomes the account if it is the only one, with all it has', async (t) => {
  const { ask, key, call, appliance } = await build(t)
  const apiKey = key()
  const before = appliance.owners.findByName('default')
  t.equal((await ask('POST', FIRST)).status, 201)
  t.match(appliance.owners.findByName('anna'), { id: before?.id, role: 'administrator', hasPassword: true })
  t.equal(appliance.owners.findByName('default'), undefined)
  t.equal((await call(apiKey, 'GET', '/api/v1/transcriptions')).status, 200)
})

t.test('beside other owners the account is a new one, or the one of that name', async (t) => {
  const { ask, key, appliance } = await build(t)
  for (const name of ['default', 'bert']) key(name)
  t.equal((await ask('POST', FIRST)).status, 201)
  t.strictSame(appliance.owners.list({ after: 0, limit: 9 }).map(({ name, role }) => [name, role]), [
    ['default', 'owner'], ['bert', 'owner'], ['anna', 'administrator']
  ])
  const other = await build(t, { STENOBOX_DATA_DIR: t.testdir({ other: {} }) + '/other' })
  for (const name of ['default', 'anna']) other.key(name)
  t.equal((await other.ask('POST', FIRST)).status, 201)
  t.strictSame(other.appliance.owners.list({ after: 0, limit: 9 }).map(({ name, role }) => [name, role]), [
    ['default', 'owner'], ['anna', 'administrator']
  ])
})

t.test('an owner who signs in at the identity provider is not taken over', async (t) => {
  const { ask, appliance, key } = await build(t)
  key('default')
  const ownerId = appliance.owners.findByName('default')?.id ?? 0
  createIdentityStore(openStores(t, t.testdirName).db).insert({ ownerId, issuer: 'https://id.example', subject: 'somebody', now: 0 })
  t.match(await ask('POST', { ...FIRST, name: 'default' }), {
    status: 409, body: { code: 'conflict', error: /signs in at the identity provider/ }
  })
  t.match(appliance.owners.findByName('default'), { role: 'owner', hasPassword: false })
  t.equal((await ask('POST', FIRST)).status, 201)
  t.match(appliance.owners.list({ after: 0, limit: 9 }), [
    { name: 'default', role: 'owner', hasPassword: false }, { name: 'anna', role: 'administrator', hasPassword: true }
  ], 'under another name, the account is a new owner')
})

t.test('an appliance whose owners have passwords needs no first account', async (t) => {
  const { ask, appliance } = await build(t)
  const { id } = appliance.owners.create({ name: 'anna' })
  await appliance.owners.setPassword(id, PASSWORD)
  t.match((await ask('GET')).body.data, { needed: false })
  t.match(await ask('POST', FIRST), { status: 409 })
})

t.test('what cannot be a name or a password is refused by its field, and other sites altogether', async (t) => {
  const { ask, appliance } = await build(t)
  for (const [body, error] of [
    [{ name: 'anna', password: 'short' }, /password/], [{ name: '', password: PASSWORD }, /name/],
    [{ name: 'a\nb', password: PASSWORD }, /name/], [{ ...FIRST, role: 'administrator' }, /role/]
  ] as const) t.match(await ask('POST', body), { status: 400, body: { error } })
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as Array<Record<string, string>>) {
    t.match(await ask('POST', FIRST, { headers }), { status: 403, body: { code: 'cross_site_request' } })
  }
  t.ok(appliance.setup.isNeeded())
})
