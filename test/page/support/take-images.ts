/**
 * Takes the pictures in docs/images again, from the built page, with the model base:
 *
 *   node test/page/support/take-images.ts
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { createClient } from '../../support/client.ts'
import type { Client } from '../../support/client.ts'
import { AUDIO } from '../../support/paths.ts'
import { startServer } from '../../support/program.ts'
import type { RunningServer } from '../../support/program.ts'
import { startChromium } from './browser.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const ACCOUNT = { name: 'Anna', password: 'nine silver lamps by the sea' }
const DRAWN_MS = 1500
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

/** Oldest first. */
const RECORDINGS = [
  {
    file: 'dialogue.mp3', title: 'Interview with the new director', tags: ['interview'], speakers: { exact: 2 },
    names: ['Ruth Meyer', 'Tom Gill']
  },
  { file: 'talk.mp3', title: 'Town hall, November', tags: ['council', 'draft'], speakers: { exact: 1 }, names: [] },
  { file: 'de-1.m4a', title: 'Notiz für Jonas', tags: [], speakers: false, names: [] },
  { file: 'es-1.ogg', title: 'Mensaje de Lucía', tags: ['voice message'], speakers: false, names: [] },
  { file: 'en-2.flac', title: 'Dictation', tags: [], speakers: false, names: [] }
]

/** Adds the recordings and waits for their texts. The ids by file. */
async function addRecordings (client: Client): Promise<Record<string, number>> {
  const ids: Record<string, number> = {}
  for (const { file, title, tags, speakers, names } of RECORDINGS) {
    const id = await client.uploadFile(AUDIO + file, { options: { speakers } })
    await client.ended(id)
    await client.request('PATCH', `/api/v1/transcriptions/${id}`, { title, tags })
    const named = names.map((name, index) => ({ label: `Speaker ${index + 1}`, name }))
    if (named.length > 0) await client.request('PATCH', `/api/v1/transcriptions/${id}/speakers`, { speakers: named })
    ids[file] = id
  }
  return ids
}

type Look = { viewport: typeof DESK, colorScheme: 'light' | 'dark' }

async function takeImages ({ origin }: RunningServer, browser: Browser, ids: Record<string, number>): Promise<void> {
  /** `settle`: what is pressed and waited for before the picture is taken. */
  async function take (name: string, path: string, { viewport, colorScheme }: Look, settle: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ baseURL: origin, locale: 'en-GB', viewport, colorScheme, reducedMotion: 'reduce' })
    await context.request.post('/api/v1/session', { data: ACCOUNT, headers: { origin } })
    const page = await context.newPage()
    await page.goto(path)
    await settle(page)
    // For the waveform. A page with a player never ends its requests.
    await page.waitForTimeout(DRAWN_MS)
    await page.screenshot({ path: `${ROOT}docs/images/${name}.png` })
    await context.close()
  }
  const [light, dark, phone] = [
    { viewport: DESK, colorScheme: 'light' }, { viewport: DESK, colorScheme: 'dark' }, { viewport: PHONE, colorScheme: 'dark' }
  ] as const
  const panel = async (page: Page): Promise<void> => { await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor() }
  const [talk, interview] = [`/transcripts/${ids['talk.mp3']}`, `/transcripts/${ids['dialogue.mp3']}`]

  await take('library', '/', light, async (page) => { await page.locator('[data-row-link]').first().waitFor() })
  await take('transcript', talk, light, async (page) => {
    await page.getByRole('tab', { name: 'Chapters' }).click()
    await panel(page)
  })
  await take('search', '/?q=water&language=en', light, async (page) => { await page.locator('mark').first().waitFor() })
  await take('transcript-dark', interview, dark, panel)
  await take('models', '/administration/models', light, async (page) => { await page.getByRole('list', { name: 'Installed' }).waitFor() })
  await take('phone', interview, phone, async (page) => { await page.locator('[data-words]').first().waitFor() })
}

if (!existsSync(`${ROOT}models/ggml-base.bin`)) throw new Error('The model base is missing; stenobox models pull base fetches it.')
const dataDir = mkdtempSync(join(tmpdir(), 'stenobox-images-'))
const server = await startServer(dataDir, { STENOBOX_MODELS_DIR: `${ROOT}models`, STENOBOX_SHARING: 'true' })
const browser = await startChromium()
try {
  const made = await fetch(`${server.origin}/api/v1/setup`, {
    method: 'POST', body: JSON.stringify(ACCOUNT), headers: { 'content-type': 'application/json', origin: server.origin }
  })
  if (made.status !== 201) throw new Error(`first start: ${made.status} ${await made.text()}`)
  await takeImages(server, browser, await addRecordings(createClient(server.address, server.firstKey ?? '')))
} finally {
  await browser.close()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
