/** Speakers are named and merged for the whole transcript. */
import t from 'tap'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { startRecording, until, wordsOf } from './support/recording.ts'

/** Runs in the browser; tests are compiled without the types of documents. */
const directionOf = (element: unknown): unknown =>
  (globalThis as unknown as { getComputedStyle (element: unknown): { direction: unknown } }).getComputedStyle(element).direction

t.test('speakers', { skip: NO_CHROMIUM }, async (t) => {
  const { id, client, person } = await startRecording(t)
  const path = `/transcripts/${id}`
  type Speakers = { speakers: Array<{ label: string, name?: string }> }
  const stored = async () => (await client.request<Speakers>('GET', `/api/v1/transcriptions/${id}/speakers`)).body.data.speakers

  await t.test('a name is given once and shown everywhere', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await page.getByRole('button', { name: 'Speaker 1', exact: true }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Speaker' })
    await expectAccessible(t, page, 'speaker')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ada <i>Lovelace</i>')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Ada <i>Lovelace</i>' }).first().waitFor()
    t.equal(await page.getByRole('button', { name: 'Speaker 1', exact: true }).count(), 0)
    t.match(await stored(), [{ label: 'Speaker 1', name: 'Ada <i>Lovelace</i>' }])
  })

  await t.test('a name that another speaker has is refused in words', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await page.getByRole('button', { name: 'Speaker 2', exact: true }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Speaker' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ada <i>Lovelace</i>')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/merge/i).first().waitFor()
    t.equal(await dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'Ada <i>Lovelace</i>')
  })

  await t.test('a name is given with the keyboard alone', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    // Tab reaches the row that was read last; arrows lead to the others.
    await tabTo(page, wordsOf(page, 0))
    await page.keyboard.press('ArrowDown')
    await until(page, 'document.activeElement.closest("[data-index=\\"1\\"]")')
    await tabTo(page, page.getByRole('button', { name: 'Speaker 2', exact: true }).first(), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Speaker' }).waitFor()
    await page.keyboard.type('Bert')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Bert', exact: true }).first().waitFor()
    t.match(await stored(), [{ name: 'Ada <i>Lovelace</i>' }, { label: 'Speaker 2', name: 'Bert' }])
    await client.request('PATCH', `/api/v1/transcriptions/${id}/speakers`, { speakers: [{ label: 'Speaker 2', name: '' }] })
  })

  await t.test('two speakers become one, with the keyboard alone', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await wordsOf(page, 0).waitFor()
    const chip = page.getByRole('button', { name: 'Ada <i>Lovelace</i>' }).first()
    await tabTo(page, chip)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Speaker' })
    await tabTo(page, dialog.getByRole('button', { name: /Same person as/ }))
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await tabTo(page, dialog.getByRole('button', { name: 'Merge' }))
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Speaker 2', exact: true }).first().waitFor({ state: 'detached' })
    t.match(await stored(), { length: 1, 0: { name: 'Ada <i>Lovelace</i>' } }, 'the name stays')
  })

  await t.test('a name in a right-to-left script runs to the left, here and in the library', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    const name = 'ليلى <b>بنت</b> أحمد'
    await page.getByRole('button', { name: 'Ada <i>Lovelace</i>' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Speaker' })
    const field = dialog.getByRole('textbox', { name: 'Name' })
    await field.fill(name)
    t.equal(await field.evaluate(directionOf), 'rtl', 'while it is typed')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const chip = page.getByRole('button', { name, exact: true }).first()
    await chip.waitFor()
    t.equal(await chip.evaluate(directionOf), 'rtl')
    await open('/')
    const shown = page.getByText(name, { exact: true }).first()
    await shown.waitFor()
    t.equal(await shown.evaluate(directionOf), 'rtl')
  })
})
