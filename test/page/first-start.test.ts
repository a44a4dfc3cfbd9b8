/** The first start: an account is made, and better models are offered. */
import t from 'tap'
import { judgePassword } from '../../src/dashboard/account/strength.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { ACCOUNT, startPage } from './support/stage.ts'

t.test('advice about passwords', async (t) => {
  const judge = (password: string, name = 'ada') => judgePassword(password, name)
  t.strictSame(judge('short'), { level: 'short', advice: 'longer' })
  t.match(judge('aaaaaaaaaaaaaaaa'), { level: 'weak', advice: 'repeats' })
  t.match(judge('abcdefghijklmnop'), { level: 'weak' }, 'characters in a row say nothing')
  t.match(judge('password1234'), { level: 'weak', advice: 'common' })
  t.match(judge('ada-lovelace-1815', 'ada-lovelace'), { level: 'weak', advice: 'name' })
  t.strictSame(judge('nine silver lamps by the sea'), { level: 'good' })
  t.match(judge('чердак, лампа и море'), { level: 'good' }, 'other scripts are judged by the same rule')
})

t.test('first start', { skip: NO_CHROMIUM }, async (t) => {
  await t.test('by keyboard: what is missing is said, the account is made, models are offered', async (t) => {
    const stage = await startPage(t, { hasAccount: false })
    const { page, faults } = await stage.person(t, { isSignedIn: false })
    await page.goto('/')
    const create = page.getByRole('button', { name: 'Create account' })
    await create.waitFor()
    t.equal(new URL(page.url()).pathname, '/setup', 'the first visitor is led to the first start')
    await expectAccessible(t, page, 'first start')

    await tabTo(page, page.getByLabel('Name'), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Choose a name.').waitFor()
    await page.keyboard.type(ACCOUNT.name)
    await page.keyboard.press('Tab')
    await page.keyboard.type('ada')
    await page.getByText('Too short.').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type(ACCOUNT.password)
    await page.getByText('Good.').waitFor()
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'What is installed' }).waitFor()
    await page.getByText('(for trying out)').waitFor()
    await page.getByRole('button', { name: 'Download base', exact: true }).waitFor()
    await expectAccessible(t, page, 'what is installed')
    await tabTo(page, page.getByRole('button', { name: 'Go to the library' }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Drop your first recording here' }).waitFor()
    await expectAccessible(t, page, 'empty library')

    await page.goto('/setup')
    await page.getByRole('heading', { name: 'Library' }).waitFor()
    t.equal(new URL(page.url()).pathname, '/', 'it happens once')
    t.strictSame(faults.list(), [])
  })

  await t.test('a browser elsewhere needs the token that the server prints', async (t) => {
    const stage = await startPage(t, { hasAccount: false })
    const token = /setup\?token=(\S+)/.exec(stage.server.greeting)?.[1] ?? ''
    const { page, context } = await stage.person(t, { isSignedIn: false })
    // What a proxy adds: the request may be anybody's.
    await context.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.9' })
    await page.goto('/')
    const field = page.getByLabel('Token')
    await field.waitFor()
    await page.getByLabel('Name').fill(ACCOUNT.name)
    await page.getByLabel('Password', { exact: true }).fill(ACCOUNT.password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Enter the token that the server printed.').waitFor()
    await field.fill('not the token')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText(/token is missing or wrong/).waitFor()
    await expectAccessible(t, page, 'a wrong token')

    await page.goto(`/setup?token=${token}`)
    await page.getByLabel('Name').fill(ACCOUNT.name)
    await page.getByLabel('Password', { exact: true }).fill(ACCOUNT.password)
    t.equal(await field.count(), 0, 'the printed address has it')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'What is installed' }).waitFor()
    t.equal(page.url(), `${stage.origin}/setup`, 'the token does not stay in the address')
  })
})
