/** Recordings that are sent from the page: by choosing, dropping and pasting; after a lost connection; cancelled. */
import { copyFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { AUDIO } from '../support/paths.ts'
import { waitFor } from '../support/wait.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { startPage } from './support/stage.ts'

/** Drops files as an operating system would: `files` by path in a folder, with their bytes. */
async function drop (page: Page, files: ReadonlyArray<{ name: string, base64: string, type: string }>, text = ''): Promise<void> {
  await page.evaluate(`((files, text) => {
    const transfer = new DataTransfer()
    for (const { name, base64, type } of files) {
      transfer.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name, { type }))
    }
    if (text) { transfer.setData('text/uri-list', text) }
    const target = document.querySelector('main')
    for (const kind of ['dragenter', 'dragover', 'drop']) {
      target.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }))
    }
  })(${JSON.stringify(files)}, ${JSON.stringify(text)})`)
}

/** Drops what is at a path, as the file manager of an operating system does: a folder with all that is in it. */
async function dropPath (page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 500, data })
  }
}

/** A folder as people have them: folders in folders, copies, and what is no recording. Returns its path. */
function makeArchive (folder: string): string {
  const archive = `${folder}/archive`
  for (const name of ['2024', '2025/spring/تسجيلات', '.trash']) mkdirSync(`${archive}/${name}`, { recursive: true })
  copyFileSync(`${AUDIO}en-1.wav`, `${archive}/first.wav`)
  copyFileSync(`${AUDIO}en-1.wav`, `${archive}/.trash/hidden.wav`)
  // As a copy of a folder makes them: the same name, size and time.
  for (const name of ['2024', '2025/spring/تسجيلات']) {
    copyFileSync(`${AUDIO}en-3.mp3`, `${archive}/${name}/Interview.mp3`)
    utimesSync(`${archive}/${name}/Interview.mp3`, 1_700_000_000, 1_700_000_000)
  }
  for (const name of ['.DS_Store', 'notes.txt', '2024/cover.jpg', '2024/list.pdf', '2025/index.html', '2025/spring/empty.wav']) {
    writeFileSync(`${archive}/${name}`, name.endsWith('.wav') ? '' : 'text')
  }
  return archive
}

/** The names of everything in the library but the recordings that were there before. */
const namesIn = async (page: Page): Promise<string[]> => (await page.locator('[data-row-link]').allTextContents()).sort()

async function expectArchive (t: Test, page: Page, before: readonly string[]): Promise<void> {
  const added = [...before, 'Interview.mp3', 'Interview.mp3', 'first.wav'].sort()
  // The list of names is as long as there is room, in the order of the disk.
  await page.getByText(/4 files are neither audio nor video and were left out: \S+, \S+, \S+ and 1 more/).waitFor()
  await page.getByText('1 file is empty and was left out: empty.wav').waitFor()
  await page.getByText('All uploads have ended').waitFor()
  await waitFor('all recordings', async () => (await namesIn(page)).length === added.length)
  t.strictSame(await namesIn(page), added)
}

const recording = (name: string, file = 'en-1.wav') =>
  ({ name, base64: readFileSync(AUDIO + file).toString('base64'), type: 'audio/wav' })

t.test('uploads', { skip: NO_CHROMIUM }, async (t) => {
  const stage = await startPage(t)
  const row = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

  await t.test('a dropped file is sent, is transcribed while the page shows how far it is, and is then a transcript', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    await drop(page, [recording('Weekly meeting.wav'), { name: 'notes.txt', base64: '', type: 'text/plain' }])
    await page.getByText('1 file is neither audio nor video and was left out: notes.txt').waitFor()
    await row(page, 'Weekly meeting.wav').waitFor()
    await page.getByText('All uploads have ended').waitFor()
    await page.getByRole('progressbar', { name: 'Progress of Weekly meeting.wav' }).waitFor()
    await expectAccessible(t, page, 'a recording in progress')
    await page.getByRole('progressbar', { name: 'Progress of Weekly meeting.wav' }).waitFor({ state: 'detached' })
    await page.getByText('English').first().waitFor()
    await expectAccessible(t, page, 'a finished recording')
  })

  await t.test('by keyboard: files are chosen from the menu, and followed until they are transcripts', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    const chooser = page.waitForEvent('filechooser')
    await tabTo(page, page.getByRole('button', { name: 'Add recordings' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('menuitem', { name: 'Choose files…' }), 'ArrowDown')
    await page.keyboard.press('Enter')
    await (await chooser).setFiles([{ name: 'Chosen.wav', mimeType: 'audio/wav', buffer: readFileSync(`${AUDIO}en-1.wav`) }])
    await row(page, 'Chosen.wav').waitFor()
    await tabTo(page, page.getByRole('button', { name: 'Close', exact: true }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' })
    await page.getByRole('progressbar', { name: 'Progress of Chosen.wav' }).waitFor({ state: 'detached' })
    await tabTo(page, row(page, 'Chosen.wav'))
    await page.keyboard.press('Enter')
    await page.locator('[data-words="0"]').waitFor()
  })

  await t.test('a dropped folder: every recording in it is added, and what is left out is named', async (t) => {
    const { page, open } = await stage.person(t)
    await stage.client.uploadFile(`${AUDIO}en-1.wav`, { fileName: 'Before.wav' })
    await open('/')
    await row(page, 'Before.wav').waitFor()
    const before = await namesIn(page)
    await dropPath(page, makeArchive(t.testdir()))
    await expectArchive(t, page, before)
    await expectAccessible(t, page, 'after a folder')
  })

  await t.test('by keyboard: a folder is chosen instead', async (t) => {
    const { page, open } = await stage.person(t)
    await stage.client.uploadFile(`${AUDIO}en-1.wav`, { fileName: 'Before too.wav' })
    await open('/')
    await row(page, 'Before too.wav').waitFor()
    const before = await namesIn(page)
    // Asked for early: keys and the order to tell of file dialogs reach the browser on different ways.
    const chooser = page.waitForEvent('filechooser')
    await tabTo(page, page.getByRole('button', { name: 'Add recordings' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('menuitem', { name: 'Choose a folder…' }), 'ArrowDown')
    await page.keyboard.press('Enter')
    await (await chooser).setFiles(makeArchive(t.testdir()))
    await expectArchive(t, page, before)
  })

  await t.test('a lost connection is waited for, and only the missing parts are sent', async (t) => {
    const { page, open, context, faults } = await stage.person(t)
    faults.allow(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/)
    await open('/')
    const sent: string[] = []
    context.on('requestfinished', (request) => { if (request.method() === 'PUT') sent.push(new URL(request.url()).pathname) })
    // The connection ends when the second part is about to be sent, as when a laptop goes to sleep.
    let cuts = 0
    await context.route(/\/parts\/2$/, async (route) => {
      if (cuts++ > 0) return await route.continue()
      await context.setOffline(true)
      await route.abort('internetdisconnected')
    })
    await drop(page, [{ ...recording('Long talk.flac', 'noise.flac'), base64: Buffer.alloc(3_500_000, 1).toString('base64') }])
    await page.getByText('No connection. It goes on by itself.').waitFor()
    await expectAccessible(t, page, 'an upload without a connection')
    await context.setOffline(false)
    await row(page, 'Long talk.flac').waitFor()
    const parts = sent.map((path) => path.split('/').at(-1)).sort()
    t.strictSame(parts, ['1', '2', '3', '4'], 'every part arrived, and none of them twice')
  })

  await t.test('choosing a file again after a reload goes on where it was', async (t) => {
    const { page, open, context, faults } = await stage.person(t)
    faults.allow(/ERR_FAILED|ERR_ABORTED/)
    page.on('dialog', (dialog) => { dialog.accept().catch(() => {}) })
    await open('/')
    const file = { name: 'Resumed.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(2_500_000, 2) }
    let begun = 0
    context.on('request', (request) => { if (request.url().endsWith('/uploads/init')) begun++ })
    // Playwright gives a file a new date each time; a person's file keeps its own.
    await context.addInitScript('Object.defineProperty(File.prototype, "lastModified", { get: () => 1 })')
    await page.reload()
    await page.locator('h1').waitFor()
    await context.route(/\/parts\/3$/, async (route) => { await route.abort('failed') })
    await page.getByTestId('files').first().setInputFiles(file)
    await page.getByText('No connection. It goes on by itself.').waitFor()
    await context.unroute(/\/parts\/3$/)
    await page.reload()
    await page.locator('h1').waitFor()
    await page.getByTestId('files').first().setInputFiles(file)
    await row(page, 'Resumed.wav').waitFor()
    t.equal(begun, 1, 'the upload was begun once')
  })

  await t.test('a cancelled upload is forgotten by the appliance', async (t) => {
    const { page, open, context, faults } = await stage.person(t)
    faults.allow(/ERR_FAILED/)
    await open('/')
    let id = ''
    await context.route(/\/parts\/\d+$/, async (route) => {
      id = route.request().url().split('/').at(-3) ?? ''
      await route.abort('failed')
    })
    await drop(page, [recording('Unwanted.wav')])
    await page.getByText('No connection. It goes on by itself.').waitFor()
    await tabTo(page, page.getByRole('button', { name: 'Cancel the upload of Unwanted.wav' }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Unwanted.wav').waitFor({ state: 'detached' })
    await waitFor('the end of the upload', async () => {
      const { status } = await stage.client.request('GET', `/api/v1/media/uploads/${id}`)
      return status === 404
    })
  })

  await t.test('an address is pasted anywhere and fetched, and a refusal is said where it was typed', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.setData('text/plain', 'http://127.0.0.1:1/talk.mp3')
      document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }))
    })()`)
    const field = page.getByRole('textbox', { name: 'Web address' })
    await field.waitFor()
    t.equal(await field.inputValue(), 'http://127.0.0.1:1/talk.mp3')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('talk.mp3')
    await page.keyboard.press('Enter')
    await page.getByText('This is not a web address.', { exact: false }).waitFor()
    await expectAccessible(t, page, 'a wrong address')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('http://127.0.0.1:1/talk.mp3')
    await page.keyboard.press('Enter')
    await page.getByText('The recording is being fetched.').waitFor()
  })
})
