/** A transcript that is changed elsewhere while its page is open, and changed often. */
import t from 'tap'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { startRecording, wordsOf } from './support/recording.ts'

/** More than the appliance lists at once. */
const EDITS = 60

/** Runs in the browser; tests are compiled without the types of documents. */
const hasFocus = (element: unknown): boolean => (element as { matches (selector: string): boolean }).matches(':focus, :focus-within')

t.test('changes from elsewhere', { skip: NO_CHROMIUM }, async (t) => {
  const { id, client, person } = await startRecording(t)
  const path = `/transcripts/${id}`
  const api = `/api/v1/transcriptions/${id}`
  const replace = async (find: string, by: string): Promise<void> => {
    const { status } = await client.request('POST', `${api}/replace`, { find, replace: by, wholeWords: true })
    t.equal(status, 200)
  }

  await t.test('the text, and what was made of it, follow', async (t) => {
    const { page, open } = await person(t)
    const events = page.waitForResponse(/api\/v1\/events$/)
    await open(path)
    await events
    const panel = page.getByRole('tabpanel')
    await panel.getByText(/\bthe\b/i).first().waitFor()
    await page.getByRole('tab', { name: 'Quotes' }).click()
    await panel.getByText(/\bthe\b/i).first().waitFor()
    await replace('the', 'zhe')
    await page.locator('[data-words]').getByText('zhe', { exact: true }).first().waitFor()
    await panel.getByText(/\bzhe\b/).first().waitFor()
    t.equal(await panel.getByText(/\bthe\b/i).count(), 0, 'the panel that is open')
    await page.getByRole('tab', { name: 'Summary' }).click()
    await panel.getByText(/\bzhe\b/).first().waitFor()
    t.equal(await panel.getByText(/\bthe\b/i).count(), 0, 'the one that was open before')
  })

  await t.test('by keyboard: older changes are shown when they are asked for', async (t) => {
    type Segments = { segments: Array<{ id: string, revision: number }> }
    const [first] = (await client.request<Segments>('GET', `${api}/segments?limit=1`)).body.data.segments
    let base = first?.revision ?? 0
    for (let count = 1; count <= EDITS; count++) {
      const edit = { text: `Draft ${count}.`, base }
      base = (await client.request<{ revision: number }>('PATCH', `${api}/segments/${first?.id}`, edit)).body.data.revision
    }
    const { page, open } = await person(t)
    await open(path)
    await wordsOf(page, 0).getByText(`${EDITS}.`).waitFor()
    await tabTo(page, page.getByRole('button', { name: 'More', exact: true }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('menuitem', { name: 'Changes' }), 'ArrowDown')
    await page.keyboard.press('Enter')
    const list = page.getByRole('dialog', { name: 'Changes' })
    const undo = list.getByRole('button', { name: /^Undo change/ })
    await undo.first().waitFor()
    t.equal(await undo.count(), 50)
    const older = list.getByRole('button', { name: 'Show older changes' })
    await tabTo(page, older)
    await page.keyboard.press('Enter')
    await older.waitFor({ state: 'detached' })
    t.equal(await undo.count(), EDITS + 1, 'all of them, and the replacement')
    await page.locator(':focus').waitFor({ state: 'attached' })
    t.ok(await list.evaluate(hasFocus), 'the focus stays in the dialog')
    await expectAccessible(t, page, 'many changes')
  })
})
