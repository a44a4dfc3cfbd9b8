/** The administration as a person uses it, with a mouse and by keyboard alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Locator, Page } from 'playwright-core'
import { createLibrary, modelEntry, modelManifest } from '../support/model-library.ts'
import { makeBytes, serveBytes, sha256Of, startServer } from '../support/model-server.ts'
import { waitFor } from '../support/wait.ts'
import { expectAccessible, overhangOf } from './support/accessible.ts'
import { isFocused, NO_CHROMIUM, tabTo } from './support/browser.ts'
import { startPage } from './support/stage.ts'

const SECTIONS = ['system', 'owners', 'plans', 'queue', 'failed', 'models', 'log'] as const
const BYTES = makeBytes(3_000_000)
const STALL_AFTER = 1_000_000
const entryOf = (name: string) => modelEntry(name, {
  url: `https://huggingface.co/org/repo/resolve/main/${name}.bin`, bytes: BYTES.length, sha256: sha256Of(BYTES)
})
const STARTER = modelEntry('starter', { file: 'starter/ggml-starter-q5_0.bin', bundled: true, languages: ['en', 'de', 'es'] })
const MANIFEST = modelManifest([entryOf('slow'), entryOf('carried'), STARTER])

const buttonOf = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', { name, exact: typeof name === 'string' })

async function pressByKey (page: Page, control: Locator, key = 'Tab'): Promise<void> {
  await control.waitFor()
  await tabTo(page, control, key)
  await page.keyboard.press('Enter')
}

t.test('administration', { skip: NO_CHROMIUM, timeout: 900_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'stenobox-page-'))
  t.teardown(() => { rmSync(folder, { recursive: true, force: true }) })
  const { dir, library, watcher } = createLibrary(t, MANIFEST, { files: { 'carried.bin': BYTES } })
  await library.exportTo(['carried'], join(folder, 'carried.tar'), watcher)
  rmSync(dir, { recursive: true })
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(MANIFEST))
  writeFileSync(join(folder, 'wrong.tar'), 'this is no archive')
  const hub = await startServer(t, (seen, response) => { serveBytes(seen, response, BYTES, { stallAfter: STALL_AFTER }) })
  const stage = await startPage(t, {
    settings: { STENOBOX_MODELS_DIR: folder, STENOBOX_MODELS_URL: hub.url, STENOBOX_AUDIT_LOG: join(folder, 'audit.log') }
  })

  await t.test('an owner is created, changed and removed', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/administration/owners')
    await buttonOf(page, 'Add owner').click()
    await page.getByLabel('Name', { exact: true }).fill('ada')
    await buttonOf(page.getByRole('dialog'), 'Add owner').click()
    await page.getByText('There is already an owner with this name.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('שרה לוי')
    await page.getByLabel('Password', { exact: true }).fill('five green boats at dawn')
    await buttonOf(page.getByRole('dialog'), 'Add owner').click()
    const row = page.getByRole('listitem').filter({ hasText: 'שרה לוי' })
    await row.getByText('Plan enterprise').waitFor()
    const signIn = async (): Promise<number> => (await fetch(`${stage.origin}/api/v1/session`, {
      method: 'POST', headers: { 'content-type': 'application/json', origin: stage.origin },
      body: JSON.stringify({ name: 'שרה לוי', password: 'five green boats at dawn' })
    })).status
    t.equal(await signIn(), 200)

    await buttonOf(row, /^Actions for/).click()
    await page.getByRole('menuitem', { name: 'Change name, plan and role' }).click()
    await buttonOf(page.getByRole('dialog'), /Role/).click()
    await page.getByRole('option', { name: 'Administrator' }).click()
    await buttonOf(page, 'Save').click()
    await row.getByText('Administrator', { exact: true }).waitFor()

    await buttonOf(row, /^Actions for/).click()
    await page.getByRole('menuitem', { name: 'Set password' }).click()
    await buttonOf(page, 'Remove the password').click()
    await row.getByText('No password').waitFor()
    t.equal(await signIn(), 401)

    await buttonOf(row, /^Actions for/).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await buttonOf(page.getByRole('alertdialog'), 'Remove').click()
    await row.waitFor({ state: 'detached' })
  })

  await t.test('an owner is created and removed by keyboard alone', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/administration/owners')
    await pressByKey(page, buttonOf(page, 'Add owner'))
    await page.keyboard.type('bert')
    await page.keyboard.press('Enter')
    await pressByKey(page, buttonOf(page, 'Actions for bert'))
    await pressByKey(page, page.getByRole('menuitem', { name: 'Remove' }), 'ArrowDown')
    await pressByKey(page, buttonOf(page.getByRole('alertdialog'), 'Remove'))
    await buttonOf(page, 'Actions for bert').waitFor({ state: 'detached' })
  })

  await t.test('a model is fetched with progress, and cancelled', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/administration/models')
    await pressByKey(page, buttonOf(page, 'Install slow'))
    const progress = page.getByRole('progressbar', { name: 'Installation of slow' })
    await progress.and(page.locator(':not([aria-valuenow="0"])')).waitFor()
    await pressByKey(page, buttonOf(page, 'Cancel the installation of slow'))
    await page.getByText('Cancelled', { exact: true }).waitFor()
    await buttonOf(page, 'Install slow').waitFor()
  })

  await t.test('by keyboard alone, an archive is imported; what is none is refused in a sentence', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/administration/models')
    const choose = async (file: string): Promise<void> => {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), pressByKey(page, buttonOf(page, 'Choose a file'))])
      await chooser.setFiles(join(folder, file))
    }
    await choose('wrong.tar')
    await page.getByRole('alert').waitFor()
    t.match(await page.getByRole('alert').textContent(), /archive/)
    await choose('carried.tar')
    await page.getByRole('list', { name: 'Installed' }).getByText('carried', { exact: true }).waitFor()
  })

  const refusals = [
    { locale: 'de-DE', button: 'Datei auswählen', reason: /^Das .*Archiv/ },
    { locale: 'es-ES', button: 'Elegir un archivo', reason: /^(El|No es un) archivo/ }
  ]
  for (const { locale, button, reason } of refusals) {
    await t.test(`what is no archive is refused in the language of the page: ${locale}`, async (t) => {
      const { page, open } = await stage.person(t, { locale })
      await open('/administration/models')
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), pressByKey(page, buttonOf(page, button))])
      await chooser.setFiles(join(folder, 'wrong.tar'))
      await page.getByRole('alert').waitFor()
      t.match(await page.getByRole('alert').textContent(), reason)
    })
  }

  await t.test('a failed job is named without its recording, and tried again', async (t) => {
    const id = await stage.client.upload(Buffer.from('no sound'), { fileName: 'secret name.mp3' })
    t.match(await stage.client.ended(id), { status: 'failed' })
    const { page, open } = await stage.person(t)
    await open('/administration/failed')
    await page.getByText(`Job ${id} of ada`).waitFor()
    t.notMatch(await page.getByRole('main').textContent(), /secret name/)
    await buttonOf(page, `Try again: job ${id}`).click()
    await page.getByText(`Job ${id} is in the queue again.`).waitFor()
  })

  await t.test('the limits of a plan are changed and restored', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/administration/plans')
    await buttonOf(page, 'Change the plan free').click()
    await page.getByLabel('Requests a day').fill('7')
    await buttonOf(page, 'Save').click()
    await page.getByText('Requests a day: 7').waitFor()
    await buttonOf(page, 'Change the plan free').click()
    await buttonOf(page, 'Reset to default').click()
    await page.getByText('Requests a day: 100').waitFor()
  })

  await t.test('by keyboard alone, the limits of a plan are changed, refused and restored', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/administration/plans')
    const change = buttonOf(page, 'Change the plan build')
    await pressByKey(page, change)
    const dialog = page.getByRole('dialog', { name: 'Plan build' })
    await dialog.waitFor()
    await page.keyboard.type('many')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('90')
    await tabTo(page, dialog.getByRole('switch', { name: 'Tell speakers apart' }))
    await page.keyboard.press(' ')
    await pressByKey(page, buttonOf(dialog, 'Save'))
    await dialog.locator('[slot=errorMessage]').waitFor()
    await expectAccessible(t, page, 'a limit that is refused')
    await tabTo(page, dialog.getByLabel('Requests a day'), 'Shift+Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('12')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const row = page.getByRole('listitem').filter({ hasText: 'build' })
    await row.getByText('Requests a day: 12').waitFor()
    await row.getByText('Minutes a month: 90').waitFor()
    await row.getByText('With speakers').waitFor()
    await waitFor('the focus where it was', async () => await change.evaluate(isFocused))
    await page.keyboard.press('Enter')
    await pressByKey(page, buttonOf(dialog, 'Reset to default'))
    await row.getByText('Requests a day: no limit').waitFor()
  })

  await t.test('by keyboard alone, the retention of an owner is set', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/administration/owners')
    await pressByKey(page, buttonOf(page, 'Actions for ada'))
    await pressByKey(page, page.getByRole('menuitem', { name: 'Retention' }), 'ArrowDown')
    const dialog = page.getByRole('dialog', { name: 'Retention for' })
    await tabTo(page, dialog.getByLabel('Days until recordings are deleted'))
    await page.keyboard.type('30')
    await page.keyboard.press('Tab')
    await page.keyboard.type('soon')
    await page.keyboard.press('Enter')
    await dialog.locator('[slot=errorMessage]').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('365')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    t.match((await stage.client.request('GET', '/api/v1/retention')).body.data, { allowed: { recordingDays: 30, transcriptDays: 365 } })
  })

  await t.test('the log shows who did what', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/administration/log')
    await page.getByRole('cell', { name: 'createOwner' }).first().waitFor()
    t.equal(await page.getByRole('cell', { name: 'listOwners' }).count(), 0, 'what was only read is left out')
    t.equal(await overhangOf(page.getByRole('region', { name: 'Log' })), 0, 'nothing of it has to be scrolled to')
  })

  await t.test('who is no administrator sees none of it', async (t) => {
    await stage.client.request('GET', '/api/v1/usage')
    const { page, open, context } = await stage.person(t)
    await open('/administration/owners')
    await buttonOf(page, 'Add owner').click()
    await page.getByLabel('Name', { exact: true }).fill('carol')
    await page.getByLabel('Password', { exact: true }).fill('five green boats at dawn')
    await buttonOf(page.getByRole('dialog'), 'Add owner').click()
    await buttonOf(page, 'Actions for carol').waitFor()
    await context.request.post('/api/v1/session', {
      data: { name: 'carol', password: 'five green boats at dawn' }, headers: { origin: stage.origin }
    })
    await page.goto('/administration/owners')
    await page.getByText('Only administrators may open this.').waitFor()
    t.equal(await page.getByRole('link', { name: 'Administration' }).count(), 0)
  })

  await t.test('every section is accessible', async (t) => {
    const { page, open } = await stage.person(t)
    for (const section of SECTIONS) {
      await open(`/administration/${section}`)
      await page.getByRole('status', { name: 'Loading…' }).first().waitFor({ state: 'detached' })
      await expectAccessible(t, page, section)
    }
  })
})
