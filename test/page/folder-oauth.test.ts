/** Programs ask for access to an appliance that a proxy publishes in a folder. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { beginLogin, discover, errorOf, refresh, register } from '../support/agent.ts'
import { NO_CHROMIUM } from './support/browser.ts'
import { startFolderProxy } from './support/folder-proxy.ts'
import { ACCOUNT, startPage } from './support/stage.ts'

const FOLDER = '/steno'
/** A page of our own stands for the program: the browser may go nowhere else. */
const LANDING = `${FOLDER}/assets/landed`

t.test('programs that ask for access in a folder of a proxy', { skip: NO_CHROMIUM }, async (t) => {
  const proxy = await startFolderProxy(t, FOLDER)
  const stage = await startPage(t, {
    settings: { STENOBOX_PUBLIC_URL: proxy.address, STENOBOX_OAUTH_SERVER: 'true', STENOBOX_OAUTH_REGISTRATION: 'true' }
  })
  proxy.forwardTo(stage.server.origin)
  const { origin } = new URL(proxy.address)

  await t.test('a refusal leads to the metadata, and they to everything else', async (t) => {
    const refused = await fetch(`${proxy.address}/api/v1/transcriptions`)
    t.equal(refused.status, 401)
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? []
    t.equal(address, `${proxy.address}/.well-known/oauth-protected-resource`)
    const metadata = await (await fetch(address)).json() as Record<string, unknown>
    t.match(metadata, { resource: proxy.address, authorization_servers: [proxy.address] })
    for (const place of [
      `${proxy.address}/.well-known/openid-configuration`, `${proxy.address}/.well-known/oauth-authorization-server`,
      `${origin}/.well-known/oauth-authorization-server${FOLDER}`
    ]) {
      const server = await (await fetch(place)).json() as Record<string, unknown>
      t.match(server, {
        issuer: proxy.address, authorization_endpoint: `${proxy.address}/oauth/authorize`, token_endpoint: `${proxy.address}/oauth/token`,
        registration_endpoint: `${proxy.address}/oauth/register`, jwks_uri: `${proxy.address}/oauth/jwks`
      }, place)
    }
  })

  await t.test('access is allowed, used, and taken back in the settings', async (t) => {
    // As the standards say: the names of the metadata stand before the folder.
    const { server } = await discover(`${proxy.address}/api/v1`)
    const client = await register(server, { client_name: 'Archive helper', redirect_uris: [origin + LANDING] })
    const attempt = await beginLogin(server, client, {
      resource: `${proxy.address}/api/v1`, scope: 'transcripts:read', redirectUri: origin + LANDING
    })
    const { page, open, faults } = await stage.person(t)
    faults.allow(/assets\/landed|favicon\.ico/)
    await page.goto(attempt.url.href)
    await page.getByLabel('Name of the owner').fill(ACCOUNT.name)
    await page.getByLabel('Password').fill(ACCOUNT.password)
    t.ok(page.url().startsWith(`${proxy.address}/oauth/interaction/`), page.url())
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
    t.strictSame(await page.getByRole('listitem').allTextContents(), ['view transcripts and their status'])
    await page.getByRole('button', { name: 'Allow' }).click()
    const { access_token: token, refresh_token: lasting = '' } = await attempt.finish(await landed(page))
    const used = await fetch(`${proxy.address}/api/v1/transcriptions`, { headers: { authorization: `Bearer ${token}` } })
    t.equal(used.status, 200)

    await open('/settings/connections')
    await page.getByRole('button', { name: 'Disconnect Archive helper' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('No program is connected.').waitFor()
    t.equal(await errorOf(refresh(server, client, lasting)), 'invalid_grant', 'the program gets no more tokens')
  })

  t.strictSame(proxy.outside.filter((path) => path !== '/favicon.ico'), [], 'nothing is asked for outside of the folder')
})

async function landed (page: Page): Promise<URL> {
  await page.waitForURL((url) => url.pathname === LANDING, { waitUntil: 'commit' })
  return new URL(page.url())
}
