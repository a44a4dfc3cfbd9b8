/** What the browser fetches before a person sees the library. */
import t from 'tap'
import { NO_CHROMIUM } from './support/browser.ts'
import { countScripts } from './support/figures.ts'
import { startPage } from './support/stage.ts'

/** Bytes of script on the wire: 200 kB are two seconds on a slow line. */
const MOST_BYTES = 200_000
const HEADINGS = { 'en-GB': 'Library', 'de-DE': 'Bibliothek', 'es-ES': 'Biblioteca' }

t.test('the first view of the library', { skip: NO_CHROMIUM }, async (t) => {
  const stage = await startPage(t)
  await t.test('the sign-in', async (t) => {
    const { page, open } = await stage.person(t, { isSignedIn: false })
    const scripts = countScripts(page)
    await open('/')
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    const bytes = await scripts.bytes()
    t.comment(`${bytes} bytes`)
    t.ok(bytes > 0 && bytes <= MOST_BYTES, `${bytes} bytes`)
  })

  for (const [locale, heading] of Object.entries(HEADINGS)) {
    await t.test(locale, async (t) => {
      const { page, open } = await stage.person(t, { locale })
      const scripts: Array<Promise<{ path: string, bytes: number }>> = []
      page.on('requestfinished', (request) => {
        if (request.resourceType() !== 'script') return
        scripts.push(request.sizes().then(({ responseBodySize }) => ({ path: new URL(request.url()).pathname, bytes: responseBodySize })))
      })
      await open('/')
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await page.waitForLoadState('networkidle')
      const sent = await Promise.all(scripts)
      const bytes = sent.reduce((sum, one) => sum + one.bytes, 0)
      t.comment(`${bytes} bytes in ${sent.length} files`)
      t.ok(bytes > 0 && bytes <= MOST_BYTES, `${bytes} bytes\n${sent.map((one) => `${one.bytes} ${one.path}`).join('\n')}`)
      const texts = sent.filter(({ path }) => /\/(en|de|es)-[^/]+\.js$/.test(path))
      t.equal(texts.length, 1, `the texts of one language, and of no other page: ${texts.map(({ path }) => path).join(' ')}`)
    })
  }

  await t.test('the texts of a page come with it, in a language that was chosen before as well', async (t) => {
    const { page, open } = await stage.person(t)
    await page.addInitScript(`globalThis.keysShown = []
      const isKey = (text) => /^(admin|app|library|settings|transcript)\\.[a-z]/.test(text)
      const note = () => {
        for (const { textContent } of document.querySelectorAll('h1, h2, a, button, label, p')) {
          if (isKey(textContent)) keysShown.push(textContent)
        }
      }
      new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true })`)
    await open('/')
    const go = async (name: string): Promise<void> => { await page.getByRole('link', { name, exact: true }).click() }
    await go('Administration')
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    await go('Settings')
    await go('Language')
    await page.getByText('Deutsch').click()
    await go('Verwaltung')
    await page.getByRole('heading', { name: 'Zustand' }).waitFor()
    t.strictSame(await page.evaluate('keysShown'), [], 'no text is missing, not even for a moment')
  })
})
