/** The page in a browser on this machine: paints, script, the first word that is followed, and a transcript of ten hours. */
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { largest, median, percentile } from '../../dist/evaluate/machine/statistics.js'
import { formatMs } from '../../dist/evaluate/report.js'
import { NO_CHROMIUM, startChromium } from '../../test/page/support/browser.ts'
import { countScripts, heapOf, readPaints, scrollFrames, watchPaints } from '../../test/page/support/figures.ts'
import type { Paints } from '../../test/page/support/figures.ts'
import { makeLong } from '../../test/page/support/long-transcript.ts'
import { noteFirstSpoken, until, wordsOf } from '../../test/page/support/recording.ts'
import { createClient } from '../../test/support/client.ts'
import { AUDIO } from '../../test/support/paths.ts'
import { startServer } from '../../test/support/program.ts'
import type { RunningServer } from '../../test/support/program.ts'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'

const ACCOUNT = { name: 'ada', password: 'nine silver lamps by the sea' }
const WORDS = 100_000
const MOST_SCRIPT_BYTES = 200_000
const MOST_OPEN_MS = 1000
/** After this time a page has painted all that it shows unasked. */
const SETTLED_MS = 2000
/** A screen shows 60 frames a second. */
const FRAME_MS = 1000 / 60

type Load = Paints & { scriptBytes: number }
type Opened = { firstWordsMs: number, frames: number[], heapMiB: number }
type Visit = { signIn: Load, library: Load, transcript: Load, followedMs: number }

export const page: Benchmark = {
  name: 'page',
  summary: 'the page in Chromium: paints, script, the first word followed, and a transcript of 100,000 words',
  minutes: 3,
  run
}

async function run ({ options, scratch, log }: BenchContext): Promise<Report> {
  if (NO_CHROMIUM !== false) throw new Error(NO_CHROMIUM)
  const rounds = options.quick ? 2 : 7
  const dataDir = join(scratch, 'data')
  const server = await startServer(dataDir)
  const browser = await startChromium()
  try {
    const cookie = await signUp(server)
    const client = createClient(server.address, server.firstKey ?? '')
    const [short, long] = [await transcribe(client), await transcribe(client)]
    makeLong(dataDir, long, WORDS)
    const visits: Visit[] = []
    for (let round = 0; round < rounds; round++) visits.push(await visit(browser, server.origin, cookie, short))
    log('a transcript of 100,000 words …')
    const opened: Opened[] = []
    for (let round = 0; round < rounds; round++) opened.push(await openLong(browser, server.origin, cookie, long))
    return report(visits, opened)
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** Creates the first account, and returns its session: name and value of the cookie. */
async function signUp ({ origin }: RunningServer): Promise<{ name: string, value: string }> {
  const reply = await fetch(`${origin}/api/v1/setup`, {
    method: 'POST', body: JSON.stringify(ACCOUNT), headers: { 'content-type': 'application/json', origin }
  })
  const [pair = ''] = reply.headers.getSetCookie()[0]?.split('; ') ?? []
  const [name = '', value = ''] = pair.split('=')
  if (value === '') throw new Error(`first start: ${reply.status} ${await reply.text()}`)
  return { name, value }
}

async function transcribe (client: ReturnType<typeof createClient>): Promise<number> {
  const id = await client.uploadFile(`${AUDIO}dialogue.mp3`, { language: 'en' })
  const { status } = await client.ended(id)
  if (status !== 'completed') throw new Error(`the recording is ${status}`)
  return id
}

/** A browser of somebody new, with nothing in its cache. */
async function withBrowser<T> (
  browser: Browser, origin: string, cookie: { name: string, value: string } | undefined, work: (context: BrowserContext) => Promise<T>
): Promise<T> {
  const context = await browser.newContext({ baseURL: origin, locale: 'en-GB', viewport: { width: 1280, height: 800 } })
  try {
    await watchPaints(context)
    if (cookie) await context.addCookies([{ ...cookie, url: origin, httpOnly: true, sameSite: 'Strict' }])
    return await work(context)
  } finally {
    await context.close()
  }
}

async function load (page: Page, path: string): Promise<Load> {
  const scripts = countScripts(page)
  await page.goto(path)
  await page.locator('h1').first().waitFor()
  // The stream of events and the sound keep the network busy for as long as a page is open.
  await page.waitForTimeout(SETTLED_MS)
  return { ...await readPaints(page), scriptBytes: await scripts.bytes() }
}

/** Opens three pages, each as the first one of somebody, and plays the transcript. */
async function visit (browser: Browser, origin: string, cookie: { name: string, value: string }, id: number): Promise<Visit> {
  const first = async (path: string) =>
    await withBrowser(browser, origin, cookie, async (context) => await load(await context.newPage(), path))
  return {
    signIn: await withBrowser(browser, origin, undefined, async (context) => await load(await context.newPage(), '/')),
    library: await first('/'),
    transcript: await first(`/transcripts/${id}`),
    followedMs: await withBrowser(browser, origin, cookie, async (context) => {
      const page = await context.newPage()
      await load(page, `/transcripts/${id}`)
      const followed = await noteFirstSpoken(page)
      await page.evaluate('globalThis.pressedAt = performance.now()')
      await wordsOf(page, 2).locator('[data-word="1"]').click()
      await followed()
      return Number(await page.evaluate('firstSpokenAt - pressedAt'))
    })
  }
}

async function openLong (browser: Browser, origin: string, cookie: { name: string, value: string }, id: number): Promise<Opened> {
  return await withBrowser(browser, origin, cookie, async (context) => {
    const page = await context.newPage()
    // The code of the page is in the cache of the browser, as it is for everybody but the first visitor.
    await load(page, `/transcripts/${id}`)
    await page.addInitScript(`globalThis.wordsAt = undefined
      const note = () => { if (document.querySelector('[data-words="0"]')) globalThis.wordsAt ??= performance.now() }
      new MutationObserver(note).observe(document, { subtree: true, childList: true })`)
    await page.reload()
    await until(page, 'globalThis.wordsAt !== undefined')
    const firstWordsMs = Number(await page.evaluate('wordsAt'))
    await page.waitForTimeout(SETTLED_MS)
    return { firstWordsMs, frames: await scrollFrames(page), heapMiB: await heapOf(page) }
  })
}

function report (visits: readonly Visit[], opened: readonly Opened[]): Report {
  const frames = opened.flatMap((one) => one.frames).sort((a, b) => a - b)
  const openMs = median(opened.map(({ firstWordsMs }) => firstWordsMs))
  const scriptBytes = largest(visits.map(({ library }) => library.scriptBytes))
  const row = (name: string, loads: readonly Load[]): string[] => {
    const middle = (read: (one: Load) => number): number => median(loads.map(read))
    return [
      name, formatMs(middle((one) => one.firstPaintMs)), formatMs(middle((one) => one.largestPaintMs)),
      middle((one) => one.layoutShift).toFixed(3), formatMs(middle((one) => one.blockedMs)), String(middle((one) => one.scriptBytes))
    ]
  }
  return {
    result: `The first view of the library has ${scriptBytes} bytes of script (at most ${MOST_SCRIPT_BYTES}); 100,000 words show after ` +
      `${formatMs(openMs)} (under ${MOST_OPEN_MS} ms) and scroll with ${formatMs(percentile(frames, 0.5))} a frame.`,
    passed: scriptBytes <= MOST_SCRIPT_BYTES && openMs < MOST_OPEN_MS && percentile(frames, 0.5) < 1.1 * FRAME_MS,
    tables: [{
      title: `First visits, medians of ${visits.length}`,
      columns: ['page', 'first contentful paint', 'largest', 'layout shift', 'blocked', 'bytes of script'],
      rows: [
        row('sign-in', visits.map(({ signIn }) => signIn)),
        row('library', visits.map(({ library }) => library)),
        row('transcript', visits.map(({ transcript }) => transcript))
      ]
    }, {
      title: `100,000 words, ${opened.length} times`,
      columns: ['first words', 'slowest', 'frame p50', 'p95', 'longest', 'frames over 17 ms', 'heap'],
      rows: [[
        formatMs(openMs), formatMs(largest(opened.map(({ firstWordsMs }) => firstWordsMs))), ...[0.5, 0.95, 1].map((share) =>
          formatMs(percentile(frames, share))), `${frames.filter((ms) => ms > FRAME_MS + 0.5).length} of ${frames.length}`,
        `${median(opened.map(({ heapMiB }) => heapMiB)).toFixed(1)} MiB`
      ]]
    }],
    notes: [
      'From a press on a word to the first word that is followed: ' +
        `${formatMs(median(visits.map(({ followedMs }) => followedMs)))} (median).`,
      'Bytes of script: on the wire, compressed. Blocked: what tasks of the page take beyond 50 ms each, in the first ' +
        `${SETTLED_MS / 1000} s.`
    ],
    figures: { visits, opened }
  }
}
