import t from 'tap'
import { buildAdministered, PASSWORD, SESSION } from '../../support/admin.ts'
import { buildAppliance } from '../../support/appliance.ts'

const CHANGES = [
  ['POST', 'owners', { name: 'anna' }],
  ['PATCH', 'owners/1', { plan: 'free' }],
  ['PUT', 'owners/1/password', { password: null }],
  ['DELETE', 'owners/1'],
  ['POST', 'keys', { name: 'laptop', ownerId: 1 }],
  ['DELETE', 'keys/1'],
  ['POST', 'keys/1/rotate', { graceSeconds: 0 }],
  ['PATCH', 'plans/free', { requestsPerDay: 1 }],
  ['DELETE', 'plans/free'],
  ['DELETE', 'session']
] as const
const OPERATIONS = [...CHANGES, ['GET', 'session'], ['GET', 'owners'], ['GET', 'owners/1'], ['GET', 'keys'], ['GET', 'plans']] as const

t.test('a proxy that caches what it may keeps nothing: neither replies nor refusals', async (t) => {
  const { openSession, call: anybody } = await buildAdministered(t)
  const { call } = await openSession()
  for (const path of ['session', 'owners', 'keys', 'plans', 'owners/99', 'no/such/path']) {
    t.equal((await call('GET', path)).headers['cache-control'], 'no-store', path)
    t.equal((await anybody(undefined, 'GET', `/api/v1/admin/${path}`)).headers['cache-control'], 'no-store', `${path}, not logged in`)
  }
})

t.test('from logging in to logging out', async (t) => {
  const { logIn, openSession, call: anybody } = await buildAdministered(t)
  const reply = await logIn()
  t.equal(reply.status, 200)
  t.match(reply.headers['set-cookie'], /^stenobox_admin=[\w-]{43}; Max-Age=43200; Path=\/api\/v1\/admin; HttpOnly; SameSite=Strict$/)
  t.equal(reply.headers['cache-control'], 'no-store')
  t.match(reply.body.data, {
    id: /^[0-9a-f]{8}$/,
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T12:00:00.000Z',
    idleExpiresAt: '2026-01-01T01:00:00.000Z'
  })
  const { id, cookie, call } = await openSession()
  t.notMatch(cookie, id)
  t.match(await call('GET', 'session'), { status: 200, body: { data: { id } } })
  const ended = await call('DELETE', 'session')
  t.match(ended, { status: 200, body: { data: { id } } })
  t.match(
    ended.headers['set-cookie'],
    /^stenobox_admin=; Max-Age=0; Path=\/api\/v1\/admin; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict$/
  )
  t.match(await call('GET', 'session'), { status: 401, body: { code: 'unauthorized' } })
  t.match(await anybody(undefined, 'GET', SESSION), {
    status: 401,
    headers: { 'www-authenticate': 'Session realm="stenobox administration"' }
  })
})

t.test('under an https address the cookie is secure, and below its path', async (t) => {
  const { logIn } = await buildAdministered(t, { STENOBOX_PUBLIC_URL: 'https://example.org/steno' })
  t.match((await logIn()).headers['set-cookie'], /; Path=\/steno\/api\/v1\/admin; HttpOnly; Secure; SameSite=Strict$/)
})

t.test('what is not a password is refused by its field, and a wrong one by a sentence', async (t) => {
  const { call, logIn, http } = await buildAdministered(t)
  const cases: Array<[object | string, RegExp]> = [
    [{}, /password/],
    [{ password: null }, /password/],
    [{ password: 12 }, /password/],
    [{ password: [PASSWORD] }, /password/],
    [{ password: '' }, /password/],
    [{ password: 'x'.repeat(257) }, /password/],
    [{ password: PASSWORD, user: 'admin' }, /user/],
    [[], /body|object/]
  ]
  for (const [body, error] of cases) {
    t.match(await call(undefined, 'POST', SESSION, body), { status: 400, body: { code: 'invalid_request', error } })
  }
  const wrong = await logIn('wrong horse battery')
  t.match(wrong, {
    status: 401,
    body: { code: 'unauthorized', error: 'The password is wrong.' },
    headers: { 'www-authenticate': /^Session / }
  })
  t.equal(wrong.headers['set-cookie'], undefined)
  for (let i = 0; i < 4; i++) await logIn('wrong horse battery')
  t.match(await logIn(), { status: 429, body: { code: 'too_many_attempts' }, headers: { 'retry-after': '900' } })
  const elsewhere = await http.inject({ method: 'POST', url: SESSION, payload: { password: PASSWORD }, remoteAddress: '192.0.2.7' })
  t.equal(elsewhere.statusCode, 200)
})

t.test('only a live session opens administration', async (t) => {
  const { call: anybody, key, openSession, clock } = await buildAdministered(t)
  const { call, cookie } = await openSession()
  const secret = cookie.split('=')[1] ?? ''
  for (const [method, path, body] of OPERATIONS) {
    const url = `/api/v1/admin/${path}`
    for (const headers of [
      {},
      { cookie: 'stenobox_admin=' },
      { cookie: `stenobox_admin=${'x'.repeat(43)}` },
      { cookie: `other=${secret}` },
      { cookie: `stenobox_admin=%00${secret}` },
      { cookie: ';=;,\t=' }
    ]) {
      t.match(
        await anybody(undefined, method, url, body, headers),
        { status: 401, body: { code: 'unauthorized' } },
        `${method} ${path} ${JSON.stringify(headers)}`
      )
    }
    t.match(await anybody(key(), method, url, body), { status: 401, body: { code: 'unauthorized' } }, `${method} ${path} with a key`)
    t.match(await anybody(secret, method, url, body), { status: 401 }, `${method} ${path} with the secret as a token`)
  }
  clock.advance(3600_000)
  t.match(await call('GET', 'owners'), { status: 401 }, 'idle for an hour')
})

t.test('a session opens nothing else', async (t) => {
  const { openSession } = await buildAdministered(t)
  const { call, cookie } = await openSession()
  const authorization = `Bearer ${cookie.split('=')[1]}`
  for (const headers of [{}, { authorization }]) {
    t.match(await call('GET', '/api/v1/jobs/1', undefined, headers), { status: 401, body: { code: 'unauthorized' } })
    t.match(await call('POST', '/api/v1/media/uploads/init', { fileName: 'a', fileSize: 1 }, headers), { status: 401 })
  }
})

t.test('pages of other sites are refused, with a session and without', async (t) => {
  const { openSession, logIn } = await buildAdministered(t, { STENOBOX_PUBLIC_URL: 'https://steno.example.org' })
  const { call } = await openSession()
  const refused: Array<Record<string, string>> = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://steno.example.org' },
    { 'sec-fetch-site': '' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'https://steno.example.org.evil.example' },
    { origin: 'http://box.local:81', host: 'box.local:8080' },
    { origin: 'https://steno.example.org:8443' },
    { origin: 'http://steno.example.org' }
  ]
  for (const headers of refused) {
    t.match(
      await call('POST', 'owners', { name: 'anna' }, headers),
      { status: 403, body: { code: 'cross_site_request' } },
      JSON.stringify(headers)
    )
    t.match(await logIn(PASSWORD, headers), { status: 403 })
  }
  const taken: Array<Record<string, string>> = [
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://steno.example.org' },
    { origin: 'http://box.local:8080', host: 'Box.local:8080' },
    {}
  ]
  for (const headers of taken) t.equal((await call('GET', 'owners', undefined, headers)).status, 200, JSON.stringify(headers))
})

t.test('without a configured password every operation says that administration is off', async (t) => {
  const { call, key } = await buildAppliance(t)
  const off = { status: 403, body: { code: 'administration_off', error: /STENOBOX_ADMIN_PASSWORD/ } }
  for (const [method, path, body] of OPERATIONS) {
    t.match(await call(key(), method, `/api/v1/admin/${path}`, body, { cookie: 'stenobox_admin=x' }), off, `${method} ${path}`)
  }
  t.match(await call(undefined, 'POST', SESSION, { password: PASSWORD }), off)
})

t.test('every change leaves one line that says who did what, and no secret', async (t) => {
  const { openSession, audited, logText } = await buildAdministered(t)
  const { id: session, cookie, call } = await openSession()
  const made = await call('POST', 'owners', { name: 'anna' })
  const ownerId = made.body.data['id']
  await call('PUT', `owners/${ownerId}/password`, { password: 'a very private password' })
  await call('PATCH', `owners/${ownerId}`, { plan: 'pro' })
  const { id: keyId, key } = (await call('POST', 'keys', { ownerId, name: 'laptop' })).body.data
  const { id: newId, key: newKey } = (await call('POST', `keys/${keyId}/rotate`, { graceSeconds: 5 })).body.data
  for (const id of [keyId, newId, newId]) await call('DELETE', `keys/${id}`)
  await call('PATCH', 'plans/free', { requestsPerDay: 5 })
  await call('DELETE', 'plans/free')
  await call('DELETE', `owners/${ownerId}`)
  for (const [method, url] of [['GET', 'owners'], ['DELETE', 'owners/99'], ['DELETE', 'keys/99'], ['POST', 'owners']] as const) {
    await call(method, url, method === 'POST' ? {} : undefined)
  }
  await call('DELETE', 'session')
  const by = (operation: string, ids: object = {}): object => ({ session, operation, ...ids })
  t.strictSame(audited(), [
    by('logInAsAdministrator'),
    by('createOwner', { ownerId }),
    by('setOwnerPassword', { ownerId }),
    by('changeOwner', { ownerId }),
    by('createApiKey', { keyId, ownerId }),
    by('rotateApiKey', { keyId, replacedBy: newId }),
    by('revokeApiKey', { keyId }),
    by('revokeApiKey', { keyId: newId }),
    by('changePlan', { plan: 'free' }),
    by('resetPlan', { plan: 'free' }),
    by('removeOwner', { ownerId }),
    by('logOutAsAdministrator')
  ])
  for (const secret of [PASSWORD, 'a very private password', String(key), String(newKey), cookie.split('=')[1] ?? '', 'anna', 'laptop']) {
    t.notMatch(logText(), secret)
  }
})
