/** Sign-in at an identity provider: connecting in the settings, the button, and what people are told when it fails. */
import t from 'tap'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { startProvider } from '../support/provider.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { allowVisits, logIn } from './support/provider-page.ts'
import { ACCOUNT, startPage } from './support/stage.ts'

const SECRET = 'known to the provider and to us'

t.test('sign-in at an identity provider', { skip: NO_CHROMIUM, timeout: 600_000 }, async (t) => {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const provider = await startProvider(t, origin, [
    { client_id: 'stenobox', client_secret: SECRET, redirect_uris: [`${origin}/sign-in/return`] }
  ])
  const { host } = new URL(provider.issuer)
  const stage = await startPage(t, {
    settings: {
      STENOBOX_PORT: String(port), STENOBOX_PUBLIC_URL: origin, STENOBOX_OAUTH_ISSUER: provider.issuer, STENOBOX_ALLOW_OAUTH: '127.0.0.1',
      STENOBOX_OAUTH_CLIENT_ID: 'stenobox', STENOBOX_OAUTH_CLIENT_SECRET: SECRET
    }
  })

  await t.test('an account is connected in the settings', async (t) => {
    const person = await stage.person(t)
    await allowVisits(person, provider.issuer)
    const { page, open, faults } = person
    faults.allow(/status of 403 .*account\/provider\/begin/)
    await open('/settings/account')
    const connect = page.getByRole('button', { name: 'Connect', exact: true })
    await connect.waitFor()
    await expectAccessible(t, page, 'account that is not connected')
    await connect.click()
    const dialog = page.getByRole('dialog', { name: `Connect with ${host}` })
    const password = dialog.getByLabel('Password')
    await password.fill('not the password')
    await expectAccessible(t, page, 'password before connecting')
    await page.keyboard.press('Enter')
    await dialog.getByText('The password is wrong.').waitFor()
    await password.fill(ACCOUNT.password)
    await page.keyboard.press('Enter')
    await logIn(page, 'ada@work')
    await page.getByText('Connected. From now on you can sign in there.').waitFor()
    await page.getByText(/^Connected since/).waitFor()
    t.equal(page.url(), `${origin}/settings/account`)
  })

  await t.test('the button works by keyboard and leads back to the page that was asked for', async (t) => {
    const person = await stage.person(t, { isSignedIn: false })
    await allowVisits(person, provider.issuer)
    const { page } = person
    await page.goto('/?sort=title')
    const button = page.getByRole('button', { name: `Sign in with ${host}` })
    await button.waitFor()
    await expectAccessible(t, page, 'sign-in with a provider')
    await tabTo(page, button)
    await page.keyboard.press('Enter')
    await logIn(page, 'ada@work')
    await page.getByRole('heading', { name: 'Library' }).waitFor()
    t.equal(page.url(), `${origin}/?sort=title`)
    await page.getByText(ACCOUNT.name, { exact: true }).waitFor()
  })

  await t.test('a person without an account is told so in their language, and can use the password', async (t) => {
    const person = await stage.person(t, { isSignedIn: false, locale: 'de-DE' })
    await allowVisits(person, provider.issuer)
    const { page } = person
    await page.goto('/')
    await page.getByRole('button', { name: `Mit ${host} anmelden` }).click()
    await logIn(page, 'stranger')
    await page.getByRole('alert').getByText('Sie haben hier kein Konto').waitFor()
    t.equal(page.url(), `${origin}/sign-in/return`)
    await expectAccessible(t, page, 'without an account')
    await page.getByLabel('Name').fill(ACCOUNT.name)
    await page.getByLabel('Passwort', { exact: true }).fill(ACCOUNT.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByRole('heading', { name: 'Bibliothek' }).waitFor()
  })

  await t.test('a person who cancels there, or opens the address again, is told what to do', async (t) => {
    const { page } = await stage.person(t, { isSignedIn: false })
    await page.goto('/sign-in/return?error=access_denied&state=x')
    await page.getByRole('alert').getByText('The provider did not sign you in').waitFor()
    await page.goto('/sign-in/return?code=12345678901234567890&state=x')
    await page.getByRole('alert').getByText('This sign-in has expired').waitFor()
    await page.goto('/sign-in/return')
    await page.getByLabel('Name').waitFor()
    t.equal(page.url(), `${origin}/sign-in`)
  })
})
