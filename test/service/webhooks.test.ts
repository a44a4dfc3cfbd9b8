import t from 'tap'
import { FetchError } from '../../dist/domain/fetch-error.js'
import { openDeliveries } from '../support/deliveries.ts'

t.test('an endpoint shows its secret when it is made, and never again', async (t) => {
  const { endpoints, owner, clock } = openDeliveries(t)
  const { endpoint, secret } = await endpoints.create(owner, { url: 'https://example.org/hook' })
  t.strictSame(endpoint, {
    id: 1,
    ownerId: owner,
    url: 'https://example.org/hook',
    isActive: true,
    apiKeyId: undefined,
    createdAt: clock.now()
  })
  t.match(secret, /^whsec_/)
  t.strictSame(endpoints.list(owner), [endpoint])
  t.strictSame(await endpoints.update(1, owner, {}), endpoint)
  t.notMatch(JSON.stringify([endpoints.list(owner), await endpoints.update(1, owner, {})]), secret)
})

t.test('a change changes what it names', async (t) => {
  const { addEndpoint, addKey, endpoints, owner } = openDeliveries(t)
  const { endpoint } = await addEndpoint()
  const key = addKey('k')
  t.strictSame(await endpoints.update(1, owner, { url: 'http://other.example' }), { ...endpoint, url: 'http://other.example' })
  t.strictSame(await endpoints.update(1, owner, { apiKeyId: key }), { ...endpoint, url: 'http://other.example', apiKeyId: key })
  t.strictSame(await endpoints.update(1, owner, { isActive: false }), {
    ...endpoint,
    url: 'http://other.example',
    apiKeyId: key,
    isActive: false
  })
  t.strictSame(await endpoints.update(1, owner, { apiKeyId: null, isActive: true }), { ...endpoint, url: 'http://other.example' })
  t.strictSame(endpoints.list(owner), [{ ...endpoint, url: 'http://other.example' }])
})

t.test('an endpoint is nobody else\'s', async (t) => {
  const { addEndpoint, apiKeys, endpoints, owner } = openDeliveries(t)
  const other = apiKeys.ensureOwner('b', 0)
  await addEndpoint()
  t.strictSame(endpoints.list(other), [])
  await t.rejects(endpoints.update(1, other, {}), { code: 'not_found' })
  t.throws(() => { endpoints.remove(1, other) }, { code: 'not_found' })
  endpoints.remove(1, owner)
  t.throws(() => { endpoints.remove(1, owner) }, { code: 'not_found' })
  t.strictSame(endpoints.list(owner), [])
})

t.test('it is bound to live keys of its owner only', async (t) => {
  const { addEndpoint, addKey, apiKeys, endpoints, owner } = openDeliveries(t)
  const revoked = addKey('revoked')
  apiKeys.revoke(revoked, 0)
  const ended = addKey('ended')
  apiKeys.replace(ended, addKey('successor'), 0)
  const theirs = addKey('theirs', apiKeys.ensureOwner('b', 0))
  await addEndpoint()
  for (const apiKeyId of [revoked, ended, theirs, 99]) {
    await t.rejects(addEndpoint({ apiKeyId }), { code: 'invalid_request', message: /^apiKeyId: / })
    await t.rejects(endpoints.update(1, owner, { apiKeyId }), { code: 'invalid_request', message: /^apiKeyId: / })
  }
  t.equal(endpoints.list(owner).length, 1)
})

t.test('addresses that nothing can be sent to are refused, names are not looked up', async (t) => {
  const { addEndpoint, endpoints, fetcher, owner } = openDeliveries(t)
  const checked: string[] = []
  fetcher.check = async (_purpose?: string, url = '') => {
    checked.push(url)
    throw new FetchError('blocked', 'webhooks')
  }
  await addEndpoint()
  for (const url of [
    '',
    'x',
    'ftp://example.org',
    'file:///etc/passwd',
    'javascript:1',
    'http://',
    'http://exa mple.org',
    'http://example.org/\n',
    'http://example.org:0',
    `http://${'a'.repeat(254)}`
  ]) {
    await t.rejects(addEndpoint({ url }), { code: 'invalid_request', message: /^url: / }, url)
    await t.rejects(endpoints.update(1, owner, { url }), { code: 'invalid_request' }, url)
    await t.rejects(endpoints.checkUrl(url, 'webhookUrl'), { code: 'invalid_request', message: /^webhookUrl: / }, url)
    await t.rejects(endpoints.chooseSecret(owner, url, undefined), { code: 'invalid_request', message: /^url: / }, url)
  }
  t.strictSame(checked, [])
  const literal = [
    'http://127.0.0.1/x',
    'http://0x7f.1',
    'http://2130706433',
    'https://[::1]:8443',
    'http://localhost:3000',
    'http://a.localhost',
    'http://10.0.0.1.'
  ]
  for (const url of literal) {
    await t.rejects(addEndpoint({ url }), { code: 'invalid_request', message: /^url: .*STENOBOX_ALLOW_WEBHOOKS/ }, url)
  }
  t.equal(checked.length, literal.length)
  for (const url of ['http://10.example.org', 'https://intranet', 'http://example.org:8080/a?b=c#d']) {
    await t.resolves(addEndpoint({ url }), url)
  }
  t.equal(checked.length, literal.length, 'names are not looked up')
})

t.test('an appliance that is offline may be prepared', async (t) => {
  const { addEndpoint, fetcher } = openDeliveries(t)
  fetcher.check = async () => { throw new FetchError('offline', 'webhooks') }
  await t.resolves(addEndpoint({ url: 'http://192.0.2.1' }))
  fetcher.check = async () => { throw new TypeError('a fault of ours') }
  await t.rejects(addEndpoint({ url: 'http://192.0.2.1' }), TypeError)
})

t.test('a test is signed with the secret given, else with that of the endpoint, else with a new one', async (t) => {
  const { addEndpoint, apiKeys, endpoints, owner } = openDeliveries(t)
  const { secret } = await addEndpoint()
  t.strictSame(await endpoints.chooseSecret(owner, 'https://example.org/hook', 's'), { secret: 's', isNew: false })
  t.strictSame(await endpoints.chooseSecret(owner, 'https://example.org/hook', undefined), { secret, isNew: false })
  t.match(await endpoints.chooseSecret(owner, 'https://example.org/other', undefined), { secret: /^whsec_/, isNew: true })
  t.match(await endpoints.chooseSecret(apiKeys.ensureOwner('b', 0), 'https://example.org/hook', undefined), { isNew: true })
})

t.test('an owner has at most a hundred', async (t) => {
  const { addEndpoint, apiKeys, endpoints, owner } = openDeliveries(t)
  for (let count = 0; count < 100; count++) await addEndpoint()
  await t.rejects(addEndpoint(), { code: 'conflict', message: /100/ })
  await addEndpoint({}, apiKeys.ensureOwner('b', 0))
  endpoints.remove(1, owner)
  await addEndpoint()
})
