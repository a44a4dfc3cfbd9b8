/** Webhooks over HTTP: endpoints, tests, deliveries and retries, with real receivers. */
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import t from 'tap'
import type { Test } from 'tap'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { buildAppliance } from '../support/appliance.ts'
import type { TestAppliance } from '../support/appliance.ts'
import { randomBytes } from '../support/random.ts'
import { startReceiver } from '../support/receiver.ts'
import type { Received } from '../support/receiver.ts'
import { waitFor } from '../support/wait.ts'

const LOCAL = { STENOBOX_ALLOW_WEBHOOKS: '127.0.0.1' }
const ENDPOINTS = '/api/v1/webhooks/endpoints'
const DELIVERIES = '/api/v1/webhooks/deliveries'
type Created = { endpoint: { id: number, signingSecret: string } }
type Delivery = { id: number, status: string, transcriptionId: number }

const build = async (t: Test): Promise<TestAppliance> => await buildAppliance(t, LOCAL)

async function createEndpoint ({ call }: TestAppliance, key: string, url: string, more: object = {}): Promise<Created['endpoint']> {
  return ((await call(key, 'POST', ENDPOINTS, { url, ...more })).body.data as Created).endpoint
}

/** Uploads bytes that are no recording: a job that fails at once when it is worked on. */
async function submit ({ call }: TestAppliance, key: string, more: object = {}) {
  const begun = await call(key, 'POST', '/api/v1/media/uploads/init', { fileName: 'noise.mp3', fileSize: 1000, ...more })
  const { uploadId, webhookSecret } = begun.body.data as { uploadId: string, webhookSecret?: string }
  await call(key, 'PUT', `/api/v1/media/uploads/${uploadId}/parts/1`, randomBytes(1000, 1), { 'content-type': 'application/octet-stream' })
  const done = await call(key, 'POST', '/api/v1/media/uploads/complete', { uploadId })
  return { jobId: (done.body.data as { jobId: number }).jobId, webhookSecret }
}

/** Asks for the deliveries until there are `count`: a request is listed after its receiver has seen it. */
async function listDeliveries ({ call }: TestAppliance, key: string, count: number, query = ''): Promise<Delivery[]> {
  let listed: Delivery[] = []
  return await waitFor(`${count} deliveries`, async () => {
    listed = (await call(key, 'GET', DELIVERIES + query)).body.data as unknown as Delivery[]
    return listed.length >= count && listed
  }, { progress: () => listed.length })
}

function verify (t: Test, secret: string, request: Received | undefined): Record<string, unknown> {
  const { headers = {}, body = '' } = request ?? {}
  const signed = headers as Record<string, string>
  const options = secret.startsWith('whsec_') ? {} : { format: 'raw' as const }
  for (const Verifier of [Webhook, SvixWebhook]) t.doesNotThrow(() => new Verifier(secret, options).verify(body, signed))
  t.equal(headers['x-service-signature'], createHmac('sha256', secret).update(body).digest('hex'))
  t.equal(headers['content-type'], 'application/json')
  return JSON.parse(body) as Record<string, unknown>
}

t.test('an endpoint is made, listed, changed and deleted; only its making shows the secret', async (t) => {
  const it = await build(t)
  const key = it.key()
  const made = await it.call(key, 'POST', ENDPOINTS, { url: 'https://example.org/hook' })
  t.match(made, { status: 201, headers: { 'cache-control': 'no-store' } })
  const { endpoint: { signingSecret, ...endpoint } } = made.body.data as Created
  t.match(signingSecret, /^whsec_[\w+/]{43}=$/)
  t.match(endpoint, { id: 1, url: 'https://example.org/hook', isActive: true, apiKeyId: null, createdAt: /Z$/ })
  t.strictSame((await it.call(key, 'GET', ENDPOINTS)).body, { success: true, data: [endpoint] })
  const changed = await it.call(key, 'PATCH', `${ENDPOINTS}/1`, { isActive: false, apiKeyId: 1, url: 'https://example.org/new' })
  t.strictSame(
    [changed.status, changed.body.data],
    [200, { endpoint: { ...endpoint, isActive: false, apiKeyId: 1, url: 'https://example.org/new' } }]
  )
  t.match(await it.call(key, 'PATCH', `${ENDPOINTS}/1`, { apiKeyId: null }), {
    status: 200,
    body: { data: { endpoint: { apiKeyId: null, isActive: false } } }
  })
  t.match(await it.call(key, 'DELETE', `${ENDPOINTS}/1`), { status: 200, body: { success: true, data: { id: 1 } } })
  t.match(await it.call(key, 'DELETE', `${ENDPOINTS}/1`), { status: 404 })
})

t.test('what is malformed is refused, naming the field', async (t) => {
  const it = await build(t)
  const key = it.key()
  await createEndpoint(it, key, 'https://example.org')
  const bad: Array<['GET' | 'POST' | 'PATCH', string, object | undefined, RegExp]> = [
    ['POST', ENDPOINTS, {}, /url/],
    ['POST', ENDPOINTS, { url: 7 }, /url/],
    ['POST', ENDPOINTS, { url: 'ftp://example.org' }, /^url: /],
    ['POST', ENDPOINTS, { url: 'https://' + 'x'.repeat(2050) }, /url/],
    ['POST', ENDPOINTS, { url: 'http://10.0.0.1' }, /^url: .*STENOBOX_ALLOW_WEBHOOKS/],
    ['POST', ENDPOINTS, { url: 'https://example.org', apiKeyId: 99 }, /^apiKeyId: /],
    ['POST', ENDPOINTS, { url: 'https://example.org', apiKeyId: null }, /apiKeyId/],
    ['POST', ENDPOINTS, { url: 'https://example.org', secret: 's' }, /secret/],
    ['PATCH', `${ENDPOINTS}/1`, { isActive: 'no' }, /isActive/],
    ['PATCH', `${ENDPOINTS}/1`, { url: 'x' }, /^url: /],
    ['PATCH', `${ENDPOINTS}/1`, { apiKeyId: 99 }, /^apiKeyId: /],
    ['POST', '/api/v1/webhooks/test', {}, /url/],
    ['POST', '/api/v1/webhooks/test', { url: 'https://example.org', signingSecret: 'x'.repeat(257) }, /signingSecret/],
    ['GET', `${DELIVERIES}?limit=0`, undefined, /limit/],
    ['GET', `${DELIVERIES}?limit=101`, undefined, /limit/],
    ['GET', `${DELIVERIES}?limit=1e999`, undefined, /limit/],
    ['GET', `${DELIVERIES}?status=pending`, undefined, /status/],
    ['GET', `${DELIVERIES}?endpointId=x`, undefined, /endpointId/]
  ]
  for (const [method, url, payload, error] of bad) {
    t.match(
      await it.call(key, method, url, payload),
      { status: 400, body: { success: false, code: 'invalid_request', error } },
      `${method} ${url} ${JSON.stringify(payload)}`
    )
  }
  const init = { fileName: 'a.mp3', fileSize: 10 }
  for (const [more, error] of [
    [{ webhookUrl: 'http://10.0.0.1' }, /^webhookUrl: /],
    [{ webhookUrl: 'x' }, /^webhookUrl: /],
    [{ webhookSecret: 's' }, /^webhookSecret: /],
    [{ webhookUrl: 'https://example.org', webhookSecret: '' }, /webhookSecret/]
  ] as const) {
    t.match(
      await it.call(key, 'POST', '/api/v1/media/uploads/init', { ...init, ...more }),
      { status: 400, body: { code: 'invalid_request', error } },
      JSON.stringify(more)
    )
  }
})

t.test('a job that ends is told to its endpoints and its own address, and counted', async (t) => {
  const it = await build(t)
  const key = it.key()
  const other = it.key('somebody else')
  const receiver = await startReceiver(t)
  const { signingSecret } = await createEndpoint(it, key, receiver.url)
  await createEndpoint(it, key, receiver.url + '/other-key', { apiKeyId: (await createKey(it)).id })
  await createEndpoint(it, other, receiver.url + '/somebody-else')
  const { jobId } = await submit(it, key, { webhookUrl: receiver.url + '/own?token=x', webhookSecret: 'my secret' })
  it.appliance.start()
  await receiver.until(2)
  const deliveries = await listDeliveries(it, key, 2)
  t.strictSame(receiver.received.map(({ path }) => path).sort(), ['/hook', '/hook/own?token=x'])
  const payload = verify(t, signingSecret, receiver.received.find(({ path }) => path === '/hook'))
  t.strictSame(verify(t, 'my secret', receiver.received.find(({ path }) => path !== '/hook')), payload)
  t.match(payload, {
    event: 'transcription.failed',
    data: {
      transcriptionId: jobId,
      status: 'failed',
      fileName: 'noise.mp3',
      language: null,
      duration: null,
      completedAt: /Z$/,
      failure: { code: 'unsupported_media', message: /\.$/ }
    }
  })
  t.match(await it.call(key, 'GET', `/api/v1/jobs/${jobId}`), { body: { data: { webhooks: { pending: 0, delivered: 2, failed: 0 } } } })
  t.match(
    deliveries,
    Array(2).fill({
      transcriptionId: jobId,
      event: 'transcription.failed',
      status: 'success',
      responseCode: 204,
      attempt: 1,
      error: null,
      nextAttemptAt: null
    })
  )
  t.strictSame((await it.call(other, 'GET', DELIVERIES)).body.data, [])
})

async function createKey ({ appliance }: TestAppliance): Promise<{ id: number, key: string }> {
  return appliance.keys.create({ name: 'another', owner: 'default', plan: 'enterprise' })
}

t.test('an endpoint bound to a key gets only events of jobs made with that key', async (t) => {
  const it = await build(t)
  const { id, key } = await createKey(it)
  const receiver = await startReceiver(t)
  await createEndpoint(it, key, receiver.url, { apiKeyId: id })
  await submit(it, it.key())
  const { jobId } = await submit(it, key)
  it.appliance.start()
  await receiver.until(1)
  t.match(await listDeliveries(it, key, 1), [{ transcriptionId: jobId }])
})

t.test('the end of a job is sent at once, without waiting for a timer', async (t) => {
  const it = await build(t)
  const receiver = await startReceiver(t)
  await submit(it, it.key(), { webhookUrl: receiver.url })
  const { setInterval } = globalThis
  t.teardown(() => { globalThis.setInterval = setInterval })
  globalThis.setInterval = (() => setTimeout(() => {})) as unknown as typeof setInterval
  it.appliance.start()
  await receiver.until(1)
  t.equal(receiver.received.length, 1)
})

t.test('a job\'s own address without a secret gets one, shown once', async (t) => {
  const it = await build(t)
  const key = it.key()
  const receiver = await startReceiver(t)
  const { webhookSecret = '' } = await submit(it, key, { webhookUrl: receiver.url })
  t.match(webhookSecret, /^whsec_/)
  it.appliance.start()
  await receiver.until(1)
  verify(t, webhookSecret, receiver.received[0])
})

t.test('a test event is signed and sent; what fails is 502 with the reason', async (t) => {
  const it = await build(t)
  const key = it.key()
  let status = 204
  const receiver = await startReceiver(t, (response) => { response.writeHead(status, { location: '/elsewhere' }).end() })
  const test = async (body: object) => await it.call(key, 'POST', '/api/v1/webhooks/test', { url: receiver.url, ...body })
  t.match(await test({ signingSecret: 'my secret' }), {
    status: 200,
    body: { success: true, data: { event: 'webhook.test', responseCode: 204, webhookId: /^msg_/ } }
  })
  t.match(verify(t, 'my secret', receiver.received[0]), { event: 'webhook.test' })
  const made = await test({ eventType: 'transcription.completed' })
  t.match(verify(t, String(made.body.data['signingSecret']), receiver.received[1]), { event: 'transcription.completed' })
  const { signingSecret } = await createEndpoint(it, key, receiver.url)
  t.notHas((await test({})).body.data, 'signingSecret')
  verify(t, signingSecret, receiver.received[2])
  for (status of [500, 404, 302]) {
    t.match(await test({}), { status: 502, body: { success: false, code: 'receiver_failed', error: new RegExp(`answered ${status}`) } })
  }
  t.equal(receiver.received.length, 6, 'once each; the redirect is not followed')
  t.match(await test({ url: `http://127.0.0.1:${await findFreePort()}` }), { status: 502, body: { code: 'receiver_failed', error: /./ } })
})

t.test('a delivery is sent again by hand: 502 while the receiver fails, then 200', async (t) => {
  const it = await build(t)
  const key = it.key()
  let status = 404
  const receiver = await startReceiver(t, (response) => { response.writeHead(status).end() })
  const { id: endpointId } = await createEndpoint(it, key, receiver.url)
  const { jobId } = await submit(it, key)
  it.appliance.start()
  const [first] = await listDeliveries(it, key, 1, `?endpointId=${endpointId}&status=failed&limit=1`)
  t.match(first, { endpointId, status: 'failed', responseCode: 404, error: /answered 404/, attempt: 1, nextAttemptAt: /Z$/ })
  const retry = async (as = key) => await it.call(as, 'POST', `${DELIVERIES}/${first?.id}/retry`)
  t.match(await retry(), { status: 502, body: { code: 'receiver_failed', error: /answered 404/ } })
  t.match(await retry(it.key('somebody else')), { status: 404 })
  status = 200
  t.match(await retry(), {
    status: 200,
    body: { data: { delivery: { status: 'success', responseCode: 200, transcriptionId: jobId, attempt: 3 } } }
  })
  t.match(await it.call(key, 'GET', `/api/v1/jobs/${jobId}`), { body: { data: { webhooks: { pending: 0, delivered: 1, failed: 0 } } } })
  t.match(await listDeliveries(it, key, 3), [{ status: 'success' }, { status: 'failed' }, { status: 'failed', nextAttemptAt: null }])
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  t.match(await it.call(key, 'POST', `${DELIVERIES}/99/retry`), { status: 404 })
})

t.test('webhooks take an API key, not a token', async (t) => {
  const it = await build(t)
  // Any credential, as one that a token with this scope gives.
  it.appliance.keys.authenticate = () => ({ ownerId: 1, plan: 'enterprise', scopes: new Set(['transcripts:read']) })
  for (const [method, url] of [
    ['GET', ENDPOINTS],
    ['POST', ENDPOINTS],
    ['PATCH', `${ENDPOINTS}/1`],
    ['DELETE', `${ENDPOINTS}/1`],
    ['GET', DELIVERIES],
    ['POST', `${DELIVERIES}/1/retry`],
    ['POST', '/api/v1/webhooks/test']
  ] as const) {
    t.match(await it.call('service_sk_token', method, url), { status: 403, body: { code: 'api_key_required' } }, `${method} ${url}`)
  }
})

t.test('the OpenAPI document says what a receiver gets', async (t) => {
  const it = await build(t)
  const document = (await it.http.inject('/api/v1/openapi.json')).json() as { webhooks: Record<string, { post: { requestBody: unknown } }> }
  t.strictSame(Object.keys(document.webhooks), ['transcription.completed', 'transcription.failed'])
  t.match(document.webhooks['transcription.failed']?.post, {
    parameters: [
      { name: 'webhook-id', in: 'header' },
      { name: 'webhook-timestamp' },
      { name: 'webhook-signature' },
      { name: 'x-service-signature' }
    ],
    requestBody: {
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/WebhookPayload' }, example: { event: 'transcription.failed' } }
      }
    }
  })
})
