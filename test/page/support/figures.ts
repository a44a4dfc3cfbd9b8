/** What a page costs in the browser: paints, blocked time, frames while scrolling, memory. */
import type { BrowserContext, Page } from 'playwright-core'

/** Of a page from its start. Times in ms; `layoutShift` is Chromium's score; `blockedMs`: tasks beyond 50 ms each. */
export type Paints = { firstPaintMs: number, largestPaintMs: number, layoutShift: number, blockedMs: number }

/** Notes from the start of every page of a context what `readPaints` reads. Some entries are only told to who listens from the start. */
export async function watchPaints (context: BrowserContext): Promise<void> {
  await context.addInitScript(`globalThis.paints = { largestPaintMs: 0, layoutShift: 0, blockedMs: 0 }
    const on = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
    on('largest-contentful-paint', ({ startTime }) => { paints.largestPaintMs = startTime })
    on('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) paints.layoutShift += value })
    on('longtask', ({ duration }) => { paints.blockedMs += duration - 50 })`)
}

export async function readPaints (page: Page): Promise<Paints> {
  return await page.evaluate(`({
    ...paints, firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN
  })`) as Paints
}

/** Scrolls 60 pixels a frame for two seconds' worth of frames. The times of the frames in ms, ascending. */
export async function scrollFrames (page: Page): Promise<number[]> {
  return await page.evaluate(`new Promise((resolve) => {
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
  })`) as number[]
}

/** Memory of the scripts of a page after a collection, in MiB. */
export async function heapOf (page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 2 ** 20
}

/** Sums the bytes of scripts on the wire from now on; `bytes` waits for those under way. */
export function countScripts (page: Page): { bytes: () => Promise<number> } {
  const sizes: Array<Promise<number>> = []
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script') sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  return { bytes: async () => (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0) }
}
