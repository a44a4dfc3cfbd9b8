/** A recording of thirty hours: times beyond a day, its wave, its last words and its exports. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { waitFor } from '../support/wait.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { makeLong } from './support/long-transcript.ts'
import { startRecording, until, wordsOf } from './support/recording.ts'

const HOURS = 30
const WORDS = 54_000
const WORD_MS = HOURS * 3_600_000 / WORDS
const SECONDS_PER_SEGMENT = 10 * WORD_MS / 1000
/** 29:45:00. */
const LATE = 29.75 * 3600
const ROW = Math.floor(LATE / SECONDS_PER_SEGMENT)

/** How tall the bars of the wave are at a share of its width, as a share of its height. */
const tallAt = async (page: Page, share: number): Promise<number> => Number(await page.evaluate(`(() => {
  const canvas = document.querySelector('[role=slider] canvas')
  const { width, height } = canvas
  // Some columns: there is space between the bars.
  // Read from a copy: reading the page's own canvas again and again makes Chromium warn.
  const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  copy.drawImage(canvas, 0, 0)
  const { data } = copy.getImageData(Math.floor(width * ${share}), 0, 6 * devicePixelRatio, height)
  const rows = data.length / 4 / (6 * devicePixelRatio)
  let tall = 0
  for (let row = 0; row < rows; row++) {
    const alphas = data.slice(row * data.length / rows, (row + 1) * data.length / rows).filter((_, at) => at % 4 === 3)
    if (alphas.some((alpha) => alpha > 0)) tall++
  }
  return tall / height
})()`))

t.test('thirty hours', { skip: NO_CHROMIUM }, async (t) => {
  const { id, person } = await startRecording(t)
  t.equal(makeLong(t.testdirName, id, WORDS, WORD_MS), HOURS * 3600)
  const path = `/transcripts/${id}`
  const slider = (page: Page) => page.getByRole('slider', { name: 'Position in the recording' })

  await t.test('the library shows its length', async (t) => {
    const { page, open } = await person(t)
    await open('/')
    await page.locator('time[datetime="PT30H0M0S"]').filter({ hasText: '30:00:00' }).waitFor()
    await expectAccessible(t, page, 'the longest recording')
  })

  await t.test('an address leads into its last hour, and the player goes to its end', async (t) => {
    const { page, context, open } = await person(t)
    // The sound ends after a minute; as WAV, the rest of the thirty hours is silence.
    await context.addInitScript('HTMLMediaElement.prototype.canPlayType = () => ""')
    await open(`${path}?at=${LATE}`)
    await wordsOf(page, ROW).waitFor()
    t.equal(await page.locator(`[data-index="${ROW}"] [data-play]`).innerText(), '29:45:00')
    await until(page, 'document.querySelector("[data-testid=time]").textContent === "29:45:00"')
    t.match(await page.getByTestId('time').locator('..').innerText(), /\/\s*30:00:00$/)
    await slider(page).and(page.locator('[aria-valuetext="29 hours 45 minutes"]')).waitFor()
    await tabTo(page, slider(page))
    await page.keyboard.press('End')
    await until(page, 'document.querySelector("[data-testid=time]").textContent === "30:00:00"')
    await page.keyboard.press('Home')
    await until(page, 'document.querySelector("[data-testid=time]").textContent === "0:00"')
    // The text has moved to the beginning with the player.
    await open(`${path}?at=${LATE}`)
    await wordsOf(page, ROW).locator('[data-word="0"]').click()
    await page.locator(`[data-words="${ROW}"] [data-spoken]`).waitFor()
    await page.keyboard.press('k')
    await expectAccessible(t, page, 'the last hour')
  })

  await t.test('its wave is drawn over the whole width', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await slider(page).waitFor()
    await waitFor('the wave', async () => await tallAt(page, 0.95) > 0.7)
    const early = await tallAt(page, 0.25)
    t.ok(early > 0.1 && early < 0.5, `the first half is quieter: ${early}`)
    const box = await slider(page).boundingBox()
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.9, (box?.y ?? 0) + 10)
    t.match(await slider(page).locator('span').last().textContent(), /^(26:5|27:0)\d:\d\d$/, 'the time under the pointer')
  })

  await t.test('exports have times beyond a day', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await wordsOf(page, 0).waitFor()
    const exported = async (name: string): Promise<string> => {
      await page.getByRole('button', { name: 'Export' }).click()
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name }).click()])
      return readFileSync(await download.path(), 'utf8')
    }
    t.match(await exported('Subtitles (srt)'), /^29:5\d:\d\d,\d{3} --> (29|30):\d\d:\d\d,\d{3}$/m)
    t.match(await exported('Subtitles for the web (vtt)'), /^29:5\d:\d\d\.\d{3} --> (29|30):\d\d:\d\d\.\d{3}/m)
  })
})
