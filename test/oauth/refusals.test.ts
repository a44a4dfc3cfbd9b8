/** What our own authorization server refuses. */
import t from 'tap'
import { beginLogin, discover, errorOf, REDIRECT_URI, refresh, register } from '../support/agent.ts'
import { createBrowser } from '../support/browser.ts'
import { approve, obtainTokens, PASSWORD, startWithServer } from '../support/oauth-server.ts'

t.test('an owner who denies, wrong passwords, and too many of them', async (t) => {
  const { address } = await startWithServer(t)
  const { server } = await discover(address)
  const client = await register(server)
  const attempt = await beginLogin(server, client, { resource: address })
  const browser = createBrowser()
  const login = await browser.open(attempt.url, REDIRECT_URI)
  const wrong = await browser.submit(login, { name: 'anna', password: 'wrong' }, REDIRECT_URI)
  t.equal(wrong.status, 401)
  t.match(browser.textOf(wrong), /The name or the password is wrong/)
  t.match(wrong.body, 'value="anna"')
  t.notMatch(wrong.body, /value="wrong"/)
  t.equal((await browser.submit(login, { name: 'nobody', password: PASSWORD }, REDIRECT_URI)).status, 401)
  const consent = await browser.submit(login, { name: 'anna', password: PASSWORD }, REDIRECT_URI)
  const denied = await browser.submit(consent, { decision: 'deny' }, REDIRECT_URI)
  t.equal(await errorOf(attempt.finish(denied.url)), 'access_denied')

  const again = await beginLogin(server, client, { resource: address })
  const other = createBrowser()
  const page = await other.open(again.url, REDIRECT_URI)
  t.equal(
    (await other.submit(page, { decision: 'deny', name: '', password: '' }, REDIRECT_URI)).url.searchParams.get('error'),
    'access_denied',
    'before the login too'
  )
  const third = createBrowser()
  const form = await third.open((await beginLogin(server, client, { resource: address })).url, REDIRECT_URI)
  const tries = await Promise.all(
    Array.from({ length: 12 }, async () => await third.submit(form, { name: 'anna', password: 'guess' }, REDIRECT_URI))
  )
  t.strictSame(
    tries.map(({ status }) => status).sort(),
    [...Array(4).fill(401), ...Array(8).fill(429)],
    'four at once, and no more: the login of anna forgives none of nobody'
  )
  const late = await third.submit(form, { name: 'anna', password: PASSWORD }, REDIRECT_URI)
  t.match(
    [late.status, late.headers.get('retry-after'), third.textOf(late)],
    [429, /^(900|8\d\d)$/, /Try again in 15 minutes/],
    'not even the right one'
  )
})

t.test('forms from elsewhere, pages in another browser, names with markup', async (t) => {
  const { address } = await startWithServer(t)
  const { server } = await discover(address)
  const client = await register(server, { client_name: '\u202e<script>alert(1)</script>\u0007' + 'x'.repeat(200) })
  const attempt = await beginLogin(server, client, { resource: address })
  const browser = createBrowser()
  const login = await browser.open(attempt.url, REDIRECT_URI)
  t.notMatch(login.body, /<script/)
  t.match(browser.textOf(login), /<script>alert\(1\)<\/script>x{75} asks/, 'a hundred characters of a name')
  const fields = { name: 'anna', password: PASSWORD }
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
    t.equal((await browser.submit(login, fields, REDIRECT_URI, headers)).status, 403)
  }
  const stranger = await createBrowser().submit(login, fields, REDIRECT_URI)
  t.equal(stranger.status, 400)
  t.match(createBrowser().textOf(stranger), /expired or was opened in another browser/)
  const echo = await browser.submit(login, { name: '"><img src=x>', password: 'x' }, REDIRECT_URI)
  t.notMatch(echo.body, /<img/)
})

t.test('requests without PKCE, with the plain method, to other addresses, of unknown clients and scopes', async (t) => {
  const { address } = await startWithServer(t)
  const { server } = await discover(address)
  const client = await register(server)
  const { url } = await beginLogin(server, client, { resource: address })
  const ask = async (change: (query: URLSearchParams) => void) => {
    const changed = new URL(url)
    change(changed.searchParams)
    return await createBrowser().open(changed, REDIRECT_URI)
  }
  const refusalOf = async (change: (query: URLSearchParams) => void): Promise<string | null> => {
    const { searchParams, hash } = (await ask(change)).url
    return searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error')
  }
  t.equal(await refusalOf((query) => { query.delete('code_challenge'); query.delete('code_challenge_method') }), 'invalid_request')
  t.equal(await refusalOf((query) => { query.set('code_challenge_method', 'plain') }), 'invalid_request')
  t.equal(await refusalOf((query) => { query.set('response_type', 'token') }), 'unsupported_response_type')
  t.equal(await refusalOf((query) => { query.set('resource', 'https://elsewhere.example') }), 'invalid_target')
  t.equal(await refusalOf((query) => { query.set('scope', 'made:up') }), 'invalid_scope')
  t.equal(await refusalOf((query) => { query.set('prompt', 'none') }), 'login_required')
  for (const redirect of [
    'https://evil.example/',
    'http://127.0.0.1/elsewhere',
    'http://127.0.0.1@evil.example/callback',
    'javascript:alert(1)'
  ]) {
    const page = await ask((query) => {
      query.set('redirect_uri', redirect)
    })
    t.equal(page.status, 400, redirect)
    t.match(page.body, /invalid_redirect_uri/)
    t.match(page.headers.get('content-security-policy'), /default-src 'none'/)
  }
  const unknown = await ask((query) => { query.set('client_id', '<b>nobody</b>') })
  t.equal(unknown.status, 400)
  t.notMatch(unknown.body, /<b>/)
})

t.test('invalid registrations and bodies that are too long are refused', async (t) => {
  const { address } = await startWithServer(t)
  const post = async (body: string, type = 'application/json'): Promise<Response> =>
    await fetch(`${address}/oauth/register`, { method: 'POST', body, headers: { 'content-type': type } })
  for (const body of [
    '',
    '{',
    '[]',
    'null',
    '{}',
    '{"redirect_uris":["http://example.org/"]}',
    '{"redirect_uris":["javascript:x"]}',
    '{"redirect_uris":["ftp://a.example/"]}',
    '{"redirect_uris":["https://a.example/","wss://a.example/"]}',
    '{"redirect_uris":["https://a.example/#x"]}',
    '{"redirect_uris":[1]}',
    '{"redirect_uris":["https://a.example/"],"token_endpoint_auth_method":"client_secret_basic"}'
  ]) {
    const reply = await post(body)
    t.equal(reply.status, 400, body)
    t.match(await reply.json(), { error: String })
  }
  t.equal((await post('x'.repeat(40_000))).status, 413)
  const good = await post(
    JSON.stringify({
      redirect_uris: ['https://a.example/cb', 'com.example.app:/cb'],
      scope: 'made:up',
      jwks_uri: 'http://127.0.0.1:1/',
      logo_uri: 'http://127.0.0.1:1/',
      application_type: 'web'
    })
  )
  t.equal(good.status, 201)
  const kept = await good.json() as object
  t.match(kept, { application_type: 'native', token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] })
  for (const field of ['client_secret', 'jwks_uri', 'logo_uri', 'scope']) t.notOk(field in kept, field)
  for (const origin of ['null', 'https://evil.example']) {
    const form = new URLSearchParams({
      client_id: (kept as { client_id: string }).client_id,
      grant_type: 'refresh_token',
      refresh_token: 'x'
    })
    const reply = await fetch(`${address}/oauth/token`, { method: 'POST', body: form, headers: { origin } })
    t.equal(reply.headers.get('access-control-allow-origin'), null, 'no page of others may use a client')
  }
})

t.test('a code twice, a refresh token twice: the grant is over', async (t) => {
  const { address, appliance } = await startWithServer(t)
  const { server, client, refreshToken } = await obtainTokens(address)
  const next = await refresh(server, client, refreshToken)
  t.not(next.refresh_token, refreshToken)
  t.equal(await errorOf(refresh(server, client, refreshToken)), 'invalid_grant')
  t.equal(await errorOf(refresh(server, client, next.refresh_token ?? '')), 'invalid_grant', 'nor does the one that came of it')
  t.strictSame(appliance.oauth.listGrants(), [])

  const attempt = await beginLogin(server, client, { resource: address })
  const landed = await approve(createBrowser(), attempt.url)
  const tokens = await attempt.finish(landed.url)
  t.equal(await errorOf(attempt.finish(landed.url)), 'invalid_grant')
  t.equal(await errorOf(refresh(server, client, tokens.refresh_token ?? '')), 'invalid_grant')

  const race = await beginLogin(server, client, { resource: address })
  const { url } = await approve(createBrowser(), race.url)
  const results = await Promise.allSettled([race.finish(url), race.finish(url), race.finish(url)])
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1, 'of several at once, one gets tokens')
})

t.test('a revoked client or removed owner cannot refresh, and a removed owner cannot call', async (t) => {
  const { address, appliance, owner, get } = await startWithServer(t)
  const revoked = await obtainTokens(address)
  t.ok(appliance.oauth.revokeGrant(appliance.oauth.listGrants()[0]?.id ?? ''))
  t.equal(await errorOf(refresh(revoked.server, revoked.client, revoked.refreshToken)), 'invalid_grant')
  const removed = await obtainTokens(address)
  t.ok(appliance.oauth.removeClient(removed.client.client_id))
  t.equal(await errorOf(refresh(removed.server, removed.client, removed.refreshToken)), 'invalid_client')
  const byItself = await obtainTokens(address)
  const body = new URLSearchParams({ token: byItself.refreshToken, client_id: byItself.client.client_id })
  t.equal((await fetch(byItself.server.revocation_endpoint ?? '', { method: 'POST', body })).status, 200)
  t.equal(await errorOf(refresh(byItself.server, byItself.client, byItself.refreshToken)), 'invalid_grant')

  const lockedOut = await obtainTokens(address)
  await appliance.owners.setPassword(owner.id, null)
  t.equal(await errorOf(refresh(lockedOut.server, lockedOut.client, lockedOut.refreshToken)), 'invalid_grant')
  await appliance.owners.setPassword(owner.id, PASSWORD)
  const last = await obtainTokens(address)
  t.equal((await get(last.tokens.access_token, '/api/v1/jobs/1')).status, 404)
  appliance.owners.remove(owner.id)
  t.equal((await get(last.tokens.access_token, '/api/v1/jobs/1')).status, 401)
  t.equal(await errorOf(refresh(last.server, last.client, last.refreshToken)), 'invalid_grant')
})
