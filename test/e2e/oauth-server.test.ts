/** Our own authorization server, from an agent's first look at the metadata to its calls, with a browser for the owner. */
import t from 'tap'
import { OFFERED_SCOPES } from '../../dist/domain/access.js'
import { beginLogin, discover, REDIRECT_URI, refresh, register } from '../support/agent.ts'
import { createBrowser } from '../support/browser.ts'
import { approve, obtainTokens, PASSWORD, startWithServer } from '../support/oauth-server.ts'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { runCommand, startServer } from '../support/program.ts'

t.test('from discovery to calls, refresh and the limits of a scope', async (t) => {
  const { address, get } = await startWithServer(t)
  const { server, protectedResource } = await discover(address)
  t.match(protectedResource, { resource: address, authorization_servers: [address] })
  t.match(server, {
    issuer: address,
    code_challenge_methods_supported: ['S256'],
    scopes_supported: protectedResource.scopes_supported,
    token_endpoint_auth_methods_supported: ['none']
  })
  const client = await register(server)
  const browser = createBrowser()
  const attempt = await beginLogin(server, client, { resource: address, scope: 'transcripts:read exports:read openid made:up' })

  const login = await browser.open(attempt.url, REDIRECT_URI)
  t.equal(login.status, 200)
  t.match(login.headers.get('content-security-policy'), /^default-src 'none'.*frame-ancestors 'none'/)
  t.equal(login.headers.get('referrer-policy'), 'no-referrer')
  t.match(login.body, /<link rel="icon" href="data:image\/svg\+xml,/, 'without one, browsers ask for /favicon.ico, which is not there')
  const consent = await browser.submit(login, { name: 'anna', password: PASSWORD }, REDIRECT_URI)
  const text = browser.textOf(consent)
  t.match(text, /Agent wants to use the transcripts of anna/)
  t.match(text, /view transcripts and their status export transcripts The answer/, 'registered scopes, and the alias by its name')
  t.match(text, /a program on this computer.*its name has not been checked/)
  const landed = await browser.submit(consent, { decision: 'allow' }, REDIRECT_URI)

  const tokens = await attempt.finish(landed.url)
  t.match(tokens, { token_type: 'bearer', expires_in: 900, scope: 'transcripts:read transcripts:export', refresh_token: String })
  t.notOk('id_token' in tokens)
  t.equal((await get(tokens.access_token, '/api/v1/jobs/1')).status, 404, 'the scope reaches as far as there is something')
  t.equal((await get(tokens.access_token, '/api/v1/transcriptions/1/export?format=txt')).status, 404)

  const fresh = await refresh(server, client, tokens.refresh_token ?? '', { scope: 'exports:read', resource: address })
  t.equal(fresh.scope, 'transcripts:export')
  const refused = await get(fresh.access_token, '/api/v1/jobs/1')
  t.equal(refused.status, 403)
  t.equal(
    refused.headers.get('www-authenticate'),
    `Bearer realm="stenobox", resource_metadata="${address}/.well-known/oauth-protected-resource", ` +
      'error="insufficient_scope", scope="transcripts:read"'
  )
})

t.test('search and artifacts each need their own scope, which has an alias', async (t) => {
  const { address } = await startWithServer(t)
  const ask = async (token: string, path: string, body?: object) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) }
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${address}/api/v1/${path}`, { ...init, headers })
    return { status: reply.status, code: (await reply.json() as { code?: string }).code, challenge: reply.headers.get('www-authenticate') }
  }
  const askAll = async (token: string) => {
    const modes = ['summary', 'chapters', 'quotes']
    const stored = await Promise.all(modes.map(async (mode) => await ask(token, `transcriptions/1/${mode}`, {})))
    const blog = await ask(token, 'transcriptions/1/repurpose', { mode: 'blog' })
    return { search: await ask(token, 'library/search?q=bread'), artifacts: [...stored, blog] }
  }
  const refusalOf = (scope: string) => ({ status: 403, code: 'insufficient_scope', challenge: new RegExp(`scope="${scope}"$`) })

  const searching = await askAll((await obtainTokens(address, 'library:search transcripts:read')).tokens.access_token)
  t.match(searching.search, { status: 200 })
  for (const reply of searching.artifacts) t.match(reply, refusalOf('ai:transform'))

  const transforming = await askAll((await obtainTokens(address, 'repurpose:run')).tokens.access_token)
  t.match(transforming.search, refusalOf('library:search'))
  for (const reply of transforming.artifacts) t.match(reply, { status: 404, code: 'not_found' }, 'allowed; there is no such job')
})

t.test('a client the administrator added needs no registration, and any port of this machine will do', async (t) => {
  const { address, appliance, http } = await startWithServer(t, { STENOBOX_OAUTH_REGISTRATION: 'false' })
  const { server } = await discover(address)
  t.equal(server.registration_endpoint, undefined)
  t.equal((await http.inject({ method: 'POST', url: '/oauth/register', payload: {} })).statusCode, 404)
  const { id } = appliance.oauth.addClient({ name: 'Editor <b>', redirectUris: ['http://127.0.0.1/callback'] })
  const redirectUri = 'http://127.0.0.1:49152/callback'
  const attempt = await beginLogin(server, { client_id: id }, { resource: `${address}/api/v1`, redirectUri })
  const browser = createBrowser()
  const login = await browser.open(attempt.url, redirectUri)
  t.match(login.body, 'Editor &#60;b&#62;')
  t.match(login.headers.get('content-security-policy'), 'form-action \'self\' http://127.0.0.1:49152;')
  const consent = await browser.submit(login, { name: 'anna', password: PASSWORD }, redirectUri)
  t.notMatch(browser.textOf(consent), /has not been checked/)
  const landed = await browser.submit(consent, { decision: 'allow' }, redirectUri)
  const tokens = await attempt.finish(landed.url)
  t.same(new Set(tokens.scope?.split(' ')), new Set(OFFERED_SCOPES), 'without a scope in the request, every scope on offer')
  t.match(appliance.oauth.listGrants(), [{ owner: 'anna', client: 'Editor <b>' }])
})

t.test('the interface is found from its own address, by what a 401 says', async (t) => {
  const { address, get } = await startWithServer(t)
  const challenge = (await get('nonsense', '/api/v1/jobs/1')).headers.get('www-authenticate') ?? ''
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
  t.match(await (await fetch(metadata)).json(), {
    resource: address,
    authorization_servers: [address],
    bearer_methods_supported: ['header']
  })
  const { protectedResource } = await discover(`${address}/api/v1`)
  t.equal(protectedResource.resource, `${address}/api/v1`)
  t.match(await (await fetch(`${address}/.well-known/openid-configuration`)).json(), { issuer: address, jwks_uri: `${address}/oauth/jwks` })
})

t.test('a client that knows this machine by another name gets tokens too', async (t) => {
  const { address, get } = await startWithServer(t)
  const { server, protectedResource } = await discover(address.replace('127.0.0.1', 'localhost'))
  t.match(protectedResource.resource, '//localhost:')
  const attempt = await beginLogin(server, await register(server), { resource: protectedResource.resource, scope: 'transcripts:read' })
  const landed = await approve(createBrowser(), attempt.url)
  const { access_token: token } = await attempt.finish(landed.url)
  t.equal((await get(token, '/api/v1/transcriptions')).status, 200)
})

t.test('on with one setting: the program, its command line and its keys after a restart', async (t) => {
  const dataDir = t.testdir()
  const port = await findFreePort()
  const address = `http://127.0.0.1:${port}`
  const settings = { STENOBOX_PORT: String(port), STENOBOX_OAUTH_SERVER: 'true' }
  const readKeys = async (): Promise<unknown> => {
    const server = await startServer(dataDir, settings)
    const keys = await (await fetch(`${address}/oauth/jwks`)).json()
    await server.stop()
    return keys
  }
  const first = await readKeys() as { keys: object[] }
  t.match(first, { keys: [{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' }] })
  t.notOk('d' in (first.keys[0] ?? {}), 'the private part stays here')
  t.strictSame(await readKeys(), first)

  const added = await runCommand(dataDir, ['oauth', 'clients', 'add', '--name', 'Editor', '--redirect-uri', 'http://127.0.0.1/cb'])
  t.equal(added.code, 0)
  const list = await runCommand(dataDir, ['oauth', 'clients', 'list', '--json'])
  t.match(JSON.parse(list.stdout), [{ id: added.stdout.trim(), name: 'Editor', redirectUris: ['http://127.0.0.1/cb'], isDynamic: false }])
  t.match((await runCommand(dataDir, ['oauth', 'clients', 'list'])).stdout, `${added.stdout.trim()}\tEditor\thttp://127.0.0.1/cb\tadded 20`)
  t.equal((await runCommand(dataDir, ['oauth', 'grants', 'list'])).stdout, '')
  const wrong = await runCommand(dataDir, ['oauth', 'clients', 'add', '--name', 'Editor', '--redirect-uri', 'http://example.org/cb'])
  t.equal(wrong.code, 1)
  t.match(wrong.stderr, /http:\/\/example.org\/cb cannot be a redirect address: use https/)
  t.equal((await runCommand(dataDir, ['oauth', 'clients', 'remove', added.stdout.trim()])).code, 0)
  t.match((await runCommand(dataDir, ['oauth', 'grants', 'revoke', 'x'])).stderr, /there is no grant x/)
})
