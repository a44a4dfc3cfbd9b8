/** Addresses of the page at which there is nothing. */
import t from 'tap'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM } from './support/browser.ts'
import { startPage } from './support/stage.ts'

t.test('nothing there', { skip: NO_CHROMIUM }, async (t) => {
  const stage = await startPage(t)

  await t.test('an address of no page leads to the library', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/no/such/page')
    await page.getByText('There is no such page.').waitFor()
    await expectAccessible(t, page, 'no such page')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Library' }).waitFor()
  })

  await t.test('without a session as well, in the language of the browser', async (t) => {
    const { page, open } = await stage.person(t, { isSignedIn: false, locale: 'de-DE' })
    await open('/no/such/page')
    await page.getByText('Diese Seite gibt es nicht.').waitFor()
    await expectAccessible(t, page, 'no such page, in German')
  })

  for (const [what, path, sentence] of [
    ['a transcript', '/transcripts/4711', 'There is no such transcript.'],
    ['a section of the settings', '/settings/none', 'There is no such page.'],
    ['a section of the administration', '/administration/none', 'There is no such page.']
  ] as const) {
    await t.test(`${what} that does not exist`, async (t) => {
      const { page, open } = await stage.person(t)
      await open(path)
      await page.getByText(sentence).waitFor()
      await expectAccessible(t, page, what)
    })
  }
})
