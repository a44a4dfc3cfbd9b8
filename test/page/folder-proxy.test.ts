/** The page behind a proxy that publishes the appliance in a folder: https://box.example/steno/. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { AUDIO } from '../support/paths.ts'
import { startProvider } from '../support/provider.ts'
import { waitFor } from '../support/wait.ts'
import { NO_CHROMIUM } from './support/browser.ts'
import { startFolderProxy } from './support/folder-proxy.ts'
import { allowVisits, logIn } from './support/provider-page.ts'
import { noteFirstSpoken, wordsOf } from './support/recording.ts'
import { ACCOUNT, startPage } from './support/stage.ts'
import type { Person } from './support/stage.ts'

const FOLDER = '/steno'
const SECRET = 'known to the provider and to us'

t.test('in a folder of a proxy', { skip: NO_CHROMIUM }, async (t) => {
  const proxy = await startFolderProxy(t, FOLDER)
  const { issuer } = await startProvider(t, proxy.address, [
    { client_id: 'stenobox', client_secret: SECRET, redirect_uris: [`${proxy.address}/sign-in/return`] }
  ])
  const { server, client, person } = await startPage(t, {
    settings: {
      STENOBOX_PUBLIC_URL: proxy.address, STENOBOX_SHARING: 'true', STENOBOX_OAUTH_ISSUER: issuer, STENOBOX_ALLOW_OAUTH: '127.0.0.1',
      STENOBOX_OAUTH_CLIENT_ID: 'stenobox', STENOBOX_OAUTH_CLIENT_SECRET: SECRET
    }
  })
  proxy.forwardTo(server.origin)
  const id = await client.uploadFile(`${AUDIO}dialogue.mp3`, { language: 'en', options: { speakers: { exact: 2 } } })
  t.match(await client.ended(id), { status: 'completed' })
  const pathOf = ({ page }: Person): string => new URL(page.url()).pathname

  await t.test('signing in leads back, and signing out ends the session', async (t) => {
    const visitor = await person(t, { isSignedIn: false })
    const { page, open } = visitor
    await page.goto(`${FOLDER}/transcripts/${id}?at=20`)
    await page.getByLabel('Name').fill(ACCOUNT.name)
    await page.getByLabel('Password', { exact: true }).fill(ACCOUNT.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await wordsOf(page, 0).waitFor()
    t.equal(page.url(), `${proxy.address}/transcripts/${id}?at=20`)
    await page.reload()
    await wordsOf(page, 0).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    t.equal(pathOf(visitor), `${FOLDER}/sign-in`)
    await open('/')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  await t.test('the identity provider leads back into the folder', async (t) => {
    const owner = await person(t)
    await allowVisits(owner, issuer)
    await owner.open('/settings/account')
    await owner.page.getByRole('button', { name: 'Connect', exact: true }).click()
    await owner.page.getByRole('dialog').getByLabel('Password').fill(ACCOUNT.password)
    await owner.page.keyboard.press('Enter')
    await logIn(owner.page, 'ada@work')
    await owner.page.getByText(/^Connected since/).waitFor()
    t.equal(owner.page.url(), `${proxy.address}/settings/account`)

    const visitor = await person(t, { isSignedIn: false })
    await allowVisits(visitor, issuer)
    await visitor.page.goto(`${FOLDER}/transcripts/${id}?at=20`)
    await visitor.page.getByRole('button', { name: /^Sign in with/ }).click()
    await logIn(visitor.page, 'ada@work')
    await wordsOf(visitor.page, 0).waitFor()
    t.equal(visitor.page.url(), `${proxy.address}/transcripts/${id}?at=20`)
  })

  await t.test('a person whom the provider has refused stays in the folder', async (t) => {
    const one = await person(t, { isSignedIn: false })
    await one.page.goto(`${FOLDER}/sign-in/return?error=access_denied&state=x`)
    await one.page.getByRole('alert').getByText('The provider did not sign you in').waitFor()
    t.equal(pathOf(one), `${FOLDER}/sign-in/return`)
    await one.page.reload()
    await one.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    t.equal(pathOf(one), `${FOLDER}/sign-in`)
  })

  await t.test('a recording is added, followed, opened and deleted', async (t) => {
    const one = await person(t)
    const { page, open } = one
    await open('/')
    await page.getByTestId('files').first().setInputFiles(`${AUDIO}en-1.wav`)
    await page.getByRole('link', { name: 'en-1.wav', exact: true }).waitFor()
    await page.getByRole('progressbar', { name: 'Progress of en-1.wav' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'en-1.wav', exact: true }).click()
    await wordsOf(page, 0).waitFor()
    t.match(pathOf(one), /^\/steno\/transcripts\/\d+$/)
    await page.getByRole('link', { name: 'Library' }).click()
    await page.getByRole('link', { name: 'en-1.wav', exact: true }).focus()
    await page.keyboard.press('Delete')
    await page.getByRole('link', { name: 'en-1.wav', exact: true }).waitFor({ state: 'detached' })
    // Leaving the page deletes it.
    await page.goto('about:blank')
    await waitFor('the deletion', async () => (await client.request<unknown[]>('GET', '/api/v1/transcriptions')).body.data.length === 1)
  })

  await t.test('a transcript is played, exported and shared', async (t) => {
    const { page, open } = await person(t)
    await open(`/transcripts/${id}`)
    await wordsOf(page, 2).waitFor()
    const firstRow = await noteFirstSpoken(page)
    await wordsOf(page, 2).locator('[data-word="1"]').click()
    t.equal(await firstRow(), '2')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()

    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Subtitles (srt)' }).click()])
    t.match(readFileSync(await download.path(), 'utf8'), /^1\n00:00:0/)

    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue()
    t.ok(link.startsWith(`${proxy.address}/shared/`), link)
    const guest = await person(t, { isSignedIn: false })
    await guest.page.goto(link)
    await wordsOf(guest.page, 0).waitFor()
  })

  await t.test('addresses that it shows begin with the folder', async (t) => {
    const { page, open } = await person(t)
    await open('/settings/api')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('script')
    await page.keyboard.press('Enter')
    const command = await page.getByRole('textbox', { name: 'Try it' }).textContent() ?? ''
    t.ok(command.endsWith(` ${proxy.address}/api/v1/transcriptions`), command)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    const document = page.waitForResponse(/\/steno\/docs\/json$/)
    await page.getByRole('main').locator('a[href*=docs]').click()
    t.equal((await document).status(), 200, 'the reference finds its document')
    await open('/administration/system')
    await open('/no/such/page')
    await page.getByRole('link', { name: 'Library' }).click()
    await page.getByRole('heading', { name: 'Library' }).waitFor()
  })

  t.strictSame(proxy.outside, [], 'nothing is asked for outside of the folder')
})
