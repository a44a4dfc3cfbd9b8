/** A transcript of 100,000 words: ten hours. Only the rows on the screen are on the page. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { NO_CHROMIUM } from './support/browser.ts'
import { makeLong } from './support/long-transcript.ts'
import { startRecording, until, wordsOf } from './support/recording.ts'

const WORDS = 100_000
/** A screen has about ten rows of ten words; with those around it and the rest of the page, elements stay far below this. */
const MAX_ELEMENTS = 2500

/** Scrolls 60 pixels a frame for two seconds' worth of frames. The times of the frames in ms, ascending. */
const SCROLL = `new Promise((resolve) => {
  const times = []
  let last = performance.now()
  function step (now) {
    times.push(now - last)
    last = now
    scrollBy(0, 60)
    if (times.length < 120) requestAnimationFrame(step)
    else resolve(times.slice(1).sort((a, b) => a - b))
  }
  requestAnimationFrame(step)
})`
const countElements = async (page: Page): Promise<number> => Number(await page.evaluate('document.querySelectorAll("*").length'))

async function heapOf (page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 2 ** 20
}

t.test('100,000 words', { skip: NO_CHROMIUM }, async (t) => {
  const { id, person } = await startRecording(t)
  const seconds = makeLong(t.testdirName, id, WORDS)
  const path = `/transcripts/${id}`
  const { page, open } = await person(t)
  // The code of the page is in the cache of the browser, as it is for everybody but the first visitor.
  await open('/')
  await page.goto(path)
  await wordsOf(page, 0).waitFor()

  await t.test('opens with the first rows only', async (t) => {
    const asked: string[] = []
    page.on('request', (request) => { if (request.url().includes('/segments')) asked.push(request.url()) })
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
    const times = await page.evaluate(SCROLL) as number[]
    const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
    t.comment(`frames while scrolling: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(0.999)} ms`)
    t.ok(await countElements(page) < MAX_ELEMENTS)
    const after = Number(await page.evaluate('document.documentElement.scrollHeight'))
    t.ok(Math.abs(after - height) / height < 0.05, 'the scroll bar stays where it is')
  })

  await t.test('jumps to the ninth hour, loads what lies between, and stays small', async (t) => {
    await page.goto(`${path}?at=${Math.floor(seconds * 0.9)}`)
    const row = Math.floor(WORDS / 10 * 0.9)
    const began = Date.now()
    await wordsOf(page, row).waitFor()
    t.comment(`the ninth hour is on the screen after ${Date.now() - began} ms`)
    await until(page, `(() => {
      const { top } = document.querySelector('[data-words="${row}"]').getBoundingClientRect()
      return top > 0 && top < innerHeight
    })()`)
    const elements = await countElements(page)
    t.comment(`${elements} elements, heap ${(await heapOf(page)).toFixed(1)} MiB with 90,000 words loaded`)
    t.ok(elements < MAX_ELEMENTS, `${elements} elements`)
  })

  await t.test('the end of the scroll bar is the end of the text', async (t) => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await wordsOf(page, WORDS / 10 - 1).waitFor()
    t.ok(await countElements(page) < MAX_ELEMENTS)
  })
})
