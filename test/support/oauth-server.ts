/** An appliance with its own authorization server, listening, and an owner who can log in. */
import { PassThrough } from 'node:stream'
import type { Test } from 'tap'
import { createLogger } from '../../dist/logger.js'
import { beginLogin, discover, REDIRECT_URI, register } from './agent.ts'
import type { Tokens } from './agent.ts'
import { buildAppliance } from './appliance.ts'
import { createBrowser } from './browser.ts'
import type { Browser, Visit } from './browser.ts'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'

export const PASSWORD = 'correct horse battery'

export async function startWithServer (t: Test, settings: Record<string, string> = {}) {
  const port = await findFreePort()
  const address = `http://127.0.0.1:${port}`
  const destination = new PassThrough()
  let log = ''
  destination.setEncoding('utf8').on('data', (chunk: string) => { log += chunk })
  const built = await buildAppliance(
    t,
    { STENOBOX_PORT: String(port), STENOBOX_OAUTH_SERVER: 'true', STENOBOX_OAUTH_REGISTRATION: 'true', ...settings },
    Date.now,
    createLogger('debug', destination)
  )
  await built.http.listen({ host: '127.0.0.1', port })
  const owner = built.appliance.owners.create({ name: 'anna' })
  await built.appliance.owners.setPassword(owner.id, PASSWORD)
  const get = async (token: string, path: string): Promise<Response> =>
    await fetch(address + path, { headers: { authorization: `Bearer ${token}` } })
  return { ...built, address, owner, get, log: () => log }
}

/** Logs in and allows access. */
export async function approve (browser: Browser, url: URL, until: string = REDIRECT_URI): Promise<Visit> {
  const login = await browser.open(url, until)
  const consent = await browser.submit(login, { name: 'anna', password: PASSWORD }, until)
  return await browser.submit(consent, { decision: 'allow' }, until)
}

/** Registers a client and gets its tokens directly. */
export async function obtainTokens (address: string, scope: string = 'transcripts:read') {
  const { server } = await discover(address)
  const client = await register(server)
  const attempt = await beginLogin(server, client, { resource: address, scope })
  const landed = await approve(createBrowser(), attempt.url)
  const tokens: Tokens & { refresh_token?: string } = await attempt.finish(landed.url)
  return { server, client, tokens, refreshToken: tokens.refresh_token ?? '', code: landed.url.searchParams.get('code') ?? '' }
}
