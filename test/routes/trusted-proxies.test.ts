/** Clients behind a proxy: told apart if the proxy is trusted, and not otherwise. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { ClientRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { buildAppliance } from '../support/appliance.ts'
import { createLogger } from '../../dist/logger.js'

const PASSWORD = 'correct horse battery staple'
const LIMITS = { connections: { total: 50, perNetwork: 2, perConnection: 4, unreadMs: 3_600_000 } }

async function open (t: Test, trusted: string) {
  const settings = { STENOBOX_ADMIN_PASSWORD: PASSWORD, STENOBOX_TRUSTED_PROXIES: trusted }
  const { http } = await buildAppliance(t, settings, Date.now, createLogger('silent'), LIMITS)
  const waiting: Array<() => void> = []
  http.get('/slow', async () => await new Promise((resolve) => { waiting.push(() => { resolve({ ok: true }) }) }))
  await http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = http.server.address() as AddressInfo
  return {
    waiting,
    /** A request through a proxy of its own connection that names this client. */
    send (path: string, client: string, body?: object): { sent: ClientRequest, status: Promise<number> } {
      const sent = request({
        port, path, agent: false, method: body ? 'POST' : 'GET',
        headers: { 'x-forwarded-for': client, ...(body ? { 'content-type': 'application/json' } : {}) }
      })
      const status = once(sent, 'response').then(([response]) => {
        response.resume()
        return Number(response.statusCode)
      }, () => 0)
      sent.end(body && JSON.stringify(body))
      t.teardown(() => { sent.destroy() })
      return { sent, status }
    }
  }
}

const LOGIN = '/api/v1/admin/session'

t.test('wrong passwords of one client behind a trusted proxy do not lock out the others', async (t) => {
  const { send } = await open(t, '127.0.0.0/8')
  for (let count = 0; count < 5; count++) t.equal(await send(LOGIN, '198.51.100.1', { password: 'wrong' }).status, 401)
  t.equal(await send(LOGIN, '198.51.100.1', { password: PASSWORD }).status, 429)
  t.equal(await send(LOGIN, `${'9.9.9.9'}, 198.51.100.1`, { password: PASSWORD }).status, 429, 'a header of its own does not help')
  t.equal(await send(LOGIN, '198.51.100.2', { password: PASSWORD }).status, 200)
})

t.test('an untrusted peer cannot get around the limit with the header', async (t) => {
  const { send } = await open(t, '192.0.2.1')
  for (let count = 0; count < 5; count++) t.equal(await send(LOGIN, `198.51.100.${count}`, { password: 'wrong' }).status, 401)
  t.equal(await send(LOGIN, '198.51.100.77', { password: PASSWORD }).status, 429)
})

t.test('a trusted proxy may hold more connections than one network, and each network behind it has its share of requests', async (t) => {
  const { send, waiting } = await open(t, '127.0.0.1')
  const slow = ['198.51.100.1', '198.51.100.1', '198.51.100.2', '198.51.100.2'].map((client) => send('/slow', client).status)
  while (waiting.length < 4) await new Promise((resolve) => setImmediate(resolve))
  t.equal(await send('/healthz', '198.51.100.1').status, 503, 'the third of one network')
  t.equal(await send('/healthz', '198.51.100.3').status, 200)
  for (const answer of waiting) answer()
  t.strictSame(await Promise.all(slow), [200, 200, 200, 200])
  t.equal(await send('/healthz', '198.51.100.1').status, 200, 'its requests have ended')
})

t.test('without trust, all connections of the proxy count as one network', async (t) => {
  const { send, waiting } = await open(t, '')
  send('/slow', '198.51.100.1')
  send('/slow', '198.51.100.2')
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve))
  t.equal(await send('/healthz', '198.51.100.3').status, 0, 'closed')
})
