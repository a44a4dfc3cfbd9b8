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

/**
 * An appliance with a clock and a log. `people`: owners who have the password; the first is an administrator. `passwords`: 'none' where
 * nobody signs in, because a hash takes a quarter of a second.
 */
export async function buildWithAccounts (
  t: Test, people: readonly string[] = ['anna'], settings: Record<string, string> = {}, passwords: 'all' | 'none' = 'all'
) {
  const clock = createClock()
  const destination = new PassThrough()
  const built = await buildAppliance(t, settings, clock.now, createLogger('info', destination))
  let logText = ''
  destination.setEncoding('utf8').on('data', (chunk: string) => { logText += chunk })
  const { call, appliance: { owners, sessions } } = built
  for (const [index, name] of people.entries()) {
    const { id } = owners.create({ name })
    if (passwords === 'all') await owners.setPassword(id, PASSWORD)
    if (index === 0) owners.change(id, { role: 'administrator' })
  }
  const signIn = async (name = 'anna', password = PASSWORD, headers: Record<string, string> = {}): Promise<Injected> =>
    await call(undefined, 'POST', '/api/v1/session', { name, password }, headers)

  return {
    ...built,
    clock,
    signIn,
    logText: () => logText,
    /** Calls with the cookie of a new session. */
    async openAs (name = 'anna') {
      const { secret } = sessions.begin(owners.findByName(name)?.id ?? 0, undefined)
      const cookie = `stenobox_session=${secret}`
      const callAs = async (
        method: Method, url: string, payload?: object | string | Buffer, headers: Record<string, string> = {}
      ): Promise<Injected> => await call(undefined, method, `/api/v1/${url}`, payload, { cookie, ...headers })
      return { cookie, secret, call: callAs }
    }
  }
}
