/** Speakers of a finished transcript are told apart again, with a number that the person knows. */
import t from 'tap'
import type { Test } from 'tap'
import { breakSound } from '../support/ffmpeg.ts'
import { waitFor } from '../support/wait.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { startRecording, wordsOf } from './support/recording.ts'
import type { Recording } from './support/recording.ts'

/** Of the sound that is broken: less than a window. */
const BYTES = 100_000

t.test('speakers are found again', { skip: NO_CHROMIUM }, async (t) => {
  const folder = t.testdir()
  const { PATH, die } = breakSound(folder, BYTES)
  die()
  await t.test('in a transcript', async (t) => { await testAgain(t, folder, await startRecording(t, { PATH })) })
})

type Speakers = { status: string, failure: { code: string } | null, speakers: Array<{ label: string }> }

async function testAgain (t: Test, folder: string, { id, client, person }: Recording): Promise<void> {
  const path = `/transcripts/${id}`
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

  await t.test('from the dialog of a speaker, while the page shows that it goes on; what fails is said, and tried again', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await page.getByRole('button', { name: 'Speaker 1', exact: true }).first().click()
    await page.getByRole('button', { name: 'Find speakers again…' }).click()
    const { hasBegun, die } = breakSound(folder, BYTES)
    await page.getByRole('button', { name: 'Find speakers', exact: true }).click()
    await page.getByText('Speakers are being told apart. You can go on reading.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectAccessible(t, page, 'speakers are being found')
    await waitFor('the sound', hasBegun)
    t.match(await stored(), { status: 'pending' })

    die()
    await page.getByText('The speakers could not be told apart. Something went wrong').waitFor()
    t.match(await stored(), { status: 'failed', failure: { code: 'decode_failed' } })
    await expectAccessible(t, page, 'speakers that were not found')
    await tabTo(page, page.getByRole('button', { name: 'Try again' }))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Find speakers again' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('The speakers could not be told apart.', { exact: false }).waitFor({ state: 'detached' })
    await waitFor('the speakers', async () => (await stored()).status === 'done')
    await page.getByText('Speakers are being told apart.', { exact: false }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Speaker 1', exact: true }).first().waitFor()
  })

  await t.test('why it failed is said in the language of the page', async (t) => {
    const { hasBegun, die } = breakSound(folder, BYTES)
    t.equal((await client.request('POST', `/api/v1/transcriptions/${id}/speakers`, { speakers: true })).status, 202)
    await waitFor('the sound', hasBegun)
    die()
    await waitFor('the failure', async () => (await stored()).status === 'failed')
    const { page, open } = await person(t, { locale: 'de-DE' })
    await open(path)
    await page.getByText('Die Sprecher konnten nicht unterschieden werden. Dabei ist etwas schiefgegangen.').waitFor()
  })
}

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
