import t from 'tap'
import { buildWithAccounts, cookieOf, PASSWORD } from '../support/account.ts'

const HOUR_MS = 3600_000

t.test('from signing in to signing out', async (t) => {
  const { signIn, call, openAs } = await buildWithAccounts(t)
  const reply = await signIn()
  t.equal(reply.status, 200)
  t.match(reply.headers['set-cookie'], /^stenobox_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/)
  t.equal(reply.headers['cache-control'], 'no-store')
  t.match(reply.body.data, {
    account: { name: 'anna', role: 'administrator', plan: 'enterprise', diarization: true },
    expiresAt: '2026-01-15T00:00:00.000Z',
    idleExpiresAt: '2026-01-02T00:00:00.000Z'
  })
  const anna = await openAs()
  t.match(await anna.call('GET', 'session'), { status: 200, body: { data: { account: { name: 'anna' } } } })
  t.match(await anna.call('GET', 'account'), { status: 200, body: { data: { name: 'anna', role: 'administrator' } } })
  t.match(await anna.call('GET', 'transcriptions'), { status: 200, body: { data: [] } })
  const ended = await anna.call('DELETE', 'session')
  t.match(ended, { status: 200, body: { data: { signedOut: true } } })
  t.match(ended.headers['set-cookie'], /^stenobox_session=; Max-Age=0; Path=\/;/)
  for (const path of ['session', 'account', 'transcriptions']) t.match(await anna.call('GET', path), { status: 401 }, path)
  t.equal((await call(undefined, 'GET', '/api/v1/session', undefined, { cookie: cookieOf(reply) })).status, 200, 'the other stays')
})

t.test('under an https address the cookie is secure, and below its path', async (t) => {
  const { signIn } = await buildWithAccounts(t, ['anna'], { STENOBOX_PUBLIC_URL: 'https://example.org/steno' })
  t.match((await signIn()).headers['set-cookie'], /; Path=\/steno; HttpOnly; Secure; SameSite=Strict$/)
})

t.test('signing in gives a new secret and ends the old one', async (t) => {
  const { signIn, openAs } = await buildWithAccounts(t)
  const first = await openAs()
  const again = await signIn('anna', PASSWORD, { cookie: first.cookie })
  t.not(cookieOf(again), first.cookie)
  t.equal((await first.call('GET', 'session')).status, 401)
  const planted = await signIn('anna', PASSWORD, { cookie: `stenobox_session=${'x'.repeat(43)}` })
  t.not(cookieOf(planted), `stenobox_session=${'x'.repeat(43)}`, 'nobody can choose the secret of another')
})

t.test('a wrong name and a wrong password get the same answer, and five are enough', async (t) => {
  const { signIn, http, appliance, logText, clock } = await buildWithAccounts(t)
  appliance.owners.create({ name: 'no password' })
  const wrong = [['anna', 'wrong horse battery'], ['nobody', PASSWORD], ['no password', PASSWORD], ['anna', 'x'], ['anna', `${PASSWORD} `]]
  for (const [name, password] of wrong) {
    const reply = await signIn(name, password)
    t.match(reply, { status: 401, body: { code: 'unauthorized', error: 'The name or the password is wrong.' } })
    t.equal(reply.headers['set-cookie'], undefined)
  }
  t.match(await signIn(), { status: 429, body: { code: 'too_many_attempts' }, headers: { 'retry-after': '900' } })
  const payload = { name: 'anna', password: PASSWORD }
  t.equal((await http.inject({ method: 'POST', url: '/api/v1/session', payload, remoteAddress: '192.0.2.7' })).statusCode, 200)
  clock.advance(HOUR_MS)
  t.equal((await signIn()).status, 200)
  t.match(logText(), /wrong name or password of an owner/)
  t.notMatch(logText(), 'wrong horse')
})

t.test('what is not a name or a password is refused by its field', async (t) => {
  const { call } = await buildWithAccounts(t)
  const cases: Array<[object, RegExp]> = [
    [{}, /name|password/], [{ name: 'anna' }, /password/], [{ name: 'anna', password: '' }, /password/],
    [{ name: 'anna', password: 'x'.repeat(257) }, /password/], [{ name: 12, password: PASSWORD }, /name/],
    [{ name: 'anna', password: PASSWORD, remember: true }, /remember/]
  ]
  for (const [body, error] of cases) {
    t.match(await call(undefined, 'POST', '/api/v1/session', body), { status: 400, body: { code: 'invalid_request', error } })
  }
})

t.test('a session ends after a day without use, and after two weeks', async (t) => {
  const { openAs, clock } = await buildWithAccounts(t, ['anna'], {}, 'none')
  const idle = await openAs()
  clock.advance(24 * HOUR_MS)
  t.match(await idle.call('GET', 'session'), { status: 401, body: { error: /session has ended/ } })
  const busy = await openAs()
  for (let half = 0; half < 27; half++) {
    clock.advance(12 * HOUR_MS)
    t.equal((await busy.call('GET', 'session')).status, 200)
  }
  clock.advance(12 * HOUR_MS)
  t.equal((await busy.call('GET', 'session')).status, 401)
})

t.test('a session outlives a restart of the server', async (t) => {
  const dataDir = t.testdir()
  const first = await buildWithAccounts(t, ['anna'], { STENOBOX_DATA_DIR: dataDir })
  const { cookie } = await first.openAs()
  await first.http.close()
  const { call } = await buildWithAccounts(t, [], { STENOBOX_DATA_DIR: dataDir })
  t.match(await call(undefined, 'GET', '/api/v1/session', undefined, { cookie }), {
    status: 200, body: { data: { account: { name: 'anna' } } }
  })
})

t.test('a new password ends all other sessions, and only a person who knows the old one sets it', async (t) => {
  const { openAs, signIn, appliance } = await buildWithAccounts(t, ['anna', 'bert'])
  const [here, elsewhere, bert] = [await openAs(), await openAs(), await openAs('bert')]
  const { call: ask } = here
  const next = 'another horse battery'
  const change = async (current: string, wanted: string) => await ask('PUT', 'account/password', { current, next: wanted })
  t.match(await change('wrong horse battery', next), { status: 403, body: { code: 'wrong_password' } })
  t.match(await change(PASSWORD, 'short'), { status: 400, body: { error: /next/ } })
  t.match(await change(PASSWORD, next), { status: 200, body: { data: { name: 'anna' } } })
  t.strictSame(await Promise.all([here, elsewhere, bert].map(async ({ call }) => (await call('GET', 'session')).status)), [200, 401, 200])
  t.equal((await signIn('anna', PASSWORD)).status, 401)
  t.equal((await signIn('anna', next)).status, 200)
  // The last administrator cannot be locked out.
  appliance.owners.change(appliance.owners.findByName('bert')?.id ?? 0, { role: 'administrator' })
  await appliance.owners.setPassword(appliance.owners.findByName('anna')?.id ?? 0, null)
  t.equal((await here.call('GET', 'session')).status, 401, 'so does a password that the administrator sets')
})

t.test('the page is no use of the interface: it is not counted, and works when the requests are used up', async (t) => {
  const { openAs, appliance, call } = await buildWithAccounts(t, ['anna'], {}, 'none')
  const owner = appliance.owners.findByName('anna')
  appliance.owners.change(owner?.id ?? 0, { plan: 'free' })
  appliance.plans.set('free', { requestsPerDay: 1 })
  const anna = await openAs()
  for (let i = 0; i < 3; i++) {
    const reply = await anna.call('GET', 'transcriptions')
    t.equal(reply.status, 200)
    t.equal(reply.headers['ratelimit'], undefined)
  }
  t.match(await anna.call('GET', 'usage'), { body: { data: { requests: { remaining: 1 } } } })
  const apiKey = appliance.keys.create({ name: 'k', owner: 'anna', plan: 'free' }).key
  t.equal((await call(apiKey, 'GET', '/api/v1/transcriptions')).status, 200)
  t.equal((await call(apiKey, 'GET', '/api/v1/transcriptions')).status, 429)
  t.equal((await anna.call('GET', 'transcriptions')).status, 200)
})

t.test('an administrator administers, an owner does not, and neither needs the configured password', async (t) => {
  const { openAs, appliance, logText } = await buildWithAccounts(t, ['anna', 'bert'], {}, 'none')
  const [anna, bert] = [await openAs('anna'), await openAs('bert')]
  const made = await anna.call('POST', 'admin/owners', { name: 'carl' })
  t.match(made, { status: 201, body: { data: { name: 'carl', role: 'owner' } } })
  t.match(logText(), /"pageSession":\d+,"account":1,"operation":"createOwner","ownerId":3/)
  for (const [method, path, body] of [['GET', 'owners'], ['POST', 'owners', { name: 'dora' }], ['GET', 'session']] as const) {
    t.match(await bert.call(method, `admin/${path}`, body), { status: 403, body: { code: 'administrator_required' } })
  }
  t.match(await anna.call('PATCH', 'admin/owners/2', { role: 'administrator' }), { status: 200, body: { data: { role: 'administrator' } } })
  t.equal((await bert.call('GET', 'admin/owners')).status, 200, 'a role applies at once')
  t.match(await anna.call('GET', 'admin/session'), { status: 401, body: { error: /POST \/api\/v1\/admin\/session/ } })
  t.equal(appliance.owners.findByName('dora'), undefined)
})

t.test('with a configured password, both ways to administer work side by side', async (t) => {
  const { openAs, call } = await buildWithAccounts(t, ['anna', 'bert'], { STENOBOX_ADMIN_PASSWORD: PASSWORD })
  const admin = cookieOf(await call(undefined, 'POST', '/api/v1/admin/session', { password: PASSWORD }))
  const bert = await openAs('bert')
  const both = { cookie: `${bert.cookie}; ${admin}` }
  t.equal((await call(undefined, 'GET', '/api/v1/admin/owners', undefined, { cookie: admin })).status, 200)
  t.equal((await call(undefined, 'GET', '/api/v1/admin/session', undefined, both)).status, 200)
  t.equal((await call(undefined, 'GET', '/api/v1/transcriptions', undefined, { cookie: admin })).status, 401)
})

t.test('options are public and say what is possible', async (t) => {
  const { call } = await buildWithAccounts(t)
  t.match(await call(undefined, 'GET', '/api/v1/session/options'), {
    status: 200, body: { data: { password: true, oauth: null, version: /^\d+\.\d+\.\d+/, sharing: false } }
  })
})

t.test('the last administrator cannot demote, lock out or delete themself', async (t) => {
  const { openAs, appliance: { owners } } = await buildWithAccounts(t, ['anna'])
  const { call } = await openAs()
  const { id } = owners.findByName('anna') ?? { id: 0 }
  const refused = { status: 409, body: { code: 'conflict', error: /last administrator who can sign in.*Make another owner/ } }
  t.match(await call('PATCH', `admin/owners/${id}`, { role: 'owner' }), refused)
  t.match(await call('PUT', `admin/owners/${id}/password`, { password: null }), refused)
  t.match(await call('DELETE', `admin/owners/${id}`), refused)
  t.equal((await call('PATCH', `admin/owners/${id}`, { name: 'anne', role: 'administrator' })).status, 200)
  t.equal((await call('GET', 'admin/owners')).status, 200)
})
