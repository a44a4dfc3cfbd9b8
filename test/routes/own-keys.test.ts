import t from 'tap'
import { buildWithAccounts } from '../support/account.ts'

t.test('a person makes a key, replaces it and revokes it; the key itself is shown once', async (t) => {
  const { openAs, call: anybody, clock, logText } = await buildWithAccounts(t, ['anna'], {}, 'none')
  const { call } = await openAs()
  const ask = async (key: unknown) => (await anybody(String(key), 'GET', '/api/v1/jobs/1')).status
  const made = await call('POST', 'keys', { name: 'laptop', expiresInDays: 30 })
  t.equal(made.status, 201)
  const { key, ...view } = made.body.data
  t.match(key, /^service_sk_[\w-]{43}$/)
  t.strictSame(view, {
    id: view['id'], name: 'laptop', lastFour: String(key).slice(-4), state: 'live', requestsToday: 0,
    createdAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-31T00:00:00.000Z'
  })
  t.equal(await ask(key), 404, 'it works')
  const listed = await call('GET', 'keys')
  t.strictSame(listed.body, {
    success: true, data: [{ ...view, requestsToday: 1, lastUsedAt: '2026-01-01T00:00:00.000Z' }], nextCursor: null
  })

  const rotated = await call('POST', `keys/${view['id']}/rotate`, { graceSeconds: 60 })
  t.match(rotated, { status: 201, body: { data: { name: 'laptop', expiresAt: '2026-01-31T00:00:00.000Z' } } })
  const { key: next, id } = rotated.body.data
  t.strictSame([await ask(key), await ask(next)], [404, 404])
  clock.advance(60_000)
  t.strictSame([await ask(key), await ask(next)], [401, 404])
  t.match(await call('POST', `keys/${view['id']}/rotate`, {}), { status: 409 }, 'it was replaced')

  t.match(await call('DELETE', `keys/${id}`), { status: 200, body: { data: { state: 'revoked', revokedAt: '2026-01-01T00:01:00.000Z' } } })
  t.match(await call('DELETE', `keys/${id}`), { status: 200 })
  t.equal(await ask(next), 401)
  for (const secret of [key, next]) t.notMatch(logText(), String(secret))
})

t.test('a key that is replaced without a grace period stops working at once', async (t) => {
  const { openAs, call: anybody } = await buildWithAccounts(t, ['anna'], {}, 'none')
  const { call } = await openAs()
  const { id, key } = (await call('POST', 'keys', { name: 'laptop' })).body.data
  t.equal((await call('POST', `keys/${id}/rotate`, {})).status, 201)
  t.equal((await anybody(String(key), 'GET', '/api/v1/jobs/1')).status, 401)
})

t.test('another person\'s keys do not exist', async (t) => {
  const { openAs, call: anybody } = await buildWithAccounts(t, ['anna', 'bert'], {}, 'none')
  const [anna, bert] = [await openAs('anna'), await openAs('bert')]
  const { id, key } = (await anna.call('POST', 'keys', { name: 'laptop' })).body.data
  t.strictSame((await bert.call('GET', 'keys')).body.data, [])
  for (const [method, path, body] of [['DELETE', `keys/${id}`], ['POST', `keys/${id}/rotate`, {}]] as const) {
    t.match(await bert.call(method, path, body), { status: 404, body: { code: 'not_found' } })
  }
  t.equal((await anybody(String(key), 'GET', '/api/v1/jobs/1')).status, 404, 'it still works')
})

t.test('a key cannot manage keys, nor anything else that only a person may do', async (t) => {
  const { key, call, appliance } = await buildWithAccounts(t, ['anna'], {}, 'none')
  for (const [method, path, body] of [
    ['GET', 'keys'], ['POST', 'keys', { name: 'x' }], ['DELETE', 'keys/1'], ['POST', 'keys/1/rotate', {}], ['GET', 'account'],
    ['PUT', 'account/password', { current: 'x', next: 'twelve letters' }], ['GET', 'session'], ['DELETE', 'session'], ['GET', 'connections']
  ] as const) {
    const reply = await call(key('anna'), method, `/api/v1/${path}`, body)
    t.match(reply, { status: 403, body: { code: 'session_required' } }, `${method} ${path}`)
  }
  t.ok(appliance.keys.list().every(({ name }) => name === 'test'))
})

t.test('a key made again with the same Idempotency-Key is the same key', async (t) => {
  const { openAs } = await buildWithAccounts(t, ['anna'], {}, 'none')
  const { call } = await openAs()
  const make = async () => await call('POST', 'keys', { name: 'laptop' }, { 'idempotency-key': 'once' })
  const [first, second] = [await make(), await make()]
  t.same(second.body, first.body)
  t.equal(((await call('GET', 'keys')).body.data as unknown as unknown[]).length, 1)
})
