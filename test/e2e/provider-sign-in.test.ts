/** People who sign in at a separate identity provider, over HTTP from beginning to end. */
import { PassThrough } from 'node:stream'
import t from 'tap'
import type { Test } from 'tap'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { createLogger } from '../../dist/logger.js'
import { PASSWORD } from '../support/account.ts'
import { buildAppliance } from '../support/appliance.ts'
import { createBrowser } from '../support/browser.ts'
import { logInAt, startProvider } from '../support/provider.ts'

const SECRET = 'known to the provider and to us'
type Body = { code?: string, error?: string, data: Record<string, unknown> & { url: string } }
type Answer = { status: number, body: Body, cookies: string[] }

async function start (t: Test, settings: Record<string, string> = {}) {
  const port = await findFreePort()
  const address = `http://127.0.0.1:${port}`
  const returnTo = `${address}/sign-in/return`
  const provider = await startProvider(t, address, [{ client_id: 'stenobox', client_secret: SECRET, redirect_uris: [returnTo] }])
  const destination = new PassThrough()
  let log = ''
  destination.setEncoding('utf8').on('data', (chunk: string) => { log += chunk })
  const { appliance, http } = await buildAppliance(t, {
    STENOBOX_PUBLIC_URL: address, STENOBOX_OAUTH_ISSUER: provider.issuer, STENOBOX_ALLOW_OAUTH: '127.0.0.1',
    STENOBOX_OAUTH_CLIENT_ID: 'stenobox', STENOBOX_OAUTH_CLIENT_SECRET: SECRET, ...settings
  }, Date.now, createLogger('info', destination))
  await http.listen({ host: '127.0.0.1', port })
  const anna = appliance.owners.create({ name: 'anna' })
  await appliance.owners.setPassword(anna.id, PASSWORD)

  /** A browser with the page open. */
  function createPerson () {
    const browser = createBrowser()
    async function call (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
      const { status, body: text, headers: got } = await browser.request(new URL(`${address}/api/v1/${path}`), {
        method,
        headers: { origin: address, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
        ...(body ? { body: JSON.stringify(body) } : {})
      })
      return { status, body: JSON.parse(text) as Body, cookies: got.getSetCookie() }
    }
    /** Goes to the provider and logs in there; returns what it sends back. */
    async function visit (login: string, what: 'session' | 'account' = 'session'): Promise<{ code: string, state: string }> {
      const body = what === 'account' ? { password: PASSWORD } : undefined
      const { body: { data: { url } } } = await call('POST', `${what}/provider/begin`, body)
      const { searchParams: given } = await logInAt(browser, new URL(url), login, returnTo)
      return { code: given.get('code') ?? '', state: given.get('state') ?? '' }
    }
    return {
      call,
      visit,
      begin: async (): Promise<URL> => new URL((await call('POST', 'session/provider/begin')).body.data.url),
      signIn: async (login: string): Promise<Answer> => await call('POST', 'session/provider', await visit(login)),
      /** Signs in with the password and connects the account. */
      async connect (login: string): Promise<Answer> {
        await call('POST', 'session', { name: 'anna', password: PASSWORD })
        return await call('PUT', 'account/provider', await visit(login, 'account'))
      }
    }
  }
  return { appliance, provider, createPerson, anna, log: () => log }
}

t.test('an account is connected, signed in to at the provider, and disconnected', async (t) => {
  const { createPerson, provider, anna, appliance, log } = await start(t)
  const { host } = new URL(provider.issuer)
  const person = createPerson()
  t.match(await person.call('GET', 'session/options'), { body: { data: { password: true, oauth: { name: host } } } })
  t.match(await person.connect('anna@work'), {
    status: 200, body: { data: { hasPassword: true, provider: { name: host, connectedAt: /Z$/ } } }
  })
  t.match(await person.call('DELETE', 'session'), { status: 200 })

  const url = await person.begin()
  t.match(Object.fromEntries(url.searchParams), {
    response_type: 'code', client_id: 'stenobox', scope: 'openid', code_challenge_method: 'S256', code_challenge: /^[\w-]{43}$/,
    state: /^[\w-]{43}$/, nonce: /^[\w-]{43}$/, redirect_uri: /\/sign-in\/return$/
  })
  const back = await person.visit('anna@work')
  const reply = await person.call('POST', 'session/provider', back)
  t.match(reply, { status: 200, body: { data: { account: { id: anna.id, name: 'anna' } } } })
  t.match(reply.cookies.toSorted(), [/^stenobox_session=[\w-]{43}; .*HttpOnly; SameSite=Strict$/, /^stenobox_visit=; Max-Age=0; /])
  t.match(await person.call('GET', 'session'), { status: 200, body: { data: { account: { name: 'anna' } } } })

  const elsewhere = createPerson()
  t.equal((await elsewhere.signIn('anna@work')).status, 200)
  t.match(await person.call('DELETE', 'account/provider'), { status: 200, body: { data: { hasPassword: true, provider: { name: host } } } })
  t.notOk('connectedAt' in ((await person.call('GET', 'account/sign-in')).body.data['provider'] as object))
  t.equal((await elsewhere.call('GET', 'session')).status, 401, 'other sessions have ended')
  t.match(await elsewhere.signIn('anna@work'), { status: 403, body: { code: 'no_account' } })
  for (const secret of [SECRET, back.code, back.state]) t.notOk(log().includes(secret), 'no secret is in the log')
  t.equal(appliance.owners.list({ after: 0, limit: 10 }).length, 1)
})

t.test('an unknown person gets no account, and never an owner that has the same name', async (t) => {
  const { createPerson, appliance, log } = await start(t)
  const reply = await createPerson().signIn('anna')
  t.match(reply, { status: 403, body: { code: 'no_account', error: /ask an administrator/ } })
  t.notOk(reply.cookies.some((cookie) => cookie.startsWith('stenobox_session')))
  t.match(log(), /"subject":"anna".*a person of the identity provider has no account/)
  t.equal(appliance.owners.list({ after: 0, limit: 10 }).length, 1)
})

t.test('with the setting, an unknown person gets an account of the smallest plan', async (t) => {
  const { createPerson, appliance } = await start(t, { STENOBOX_OAUTH_CREATE_ACCOUNTS: 'true' })
  const carl = createPerson()
  const made = await carl.signIn('carl')
  t.match(made, { status: 200, body: { data: { account: { name: 'carl', plan: 'free', role: 'owner' } } } })
  t.match(await createPerson().signIn('carl'), { status: 200, body: { data: { account: { name: 'carl' } } } })
  t.equal(appliance.owners.list({ after: 0, limit: 10 }).length, 2)
  t.match(await createPerson().signIn('anna'), { status: 403, body: { code: 'no_account' } }, 'the name is taken')
  t.match(await carl.call('GET', 'account/sign-in'), { body: { data: { hasPassword: false } } })
  t.match(await carl.call('DELETE', 'account/provider'), { status: 409, body: { code: 'conflict', error: /no password/ } })
  t.match(await createPerson().connect('carl'), { status: 409, body: { code: 'conflict' } }, 'nobody takes the identity of another account')
})

t.test('an answer of the provider counts once, in the browser that asked, for what it asked', async (t) => {
  const { createPerson, provider } = await start(t)
  const person = createPerson()
  t.equal((await person.connect('anna')).status, 200)
  const finish = async (who: typeof person, body: object, headers = {}): Promise<string> => {
    const { status, body: { code } } = await who.call('POST', 'session/provider', body, headers)
    return `${status} ${code ?? ''}`
  }
  const EXPIRED = '409 sign_in_expired'
  const REFUSED = '403 sign_in_refused'

  const first = await person.visit('anna')
  t.equal(await finish(createPerson(), first), EXPIRED, 'without the cookie')
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: provider.issuer }]) {
    t.equal(await finish(person, first, headers), '403 cross_site_request', JSON.stringify(headers))
  }
  t.equal(await finish(person, first), '200 ')
  t.equal(await finish(person, first), EXPIRED, 'a second time')

  const second = await person.visit('anna')
  t.equal(await finish(person, { ...second, state: first.state }), EXPIRED, 'another state')
  t.equal(await finish(person, second), EXPIRED, 'and that was the only try')

  const third = await person.visit('anna')
  t.equal(await finish(person, { ...third, code: first.code }), REFUSED, 'a code that was used')
  const [unused, fourth] = [await person.visit('anna'), await person.visit('anna')]
  t.equal(await finish(person, { ...fourth, code: unused.code }), REFUSED, 'a code of another visit: the verifier does not fit')
  await person.visit('anna')
  t.equal(await finish(person, { ...unused, code: 'made up' }), EXPIRED, 'a visit that another one replaced')

  const signingIn = await person.visit('anna')
  t.match(await person.call('PUT', 'account/provider', signingIn), { status: 409, body: { code: 'sign_in_expired' } })
  t.equal(await finish(person, await person.visit('anna', 'account')), EXPIRED, 'begun to connect an account')
})

const DOWN = { status: 503, body: { code: 'unavailable', error: /identity provider does not answer/ } }

t.test('a provider that goes down during the visit is a sentence', async (t) => {
  const { createPerson, provider } = await start(t)
  const person = createPerson()
  const back = await person.visit('anna')
  await provider.stop()
  t.match(await person.call('POST', 'session/provider', back), DOWN)
  t.match(await person.call('POST', 'session', { name: 'anna', password: PASSWORD }), { status: 200 }, 'the password works')
})

t.test('so is one that is down before', async (t) => {
  const { createPerson, provider, log } = await start(t)
  await provider.stop()
  t.match(await createPerson().call('POST', 'session/provider/begin'), DOWN)
  t.match(log(), /the metadata of the identity provider could not be used/)
})
