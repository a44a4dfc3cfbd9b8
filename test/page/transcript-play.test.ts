/** Playing a transcript: words are followed, pressed, reached by keys, by address and by chapter; copies and exports. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { waitFor } from '../support/wait.ts'
import { noteFirstSpoken, noteFirstTime, spoken, startRecording, until, wordsOf } from './support/recording.ts'

/** The seconds that the player shows. */
async function timeOf (page: Page): Promise<number> {
  const [minutes = 0, seconds = 0] = (await page.getByTestId('time').innerText()).split(':').map(Number)
  return minutes * 60 + seconds
}
const slider = (page: Page) => page.getByRole('slider', { name: 'Position in the recording' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

t.test('playing', { skip: NO_CHROMIUM }, async (t) => {
  const { id, client, person } = await startRecording(t)
  const path = `/transcripts/${id}`

  await t.test('a press on a word plays from it, and the words are followed', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await wordsOf(page, 2).waitFor()
    const firstRow = await noteFirstSpoken(page)
    await wordsOf(page, 2).locator('[data-word="1"]').click()
    t.equal(await firstRow(), '2', 'in the row that was pressed')
    const began = Number(await page.evaluate('performance.now()'))
    t.comment(`first word followed ${Math.round(began)} ms after the page was opened, at the load of this machine`)
    const first = await spoken(page).innerText()
    await until(page, `document.querySelector('[data-word][data-spoken]')?.textContent !== ${JSON.stringify(first)}`)
    t.equal(await spoken(page).count(), 1, 'one word at a time')
    await button(page, 'Pause').click()
    await button(page, 'Play').waitFor()
  })

  await t.test('keys', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await button(page, 'Play').waitFor()
    await page.keyboard.press('l')
    await until(page, 'document.querySelector("[data-testid=time]").textContent === "0:10"')
    await page.keyboard.press('ArrowRight')
    t.equal(await timeOf(page), 15)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('j')
    t.equal(await timeOf(page), 0)
    await page.keyboard.press('.')
    await page.getByRole('button', { name: 'Speed: 1.25×' }).waitFor()
    await page.keyboard.press(',')
    await page.getByRole('button', { name: 'Speed: 1×' }).waitFor()
    await page.keyboard.press(' ')
    await button(page, 'Pause').waitFor()
    await page.keyboard.press('k')
    await button(page, 'Play').waitFor()
  })

  await t.test('with the keyboard alone: the wave, and Enter on a word, from which the words are followed', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await tabTo(page, slider(page))
    await page.keyboard.press('PageUp')
    t.equal(await timeOf(page), 30)
    t.match(await slider(page).getAttribute('aria-valuetext'), /30 seconds/)
    await page.keyboard.press('Home')
    t.equal(await timeOf(page), 0)
    await tabTo(page, wordsOf(page, 0))
    const firstRow = await noteFirstSpoken(page)
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'Enter']) {
      await page.keyboard.press(key)
      await until(page, 'document.activeElement.closest("[data-index]")')
    }
    t.equal(await firstRow(), '1', 'in the row of the word')
    const first = await spoken(page).innerText()
    await until(page, `document.querySelector('[data-word][data-spoken]')?.textContent !== ${JSON.stringify(first)}`)
    await page.keyboard.press('k')
    await button(page, 'Play').waitFor()
  })

  await t.test('an address leads to a second and marks what was searched for', async (t) => {
    const { page, open } = await person(t)
    await open(`${path}?at=20&q=map`)
    await until(page, 'document.querySelector("[data-testid=time]").textContent === "0:20"')
    await page.locator('[data-words] [class*=found]').first().waitFor()
    const marked = await page.locator('[data-words] [class*=found]').allInnerTexts()
    t.ok(marked.every((word) => /^maps?\b/i.test(word)), `only what was searched for: ${marked.join(' ')}`)
  })

  await t.test('panels: chapters jump, quotes play, posts are copied', async (t) => {
    const { page, context, open } = await person(t)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(path)
    await page.getByRole('tab', { name: 'Chapters' }).click()
    const chapters = page.getByRole('tabpanel').getByRole('listitem').getByRole('button')
    await chapters.first().waitFor()
    await page.keyboard.press('l')
    await until(page, 'document.querySelector("[data-testid=time]").textContent === "0:10"')
    const firstTime = await noteFirstTime(page)
    await chapters.last().click()
    await button(page, 'Pause').click()
    t.equal(await firstTime(), /^\d+:\d+/.exec(await chapters.last().innerText())?.[0], 'at the time of the chapter')
    await expectAccessible(t, page, 'chapters')
    await page.getByRole('tab', { name: 'Quotes' }).click()
    await page.getByRole('tabpanel').locator('blockquote').first().waitFor()
    await page.getByRole('tab', { name: 'Posts' }).click()
    await page.getByRole('button', { name: 'Copy as Markdown' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    t.match(await page.evaluate('navigator.clipboard.readText()'), /\w{3}/)
  })

  await t.test('copies with times and speakers, and exports', async (t) => {
    const { page, context, open } = await person(t)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(path)
    await wordsOf(page, 0).waitFor()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Text with times and speakers' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    t.match(await page.evaluate('navigator.clipboard.readText()'), /^\[0:00\] Speaker 1: \w+/)

    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Subtitles (srt)' }).click()])
    t.match(download.suggestedFilename(), /dialogue\.srt$/)
    t.match(readFileSync(await download.path(), 'utf8'), /^1\n00:00:0/)
  })

  await t.test('with the keyboard alone, it is exported', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await wordsOf(page, 0).waitFor()
    await tabTo(page, button(page, 'Export'))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('menuitem', { name: 'Plain text (txt)' }), 'ArrowDown')
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    t.match(download.suggestedFilename(), /\.txt$/)
    t.match(readFileSync(await download.path(), 'utf8'), /\w{3}/)
    await until(page, 'document.activeElement.textContent.includes("Export")')
  })

  await t.test('a browser without the codec gets the sound as WAV', async (t) => {
    const { page, context, open } = await person(t)
    await context.addInitScript('HTMLMediaElement.prototype.canPlayType = () => ""')
    const converted = page.waitForRequest(/audio\?as=wav/)
    await open(path)
    await converted
    await wordsOf(page, 3).waitFor()
    const firstRow = await noteFirstSpoken(page)
    await wordsOf(page, 3).locator('[data-word="0"]').click()
    t.equal(await firstRow(), '3')
  })

  await t.test('title and tags', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    const title = '<b>Minutes</b> of the meeting'
    await button(page, 'Rename').click()
    await page.getByRole('textbox', { name: 'Title' }).fill(title)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await button(page, 'Add tag').click()
    await page.getByRole('textbox', { name: 'New tag' }).fill('council')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the tag council' }).waitFor()
    const stored = async () => (await client.request<{ title: string, tags: string[] }>('GET', `/api/v1/transcriptions/${id}`)).body.data
    const { title: kept } = await waitFor('the tag', async () => {
      const found = await stored()
      return found.tags.includes('council') && found
    })
    t.equal(kept, title)
  })

  await t.test('the page, in light and dark, wide and narrow', async (t) => {
    const { page, open } = await person(t)
    await open(path)
    await wordsOf(page, 0).waitFor()
    await button(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Mark doubtful words' }).click()
    await expectAccessible(t, page, 'transcript')
  })
})
