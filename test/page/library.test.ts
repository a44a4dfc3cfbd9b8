/** The library: its list, and what people do with recordings. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { AUDIO } from '../support/paths.ts'
import { waitFor } from '../support/wait.ts'
import { expectAccessible } from './support/accessible.ts'
import { holdTime, isFocused, NO_CHROMIUM, tabTo } from './support/browser.ts'
import { addRecordings } from './support/many-recordings.ts'
import { startPage } from './support/stage.ts'

const row = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const titles = async (page: Page): Promise<string[]> => await page.locator('[data-row-link]').allTextContents()

t.test('library', { skip: NO_CHROMIUM }, async (t) => {
  const stage = await startPage(t)
  const { client } = stage
  const dataDir = t.testdirName
  const add = async (fileName: string, file = 'en-1.wav'): Promise<number> => await client.uploadFile(AUDIO + file, { fileName })
  const [first, second, broken] = [await add('Budget.wav'), await add('Ärger.wav', 'de-1.m4a'), await add('broken.mp3', 'dialogue.txt')]
  for (const id of [first, second, broken]) await client.ended(id)

  await t.test('is sorted and filtered, and the address says how', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    await row(page, 'Budget.wav').waitFor()
    t.strictSame(await titles(page), ['broken.mp3', 'Ärger.wav', 'Budget.wav'], 'newest first')
    await expectAccessible(t, page, 'library')

    await tabTo(page, page.getByRole('combobox', { name: 'Order' }))
    await page.keyboard.press('ArrowDown')
    await page.waitForURL(/sort=oldest/)
    await waitFor('the other order', async () => (await titles(page))[0] === 'Budget.wav')

    await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed')
    await row(page, 'Budget.wav').waitFor({ state: 'detached' })
    await waitFor('the failed ones alone', async () => (await titles(page)).join() === 'broken.mp3')
    t.match(page.url(), /status=failed/)
    await page.goBack()
    await row(page, 'Budget.wav').waitFor()
  })

  const reasons = { 'de-DE': 'Die Datei ist kein lesbares Audio oder Video.', 'es-ES': 'El archivo no es de audio ni de vídeo' }
  for (const [locale, reason] of Object.entries(reasons)) {
    await t.test(`a failed recording says why in the language of the page: ${locale}`, async (t) => {
      const { page, open } = await stage.person(t, { locale })
      await open('/?status=failed')
      await page.getByText(reason).first().waitFor()
      await expectAccessible(t, page, 'a reason')
    })
  }

  await t.test('a failed recording says why, and can be tried again', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/?status=failed')
    const { failure } = await client.job(broken)
    await page.getByText(failure?.message ?? 'no reason').first().waitFor()
    const retry = page.getByRole('button', { name: 'Try broken.mp3 again' })
    await tabTo(page, retry)
    await page.keyboard.press('Enter')
    await waitFor('the second attempt', async () => (await client.job(broken)).retryCount === 1)
  })

  await t.test('by keyboard: moving, renaming, tagging', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    await tabTo(page, page.locator('[data-row-link]').first())
    await page.keyboard.press('j')
    await page.keyboard.press('End')
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Budget.wav')
    await page.keyboard.press('F2')
    const name = page.getByRole('dialog', { name: 'Rename' }).getByRole('textbox', { name: 'Name' })
    await name.waitFor()
    await expectAccessible(t, page, 'renaming')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('ميزانية <b>2026</b>')
    await page.keyboard.press('Enter')
    await row(page, 'ميزانية <b>2026</b>').waitFor()
    t.equal(await page.evaluate('document.activeElement.textContent'), 'ميزانية <b>2026</b>', 'the focus comes back')
    t.equal(await page.evaluate('getComputedStyle(document.activeElement).direction'), 'rtl')

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Edit tags' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByLabel('New tag').waitFor()
    await page.keyboard.type('board, 2026')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: '2026' }).waitFor()
    await expectAccessible(t, page, 'tagging')
    await tabTo(page, page.getByRole('button', { name: 'Save' }))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await waitFor('the tags', async () => {
      const { body } = await client.request<{ title: string, tags: string[] }>('GET', `/api/v1/transcriptions/${first}`)
      return body.data.title === 'ميزانية <b>2026</b>' && body.data.tags.join() === 'board,2026'
    })
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('board (1)')
    await row(page, 'Ärger.wav').waitFor({ state: 'detached' })
  })

  await t.test('by keyboard: deleting, undoing, and deleting by leaving the page', async (t) => {
    const { page, open } = await stage.person(t)
    const isThere = async (): Promise<boolean> => (await client.request('GET', `/api/v1/transcriptions/${second}`)).status === 200
    await page.clock.install()
    await open('/')
    await tabTo(page, row(page, 'Ärger.wav'))
    // The time of the notice does not run while its keys are pressed, however long that takes here.
    await holdTime(page)
    await page.keyboard.press('Delete')
    await row(page, 'Ärger.wav').waitFor({ state: 'detached' })
    t.ok(await page.evaluate('document.activeElement.matches("[data-row-link]")'), 'the focus is on the next row')
    const notices = page.getByRole('region', { name: 'notification' })
    await notices.waitFor()
    await page.keyboard.press('F6')
    await waitFor('the focus on the notices', async () => await notices.evaluate(isFocused))
    await page.clock.runFor(60_000)
    t.ok(await page.getByRole('button', { name: 'Undo' }).isVisible(), 'a notice stays for as long as the focus is on it')
    await page.clock.resume()
    await expectAccessible(t, page, 'a deletion that can be undone')
    await tabTo(page, page.getByRole('button', { name: 'Undo' }))
    await page.keyboard.press('Enter')
    await row(page, 'Ärger.wav').waitFor()
    t.ok(await isThere(), 'nothing was deleted')

    await tabTo(page, row(page, 'Ärger.wav'))
    await page.keyboard.press('Delete')
    await row(page, 'Ärger.wav').waitFor({ state: 'detached' })
    await page.goto('about:blank')
    await waitFor('the deletion', async () => !await isThere())
  })

  await t.test('shows what happens elsewhere, also what happened while the connection was lost', async (t) => {
    const { page, open, context, faults } = await stage.person(t)
    faults.allow(/ERR_FAILED|ERR_INTERNET_DISCONNECTED|ERR_NETWORK/)
    await open('/')
    await row(page, 'broken.mp3').waitFor()
    await client.ended(await add('From a terminal.wav'))
    await row(page, 'From a terminal.wav').waitFor()
    await context.setOffline(true)
    const other = await add('Meanwhile.wav')
    await context.setOffline(false)
    await row(page, 'Meanwhile.wav').waitFor()
    await client.request('DELETE', `/api/v1/transcriptions/${other}`)
    await row(page, 'Meanwhile.wav').waitFor({ state: 'detached' })
  })

  await t.test('ten thousand recordings: few rows are in the document, and the keyboard reaches all of them', async (t) => {
    const { page, open } = await stage.person(t)
    const ALL = 10_000
    addRecordings(dataDir, first, ALL)
    await open('/')
    await tabTo(page, row(page, 'Recording 1.wav'))
    const focused = async (): Promise<string> => String(await page.evaluate('document.activeElement.textContent'))
    let at = ''
    await waitFor('the last recording', async () => {
      await page.keyboard.press('End')
      at = await focused()
      return at === 'ميزانية <b>2026</b>'
    }, { progress: () => at })
    t.ok(await page.locator('[data-row-link]').count() < 60, 'rows beyond the screen are not in the document')
    for (const name of ['broken.mp3', 'From a terminal.wav', `Recording ${ALL}.wav`]) {
      await page.keyboard.press('ArrowUp')
      await waitFor(`the row before: ${name}`, async () => await focused() === name)
    }
    await page.keyboard.press('Home')
    await waitFor('the first recording', async () => await focused() === 'Recording 1.wav')
  })
})
