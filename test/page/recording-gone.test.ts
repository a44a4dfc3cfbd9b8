/** A transcript whose recording is no longer stored, or cannot be loaded: everything but the sound is as usual. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { waitFor } from '../support/wait.ts'
import { expectAccessible } from './support/accessible.ts'
import { isFocused, NO_CHROMIUM, tabTo } from './support/browser.ts'
import { editSegment, startRecording, wordsOf } from './support/recording.ts'

const player = (page: Page) => page.getByRole('region', { name: 'Player' })
const GONE = 'The recording was deleted. The text is still here.'

t.test('a recording that is not kept', { skip: NO_CHROMIUM }, async (t) => {
  const { id, origin, server, person } = await startRecording(t, { STENOBOX_KEEP_MEDIA: 'false' })
  await waitFor('the end of the recording', async () => {
    const headers = { authorization: `Bearer ${server.firstKey}` }
    return (await fetch(`${origin}/api/v1/transcriptions/${id}/audio`, { headers })).status === 410
  })

  await t.test('the player says why it is silent; text, keys and panels work', async (t) => {
    const { page, open } = await person(t)
    await open(`/transcripts/${id}`)
    await player(page).getByRole('status').filter({ hasText: GONE }).waitFor()
    t.equal(await player(page).getByRole('button').count(), 0, 'nothing to press that would not play')
    await expectAccessible(t, page, 'a transcript without its recording')
    await wordsOf(page, 1).locator('[data-word="0"]').click()
    for (const key of [' ', 'k', 'l', 'j', 'ArrowRight', '.']) await page.keyboard.press(key)
    await page.getByRole('tab', { name: 'Chapters' }).click()
    await page.getByRole('tabpanel').getByRole('listitem').getByRole('button').first().click()
    const field = await editSegment(page, 1)
    await field.fill('Still edited.')
    await field.press('Control+Enter')
    await page.getByText('Still edited.').waitFor()
    t.ok(await player(page).getByText(GONE).isVisible())
  })

  await t.test('it is found, and exported', async (t) => {
    const { page, open } = await person(t)
    await open('/?q=map')
    await page.locator('[data-row-link]').filter({ has: page.locator('mark') }).first().click()
    await page.locator('[data-words] [class*=found]').first().waitFor()
    await player(page).getByText(GONE).waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Plain text (txt)' }).click()])
    t.match(readFileSync(await download.path(), 'utf8'), /\bmap\b/)
  })
})

t.test('a recording that ends while it is open', { skip: NO_CHROMIUM }, async (t) => {
  const { id, person } = await startRecording(t)

  await t.test('deleted between the first request and the next', async (t) => {
    const { page, context, open } = await person(t)
    let asked = 0
    await context.route(/\/audio(\?|$)/, async (route) => {
      if (asked++ === 0) await route.continue()
      else await route.fulfill({ status: 410, contentType: 'application/json', body: '{"success":false,"code":"gone"}' })
    })
    await open(`/transcripts/${id}`)
    await player(page).getByText(GONE).waitFor()
  })

  await t.test('not loaded, and asked for again by keyboard', async (t) => {
    const { page, context, faults, open } = await person(t)
    faults.allow(/ERR_FAILED/)
    await context.route(/\/audio$/, async (route) => { await route.abort('failed') })
    await open(`/transcripts/${id}`)
    const retry = player(page).getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    await context.unroute(/\/audio$/)
    await tabTo(page, retry)
    await page.keyboard.press('Enter')
    await player(page).getByRole('button', { name: 'Play', exact: true }).waitFor()
    await waitFor('a place for the focus', async () => !await page.locator('body').evaluate(isFocused))
  })
})
