/** A program asks for access: login and consent on the appliance's own pages, and the end of it in the settings. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { beginLogin, discover, errorOf, refresh, register } from '../support/agent.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { ACCOUNT, startPage } from './support/stage.ts'

/** A page of our own stands for the program: the browser may go nowhere else. */
const LANDING = '/assets/landed'

/** What browsers report of the pages between the program and ours: a wrong password, the end of the way. */
const OUTSIDE = /status of 401 .*oauth\/interaction|assets\/landed|favicon\.ico/

t.test('programs that ask for access', { skip: NO_CHROMIUM, timeout: 600_000 }, async (t) => {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const stage = await startPage(t, {
    settings: { STENOBOX_PORT: String(port), STENOBOX_OAUTH_SERVER: 'true', STENOBOX_OAUTH_REGISTRATION: 'true' }
  })
  const { server } = await discover(origin)

  async function ask (name: string) {
    const client = await register(server, { client_name: name, redirect_uris: [origin + LANDING] })
    const attempt = await beginLogin(server, client, {
      resource: origin, scope: 'transcripts:read library:search', redirectUri: origin + LANDING
    })
    return { client, ...attempt }
  }
  const landed = async (page: Page): Promise<URL> => {
    await page.waitForURL((url) => url.pathname === LANDING, { waitUntil: 'commit' })
    return new URL(page.url())
  }
  const readWith = async (token: string): Promise<number> =>
    (await fetch(`${origin}/api/v1/transcriptions`, { headers: { authorization: `Bearer ${token}` } })).status

  await t.test('access is allowed, used, and taken back in the settings', async (t) => {
    const { page, open, faults } = await stage.person(t)
    faults.allow(OUTSIDE)
    const attempt = await ask('Archive helper')
    await page.goto(attempt.url.href)
    await expectAccessible(t, page, 'login')
    await page.getByLabel('Name of the owner').fill(ACCOUNT.name)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').waitFor()
    await expectAccessible(t, page, 'login that failed')
    t.equal(await page.getByLabel('Name of the owner').inputValue(), ACCOUNT.name)
    await page.getByLabel('Password').fill(ACCOUNT.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
    await expectAccessible(t, page, 'consent')
    t.strictSame(await page.getByRole('listitem').allTextContents(), ['view transcripts and their status', 'search the library'])
    await page.getByRole('button', { name: 'Allow' }).click()
    const { access_token: token, refresh_token: lasting = '' } = await attempt.finish(await landed(page))
    t.equal(await readWith(token), 200)

    await open('/settings/connections')
    const row = page.getByRole('listitem').filter({ hasText: 'Archive helper' })
    await row.getByText('Search the library').waitFor()
    await expectAccessible(t, page, 'connected programs')
    await page.getByRole('button', { name: 'Disconnect Archive helper' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('No program is connected.').waitFor()
    t.equal(await errorOf(refresh(server, attempt.client, lasting)), 'invalid_grant', 'the program gets no more tokens')
  })

  await t.test('the same by keyboard alone', async (t) => {
    const { page, open, faults } = await stage.person(t)
    faults.allow(OUTSIDE)
    const attempt = await ask('Keyboard helper')
    await page.goto(attempt.url.href)
    await tabTo(page, page.getByLabel('Name of the owner'))
    await page.keyboard.type(ACCOUNT.name)
    await page.keyboard.press('Tab')
    await page.keyboard.type(ACCOUNT.password)
    await page.keyboard.press('Enter')
    const allow = page.getByRole('button', { name: 'Allow' })
    await allow.waitFor()
    await tabTo(page, allow)
    await page.keyboard.press('Enter')
    t.equal(await readWith((await attempt.finish(await landed(page))).access_token), 200)

    await open('/settings/connections')
    const disconnect = page.getByRole('button', { name: 'Disconnect Keyboard helper' })
    await disconnect.waitFor()
    await tabTo(page, disconnect)
    await page.keyboard.press('Enter')
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' })
    await confirm.waitFor()
    await tabTo(page, confirm)
    await page.keyboard.press('Enter')
    await page.getByText('No program is connected.').waitFor()
  })

  await t.test('who denies access is sent back, and nothing is connected', async (t) => {
    const { page, open, faults } = await stage.person(t)
    faults.allow(OUTSIDE)
    const attempt = await ask('Unwanted helper')
    await page.goto(attempt.url.href)
    await page.getByRole('button', { name: 'Cancel' }).click()
    t.equal((await landed(page)).searchParams.get('error'), 'access_denied')
    await open('/settings/connections')
    await page.getByText('No program is connected.').waitFor()
  })
})
