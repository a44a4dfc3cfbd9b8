/** Every answer is the envelope, whatever is asked and however badly. */
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import t from 'tap'
import type { Test } from 'tap'
import { AppError } from '../../dist/domain/errors.js'
import { createLogger } from '../../dist/logger.js'
import { buildAppliance } from '../support/appliance.ts'
import type { Injected } from '../support/appliance.ts'

function isError (t: Test, reply: Injected, status: number, code: string, error: RegExp = /\S/): void {
  t.equal(reply.status, status)
  t.match(reply.body, { success: false, code, error, requestId: /^[0-9a-f-]{36}$/ })
  t.match(reply.headers['content-type'], /^application\/json/)
}

t.test('routes and methods that do not exist', async (t) => {
  const { call, key } = await buildAppliance(t)
  const mine = key()
  isError(t, await call(mine, 'GET', '/nothing'), 404, 'not_found')
  isError(t, await call(mine, 'GET', '/api/v1/nothing'), 404, 'not_found')
  isError(t, await call(mine, 'GET', '/api/v1/jobs/'), 400, 'invalid_request')
  const patched = await call(mine, 'PATCH', '/api/v1/jobs/1', {})
  isError(t, patched, 405, 'method_not_allowed', /GET/)
  t.equal(patched.headers['allow'], 'GET, HEAD')
  isError(t, await call(mine, 'PUT', '/api/v1/jobs/1', 'x', { 'content-type': 'text/plain' }), 405, 'method_not_allowed')
  isError(t, await call(mine, 'PUT', '/api/v1/nothing', 'x', { 'content-type': 'text/plain' }), 404, 'not_found')
  t.equal((await call(mine, 'GET', '/api/v1/media/uploads/x/parts/1')).headers['allow'], 'PUT')
  t.equal((await call(mine, 'PUT', '/api/v1/media/uploads/init')).headers['allow'], 'POST', 'not those of uploads/:uploadId')
  t.equal((await call(mine, 'PUT', '/api/v1/media/uploads/x')).headers['allow'], 'DELETE, GET, HEAD')
  for (const method of ['GET', 'DELETE'] as const) {
    const init = await call(mine, method, '/api/v1/media/uploads/init?x=1')
    isError(t, init, 405, 'method_not_allowed', /POST/)
    t.equal(init.headers['allow'], 'POST', 'init is no upload')
  }
  isError(t, await call(mine, 'GET', '/api/v1/jobs/%zz'), 400, 'invalid_request')
  isError(t, await call(mine, 'GET', '/api/v1/jobs/' + '1'.repeat(500)), 404, 'not_found')
})

t.test('keys: missing, malformed, unknown and revoked', async (t) => {
  const { call, key, appliance } = await buildAppliance(t)
  const none = await call(undefined, 'GET', '/api/v1/jobs/1')
  isError(t, none, 401, 'unauthorized')
  const challenge = 'Bearer realm="stenobox", resource_metadata="http://localhost:80/.well-known/oauth-protected-resource"'
  t.equal(none.headers['www-authenticate'], challenge, 'no error code without a credential')
  const revoked = key()
  t.ok(appliance.keys.revoke(1))
  const wrong = 'service_sk_' + 'x'.repeat(43)
  const sentences = new Set<string>()
  for (const credential of [wrong, revoked, 'nonsense', '\u00e9']) {
    const reply = await call(credential, 'GET', '/api/v1/jobs/1')
    isError(t, reply, 401, 'unauthorized')
    t.equal(reply.headers['www-authenticate'], `${challenge}, error="invalid_token"`)
    sentences.add(reply.body.error)
  }
  t.equal(sentences.size, 1, 'one sentence for all of them')
  isError(t, await call(undefined, 'GET', '/api/v1/jobs/1', undefined, { authorization: 'Basic abc' }), 401, 'unauthorized')
  isError(
    t,
    await call(undefined, 'POST', '/api/v1/media/uploads/init', '{bad', { 'content-type': 'application/json' }),
    401,
    'unauthorized'
  )
})

t.test('a content type without a body is ignored where no body is taken', async (t) => {
  const { call, key } = await buildAppliance(t)
  const mine = key()
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
    for (const length of [{}, { 'content-length': '0' }]) {
      const headers = { 'content-type': type, ...length }
      const reply = await call(mine, 'POST', '/api/v1/jobs/9/retry', undefined, headers)
      t.notMatch(reply.body.error, /content.type/i, type)
      isError(t, reply, 404, 'not_found')
      isError(t, await call(mine, 'DELETE', '/api/v1/transcriptions/9', undefined, headers), 404, 'not_found')
    }
  }
  isError(t, await call(mine, 'POST', '/api/v1/jobs/9/retry', 'x', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type')
})

t.test('bodies: malformed, empty, of the wrong type, too large, with fields nobody knows', async (t) => {
  const { call, key } = await buildAppliance(t)
  const mine = key()
  const init = '/api/v1/media/uploads/init'
  const json = { 'content-type': 'application/json' }
  isError(t, await call(mine, 'POST', init, '{bad', json), 400, 'invalid_request', /not valid JSON/)
  isError(t, await call(mine, 'POST', init, '', json), 400, 'invalid_request', /empty/)
  isError(t, await call(mine, 'POST', init, '{"__proto__":{"a":1}}', json), 400, 'invalid_request')
  isError(t, await call(mine, 'POST', init, 'x=1', { 'content-type': 'text/csv' }), 415, 'unsupported_media_type')
  isError(t, await call(mine, 'POST', init, '{}', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type')
  isError(t, await call(mine, 'POST', init, { fileName: 'x'.repeat(2_000_000), fileSize: 1 }), 413, 'payload_too_large')
  const good = { fileName: 'a.mp3', fileSize: 10 }
  const bad: Array<[object, RegExp]> = [
    [{}, /fileName/],
    [{ fileName: 'a' }, /fileSize/],
    [{ ...good, fileSize: '10' }, /fileSize/],
    [{ ...good, fileSize: 0 }, /fileSize/],
    [{ ...good, fileSize: -1 }, /fileSize/],
    [{ ...good, fileSize: 1.5 }, /fileSize/],
    [{ ...good, fileSize: 2 ** 60 }, /fileSize/],
    [{ ...good, fileSize: null }, /fileSize/],
    [{ ...good, fileName: '' }, /fileName/],
    [{ ...good, fileName: 'x'.repeat(256) }, /fileName/],
    [{ ...good, sha256: 'ABC' }, /sha256/],
    [{ ...good, language: 'klingon' }, /language/],
    [{ ...good, options: { sttQuality: 'best' } }, /sttQuality/],
    [{ ...good, options: { speed: 1 } }, /speed/],
    [{ ...good, options: { channels: 2 } }, /^options\.channels: must be one of auto, separate, mixed$/],
    [{ ...good, options: { speakers: 'yes' } }, /^options\.speakers: must be boolean or object$/],
    [{ ...good, extra: 1 }, /extra/],
    [[], /body|object/]
  ]
  for (const [body, error] of bad) isError(t, await call(mine, 'POST', init, body), 400, 'invalid_request', error)
  isError(t, await call(mine, 'POST', init, { ...good, fileSize: 11 * 1024 ** 3 }), 413, 'media_too_large', /fileSize/)
  t.equal((await call(mine, 'POST', init, good)).status, 201, 'the good one is accepted')
})

t.test('invalid ids are refused', async (t) => {
  const { call, key } = await buildAppliance(t)
  const mine = key()
  for (const id of ['0', '-1', '1.5', 'x', String(2 ** 53), 'NaN', '1e3x', '1e999', '-1e999', 'Infinity']) {
    isError(t, await call(mine, 'GET', `/api/v1/jobs/${id}`), 400, 'invalid_request', /id/)
    const reply = await call(mine, 'GET', `/api/v1/transcriptions/${id}`)
    t.notMatch(reply.body.error, /transcriptions/, 'the sentence names the field, not the path')
    isError(t, reply, 400, 'invalid_request', /id/)
  }
  isError(t, await call(mine, 'GET', '/api/v1/jobs/1'), 404, 'not_found')
  isError(t, await call(mine, 'GET', '/api/v1/transcriptions/1/export'), 400, 'invalid_request', /format/)
  const exe = await call(mine, 'GET', '/api/v1/transcriptions/1/export?format=exe')
  isError(t, exe, 400, 'invalid_request', /^format: must be one of txt, srt, vtt, json, md, docx$/)
})

t.test('malformed HTTP and endless headers are refused', async (t) => {
  const { http } = await buildAppliance(t)
  await http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = http.server.address() as AddressInfo
  const ask = async (bytes: string): Promise<string> => await new Promise((resolve, reject) => {
    let text = ''
    connect(port, '127.0.0.1', function (this: { end (bytes: string): void }) { this.end(bytes) })
      .setEncoding('utf8').on('data', (chunk: string) => { text += chunk }).on('error', reject).on('close', () => { resolve(text) })
  })
  for (const [bytes, status, code] of [
    ['HELLO\r\n\r\n', 400, 'invalid_request'],
    ['FOO /api/v1/nothing HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'invalid_request'],
    ['GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'invalid_request'],
    ['GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: a miracle\r\n\r\n', 417, 'expectation_failed'],
    [`GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 431, 'headers_too_large']
  ] as const) {
    const [head = '', body = ''] = (await ask(bytes)).split('\r\n\r\n')
    t.match(head, new RegExp(`^HTTP/1.1 ${status} `))
    t.match(JSON.parse(body), { success: false, code, requestId: String })
  }
  // PROPFIND and QUERY are known to Node's parser, FOO and lower case are not. Of QUERY, the framework wants a content type.
  for (const method of ['PROPFIND', 'QUERY', 'FOO', 'get']) {
    const answer = await ask(`${method} /api/v1/jobs/1?x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    t.match(head, /^HTTP\/1.1 405 Method Not Allowed\r\n/, method)
    t.match(head, /\r\nallow: GET, HEAD\r\n/)
    t.match(JSON.parse(body), { code: 'method_not_allowed', error: `${method} is not possible here, only GET and HEAD.` })
  }
})

t.test('an internal error reveals no details', async (t) => {
  const { call, key, appliance } = await buildAppliance(t)
  const mine = key()
  appliance.transcripts.read = () => { throw new Error('SQLITE: secret detail at /some/path') }
  const reply = await call(mine, 'GET', '/api/v1/jobs/1')
  isError(t, reply, 500, 'internal_error')
  t.notMatch(reply.body.error, /SQLITE|path/)
})

t.test('transient conditions are not logged as errors', async (t) => {
  const destination = new PassThrough()
  const { call, key, appliance } = await buildAppliance(t, {}, Date.now, createLogger('info', destination))
  appliance.transcripts.read = () => { throw new AppError('unavailable', 'Not now.') }
  isError(t, await call(key(), 'GET', '/api/v1/jobs/1'), 503, 'unavailable', /Not now/)
  const line = JSON.parse(String(destination.read())) as object
  t.match(line, { level: 40, code: 'unavailable', reason: 'Not now.', msg: 'request refused for now' })
  t.notOk('err' in line)
})
