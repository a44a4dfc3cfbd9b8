/** A transcript that is shared by a link: made, followed by somebody without an account, and taken back. */
import t from 'tap'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM } from './support/browser.ts'
import { spoken, startRecording, wordsOf } from './support/recording.ts'

t.test('sharing', { skip: NO_CHROMIUM }, async (t) => {
  const { id, person } = await startRecording(t, { STENOBOX_SHARING: 'true' })
  const { page, open } = await person(t)
  await open(`/transcripts/${id}`)
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share' })
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue()
  const { pathname } = new URL(link)
  await expectAccessible(t, page, 'share')

  await t.test('can be read and heard without an account, and nothing else', async (t) => {
    const guest = await person(t, { isSignedIn: false })
    await guest.open(pathname)
    await wordsOf(guest.page, 0).waitFor()
    t.equal(await guest.page.locator('[data-edit], [role=toolbar], textarea').count(), 0, 'nothing to change')
    t.equal(await guest.page.getByRole('navigation').count(), 0, 'no way into the library')
    await wordsOf(guest.page, 1).locator('[data-word="0"]').click()
    await spoken(guest.page).waitFor()
    await guest.page.keyboard.press('k')
    await expectAccessible(t, guest.page, 'shared transcript')
  })

  await t.test('ends when the link is deleted', async (t) => {
    await dialog.getByRole('button', { name: /Delete the link/ }).click()
    await dialog.getByRole('button', { name: /Delete the link/ }).waitFor({ state: 'detached' })
    const guest = await person(t, { isSignedIn: false })
    await guest.open(pathname)
    await guest.page.getByText('This link does not work.').waitFor()
    await expectAccessible(t, guest.page, 'ended link')
  })
})

t.test('without permission of the administrator there is no such button', { skip: NO_CHROMIUM }, async (t) => {
  const { id, person } = await startRecording(t)
  const { page, open } = await person(t)
  await open(`/transcripts/${id}`)
  await wordsOf(page, 0).waitFor()
  await page.getByRole('button', { name: 'Export' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Share' }).count(), 0)
})
