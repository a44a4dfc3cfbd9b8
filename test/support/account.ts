/** The appliance as people see it who sign in on its page. */
import { PassThrough } from 'node:stream'
import type { Test } from 'tap'
import { createLogger } from '../../dist/logger.js'
import { buildAppliance } from './appliance.ts'
import type { Injected } from './appliance.ts'
import { createClock } from './clock.ts'

export const PASSWORD = 'correct horse battery'
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'

/** The cookie of a reply, as a browser sends it; empty when there is none. */
export const cookieOf = ({ headers }: Injected): string => String(headers['set-cookie'] ?? '').split(';')[0] ?? ''

/** An appliance with a clock and a log. `people`: owners who have the password; the first is an administrator. */
export async function buildWithAccounts (t: Test, people: readonly string[] = ['anna'], settings: Record<string, string> = {}) {
  const clock = createClock()
  const destination = new PassThrough()
  const built = await buildAppliance(t, settings, clock.now, createLogger('info', destination))
  let logText = ''
  destination.setEncoding('utf8').on('data', (chunk: string) => { logText += chunk })
  const { call, appliance: { owners } } = built
  for (const [index, name] of people.entries()) {
    const { id } = owners.create({ name })
    await owners.setPassword(id, PASSWORD)
    if (index === 0) owners.change(id, { role: 'administrator' })
  }
  const signIn = async (name = 'anna', password = PASSWORD, headers: Record<string, string> = {}): Promise<Injected> =>
    await call(undefined, 'POST', '/api/v1/session', { name, password }, headers)

  return {
    ...built,
    clock,
    signIn,
    logText: () => logText,
    /** Signs in and returns calls with the cookie. */
    async openAs (name = 'anna', password = PASSWORD) {
      const reply = await signIn(name, password)
      const cookie = cookieOf(reply)
      if (cookie === '') throw new Error(`sign in: ${reply.status} ${reply.body.error}`)
      const callAs = async (
        method: Method, url: string, payload?: object | string | Buffer, headers: Record<string, string> = {}
      ): Promise<Injected> => await call(undefined, method, `/api/v1/${url}`, payload, { cookie, ...headers })
      return { cookie, secret: cookie.split('=')[1] ?? '', call: callAs }
    }
  }
}
