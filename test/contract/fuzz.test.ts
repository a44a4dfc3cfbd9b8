/**
 * Requests made from the document, right and wrong, find no answer outside it: no status, no body, nothing from 500 up.
 * STENOBOX_FUZZ_SEED repeats a run, STENOBOX_FUZZ_REQUESTS sets how many requests there are.
 */
import fc from 'fast-check'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { Pool } from 'undici'
import { PASSWORD, SESSION } from '../support/admin.ts'
import { buildAppliance } from '../support/appliance.ts'
import { requestTo } from '../support/arbitraries.ts'
import type { FuzzRequest } from '../support/arbitraries.ts'
import { findViolation, listRoutes } from '../support/document.ts'
import type { Route } from '../support/document.ts'
import { prepareThings } from '../support/things.ts'

const REQUESTS = Number(process.env['STENOBOX_FUZZ_REQUESTS'] ?? 20_000)
/** Every good request to them takes a quarter of a second: a password is hashed. */
const SLOW = new Set(['setOwnerPassword', 'changePassword', 'setUp', 'signIn'])
/** It never ends; test/routes/events.test.ts tests it. */
const ENDLESS = new Set(['streamEvents'])
const SEED = Number(process.env['STENOBOX_FUZZ_SEED'] ?? Date.now() % 2 ** 31)

t.test(`no answer is outside the document (seed ${SEED})`, { timeout: 600_000 }, async (t) => {
  const dataDir = t.testdir()
  const { appliance, http, key } = await buildAppliance(t, {
    STENOBOX_DATA_DIR: dataDir,
    STENOBOX_ADMIN_PASSWORD: PASSWORD,
    STENOBOX_OFFLINE: 'true',
    STENOBOX_SHARING: 'true'
  })
  const things = await prepareThings(t, dataDir, appliance, 'owner')
  await http.listen({ port: 0, host: '127.0.0.1' })
  const pool = new Pool(`http://127.0.0.1:${(http.server.address() as AddressInfo).port}`, { connections: 1 })
  t.teardown(async () => { await pool.destroy() })
  const credentials = [`Bearer ${key('owner')}`, `Bearer ${key('stranger')}`, 'Bearer service_sk_unknown']

  async function ask ({ method, url, headers, body }: FuzzRequest) {
    const reply = await pool.request({ method: method as 'GET', path: url, headers, body: body ?? null })
    const contentType = reply.headers['content-type']
    return {
      status: reply.statusCode,
      contentType: contentType === undefined ? undefined : String(contentType),
      text: await reply.body.text()
    }
  }

  async function logIn (): Promise<string> {
    const reply = await http.inject({ method: 'POST', url: SESSION, payload: { password: PASSWORD } })
    return String(reply.headers['set-cookie']).split(';')[0] ?? ''
  }

  const signIn = (): string =>
    `stenobox_session=${appliance.sessions.begin(appliance.keys.ensureOwner('owner'), undefined).secret}`

  // What the administrator's requests change (plans, keys) would have the others refused; and wrong passwords end with no more logins.
  const LOGINS = ['logInAsAdministrator', 'changePassword', 'setUp', 'signIn']
  const rank = ({ operation: { operationId, tags } }: Route): number =>
    LOGINS.includes(operationId) ? 2 : tags.includes('Administration') ? 1 : 0
  const routes = listRoutes().filter(({ operation }) => !ENDLESS.has(operation.operationId)).sort((a, b) => rank(a) - rank(b))
  const each = Math.ceil(REQUESTS / (routes.length - SLOW.size))
  const statuses = new Map<number, number>()
  for (const route of routes) {
    const isForPeople = route.operation.security.every((scheme) => 'pageSession' in scheme) && route.operation.security.length > 0
    const cookie = isForPeople ? signIn() : rank(route) === 1 ? await logIn() : undefined
    const callers = isForPeople ? ['', ...credentials] : credentials
    await fc.assert(fc.asyncProperty(requestTo(route, things, callers, cookie), async (request) => {
      const answer = await ask(request)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      // 502: a receiver cannot be reached, as nothing can from here.
      const violation = answer.status >= 500 && answer.status !== 502 ? `status ${answer.status}` : findViolation(route, answer)
      if (violation) throw new Error(`${violation}\n${answer.text.slice(0, 300)}`)
    }), { numRuns: SLOW.has(route.operation.operationId) ? Math.ceil(each / 20) : each, seed: SEED })
    t.pass(route.operation.operationId)
    await things.renew(route.path)
  }
  const sum = [...statuses.values()].reduce((total, count) => total + count, 0)
  t.comment(
    `${sum} requests, seed ${SEED}: ${[...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ')}`
  )
  t.ok(sum >= REQUESTS)
})
