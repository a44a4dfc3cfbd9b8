/** The built page as people meet it: the program with the starter model in a directory of its own, and Chromium. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import type { Test } from 'tap'
import { createClient } from '../../support/client.ts'
import type { Client } from '../../support/client.ts'
import { startServer } from '../../support/program.ts'
import type { RunningServer, Settings } from '../../support/program.ts'
import { limitWaits, startChromium, watchFaults } from './browser.ts'
import type { Faults } from './browser.ts'

const PAGE = fileURLToPath(new URL('../../../build/page/index.html', import.meta.url))
export const ACCOUNT = { name: 'ada', password: 'nine silver lamps by the sea' } as const

export type Stage = {
  server: RunningServer
  /** The origin of the page, without a slash at the end. */
  origin: string
  /** The HTTP interface with a key of the same account, for what is not under test. */
  client: Client
  /** Ends the program as a power cut does. The result starts it again with the same data; set STENOBOX_PORT for the same address. */
  crash (): Promise<() => Promise<void>>
  /** A browser of a person who is signed in; `isSignedIn: false`: who is not. Its faults fail the test at its end. */
  person (t: Test, options?: { isSignedIn?: boolean, locale?: string }): Promise<Person>
}
export type Person = {
  context: BrowserContext
  page: Page
  faults: Faults
  /** Opens a path below the address of the page and waits until it is there. */
  open (path: string): Promise<void>
}

async function request (origin: string, path: string, body: object): Promise<Response> {
  return await fetch(`${origin}/api/v1${path}`, {
    method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', origin }
  })
}

type StageOptions = { settings?: Settings, hasAccount?: boolean }

/** Creates the account of the first start, unless `hasAccount` is false. With STENOBOX_PUBLIC_URL, the page is opened there. */
export async function startPage (t: Test, { settings = {}, hasAccount = true }: StageOptions = {}): Promise<Stage> {
  if (!existsSync(PAGE)) throw new Error('The page is not built; node scripts/build-page.mjs builds it.')
  const dataDir = t.testdir()
  const server = await startServer(dataDir, settings)
  let running = server
  const browser = await startChromium()
  t.teardown(async () => {
    await browser.close()
    await running.stop()
  })
  const { origin, pathname } = new URL(settings['STENOBOX_PUBLIC_URL'] ?? server.origin)
  const folder = pathname.replace(/\/$/, '')
  if (hasAccount) {
    const made = await request(server.origin, '/setup', ACCOUNT)
    if (made.status !== 201) throw new Error(`first start: ${made.status} ${await made.text()}`)
  }

  async function signIn (context: BrowserContext): Promise<void> {
    const reply = await request(server.origin, '/session', ACCOUNT)
    const [pair = ''] = reply.headers.getSetCookie()[0]?.split('; ') ?? []
    const [name = '', value = ''] = pair.split('=')
    if (value === '') throw new Error(`sign-in: ${reply.status} ${await reply.text()}`)
    await context.addCookies([{ name, value, url: origin + pathname, httpOnly: true, sameSite: 'Strict' }])
  }

  return {
    server,
    origin,
    client: createClient(server.address, server.firstKey ?? ''),
    async crash () {
      await running.kill9()
      return async () => { running = await startServer(dataDir, settings) }
    },
    async person (t, { isSignedIn = true, locale = 'en-GB' } = {}) {
      const context = await browser.newContext({ baseURL: origin, locale, viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
      limitWaits(context)
      const faults = await watchFaults(context, origin)
      if (isSignedIn) await signIn(context)
      const page = await context.newPage()
      t.teardown(async () => {
        await context.close()
        // Assertions come too late in a teardown; what it throws fails the test as well.
        if (faults.list().length > 0) throw new Error(`in the browser:\n${faults.list().join('\n')}`)
      })
      return {
        context,
        page,
        faults,
        async open (path) {
          await page.goto(folder + path)
          await page.locator('h1').first().waitFor()
        }
      }
    }
  }
}
