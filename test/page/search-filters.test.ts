/** The filters of the search: language, speaker, days, and where a recording came from. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { openDatabase } from '../../dist/store/database.js'
import { AUDIO } from '../support/paths.ts'
import { serveFolder, startSources } from '../support/source-server.ts'
import { waitFor } from '../support/wait.ts'
import { expectAccessible } from './support/accessible.ts'
import { isFocused, NO_CHROMIUM, tabTo } from './support/browser.ts'
import { startPage } from './support/stage.ts'

const found = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name }).first()
const chip = (page: Page, name: string) => page.getByRole('row', { name })
const dialog = (page: Page, name = 'Filters') => page.getByRole('dialog', { name })
const filters = (page: Page, name = 'Filters') => page.getByRole('button', { name, exact: true })

/** Moves the creation of a recording to noon of a day. */
function backdate (dataDir: string, id: number, day: string): void {
  const db = openDatabase(dataDir)
  db.prepare('UPDATE job SET created_at = ? WHERE id = ?').run(new Date(`${day}T12:00`).getTime(), id)
  db.close()
}

t.test('search filters', { skip: NO_CHROMIUM }, async (t) => {
  const sources = await startSources(t, serveFolder(AUDIO))
  const stage = await startPage(t, { settings: { STENOBOX_ALLOW_SOURCES: sources.host } })
  const { client } = stage
  const interview = await client.uploadFile(`${AUDIO}dialogue.mp3`, {
    fileName: 'Interview.mp3', language: 'en', options: { speakers: { exact: 2 } }
  })
  const source = `${sources.url}dialogue.mp3`
  const fetched = await client.request<{ jobId: number }>('POST', '/api/v1/media/ingest', {
    sourceUrl: source, fileName: 'Radio', language: 'en', options: { speakers: false }
  })
  const radio = fetched.body.data.jobId
  // Words of both recordings, whatever the starter model has heard.
  const { transcriptText = '' } = await client.ended(interview)
  const words = transcriptText.match(/\p{L}{6,}/gu)?.slice(-2).join(' ') ?? ''
  t.match(await client.ended(radio), { status: 'completed' })
  const named = await client.request('PATCH', `/api/v1/transcriptions/${interview}/speakers`, {
    speakers: [{ label: 'Speaker 1', name: 'Anna' }, { label: 'Speaker 2', name: 'Βασίλης' }]
  })
  t.equal(named.status, 200)
  backdate(t.testdirName, radio, '2026-03-10')
  const address = `/?q=${encodeURIComponent(words)}`

  await t.test('by keyboard alone: a speaker is chosen, and taken away again', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    await page.keyboard.press('/')
    await page.keyboard.type(words)
    await found(page, 'Radio').waitFor()
    await filters(page).waitFor()
    await page.keyboard.press('Tab')
    t.ok(await filters(page).evaluate(isFocused), 'the filters come right after the search box')
    await page.keyboard.press('Enter')
    const speaker = dialog(page).getByRole('combobox', { name: 'Speaker' })
    await speaker.waitFor()
    await expectAccessible(t, page, 'filters')
    await tabTo(page, speaker)
    await page.keyboard.type('an')
    await page.getByRole('option', { name: 'Anna' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('option', { name: 'Anna' }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await page.locator('[role=option][data-focused]').getByText('Anna').waitFor()
    await page.keyboard.press('Enter')
    t.equal(await speaker.inputValue(), 'Anna')
    await page.keyboard.press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
    await chip(page, 'Speaker: Anna').waitFor()
    await waitFor('the focus where it was', async () => await filters(page).evaluate(isFocused))
    await found(page, 'Radio').waitFor({ state: 'detached' })
    await found(page, 'Interview.mp3').waitFor()
    t.equal(new URL(page.url()).searchParams.get('speaker'), 'Anna')
    await expectAccessible(t, page, 'a filtered search')

    await page.goBack()
    await chip(page, 'Speaker: Anna').waitFor({ state: 'detached' })
    await found(page, 'Radio').waitFor()
    await page.goForward()
    await found(page, 'Radio').waitFor({ state: 'detached' })
    await tabTo(page, chip(page, 'Speaker: Anna'))
    await page.keyboard.press('Delete')
    await found(page, 'Radio').waitFor()
    t.notOk(new URL(page.url()).searchParams.has('speaker'))
    await waitFor('a place for the focus', async () => !await page.locator('body').evaluate(isFocused))
  })

  await t.test('days that make no sense are refused; the last day counts as a whole', async (t) => {
    const { page, open } = await stage.person(t)
    await open(address)
    await filters(page).click()
    await dialog(page).getByLabel('Added from').fill('2026-03-09')
    await dialog(page).getByLabel('Added until').fill('2026-03-01')
    await page.keyboard.press('Enter')
    await dialog(page).getByText('This day is before the first one.').waitFor()
    await expectAccessible(t, page, 'days that are refused')
    await dialog(page).getByLabel('Added until').fill('2026-03-10')
    await page.keyboard.press('Enter')
    await found(page, 'Interview.mp3').waitFor({ state: 'detached' })
    await found(page, 'Radio').waitFor()
    await chip(page, 'Added until: 10 Mar 2026').waitFor()
    await page.reload()
    await chip(page, 'Added from: 9 Mar 2026').waitFor()
    await found(page, 'Radio').waitFor()
    t.equal(await found(page, 'Interview.mp3').count(), 0)
  })

  await t.test('the address of a recording is offered, and a language that nothing is in can be left again', async (t) => {
    const { page, open } = await stage.person(t)
    await open(address)
    await filters(page).click()
    await dialog(page).getByRole('button', { name: /^Show suggestions Source/ }).click()
    await page.getByRole('option', { name: source }).click()
    await dialog(page).getByRole('button', { name: 'Apply' }).click()
    await chip(page, `Source: ${source}`).waitFor()
    await found(page, 'Interview.mp3').waitFor({ state: 'detached' })
    await found(page, 'Radio').waitFor()

    await open(`${address}&language=fi`)
    await page.getByText('The filters may leave out what you are looking for.').waitFor()
    await chip(page, 'Language: Finnish').waitFor()
    await expectAccessible(t, page, 'filters that leave everything out')
    await page.getByRole('button', { name: 'Remove all filters' }).click()
    await found(page, 'Interview.mp3').waitFor()
    t.notOk(new URL(page.url()).searchParams.has('language'))
  })

  await t.test('names are filtered as well, and leaving the search leaves its filters', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/?q=Interview')
    await page.getByRole('heading', { name: 'Recordings' }).waitFor()
    await open('/?q=Interview&to=2026-03-10')
    await page.getByText(/^\d+ results?$/).waitFor({ state: 'attached' })
    t.equal(await page.getByRole('heading', { name: 'Recordings' }).count(), 0)
    await page.keyboard.press('/')
    await page.keyboard.press('Escape')
    await page.getByRole('list', { name: 'Recordings' }).waitFor()
    t.equal(new URL(page.url()).search, '')
  })

  await t.test('nonsense in the address filters nothing', async (t) => {
    const { page, open } = await stage.person(t)
    await open(`${address}&from=soon&to=2026-99-99&language=%3F%3F`)
    await found(page, 'Radio').waitFor()
    await found(page, 'Interview.mp3').waitFor()
    t.equal(await page.getByRole('grid', { name: 'Active filters' }).count(), 0)
  })

  const LANGUAGES = [
    {
      locale: 'de-DE', button: 'Filter', label: 'Sprecher', shown: 'Sprecher: Βασίλης', apply: 'Anwenden',
      remove: 'Alle Filter entfernen'
    },
    {
      locale: 'es-ES', button: 'Filtros', label: 'Hablante', shown: 'Hablante: Βασίλης', apply: 'Aplicar',
      remove: 'Quitar todos los filtros'
    }
  ]
  for (const { locale, button, label, shown, apply, remove } of LANGUAGES) {
    await t.test(`in the language of the page: ${locale}`, async (t) => {
      const { page, open } = await stage.person(t, { locale })
      await open(address)
      await filters(page, button).click()
      await dialog(page, button).getByRole('combobox', { name: label }).fill('Βασίλης')
      // Suggestions, if they are shown, would take the press.
      await page.keyboard.press('Tab')
      await dialog(page, button).getByRole('button', { name: apply }).click()
      await chip(page, shown).waitFor()
      await found(page, 'Radio').waitFor({ state: 'detached' })
      await filters(page, button).click()
      await dialog(page, button).getByRole('button', { name: remove }).click()
      await found(page, 'Radio').waitFor()
    })
  }
})
