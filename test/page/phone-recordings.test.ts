/** AMR, as voice recorders of phones and answering machines store it. No browser plays it: the page gets the sound as WAV. */
import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { NO_CHROMIUM } from './support/browser.ts'
import { noteFirstSpoken, wordsOf } from './support/recording.ts'
import { startPage } from './support/stage.ts'

/** The sound of test/fixtures/audio/en-1.wav, at 12.2 kbit/s (narrow band) and 23.85 kbit/s (wide band). */
const FORMATS = fileURLToPath(new URL('../fixtures/formats/', import.meta.url))

/** The files of a phone: the sound alone, and in the container of its camera. Returns their folder. */
function makeRecordings (folder: string): string {
  for (const name of ['narrow.amr', 'wide.amr']) copyFileSync(FORMATS + name, `${folder}/${name}`)
  execFileSync('ffmpeg', ['-v', 'error', '-i', `${FORMATS}narrow.amr`, '-c', 'copy', `${folder}/video.3gp`])
  return folder
}

t.test('recordings of phones', { skip: NO_CHROMIUM }, async (t) => {
  const folder = makeRecordings(t.testdir())
  await t.test('are transcribed and played', async (t) => {
    const stage = await startPage(t)
    for (const name of ['narrow.amr', 'wide.amr', 'video.3gp']) {
      await t.test(name, async (t) => {
        const { page, open } = await stage.person(t)
        await open('/')
        await page.getByTestId('files').first().setInputFiles(`${folder}/${name}`)
        const row = page.getByRole('link', { name, exact: true })
        await row.waitFor()
        const id = Number((await row.getAttribute('href'))?.split('/').at(-1))
        t.match(await stage.client.ended(id), { status: 'completed' })
        const converted = page.waitForRequest(/audio\?as=wav/)
        await row.click()
        await converted
        await wordsOf(page, 0).waitFor()
        t.match(await wordsOf(page, 0).innerText(), /\w/)
        const firstRow = await noteFirstSpoken(page)
        await wordsOf(page, 0).locator('[data-word="1"]').click()
        t.equal(await firstRow(), '0')
      })
    }
  })
})
