/** The search over everything that was said, and the way to the second at which it was said. */
import t from 'tap'
import { AUDIO } from '../support/paths.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM } from './support/browser.ts'
import { startPage } from './support/stage.ts'

const HOSTILE = '<img src=x onerror=alert(1)>.mp3'

t.test('search', { skip: NO_CHROMIUM }, async (t) => {
  const stage = await startPage(t)
  const id = await stage.client.uploadFile(`${AUDIO}dialogue.mp3`, { fileName: HOSTILE })
  const { transcriptText = '' } = await stage.client.ended(id)
  // A word that the starter model has heard, whatever it has heard.
  const word = transcriptText.match(/\p{L}{6,}/gu)?.at(-1) ?? ''

  await t.test('by keyboard: what is found leads to its second', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    await page.keyboard.press('/')
    await page.keyboard.type(word)
    await page.getByRole('heading', { name: 'What was said' }).waitFor()
    const found = page.getByRole('link', { name: HOSTILE })
    await found.locator('mark').first().waitFor()
    t.equal((await found.locator('mark').first().textContent())?.toLowerCase(), word.toLowerCase(), 'the word is marked')
    t.match(page.url(), /[?&]q=/, 'a search can be bookmarked')
    await expectAccessible(t, page, 'results')

    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/transcripts\/\d+\?/)
    const { pathname, searchParams } = new URL(page.url())
    t.equal(pathname, `/transcripts/${id}`)
    t.ok(Number(searchParams.get('at')) >= 0)
    await page.goBack()
    await page.getByRole('heading', { name: 'What was said' }).waitFor()
  })

  await t.test('names are found too, and are never taken for markup', async (t) => {
    const { page, open } = await stage.person(t)
    page.on('dialog', () => { t.fail('a name was run as a script') })
    await open('/?q=onerror')
    const found = page.getByRole('link', { name: HOSTILE })
    await found.first().waitFor()
    t.equal(await found.first().locator('mark').textContent(), 'onerror')
    t.equal(await page.locator('main img').count(), 0)
  })

  await t.test('nothing found says what to try, and Escape leads back to the library', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    await page.keyboard.press('/')
    await page.keyboard.type('xylophone quartz zeppelin')
    await page.getByText('Nothing was found for “xylophone quartz zeppelin”.').waitFor()
    await expectAccessible(t, page, 'nothing found')
    await page.keyboard.press('Escape')
    await page.getByRole('list', { name: 'Recordings' }).waitFor()
    t.equal(new URL(page.url()).search, '')
  })
})
