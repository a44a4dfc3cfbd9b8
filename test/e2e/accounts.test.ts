/** The program from its first start to a person who is still signed in after a restart. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { startServer } from '../support/program.ts'

const PASSWORD = 'correct horse battery'
/** As a proxy that nobody configured, so that the token is needed. */
const FORWARDED = { 'x-real-ip': '192.0.2.7' }

type More = { body?: object, headers?: Record<string, string> }

async function ask (address: string, method: string, path: string, { body, headers = {} }: More = {}) {
  const response = await fetch(`${address}/api/v1/${path}`, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {})
  })
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return { status: response.status, cookie, body: await response.json() as { data: Record<string, unknown> } }
}

t.test('first start, sign-in, restart', async (t) => {
  const dir = t.testdir()
  const [dataDir, auditLog] = [`${dir}/data`, `${dir}/audit.log`]
  const first = await startServer(dataDir, { STENOBOX_AUDIT_LOG: auditLog })
  const [, setupUrl = '', token = ''] = /create the first account: (http\S+\/setup\?token=(\S+))\n/.exec(first.greeting) ?? []
  t.ok(setupUrl.startsWith(first.origin))
  const FIRST = { name: 'anna', password: PASSWORD }
  t.equal((await ask(first.origin, 'POST', 'setup', { body: { ...FIRST, token: 'wrong token' }, headers: FORWARDED })).status, 401)
  const made = await ask(first.origin, 'POST', 'setup', { body: { ...FIRST, token }, headers: FORWARDED })
  t.match(made, { status: 201, body: { data: { account: { name: 'anna', role: 'administrator' } } } })
  const signedIn = await ask(first.origin, 'POST', 'session', { body: FIRST })
  t.equal(signedIn.status, 200)
  t.equal((await ask(first.origin, 'POST', 'session', { body: { name: 'anna', password: 'wrong horse battery' } })).status, 401)
  t.equal(await first.stop(), 0)

  const second = await startServer(dataDir, { STENOBOX_AUDIT_LOG: auditLog })
  t.match(second.greeting, `Open the page: ${second.origin}/\n`)
  t.notMatch(second.greeting, /token=/)
  const headers = { cookie: signedIn.cookie }
  t.match(await ask(second.origin, 'GET', 'session', { headers }), { status: 200, body: { data: { account: { name: 'anna' } } } })
  t.equal((await ask(second.origin, 'DELETE', 'session', { headers })).status, 200)
  t.equal((await ask(second.origin, 'GET', 'session', { headers })).status, 401)
  t.equal(await second.stop(), 0)

  const acts = readFileSync(auditLog, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
  const shown = acts.filter(({ status }) => status !== undefined)
    .map(({ actor, operation, status }) => [operation, (actor as { type: string }).type, status])
  t.strictSame(shown, [
    ['setUp', 'nobody', 401], ['setUp', 'session', 201], ['signIn', 'session', 200], ['signIn', 'nobody', 401],
    ['getSession', 'session', 200], ['signOut', 'session', 200], ['getSession', 'nobody', 401]
  ])
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const texts = [first.log(), second.log(), ...files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))]
  t.ok(texts.some((text) => text.includes('anna')), 'what is no secret is found')
  for (const secret of [PASSWORD, 'wrong horse', token, made.cookie.split('=')[1] ?? '', signedIn.cookie.split('=')[1] ?? '']) {
    t.ok(secret.length >= 10)
    t.notOk(texts.some((text) => text.includes(secret)), 'no secret is stored')
  }
})

t.test('who loses the role, or the session, while the body of a request is on its way changes nothing', async (t) => {
  const server = await startServer(t.testdir())
  t.teardown(server.stop)
  const signIn = async (name: string): Promise<{ cookie: string }> =>
    ({ cookie: (await ask(server.origin, 'POST', 'session', { body: { name, password: PASSWORD } })).cookie })
  await ask(server.origin, 'POST', 'setup', { body: { name: 'anna', password: PASSWORD } })
  const anna = await signIn('anna')
  const change = async (method: string, path: string, body: object) =>
    await ask(server.origin, method, `admin/owners${path}`, { body, headers: anna })
  const { body } = await change('POST', '', { name: 'bert' })
  const bertId = Number(body.data['id'])
  t.equal((await change('PUT', `/${bertId}/password`, { password: PASSWORD })).status, 200)
  const promote = JSON.stringify({ role: 'administrator' })
  /** Bert's own promotion, of which only a part has arrived. */
  async function beginPromotion () {
    const headers = { ...await signIn('bert'), 'content-type': 'application/json', 'content-length': promote.length }
    const begun = request(`${server.origin}/api/v1/admin/owners/${bertId}`, { method: 'PATCH', headers })
    begun.write(promote.slice(0, 3))
    // The server has read the headers when it has answered a later request.
    await ask(server.origin, 'GET', 'session', { headers: anna })
    return async () => {
      const answered = once(begun, 'response') as Promise<[IncomingMessage]>
      begun.end(promote.slice(3))
      return (await answered)[0].statusCode
    }
  }
  await change('PATCH', `/${bertId}`, { role: 'administrator' })
  const finish = await beginPromotion()
  t.equal((await change('PATCH', `/${bertId}`, { role: 'owner' })).status, 200)
  t.equal(await finish(), 403)
  await change('PATCH', `/${bertId}`, { role: 'administrator' })
  const finishLockedOut = await beginPromotion()
  t.equal((await change('PUT', `/${bertId}/password`, { password: null })).status, 200)
  t.equal(await finishLockedOut(), 401)
})
