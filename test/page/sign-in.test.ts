/** Signing in and out, and a session that ends under an open page. */
import t from 'tap'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { ACCOUNT, startPage } from './support/stage.ts'

t.test('sign-in', { skip: NO_CHROMIUM }, async (t) => {
  const stage = await startPage(t)

  await t.test('leads back to where somebody wanted to go, by keyboard', async (t) => {
    const { page } = await stage.person(t, { isSignedIn: false })
    await page.goto('/?sort=title')
    const name = page.getByLabel('Name')
    await name.waitFor()
    await expectAccessible(t, page, 'sign-in')
    await tabTo(page, name, 'Shift+Tab')
    await page.keyboard.type(ACCOUNT.name)
    await page.keyboard.press('Tab')
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    await page.locator('[data-invalid] [slot=errorMessage], [slot=errorMessage]').first().waitFor()
    t.equal(await name.inputValue(), ACCOUNT.name, 'what was typed stays')
    await tabTo(page, page.getByLabel('Password', { exact: true }), 'Shift+Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.type(ACCOUNT.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Library' }).waitFor()
    t.equal(page.url(), `${stage.origin}/?sort=title`)
  })

  await t.test('never leads to another site', async (t) => {
    const { page } = await stage.person(t, { isSignedIn: false })
    await page.goto('/sign-in?next=//evil.example/')
    await page.getByLabel('Name').fill(ACCOUNT.name)
    await page.getByLabel('Password', { exact: true }).fill(ACCOUNT.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Library' }).waitFor()
    t.equal(page.url(), `${stage.origin}/`)
  })

  await t.test('a session that ends loses nothing that was typed', async (t) => {
    const { page, context, open } = await stage.person(t)
    await open('/')
    await page.getByRole('button', { name: 'Add recordings' }).click()
    await page.getByRole('menuitem', { name: 'From a web address…' }).click()
    await page.getByRole('textbox', { name: 'Web address' }).fill('https://example.org/talk.mp3')
    await context.clearCookies()
    await page.keyboard.press('Enter')

    const over = page.getByRole('dialog', { name: 'Sign in again' })
    await over.waitFor()
    t.equal(await over.getByLabel('Name').inputValue(), ACCOUNT.name, 'only the password is missing')
    await expectAccessible(t, page, 'sign-in over the page')
    await page.keyboard.press('Escape')
    t.ok(await over.isVisible(), 'nothing else can be done without a session')
    await over.getByLabel('Password', { exact: true }).focus()
    await page.keyboard.type(ACCOUNT.password)
    await page.keyboard.press('Enter')
    await over.waitFor({ state: 'hidden' })
    t.equal(await page.getByRole('textbox', { name: 'Web address' }).inputValue(), 'https://example.org/talk.mp3')
  })

  await t.test('signing out ends the session and leaves nothing behind', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    await tabTo(page, page.getByRole('button', { name: 'Sign out' }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    t.equal(await page.evaluate('sessionStorage.length'), 0)
    await page.goto('/')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})
