/** Recordings that could not be transcribed, and are tried again: by their owner, and by an administrator. */
import t from 'tap'
import type { Test } from 'tap'
import { breakSound } from '../support/ffmpeg.ts'
import { AUDIO } from '../support/paths.ts'
import { waitFor } from '../support/wait.ts'
import { expectAccessible } from './support/accessible.ts'
import { isFocused, NO_CHROMIUM, tabTo } from './support/browser.ts'
import { wordsOf } from './support/recording.ts'
import { startPage } from './support/stage.ts'
import type { Person, Stage } from './support/stage.ts'

/** Less than a window: nothing is transcribed before the sound ends. */
const BYTES = 100_000

const hasFocus = async ({ page }: Person): Promise<void> => {
  await waitFor('a place for the focus', async () => !await page.locator('body').evaluate(isFocused))
}

t.test('failed recordings', { skip: NO_CHROMIUM }, async (t) => {
  const folder = t.testdir()
  const { PATH } = breakSound(folder, BYTES)
  await t.test('are tried again', async (t) => { await testRetries(t, folder, await startPage(t, { settings: { PATH } })) })
})

async function testRetries (t: Test, folder: string, { client, person }: Stage): Promise<void> {
  /** Uploads a recording that is decoded until `die` is called, when its sound breaks off. */
  async function uploadBroken (fileName: string): Promise<{ id: number, die (): void }> {
    const { hasBegun, die } = breakSound(folder, BYTES)
    const id = await client.uploadFile(`${AUDIO}dialogue.mp3`, { fileName, language: 'en' })
    await waitFor('the decoding', hasBegun)
    return { id, die }
  }

  await t.test('by keyboard, from the page of the transcript, which becomes the transcript', async (t) => {
    const one = await person(t)
    const { page, open } = one
    const { id, die } = await uploadBroken('Council.mp3')
    await open(`/transcripts/${id}`)
    await page.getByRole('progressbar').waitFor()
    await expectAccessible(t, page, 'a recording in progress')
    die()
    const retry = page.getByRole('main').getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    const { failure } = await client.job(id)
    await page.getByText(failure?.message ?? 'no reason').first().waitFor()
    await expectAccessible(t, page, 'a failed recording')
    await tabTo(page, retry)
    await page.keyboard.press('Enter')
    await retry.waitFor({ state: 'detached' })
    await hasFocus(one)
    t.match(await client.ended(id), { status: 'completed', retryCount: 1 })
    await wordsOf(page, 0).waitFor()
  })

  await t.test('by keyboard, from the administration, whoever owns it', async (t) => {
    const one = await person(t)
    const { page, open } = one
    const { id, die } = await uploadBroken('Board.mp3')
    die()
    t.match(await client.ended(id), { status: 'failed' })
    await open('/administration/failed')
    const retry = page.getByRole('button', { name: `Try again: job ${id}` })
    await retry.waitFor()
    await tabTo(page, retry)
    await page.keyboard.press('Enter')
    await page.getByText(`Job ${id} is in the queue again.`).waitFor()
    await retry.waitFor({ state: 'detached' })
    await hasFocus(one)
    t.match(await client.ended(id), { status: 'completed', retryCount: 1 })
  })

  await t.test('not for ever: then the page says why, and offers nothing that would be refused', async (t) => {
    const { page, open } = await person(t)
    const id = await client.upload(Buffer.from('no sound'), { fileName: 'Notes.mp3' })
    while ((await client.ended(id)).retryable) await client.request('POST', `/api/v1/jobs/${id}/retry`)
    const { failure } = await client.ended(id)
    await open(`/transcripts/${id}`)
    await page.getByText(failure?.message ?? 'no reason').first().waitFor()
    t.equal(await page.getByRole('main').getByRole('button', { name: 'Try again' }).count(), 0)
    await open('/administration/failed')
    await page.getByText(`Job ${id} of ada`).waitFor()
    t.equal(await page.getByRole('button', { name: `Try again: job ${id}` }).count(), 0)
  })
}
