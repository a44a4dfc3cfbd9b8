/** Tokens of a separate identity provider, obtained by an agent with a third-party library, and keys fetched over HTTP. */
import type * as oauth from 'oauth4webapi'
import t from 'tap'
import { beginLogin, discover, REDIRECT_URI, refresh } from '../support/agent.ts'
import { createBrowser } from '../support/browser.ts'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { runCommand, startServer } from '../support/program.ts'
import { logInAt, startProvider } from '../support/provider.ts'

t.test('a provider\'s tokens open what they were granted, of the owner they name', async (t) => {
  const port = await findFreePort()
  const address = `http://127.0.0.1:${port}`
  const provider = await startProvider(t, address)
  const dataDir = t.testdir()
  const created = await runCommand(dataDir, ['keys', 'create', '--name', 'k', '--owner', 'anna', '--json'])
  const { key } = JSON.parse(created.stdout) as { key: string }
  const box = await startServer(dataDir, {
    STENOBOX_PORT: String(port), STENOBOX_PUBLIC_URL: address, STENOBOX_OAUTH_ISSUER: provider.issuer, STENOBOX_ALLOW_OAUTH: '127.0.0.1'
  })
  t.teardown(async () => { await box.kill9() })
  const call = async (token: string, method: string, path: string, body?: object): Promise<Response> =>
    await fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {})
    })

  const { server, protectedResource } = await discover(address)
  t.strictSame(protectedResource.authorization_servers, [provider.issuer])
  const client: oauth.Client = { client_id: 'agent' }
  const obtain = async (login: string, scope: string) => {
    const attempt = await beginLogin(server, client, { resource: address, scope })
    return await attempt.finish(await logInAt(createBrowser(), attempt.url, login, REDIRECT_URI))
  }

  const anna = await obtain('anna', 'openid transcripts:write exports:read made:up')
  const upload = await call(anna.access_token, 'POST', '/api/v1/media/uploads/init', { fileName: 'a.wav', fileSize: 10 })
  t.equal(upload.status, 201)
  const { data: { uploadId } } = await upload.json() as { data: { uploadId: string } }
  t.equal((await call(key, 'GET', `/api/v1/media/uploads/${uploadId}`)).status, 200, 'the owner of the key is the owner of the token')
  t.equal((await call(anna.access_token, 'GET', '/api/v1/transcriptions/1/export?format=txt')).status, 404, 'the alias counts')
  const refused = await call(anna.access_token, 'GET', '/api/v1/jobs/1')
  t.equal(refused.status, 403)
  t.match(refused.headers.get('www-authenticate'), 'error="insufficient_scope", scope="transcripts:read"')
  t.equal((await call(anna.id_token ?? '', 'GET', '/api/v1/jobs/1')).status, 401, 'an ID token is no access token')

  const fresh = await refresh(server, client, anna.refresh_token ?? '', { scope: 'transcripts:write', resource: address })
  t.equal((await call(fresh.access_token, 'GET', `/api/v1/media/uploads/${uploadId}`)).status, 200)
  const bert = await obtain('bert', 'transcripts:read')
  const unknown = await call(bert.access_token, 'GET', '/api/v1/jobs/1')
  t.equal(unknown.status, 401)
  t.match(unknown.headers.get('www-authenticate'), 'error="invalid_token"')
  t.equal((await call(anna.access_token.slice(0, -4) + 'AAAA', 'GET', '/api/v1/jobs/1')).status, 401)

  await provider.stop()
  t.equal((await call(anna.access_token, 'GET', `/api/v1/media/uploads/${uploadId}`)).status, 200, 'keys at hand are enough')
  for (const token of [anna.access_token, anna.refresh_token ?? '', anna.id_token ?? '', key]) {
    t.notOk(box.log().includes(token), 'no credential is in the log')
  }
  await box.stop()

  const second = await startServer(dataDir, {
    STENOBOX_PORT: String(port),
    STENOBOX_PUBLIC_URL: address,
    STENOBOX_OAUTH_ISSUER: provider.issuer,
    STENOBOX_ALLOW_OAUTH: '127.0.0.1'
  })
  t.teardown(async () => { await second.kill9() })
  const unavailable = await call(anna.access_token, 'GET', '/api/v1/jobs/1')
  t.equal(unavailable.status, 503, 'started while the provider is down')
  t.match(await unavailable.json(), { code: 'unavailable', error: /identity provider does not answer/ })
  t.equal((await call(key, 'GET', '/api/v1/jobs/1')).status, 404, 'keys work all the same')
  t.match(second.log(), /keys of the OAuth issuer could not be fetched/)
  t.equal(await second.stop(), 0)
})
