/** A transcript of 100,000 words: ten hours. Only the rows on the screen are on the page, and only the segments around them are loaded. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { NO_CHROMIUM } from './support/browser.ts'
import { heapOf, scrollFrames } from './support/figures.ts'
import { makeLong } from './support/long-transcript.ts'
import { startRecording, until, wordsOf } from './support/recording.ts'

const WORDS = 100_000
/** A screen has about ten rows of ten words; with those around it and the rest of the page, elements stay far below this. */
const MAX_ELEMENTS = 2500
const NINTH_HOUR = WORDS / 10 * 0.9

/**
 * Scrolls up past what is loaded. `jumps`: by how many pixels more or less than that a row has moved. `blanks`: frames without a row in the
 * middle of the screen.
 */
const SCROLL_UP = `new Promise((resolve) => {
  const [jumps, steps] = [[], 300]
  let blanks = 0
  const isShown = (row) => row.getBoundingClientRect().top > 200
  const topOf = (index) => document.querySelector('[data-index="' + index + '"]').getBoundingClientRect().top
  function step () {
    const { index } = [...document.querySelectorAll('[data-index]')].find(isShown).dataset
    const top = topOf(index)
    scrollBy(0, -60)
    requestAnimationFrame(() => requestAnimationFrame(() => {
      jumps.push(topOf(index) - top - 60)
      if (jumps.length < steps) step()
      else resolve({ jumps, blanks })
    }))
  }
  function look () {
    if (!document.elementFromPoint(400, innerHeight / 2)?.closest('[data-index]')?.querySelector('[data-words]')) blanks++
    if (jumps.length < steps) requestAnimationFrame(look)
  }
  look()
  step()
})`
/** An expression that is true when a row is on the screen. */
const isInView = (row: number): string => `(() => {
  const { top = -1 } = document.querySelector('[data-words="${row}"]')?.getBoundingClientRect() ?? {}
  return top > 0 && top < innerHeight
})()`

/** The pages of segments that are asked for from now on. */
function watchSegments (page: Page): URL[] {
  const asked: URL[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('/segments')) asked.push(url)
  })
  return asked
}
const countAsked = (asked: readonly URL[]): number => asked.reduce((sum, { searchParams }) => sum + Number(searchParams.get('limit')), 0)
const countElements = async (page: Page): Promise<number> => Number(await page.evaluate('document.querySelectorAll("*").length'))

t.test('100,000 words', { skip: NO_CHROMIUM }, async (t) => {
  const { id, client, person } = await startRecording(t)
  const seconds = makeLong(t.testdirName, id, WORDS)
  const path = `/transcripts/${id}`
  const { page, open } = await person(t)
  // The code of the page is in the cache of the browser, as it is for everybody but the first visitor.
  await open('/')
  await page.goto(path)
  await wordsOf(page, 0).waitFor()

  await t.test('opens with the first rows only', async (t) => {
    const asked = watchSegments(page)
    await page.reload()
    await wordsOf(page, 0).waitFor()
    const opened = Number(await page.evaluate('performance.now()'))
    const elements = await countElements(page)
    t.comment(`first words after ${Math.round(opened)} ms, ${elements} elements, heap ${(await heapOf(page)).toFixed(1)} MiB`)
    t.ok(asked.length <= 2, `pages of segments asked for: ${asked.length}`)
    t.ok(elements < MAX_ELEMENTS, `${elements} elements`)
    t.equal(await page.locator('[role=listitem]').first().getAttribute('aria-setsize'), String(WORDS / 10))
    t.ok(Number(await page.evaluate('document.documentElement.scrollHeight')) > 10_000 * 30, 'the page is as long as the text')
  })

  await t.test('scrolls', async (t) => {
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
    const times = await scrollFrames(page)
    const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
    t.comment(`frames while scrolling: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(0.999)} ms`)
    t.ok(await countElements(page) < MAX_ELEMENTS)
    const after = Number(await page.evaluate('document.documentElement.scrollHeight'))
    t.ok(Math.abs(after - height) / height < 0.05, 'the scroll bar stays where it is')
  })

  await t.test('jumps to the ninth hour without what lies between, and stays small', async (t) => {
    const asked = watchSegments(page)
    await page.goto(`${path}?at=${Math.floor(seconds * 0.9)}`)
    const began = Date.now()
    await wordsOf(page, NINTH_HOUR).waitFor()
    t.comment(`the ninth hour is on the screen after ${Date.now() - began} ms`)
    await until(page, isInView(NINTH_HOUR))
    t.equal(asked[0]?.searchParams.get('from'), '32400', 'it is asked for first')
    t.ok(countAsked(asked) < 1500, `${countAsked(asked)} segments asked for`)
    const elements = await countElements(page)
    t.comment(`${elements} elements, heap ${(await heapOf(page)).toFixed(1)} MiB`)
    t.ok(elements < MAX_ELEMENTS, `${elements} elements`)
  })

  await t.test('what is before the place is loaded when it is reached, and moves nothing', async (t) => {
    const asked = watchSegments(page)
    const { jumps, blanks } = await page.evaluate(SCROLL_UP) as { jumps: number[], blanks: number }
    const longest = Math.max(...jumps.map(Math.abs))
    t.comment(`rows jumped by at most ${longest.toFixed(1)} px; ${blanks} frames without text`)
    t.ok(longest < 3, `rows jumped by ${longest} px`)
    t.equal(blanks, 0)
    t.ok(countAsked(asked) > 0 && countAsked(asked) < 1500, `${countAsked(asked)} segments asked for`)
  })

  await t.test('a press on the wave, or a key, leads to the text of that time', async () => {
    await page.goto(path)
    const wave = page.getByRole('slider', { name: 'Position in the recording' })
    const { width = 0 } = await wave.boundingBox() ?? {}
    await wave.click({ position: { x: width / 2, y: 10 } })
    // A pixel of the wave is about a minute: 17 rows.
    await until(page, `[...document.querySelectorAll('[data-words]')].some((row) => {
      const { top } = row.getBoundingClientRect()
      return Math.abs(row.dataset.words - ${WORDS / 10 / 2}) < 40 && top > 0 && top < innerHeight
    })`)
    await wave.focus()
    await page.keyboard.press('End')
    await until(page, isInView(WORDS / 10 - 1))
  })

  await t.test('find leads to a match that nobody has looked at', async (t) => {
    const { status } = await client.request('PATCH', `/api/v1/transcriptions/${id}/segments/7000.0`, { text: 'A zeppelin lands.', base: 0 })
    t.equal(status, 200)
    await page.goto(path)
    await wordsOf(page, 0).waitFor()
    const asked = watchSegments(page)
    await page.keyboard.press('Control+f')
    const find = page.getByRole('textbox', { name: 'Find' })
    await find.fill('zeppelin')
    await page.getByRole('search').getByRole('status').getByText('1 match').waitFor()
    await find.press('Enter')
    await until(page, isInView(7000))
    t.equal(await wordsOf(page, 7000).locator('[class*=found]').innerText(), 'zeppelin')
    t.ok(countAsked(asked) < 1500, `${countAsked(asked)} segments asked for`)
  })

  await t.test('the end of the scroll bar is the end of the text', async (t) => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await wordsOf(page, WORDS / 10 - 1).waitFor()
    t.ok(await countElements(page) < MAX_ELEMENTS)
  })
})
