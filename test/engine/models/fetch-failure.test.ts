import t from 'tap'
import { FetchError } from '../../../dist/domain/fetch-error.js'
import type { FetchErrorCode } from '../../../dist/domain/fetch-error.js'
import { wrapFetchError } from '../../../dist/engine/http/errors.js'
import { describeFetchError } from '../../../dist/engine/models/fetch-failure.js'

const describe = (code: FetchErrorCode, detail?: string, host = 'x.example'): string =>
  describeFetchError(new FetchError(code, 'models', detail, host), new URL('https://me:hunter2@hub.example/a.bin?key=hunter2'))

t.test('errors of the network are sentences that say what to do', async (t) => {
  t.match(describe('unreachable', 'ENOTFOUND'), /the name x\.example is unknown in this network.*export/)
  t.match(describe('unreachable', 'ECONNREFUSED'), /^x\.example refuses the connection$/)
  t.match(describe('unreachable', 'EAI_AGAIN'), /is there a network/)
  t.match(describe('timeout', 'UND_ERR_HEADERS_TIMEOUT'), /^x\.example does not answer$/)
  t.match(describe('timeout'), /^x\.example does not answer in time$/)
  t.match(describe('timeout', 'within 4 s'), /^x\.example does not answer within 4 s$/)
  t.match(describe('tls', 'SELF_SIGNED_CERT_IN_CHAIN'), /x\.example shows a certificate .*SELF_SIGNED_CERT_IN_CHAIN.*NODE_EXTRA_CA_CERTS/)
  t.match(describe('broken', 'HPE_INVALID_CONSTANT'), /does not speak proper HTTP \(HPE_INVALID_CONSTANT\)/)
  t.match(describe('blocked'), /STENOBOX_ALLOW_MODELS/)
  t.match(describe('refused_by_proxy', '407'), /^the proxy does not let this machine reach x\.example \(status 407\)/)
  t.match(describe('forbidden', '407'), /^the proxy wants a name and a password/)
  t.match(describe('forbidden', '403'), /^https:\/\/hub\.example\/a\.bin may not be downloaded without permission \(status 403\)/)
})

t.test('no sentence holds a password or a key of the address', async (t) => {
  const codes = [
    'invalid_url', 'offline', 'aborted', 'invalid_redirect', 'too_many_redirects', 'not_found', 'refused', 'too_slow', 'incomplete'
  ]
  for (const code of codes) t.notMatch(describe(code as FetchErrorCode, '1'), /hunter2/)
})

t.test('errors of connections get codes, others stay what they are', async (t) => {
  const make = (code: string): Error => Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) })
  t.match(wrapFetchError(make('ENOTFOUND'), 'models', 'x.example'), { code: 'unreachable', host: 'x.example', isTransient: false })
  t.match(wrapFetchError(make('EAI_AGAIN'), 'models', 'x.example'), { code: 'unreachable', isTransient: true })
  t.match(wrapFetchError(make('SELF_SIGNED_CERT_IN_CHAIN'), 'models', 'x.example'), { code: 'tls', isTransient: false })
  t.match(wrapFetchError(make('HPE_INVALID_CONSTANT'), 'models', 'x.example'), { code: 'broken', isTransient: true })
  for (const error of [new Error('x'), make('ENOSPC'), 'text']) t.equal(wrapFetchError(error, 'models', 'x.example'), error)
})

t.test('the host of an error is not among what a logger writes', async (t) => {
  const error = new FetchError('unreachable', 'webhooks', 'ECONNREFUSED', 'secret.example')
  t.equal(error.host, 'secret.example')
  t.notMatch(JSON.stringify({ ...error }) + error.message + String(error.stack), /secret\.example/)
})
