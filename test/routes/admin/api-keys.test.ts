import t from 'tap'
import type { Test } from 'tap'
import { buildAdministered } from '../../support/admin.ts'

type Listed = { id: number, name: string, state: string }

async function setUp (t: Test) {
  const built = await buildAdministered(t)
  const { call } = await built.openSession()
  const { id: ownerId } = built.appliance.owners.create({ name: 'anna', plan: 'pro' })
  return {
    ...built,
    call,
    ownerId,
    /** 404: the key opens the door, and there is no such job. */
    ask: async (key: unknown) => (await built.call(String(key), 'GET', '/api/v1/jobs/1')).status,
    list: async (query = '') => (await call('GET', `keys${query}`)).body as unknown as { data: Listed[], nextCursor: string | null }
  }
}

t.test('a key is made and shown once, replaced, and revoked', async (t) => {
  const { call, ownerId, ask, list, clock } = await setUp(t)
  const made = await call('POST', 'keys', { name: 'laptop', ownerId })
  t.equal(made.status, 201)
  const { key, ...view } = made.body.data
  t.match(key, /^service_sk_[\w-]{43}$/)
  t.strictSame(view, {
    id: view['id'],
    name: 'laptop',
    ownerId,
    owner: 'anna',
    plan: 'pro',
    lastFour: String(key).slice(-4),
    state: 'live',
    createdAt: '2026-01-01T00:00:00.000Z'
  })
  t.equal(await ask(key), 404)
  t.strictSame((await list()).data, [{ ...view, lastUsedAt: '2026-01-01T00:00:00.000Z' }])

  const rotated = await call('POST', `keys/${view['id']}/rotate`, { graceSeconds: 1800 })
  t.match(rotated, { status: 201, body: { data: { name: 'laptop', plan: 'pro', state: 'live' } } })
  const { id: newId, key: newKey } = rotated.body.data
  t.match((await list()).data[0], { expiresAt: '2026-01-01T00:30:00.000Z', replacedBy: newId, state: 'live' })
  t.strictSame([await ask(key), await ask(newKey)], [404, 404])
  clock.advance(1800_000)
  t.strictSame([await ask(key), await ask(newKey)], [401, 404])

  const revoked = await call('DELETE', `keys/${newId}`)
  t.match(revoked, { status: 200, body: { data: { id: newId, state: 'revoked', revokedAt: '2026-01-01T00:30:00.000Z' } } })
  t.equal(await ask(newKey), 401)
  clock.advance(60_000)
  t.strictSame((await call('DELETE', `keys/${newId}`)).body, revoked.body)
  t.strictSame((await list()).data.map(({ state }) => state), ['expired', 'revoked'])
  t.notMatch(JSON.stringify(await list()), String(key).slice(11, -4))
})

t.test('a key may expire, and have a different plan than its owner', async (t) => {
  const { call, ownerId, ask, clock } = await setUp(t)
  const made = await call('POST', 'keys', { name: 'laptop', ownerId, plan: 'free', expiresInSeconds: 60 })
  t.match(made.body.data, { plan: 'free', expiresAt: '2026-01-01T00:01:00.000Z' })
  clock.advance(60_000)
  t.equal(await ask(made.body.data['key']), 401)
})

t.test('a refused change says why', async (t) => {
  const { call, ownerId, list } = await setUp(t)
  const { id } = (await call('POST', 'keys', { name: 'laptop', ownerId })).body.data
  const { id: next } = (await call('POST', `keys/${id}/rotate`, { graceSeconds: 60 })).body.data
  t.match(await call('POST', `keys/${id}/rotate`, { graceSeconds: 60 }), {
    status: 409,
    body: { code: 'conflict', error: new RegExp(`replaced by key ${next}\\.`) }
  })
  await call('DELETE', `keys/${next}`)
  t.match(await call('POST', `keys/${next}/rotate`, { graceSeconds: 60 }), { status: 409, body: { code: 'conflict', error: /revoked/ } })
  t.match(await call('POST', 'keys/99/rotate', { graceSeconds: 60 }), { status: 404, body: { code: 'not_found' } })
  t.match(await call('DELETE', 'keys/99'), { status: 404, body: { code: 'not_found' } })
  t.match(await call('POST', 'keys', { name: 'laptop', ownerId: 99 }), { status: 404, body: { code: 'not_found', error: /owner/ } })
  t.equal((await list()).data.length, 2)
})

t.test('of many rotations at once one wins', async (t) => {
  const { call, ownerId, list } = await setUp(t)
  const { id } = (await call('POST', 'keys', { name: 'laptop', ownerId })).body.data
  const replies = await Promise.all(Array.from({ length: 5 }, async () => await call('POST', `keys/${id}/rotate`, { graceSeconds: 0 })))
  t.strictSame(replies.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
  t.equal((await list()).data.length, 2)
})

t.test('the list goes on by its cursor, of all owners or of one', async (t) => {
  const { appliance, ownerId, list, key, call } = await setUp(t)
  const ids = ['a', 'b', 'c'].map((name) => appliance.keys.createFor(ownerId, { name }).id)
  key('bert')
  const first = await list(`?ownerId=${ownerId}&limit=2`)
  t.strictSame(first.data.map(({ id }) => id), ids.slice(0, 2))
  const second = await list(`?ownerId=${ownerId}&limit=2&cursor=${first.nextCursor}`)
  t.strictSame([second.data.map(({ id }) => id), second.nextCursor], [ids.slice(2), null])
  t.equal((await list()).data.length, 4)
  t.strictSame((await list('?ownerId=99')).data, [])
  for (const bad of ['ownerId=0', 'ownerId=x', 'ownerId=', 'limit=0', 'cursor=x']) {
    t.match(await call('GET', `keys?${bad}`), { status: 400, body: { error: /ownerId|limit|cursor/ } }, bad)
  }
})

t.test('an invalid body is refused, naming the field', async (t) => {
  const { call, ownerId, list } = await setUp(t)
  const good = { name: 'laptop', ownerId }
  const { id } = (await call('POST', 'keys', good)).body.data
  const bad = (field: string, values: unknown[]): Array<[string, object, RegExp]> =>
    values.map((value) => ['keys', { ...good, [field]: value }, new RegExp(field)])
  const cases: Array<[string, object, RegExp]> = [
    ...bad('name', [undefined, null, 1, '', ' ', 'a\r\nX-Injected: 1', 'x'.repeat(101)]),
    ...bad('ownerId', [undefined, null, '1', 0, -1, 1.5, 2 ** 53]),
    ...bad('plan', [null, 1, 'gold', '']),
    ...bad('expiresInSeconds', [null, '60', 0, -1, 1.5, 10 * 365 * 86_400 + 1]),
    ...bad('extra', [1]),
    ...bad('key', ['service_sk_x']),
    ['keys', [], /body|object/],
    ...[undefined, null, '60', -1, 1.5, 30 * 86_400 + 1].map((graceSeconds): [string, object, RegExp] => [
      `keys/${id}/rotate`,
      { graceSeconds },
      /graceSeconds/
    ]),
    [`keys/${id}/rotate`, { graceSeconds: 0, extra: 1 }, /extra/],
    ['keys/0/rotate', { graceSeconds: 0 }, /id/],
    ['keys/x/rotate', { graceSeconds: 0 }, /id/]
  ]
  for (const [path, body, error] of cases) {
    t.match(await call('POST', path, body), { status: 400, body: { code: 'invalid_request', error } }, `${path} ${JSON.stringify(body)}`)
  }
  t.equal((await list()).data.length, 1)
})
