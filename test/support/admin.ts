/** The appliance as its administrator sees it. */
import { PassThrough } from 'node:stream'
import type { Test } from 'tap'
import { createLogger } from '../../dist/logger.js'
import { buildAppliance } from './appliance.ts'
import type { Injected } from './appliance.ts'
import { createClock } from './clock.ts'

export const PASSWORD = 'correct horse battery'
export const SESSION = '/api/v1/admin/session'

/** An appliance with administration turned on, and its log. */
export async function buildAdministered (t: Test, settings: Record<string, string> = {}) {
  const clock = createClock()
  const destination = new PassThrough()
  const built = await buildAppliance(t, { STENOBOX_ADMIN_PASSWORD: PASSWORD, ...settings }, clock.now, createLogger('info', destination))
  let text = ''
  destination.setEncoding('utf8').on('data', (chunk: string) => { text += chunk })

  const { call } = built
  const logIn = async (password = PASSWORD, headers: Record<string, string> = {}): Promise<Injected> =>
    await call(undefined, 'POST', SESSION, { password }, headers)

  return {
    ...built,
    clock,
    logIn,
    logText: () => text,
    /** Log lines about changes, without the fields that every line has. */
    audited: () =>
      text
        .split('\n')
        .filter((line) => line.includes('administrative change'))
        .map((line) =>
          Object.fromEntries(
            Object.entries(JSON.parse(line) as object).filter(([name]) => !['level', 'time', 'msg', 'reqId'].includes(name))
          )
        ),
    /** Makes calls with the cookie of a new session. */
    async openSession () {
      const reply = await logIn()
      const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? ''
      const id = reply.body.data['id'] as string
      const callAs = async (
        method: Parameters<typeof call>[1],
        url: string,
        payload?: object | string,
        headers: Record<string, string> = {}
      ): Promise<Injected> =>
        await call(undefined, method, url.startsWith('/api') ? url : `/api/v1/admin/${url}`, payload, { cookie, ...headers })
      return { id, cookie, call: callAs }
    }
  }
}
