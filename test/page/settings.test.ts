/** The settings as a person uses them, with a mouse and by keyboard alone. */
import t from 'tap'
import type { Locator, Page } from 'playwright-core'
import { startReceiver } from '../support/receiver.ts'
import { waitFor } from '../support/wait.ts'
import { expectAccessible } from './support/accessible.ts'
import { holdTime, isFocused, NO_CHROMIUM, tabTo, untilInHeldTime } from './support/browser.ts'
import { ACCOUNT, startPage } from './support/stage.ts'

const SECTIONS = ['api', 'webhooks', 'connections', 'usage', 'vocabulary', 'retention', 'appearance', 'language', 'account'] as const
const LOCAL_WEBHOOKS = { STENOBOX_ALLOW_WEBHOOKS: '127.0.0.0/8' }

const buttonOf = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', { name, exact: typeof name === 'string' })

/** Waits until everything that the page asked for has arrived. */
async function settled (page: Page): Promise<void> {
  await page.getByRole('status', { name: 'Loading…' }).first().waitFor({ state: 'detached' })
}

/** Reaches a control by Tab and presses it. */
async function pressByKey (page: Page, control: Locator, key = 'Enter'): Promise<void> {
  await control.waitFor()
  await tabTo(page, control)
  await page.keyboard.press(key)
}

t.test('settings', { skip: NO_CHROMIUM, timeout: 600_000 }, async (t) => {
  const stage = await startPage(t, { settings: LOCAL_WEBHOOKS })
  const statusOf = async (key: string): Promise<number> =>
    (await fetch(`${stage.origin}/api/v1/transcriptions`, { headers: { authorization: `Bearer ${key}` } })).status

  await t.test('a key is created, shown once, replaced and revoked', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/settings/api')
    await buttonOf(page, 'Create key').click()
    await page.getByLabel('Name').fill('archive script')
    await page.keyboard.press('Enter')
    const first = await page.getByRole('textbox', { name: 'Key', exact: true }).textContent() ?? ''
    t.equal(await page.getByRole('textbox', { name: 'Try it' }).textContent(),
      `curl -H "Authorization: Bearer ${first}" ${stage.origin}/api/v1/transcriptions`)
    await page.keyboard.press('Escape')
    t.ok(await page.getByRole('dialog').isVisible(), 'what is shown once does not go away by itself')
    t.equal(await statusOf(first), 200)
    await buttonOf(page, 'I have stored it').click()

    await buttonOf(page, 'Replace the key archive script').click()
    await buttonOf(page, /Keep the old key working/).click()
    await page.getByRole('option', { name: 'No time: it stops at once' }).click()
    await buttonOf(page.getByRole('dialog'), 'Replace').click()
    const second = await page.getByRole('textbox', { name: 'Key', exact: true }).textContent() ?? ''
    await buttonOf(page, 'I have stored it').click()
    t.strictSame([await statusOf(first), await statusOf(second)], [401, 200])

    const row = page.getByRole('listitem').filter({ hasText: second.slice(-4) })
    await row.getByRole('button', { name: /^Revoke/ }).click()
    await buttonOf(page.getByRole('alertdialog'), 'Revoke').click()
    await row.getByText('Revoked', { exact: true }).waitFor()
    t.equal(await statusOf(second), 401)
  })

  await t.test('a name that the appliance refuses is told at the field', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/settings/api')
    await buttonOf(page, 'Create key').click()
    await page.getByLabel('Name').fill(' blank before')
    await page.keyboard.press('Enter')
    const field = page.getByRole('dialog').getByRole('textbox', { name: /Name/ })
    await page.locator('[data-invalid] >> nth=0').waitFor()
    const described = (await field.getAttribute('aria-describedby') ?? '').split(' ')
    const texts = await Promise.all(described.map(async (id) => await page.locator(`[id="${id}"]`).textContent()))
    t.match(texts.join(' '), /cannot begin or end with a space/)
  })

  await t.test('a key is replaced by keyboard alone', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/settings/api')
    await pressByKey(page, buttonOf(page, 'Create key'))
    await page.keyboard.type('typed')
    await page.keyboard.press('Enter')
    const first = await page.getByRole('textbox', { name: 'Key', exact: true }).textContent() ?? ''
    await pressByKey(page, buttonOf(page, 'I have stored it'))
    await pressByKey(page, buttonOf(page, 'Replace the key typed'))
    await pressByKey(page, buttonOf(page.getByRole('dialog'), 'Replace'))
    const second = page.getByRole('textbox', { name: 'Key', exact: true }).filter({ hasNotText: first })
    await second.waitFor()
    t.equal(await statusOf(await second.textContent() ?? ''), 200)
    await pressByKey(page, buttonOf(page, 'I have stored it'))
    await page.locator(':focus').waitFor({ state: 'attached' })
  })

  await t.test('a webhook is added and tested; a failed delivery is told', async (t) => {
    let status = 204
    const receiver = await startReceiver(t, (response) => { response.writeHead(status).end() })
    const { page, open, faults } = await stage.person(t)
    faults.allow(/status of 502 .*webhooks\/test/)
    await open('/settings/webhooks')
    await buttonOf(page, 'Add address').click()
    await page.getByLabel('Address', { exact: true }).fill('no address')
    await page.keyboard.press('Enter')
    await page.getByText('This is not a complete http or https address.').waitFor()
    await page.getByLabel('Address', { exact: true }).fill(receiver.url)
    await page.keyboard.press('Enter')
    t.match(await page.getByRole('textbox', { name: 'Signing secret' }).textContent(), /^whsec_/)
    await buttonOf(page, 'I have stored it').click()
    await buttonOf(page, `Test: ${receiver.url}`).click()
    await page.getByText(/The receiver answered 204 after/).waitFor()
    status = 500
    await buttonOf(page, `Test: ${receiver.url}`).click()
    await page.getByRole('alert').waitFor()
    t.match(await page.getByRole('alert').textContent(), /500/)
    t.equal(receiver.received.length, 2)
  })

  await t.test('a webhook is tested, switched off and deleted by keyboard alone', async (t) => {
    const receiver = await startReceiver(t)
    const made = await stage.client.request('POST', '/api/v1/webhooks/endpoints', { url: `${receiver.url}/keys` })
    t.equal(made.status, 201)
    const { page, open } = await stage.person(t)
    await open('/settings/webhooks')
    const row = page.getByRole('listitem').filter({ hasText: '/keys' })
    await pressByKey(page, row.getByRole('button', { name: /^Test:/ }))
    await row.getByText(/The receiver answered 204/).waitFor()
    await pressByKey(page, row.getByRole('button', { name: /^More for/ }))
    await pressMenuItem(page, 'Switch off')
    await row.getByText('Off', { exact: true }).waitFor()
    await pressByKey(page, row.getByRole('button', { name: /^More for/ }))
    await pressMenuItem(page, 'Delete')
    await pressByKey(page, buttonOf(page.getByRole('alertdialog'), 'Delete'))
    await row.waitFor({ state: 'detached' })
  })

  await t.test('names and terms are added, removed and brought back', async (t) => {
    const { page, open } = await stage.person(t)
    await page.clock.install()
    await open('/settings/vocabulary')
    await page.getByLabel('New names or terms').fill('Dashwood, Ada Lovelace')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'Ada Lovelace' }).waitFor()
    await page.getByLabel('New names or terms').fill('…')
    await page.keyboard.press('Enter')
    await page.getByText(/must have a letter or a digit/).waitFor()
    await tabTo(page, page.getByRole('row', { name: 'Dashwood' }))
    await holdTime(page)
    await page.keyboard.press('Delete')
    await untilInHeldTime(page, 'the notice', async () => await buttonOf(page, 'Undo').isVisible())
    t.equal(await page.getByRole('row', { name: 'Dashwood' }).count(), 0)
    await buttonOf(page, 'Undo').click()
    await page.clock.resume()
    await page.getByRole('row', { name: 'Dashwood' }).waitFor()
  })

  await t.test('a shorter retention is confirmed first', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/settings/retention')
    const choice = page.getByRole('button', { name: /Recordings/ })
    await choice.click()
    await page.getByRole('option', { name: 'Delete after 30 days' }).click()
    await buttonOf(page.getByRole('alertdialog'), 'Cancel').click()
    t.match(await choice.textContent(), /As the administrator has set/)
    await choice.click()
    await page.getByRole('option', { name: 'Delete after 30 days' }).click()
    await buttonOf(page.getByRole('alertdialog'), 'Delete what is older').click()
    await page.getByText('Saved').waitFor()
    t.match((await stage.client.request('GET', '/api/v1/retention')).body.data, { own: { recordingDays: 30 } })
  })

  await t.test('by keyboard alone, a shorter retention is asked about, and confirmed', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/settings/retention')
    const choice = page.getByRole('button', { name: /Transcripts/ })
    const cancel = buttonOf(page.getByRole('alertdialog'), 'Cancel')
    const choose = async (): Promise<void> => {
      await pressByKey(page, choice)
      const option = page.getByRole('option', { name: 'Delete after 365 days' })
      await option.waitFor()
      await tabTo(page, option, 'ArrowDown')
      await page.keyboard.press('Enter')
      await waitFor('the focus on what changes nothing', async () => await cancel.count() > 0 && await cancel.evaluate(isFocused))
    }
    await choose()
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    t.match((await stage.client.request('GET', '/api/v1/retention')).body.data, { own: { transcriptDays: null } })
    await choose()
    await pressByKey(page, buttonOf(page.getByRole('alertdialog'), 'Delete what is older'))
    await page.getByText('Saved').waitFor()
    t.match((await stage.client.request('GET', '/api/v1/retention')).body.data, { own: { transcriptDays: 365 } })
    await waitFor('the focus where it was', async () => await choice.evaluate(isFocused))
  })

  await t.test('the language and the appearance are changed at once, and remembered', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/settings/language')
    await page.getByText('Deutsch').click()
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
    t.equal(await page.evaluate('document.documentElement.lang'), 'de')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
    await tabTo(page, page.getByRole('radio', { name: 'Deutsch' }))
    await page.keyboard.press('ArrowDown')
    await page.getByRole('heading', { level: 1, name: 'Ajustes' }).waitFor()
    await open('/settings/appearance')
    await tabTo(page, page.getByRole('radio', { name: 'Igual que el sistema' }))
    await page.keyboard.press('ArrowUp')
    t.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'dark')
  })

  await t.test('usage is a drawing, and a table for those who do not see it', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/settings/usage')
    await page.getByRole('table').waitFor()
    t.equal(await page.getByRole('row').count(), 31, 'a head and 30 days')
    await buttonOf(page, /What is counted/).click()
    await page.getByRole('option', { name: 'Requests' }).click()
    await page.getByRole('columnheader', { name: 'Requests' }).waitFor()
  })

  await t.test('every section is accessible', async (t) => {
    const { page, open } = await stage.person(t)
    for (const section of SECTIONS) {
      await open(`/settings/${section}`)
      await settled(page)
      await expectAccessible(t, page, section)
    }
    await open('/settings/api')
    await buttonOf(page, 'Create key').click()
    await expectAccessible(t, page, 'dialog of a new key')
    await page.getByLabel('Name').fill('seen')
    await page.keyboard.press('Enter')
    await buttonOf(page, 'I have stored it').waitFor()
    await expectAccessible(t, page, 'dialog of a key that is shown')
  })

  // Last: it ends the sessions of the account.
  await t.test('the password is changed, and the person signs out, by keyboard alone', async (t) => {
    const { page, open, faults } = await stage.person(t)
    faults.allow(/401/)
    const next = 'another lamp, another sea'
    await open('/settings/account')
    const current = page.getByLabel('Current password')
    await tabTo(page, current)
    for (const text of ['not the password', next, next]) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByText('The current password is wrong.').waitFor()
    await current.fill(ACCOUNT.password)
    await current.press('Enter')
    await page.getByText('Your password has been changed.').waitFor()
    await pressByKey(page, buttonOf(page, 'Sign out'))
    await page.waitForURL(/sign-in/)
    await page.goto('/settings/account')
    await page.waitForURL(/sign-in/)
  })
})

async function pressMenuItem (page: Page, name: string): Promise<void> {
  const item = page.getByRole('menuitem', { name, exact: true })
  await item.waitFor()
  await tabTo(page, item, 'ArrowDown')
  await page.keyboard.press('Enter')
}
