/** What our own authorization server keeps, and how it looks from behind a proxy. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { beginLogin, discover, REDIRECT_URI, refresh, register } from '../support/agent.ts'
import { buildAppliance } from '../support/appliance.ts'
import { createBrowser } from '../support/browser.ts'
import { approve, obtainTokens, PASSWORD, startWithServer } from '../support/oauth-server.ts'

t.test('no code, token, cookie or password is stored in the data directory', async (t) => {
  const { address } = await startWithServer(t)
  const { server, client, refreshToken, code, tokens } = await obtainTokens(address)
  const fresh = await refresh(server, client, refreshToken)
  const browser = createBrowser()
  const attempt = await beginLogin(server, client, { resource: address })
  const login = await browser.open(attempt.url, REDIRECT_URI)
  await browser.submit(login, { name: 'anna', password: PASSWORD }, REDIRECT_URI)
  const files = readdirSync(t.testdirName)
    .filter((name) => name.startsWith('app.db'))
    .map((name) => readFileSync(join(t.testdirName, name)))
  const isStored = (secret: string): boolean => files.some((file) => file.includes(secret))
  t.ok(isStored(client.client_id), 'what is no secret is found')
  const session = browser.cookies().find(({ name }) => name === 'stenobox_oauth')?.value ?? ''
  for (const secret of [refreshToken, fresh.refresh_token ?? '', code, tokens.access_token, session, PASSWORD]) {
    t.ok(secret.length > 10)
    t.notOk(isStored(secret))
  }
})

t.test('the log names grants and wrong passwords, and no secret', async (t) => {
  const { address, owner, log } = await startWithServer(t)
  const { server, client, refreshToken, code, tokens } = await obtainTokens(address)
  const attempt = await beginLogin(server, client, { resource: address })
  const browser = createBrowser()
  const login = await browser.open(attempt.url, REDIRECT_URI)
  await browser.submit(login, { name: 'anna', password: 'correct horse' }, REDIRECT_URI)
  const lines = log().trimEnd().split('\n').map((line) => JSON.parse(line) as object)
  t.match(lines.slice(1), [
    { level: 30, ownerId: owner.id, clientId: client.client_id, scopes: ['transcripts:read'], msg: 'an owner granted access' },
    { level: 40, address: '127.0.0.1', msg: 'wrong name or password of an owner' }
  ])
  for (const secret of [refreshToken, code, tokens.access_token, PASSWORD, 'correct horse']) t.notMatch(log(), secret)
})

t.test('an owner who is logged in is asked for consent, not for the password', async (t) => {
  const { address, appliance } = await startWithServer(t)
  const { server } = await discover(address)
  const client = await register(server)
  const browser = createBrowser()
  await approve(browser, (await beginLogin(server, client, { resource: address })).url)
  const again = await beginLogin(server, client, { resource: address })
  const consent = await browser.open(again.url, REDIRECT_URI)
  t.match(browser.textOf(consent), /Allow access\?/)
  t.ok((await again.finish((await browser.submit(consent, { decision: 'allow' }, REDIRECT_URI)).url)).access_token)
  const shown = await browser.submit(consent, { decision: 'maybe' }, REDIRECT_URI)
  t.equal(shown.status, 400, 'the page is used up')
  await appliance.owners.setPassword(appliance.owners.findByName('anna')?.id ?? 0, null)
  const locked = await browser.open((await beginLogin(server, client, { resource: address })).url, REDIRECT_URI)
  t.match(browser.textOf(locked), /Log in/, 'a session does not outlast the right to log in')
})

t.test('when another owner logs in, the first one is logged out', async (t) => {
  const { address, appliance } = await startWithServer(t)
  const bert = appliance.owners.create({ name: 'bert' })
  await appliance.owners.setPassword(bert.id, PASSWORD)
  const { server } = await discover(address)
  const client = await register(server)
  const browser = createBrowser()
  await approve(browser, (await beginLogin(server, client, { resource: address })).url)
  const attempt = await beginLogin(server, client, { resource: address })
  attempt.url.searchParams.set('prompt', 'login')
  const login = await browser.open(attempt.url, REDIRECT_URI)
  const handover = await browser.submit(login, { name: 'bert', password: PASSWORD }, REDIRECT_URI)
  // A page whose form is sent by a script.
  const [, action = ''] = /action="([^"]+)"/.exec(handover.body) ?? []
  const hidden = [...handover.body.matchAll(/name="(\w+)" value="([^"]+)"/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    value
  ])
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const confirmed = await browser.request(new URL(action), { method: 'POST', headers, body: new URLSearchParams(hidden).toString() })
  const consent = await browser.open(new URL(confirmed.headers.get('location') ?? '', address), REDIRECT_URI)
  t.match(browser.textOf(consent), /the transcripts of bert/)
  await attempt.finish((await browser.submit(consent, { decision: 'allow' }, REDIRECT_URI)).url)
  t.strictSame(appliance.oauth.listGrants().map(({ owner }) => owner).sort(), ['anna', 'bert'])
})

t.test('behind a TLS proxy with a path, addresses and cookies use the public address', async (t) => {
  const publicUrl = 'https://steno.example/base'
  const { http, appliance } = await buildAppliance(t, { STENOBOX_PUBLIC_URL: publicUrl, STENOBOX_OAUTH_SERVER: 'true' })
  const ask = async (url: string) =>
    await http.inject({ url, headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' } })
  const metadata = (await ask('/.well-known/oauth-authorization-server')).json<Record<string, unknown>>()
  t.match(metadata, {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`
  })
  t.notMatch(JSON.stringify(metadata), 'evil')
  t.match((await ask('/.well-known/oauth-protected-resource')).json(), { resource: publicUrl, authorization_servers: [publicUrl] })
  const { id } = appliance.oauth.addClient({ name: 'Web', redirectUris: ['https://app.example/cb'] })
  const query = new URLSearchParams({
    client_id: id,
    response_type: 'code',
    redirect_uri: 'https://app.example/cb',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256'
  })
  const reply = await ask(`/oauth/authorize?${query}`)
  t.equal(reply.statusCode, 303)
  t.match(reply.headers.location, /^https:\/\/steno\.example\/base\/oauth\/interaction\/[\w-]+$/)
  const cookies = [reply.headers['set-cookie']].flat().map(String)
  t.ok(cookies.length >= 2)
  for (const cookie of cookies) t.match(cookie, /path=\/base\/oauth[^;]*;.*samesite=lax; secure; httponly/i)
})

t.test('over plain http on this machine cookies are not for https alone', async (t) => {
  const { address } = await startWithServer(t)
  const { server } = await discover(address)
  const visit = await createBrowser().request((await beginLogin(server, await register(server), { resource: address })).url)
  const cookies = visit.headers.getSetCookie()
  t.ok(cookies.length >= 2)
  for (const cookie of cookies) {
    t.match(cookie, /samesite=lax; httponly/i)
    t.notMatch(cookie, /secure/i)
  }
})

t.test('when the server is off, its routes do not exist', async (t) => {
  const { http, call } = await buildAppliance(t)
  for (const url of ['/oauth/authorize', '/oauth/jwks', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
    t.equal((await http.inject({ url })).statusCode, 404, url)
  }
  t.match((await http.inject({ url: '/.well-known/oauth-protected-resource' })).json(), { authorization_servers: [] })
  const reply = await call('eyJhbGciOiJub25lIn0.e30.', 'GET', '/api/v1/jobs/1')
  t.equal(reply.status, 401)
  t.equal(
    reply.headers['www-authenticate'],
    'Bearer realm="stenobox", resource_metadata="http://localhost:80/.well-known/oauth-protected-resource", error="invalid_token"'
  )
})

t.test('what the server cannot answer is answered by the appliance', async (t) => {
  const { http, address } = await startWithServer(t)
  const reply = await http.inject({ method: 'DELETE', url: '/oauth/token' })
  t.equal(reply.statusCode, 405)
  t.match(reply.json(), { success: false, code: 'method_not_allowed' })
  const token = await fetch(`${address}/oauth/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'password' }) })
  t.equal(token.status, 400)
  t.match(await token.json(), { error: String })
  const browserless = await fetch(`${address}/oauth/interaction/x`)
  t.equal(browserless.status, 400)
  t.match(await browserless.text(), /<h1>Something went wrong/)
})
