/** Speakers of a finished transcript are told apart again, with a number that the person knows. */
import t from 'tap'
import { waitFor } from '../support/wait.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { startRecording, wordsOf } from './support/recording.ts'

t.test('speakers are found again', { skip: NO_CHROMIUM }, async (t) => {
  const { id, client, person } = await startRecording(t)
  const path = `/transcripts/${id}`
  type Speakers = { status: string, speakers: Array<{ label: string }> }
  const stored = async () => (await client.request<Speakers>('GET', `/api/v1/transcriptions/${id}/speakers`)).body.data

  await t.test('with the keyboard alone: one speaker instead of two', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await wordsOf(page, 0).waitFor()
    await page.getByRole('button', { name: 'Speaker 2', exact: true }).first().waitFor()
    await tabTo(page, page.getByRole('button', { name: 'More', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Find speakers again' }).waitFor()
    await expectAccessible(t, page, 'find speakers')
    await page.keyboard.type('99')
    await page.keyboard.press('Enter')
    await page.getByText('Type a whole number from 1 to 40, or nothing.').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('1')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('1 speaker found').waitFor()
    await page.getByRole('button', { name: 'Speaker 2', exact: true }).first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Speaker 1', exact: true }).first().waitFor()
    t.match(await stored(), { status: 'done', speakers: { length: 1 } })
  })

  await t.test('from the dialog of a speaker, without a number, while the page shows that it goes on', async (t) => {
    const { page, open, context } = await person(t)
    // The state of an appliance that is still busy, for as long as this is looked at.
    let isBusy = true
    await context.route(`**/api/v1/transcriptions/${id}/speakers`, async (route) => {
      const reply = await route.fetch()
      if (!isBusy || route.request().method() !== 'GET') return await route.fulfill({ response: reply })
      const { data, ...rest } = await reply.json() as { data: object }
      await route.fulfill({ response: reply, json: { ...rest, data: { ...data, status: 'pending' } } })
    })
    isBusy = false
    await open(path)
    await page.getByRole('button', { name: 'Speaker 1', exact: true }).first().click()
    await page.getByRole('button', { name: 'Find speakers again…' }).click()
    isBusy = true
    await page.getByRole('button', { name: 'Find speakers', exact: true }).click()
    await page.getByText('Speakers are being told apart. You can go on reading.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectAccessible(t, page, 'speakers are being found')
    await waitFor('the speakers', async () => (await stored()).status === 'done')
    isBusy = false
    await page.reload()
    await page.getByText('Speakers are being told apart.', { exact: false }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Speaker 1', exact: true }).first().waitFor()
  })

  await t.test('what failed is said, and can be tried again', async (t) => {
    const { page, open, context } = await person(t)
    await context.route(`**/api/v1/transcriptions/${id}/speakers`, async (route) => {
      const failure = { code: 'timeout', message: 'The machine took too long.' }
      await route.fulfill({ json: { success: true, data: { status: 'failed', failure, speakers: [] } } })
    })
    await open(path)
    await page.getByText('The speakers could not be told apart. The machine took too long.').waitFor()
    await expectAccessible(t, page, 'speakers that were not found')
    await tabTo(page, page.getByRole('button', { name: 'Try again' }))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Find speakers again' }).waitFor()
  })
})

t.test('speakers of a recording that is not kept', { skip: NO_CHROMIUM }, async (t) => {
  const { id, origin, server, person } = await startRecording(t, { STENOBOX_KEEP_MEDIA: 'false' })
  await waitFor('the end of the recording', async () => {
    const headers = { authorization: `Bearer ${server.firstKey}` }
    return (await fetch(`${origin}/api/v1/transcriptions/${id}/audio`, { headers })).status === 410
  })
  const { page, open } = await person(t)
  await open(`/transcripts/${id}`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Find speakers again…' }).click()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('The recording was deleted, so its speakers cannot be told apart again.', { exact: false })
    .waitFor()
  await expectAccessible(t, page, 'a refusal')
})
