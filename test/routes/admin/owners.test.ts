import t from 'tap'
import { AppError } from '../../../dist/domain/errors.js'
import { buildAdministered } from '../../support/admin.ts'

t.test('an owner is made, seen, changed and removed', async (t) => {
  const { openSession, appliance } = await buildAdministered(t)
  const { call } = await openSession()
  const made = await call('POST', 'owners', { name: 'Anna Ångström 🎙' })
  t.equal(made.status, 201)
  const { id } = made.body.data
  t.strictSame(made.body, {
    success: true,
    data: {
      id, name: 'Anna Ångström 🎙', plan: 'enterprise', role: 'owner', hasPassword: false, terms: [], createdAt: '2026-01-01T00:00:00.000Z'
    }
  })
  t.strictSame((await call('GET', `owners/${id}`)).body, made.body)
  t.match(await call('PATCH', `owners/${id}`, { name: 'anna', plan: 'free' }), {
    status: 200,
    body: { data: { id, name: 'anna', plan: 'free' } }
  })
  t.match(await call('PUT', `owners/${id}/password`, { password: 'twelve chars' }), {
    status: 200,
    body: { data: { id, hasPassword: true } }
  })
  t.equal(await appliance.owners.verifyPassword('anna', 'twelve chars'), id)
  t.match(await call('PUT', `owners/${id}/password`, { password: null }), { status: 200, body: { data: { hasPassword: false } } })
  t.strictSame((await call('DELETE', `owners/${id}`)).body, { success: true, data: { id } })
  t.match(await call('GET', `owners/${id}`), { status: 404, body: { code: 'not_found' } })
})

t.test('names are there once, and owners with keys stay', async (t) => {
  const { openSession, key } = await buildAdministered(t)
  const { call } = await openSession()
  key('anna')
  const { id } = (await call('POST', 'owners', { name: 'bert' })).body.data
  const [anna] = (await call('GET', 'owners')).body.data as unknown as Array<{ id: number }>
  t.match(await call('POST', 'owners', { name: 'anna' }), { status: 409, body: { code: 'conflict', error: /name/ } })
  t.match(await call('PATCH', `owners/${id}`, { name: 'anna' }), { status: 409, body: { code: 'conflict' } })
  t.match(await call('DELETE', `owners/${anna?.id}`), { status: 409, body: { code: 'conflict', error: /live API keys/ } })
  for (const [method, path, body] of [
    ['GET', 'owners/99'],
    ['PATCH', 'owners/99', { plan: 'pro' }],
    ['PUT', 'owners/99/password', { password: null }],
    ['DELETE', 'owners/99']
  ] as const) {
    t.match(await call(method, path, body), { status: 404, body: { code: 'not_found' } }, `${method} ${path}`)
  }
})

t.test('the list goes on by its cursor, and no other', async (t) => {
  const { openSession, appliance } = await buildAdministered(t)
  const { call } = await openSession()
  const all = Array.from({ length: 5 }, (_, index) => appliance.owners.create({ name: `owner ${index}` }).name)
  const names: string[] = []
  let query = 'limit=2'
  for (let page = 0; page < 3; page++) {
    const { data, nextCursor } = (await call('GET', `owners?${query}`)).body as unknown as {
      data: Array<{ name: string }>
      nextCursor: string | null
    }
    names.push(...data.map(({ name }) => name))
    t.equal(nextCursor === null, page === 2)
    query = `limit=2&cursor=${nextCursor}`
  }
  t.strictSame(names, all)
  t.match((await call('GET', 'owners')).body, { data: { length: 5 }, nextCursor: null })
  for (const bad of [
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=-1',
    'limit=1.5',
    'cursor=',
    'cursor=abc',
    `cursor=${'x'.repeat(65)}`,
    'cursor=%00',
    'limit=1&limit=2'
  ]) {
    t.match(await call('GET', `owners?${bad}`), { status: 400, body: { code: 'invalid_request', error: /limit|cursor/ } }, bad)
  }
})

t.test('passwords that have to wait are no fault that somebody must mend', async (t) => {
  const { openSession, appliance, logText } = await buildAdministered(t)
  const { call } = await openSession()
  const { id } = appliance.owners.create({ name: 'anna' })
  appliance.owners.setPassword = async () => { throw new AppError('unavailable', 'Try again.', { headers: { 'retry-after': '5' } }) }
  t.match(await call('PUT', `owners/${id}/password`, { password: 'long enough now' }), { status: 503, headers: { 'retry-after': '5' } })
  t.match(logText(), /"level":40.*"code":"unavailable".*request refused for now/)
  appliance.owners.setPassword = async () => { throw new Error('a fault') }
  t.match(await call('PUT', `owners/${id}/password`, { password: 'long enough now' }), { status: 500 })
  t.match(logText(), /"level":50.*"code":"internal_error".*request failed/)
})

t.test('an invalid body is refused, naming the field', async (t) => {
  const { openSession, appliance } = await buildAdministered(t)
  const { call } = await openSession()
  const { id } = appliance.owners.create({ name: 'anna' })
  const badNames = [
    null,
    1,
    true,
    [],
    {},
    '',
    ' ',
    ' anna',
    'anna ',
    'a\nb',
    'a\r\nSet-Cookie: x=1',
    'a\u0000',
    'a\u0000b',
    'a\u007fb',
    'a\u202eb',
    '\u200b',
    'a\ud800b',
    '\u0085',
    'x'.repeat(101),
    '\ud800'
  ]
  const badPlans = [null, 1, '', 'gold', 'FREE', ['free']]
  const badPasswords = [undefined, null, 1, true, {}, '', 'elevenchars', 'x'.repeat(257)]
  const cases: Array<['POST' | 'PATCH' | 'PUT', string, object, RegExp]> = [
    ['POST', 'owners', {}, /name/],
    ['POST', 'owners', [], /body|object/],
    ['POST', 'owners', { name: 'bert', id: 7 }, /id/],
    ['PATCH', `owners/${id}`, {}, /body|fewer/],
    ['PATCH', `owners/${id}`, { name: 'bert', hasPassword: true }, /hasPassword/],
    ['PUT', `owners/${id}/password`, { password: 'long enough now', extra: 1 }, /extra/],
    ...badNames.map((name) => ['POST', 'owners', { name }, /name/] as ['POST', string, object, RegExp]),
    ...badNames.map((name) => ['PATCH', `owners/${id}`, { name }, /name/] as ['PATCH', string, object, RegExp]),
    ...badPlans.map((plan) => ['POST', 'owners', { name: 'bert', plan }, /plan/] as ['POST', string, object, RegExp]),
    ...badPlans.map((plan) => ['PATCH', `owners/${id}`, { plan }, /plan/] as ['PATCH', string, object, RegExp]),
    ...badPasswords
      .filter((password) => password !== null)
      .map((password) => ['PUT', `owners/${id}/password`, { password }, /password/] as ['PUT', string, object, RegExp])
  ]
  for (const [method, path, body, error] of cases) {
    t.match(
      await call(method, path, body),
      { status: 400, body: { code: 'invalid_request', error } },
      `${method} ${path} ${JSON.stringify(body)}`
    )
  }
  for (const bad of ['0', '-1', '1.5', 'x', String(2 ** 53), '%00']) {
    t.match(await call('GET', `owners/${bad}`), { status: 400, body: { error: /id/ } }, bad)
  }
  t.strictSame(
    appliance.owners.list({ after: 0, limit: 9 }).map(({ name, plan, hasPassword }) => [name, plan, hasPassword]),
    [['anna', 'enterprise', false]]
  )
})
