/** Chromium, driven as a person would: a browser, its tabs, and everything that went wrong in them. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { waitFor } from '../../support/wait.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
const found = (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync)

/** Why tests of the page cannot run here; false: they can. For the option `skip` of a test. */
export const NO_CHROMIUM: string | false = found === undefined ? 'Chromium is not installed; apt-get install chromium installs it' : false

/** A test waits for conditions; this only ends one that would wait forever. */
const STUCK_MS = 30_000

/** Chromium looks for updates and the like by itself; in the tests it knows no names but that of this machine. */
const ONLY_THIS_MACHINE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE [::1], EXCLUDE localhost, EXCLUDE *.localhost'

export async function startChromium (): Promise<Browser> {
  // The sandbox needs privileges that containers do not have; the only pages opened are our own.
  return await chromium.launch({ executablePath: found ?? '', args: ['--no-sandbox', '--disable-dev-shm-usage', ONLY_THIS_MACHINE] })
}

/** Everything that went wrong in a browser context: errors in the console, exceptions, refusals by the policy, other origins. */
export type Faults = { list (): string[], allow (pattern: RegExp): void }

/** Chromium writes an error for each refusal of the API, which the page handles; for a script or an image it is a fault. */
const isHandled = (message: ConsoleMessage): boolean =>
  /the server responded with a status of 4\d\d/.test(message.text()) && new URL(message.location().url).pathname.includes('/api/')

/** Records faults of a context; `allow` takes those back that a test provokes. */
export async function watchFaults (context: BrowserContext, origin: string): Promise<Faults> {
  const faults: string[] = []
  const allowed: RegExp[] = []
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isHandled(message)) {
      faults.push(`${message.type()}: ${message.text()} (${message.location().url})`)
    }
  })
  context.on('weberror', (error) => { faults.push(`exception: ${error.error().stack ?? error.error().message}`) })
  context.on('request', (request) => {
    const isOwn = /^(blob|data|about):/.test(request.url()) || new URL(request.url()).origin === origin
    if (!isOwn) faults.push(`request to another origin: ${request.url()}`)
  })
  await context.exposeBinding('reportViolation', (_source, text: string) => { faults.push(`refused by the policy: ${text}`) })
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
    reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber)
  })`)
  return {
    list: () => faults.filter((fault) => !allowed.some((pattern) => pattern.test(fault))),
    allow: (pattern) => { allowed.push(pattern) }
  }
}

export const limitWaits = (context: BrowserContext): void => {
  context.setDefaultTimeout(STUCK_MS)
  context.setDefaultNavigationTimeout(STUCK_MS)
}

/**
 * Stops the clock of a page, after `page.clock.install()`: a notice then stays for as long as it takes here to press its button.
 * `page.clock.resume()` lets it go on.
 */
export const holdTime = async (page: Page): Promise<void> => { await page.clock.pauseAt(Date.now() + 60_000) }

/** Waits in a page whose clock is held: it goes on by a millisecond each time, for what the page does a moment later. */
export async function untilInHeldTime (page: Page, what: string, ask: () => Promise<boolean>): Promise<void> {
  await waitFor(what, async () => {
    await page.clock.runFor(1)
    return await ask()
  })
}

/** Text that identifies what has the keyboard: role and name as the browser tells assistive programs. */
async function focused (page: Page): Promise<string> {
  return String(await page.evaluate(`(() => {
    const at = document.activeElement
    return at ? at.tagName + ' ' + (at.getAttribute('aria-label') ?? at.textContent).trim().slice(0, 60) : 'nothing'
  })()`))
}

/** Runs in the browser; tests are compiled without the types of documents. */
export const isFocused = (element: unknown): boolean =>
  element === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement

/** Goes to an element by Tab (or another key), as people without a mouse do. Throws an Error naming the way when it is never reached. */
export async function tabTo (page: Page, target: ReturnType<Page['locator']>, key = 'Tab', most = 80): Promise<void> {
  const way: string[] = []
  for (let count = 0; count <= most; count++) {
    if (await target.evaluate(isFocused)) return
    await page.keyboard.press(key)
    way.push(await focused(page))
  }
  throw new Error(`not reached by ${key}: ${String(target)}\n${way.join('\n')}`)
}
