/** Accessibility of a page as axe sees it, in each appearance and width. */
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'

const SCHEMES = ['light', 'dark'] as const
const WIDTHS = [{ width: 1280, height: 800 }, { width: 390, height: 844 }] as const
const USUAL = WIDTHS[0]

/** Ends what moves, so that colours are judged as they stay. */
const SETTLE = 'Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined))).then(() => undefined)'

/** 0 violations in light and dark, 1280 and 390 px wide, and nothing that scrolls sideways. The page is left light and wide. */
export async function expectAccessible (t: Test, page: Page, what: string): Promise<void> {
  for (const viewport of WIDTHS) {
    await page.setViewportSize(viewport)
    const overhang = Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'))
    t.equal(overhang, 0, `${what}: nothing is wider than ${viewport.width} px`)
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(SETTLE)
      const { violations } = await new AxeBuilder({ page }).analyze()
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })))
      t.strictSame(found, [], `${what}: axe finds nothing, ${colorScheme}, ${viewport.width} px`)
    }
  }
  await page.setViewportSize(USUAL)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** By how many pixels the content of an element is wider than its place, so that it has to be scrolled sideways. */
export const overhangOf = async (element: Locator): Promise<number> => await element.evaluate((node: unknown) => {
  const { scrollWidth, clientWidth } = node as { scrollWidth: number, clientWidth: number }
  return scrollWidth - clientWidth
})
