/** Options for new recordings: chosen once, seen before anything is added, and sent with everything that is added. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Page } from 'playwright-core'
import { parseLanguage } from '../../dist/domain/language.js'
import { AUDIO } from '../support/paths.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM, tabTo } from './support/browser.ts'
import { startPage } from './support/stage.ts'
import type { Person } from './support/stage.ts'

type Sent = { fileName?: string, sourceUrl?: string, language?: string, options?: Record<string, unknown> }

/** What a person's page asks for when recordings are added. */
function noteRequests ({ context }: Pick<Person, 'context'>): Sent[] {
  const sent: Sent[] = []
  context.on('request', (request) => {
    if (/\/(uploads\/init|media\/ingest)$/.test(request.url())) sent.push(request.postDataJSON() as Sent)
  })
  return sent
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Options for new recordings' })
const file = (name: string) => ({ name, mimeType: 'audio/wav', buffer: readFileSync(`${AUDIO}en-1.wav`) })
const addFile = async (page: Page, name: string): Promise<void> => { await page.getByTestId('files').first().setInputFiles(file(name)) }
const row = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

async function openOptions (page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add recordings' }).click()
  await page.getByRole('menuitem', { name: 'Options for new recordings…' }).click()
  await dialogOf(page).waitFor()
}
async function choose (page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: new RegExp(label) }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** As an administrator does, who is signed in in this tab. */
async function takeSpeakersFromPlan (page: Page): Promise<void> {
  const status = await page.evaluate(`(async () => {
    const { data: { account: { plan } } } = await (await fetch('/api/v1/session')).json()
    const { limits } = (await (await fetch('/api/v1/admin/plans')).json()).data.find((one) => one.plan === plan)
    const body = JSON.stringify({ ...limits, diarization: false })
    return (await fetch('/api/v1/admin/plans/' + plan, { method: 'PATCH', headers: { 'content-type': 'application/json' }, body })).status
  })()`)
  if (status !== 200) throw new Error(`the plan was not changed: ${String(status)}`)
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
/** Codes of languages, which have two or three letters, by which the appliance calls a language itself. */
const KNOWN_CODES = [...PAIRS, ...PAIRS.flatMap((pair) => LETTERS.map((third) => pair + third))].filter((code) => {
  try {
    return parseLanguage(code) === code
  } catch {
    return false
  }
}).sort()

t.test('options', { skip: NO_CHROMIUM }, async (t) => {
  const stage = await startPage(t)

  await t.test('they are chosen with the keyboard alone, are seen, and go with the next file', async (t) => {
    const person = await stage.person(t)
    const { page, open } = person
    const sent = noteRequests(person)
    await open('/')
    t.equal(await page.getByText('Next recordings').count(), 0, 'nothing is said while nothing was chosen')
    await tabTo(page, page.getByRole('button', { name: 'Add recordings' }))
    await page.keyboard.press('Enter')
    // The last of the menu.
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await dialogOf(page).waitFor()
    await tabTo(page, dialogOf(page).getByRole('button', { name: /Spoken language/ }))
    await page.keyboard.press('Enter')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.type('Germ')
    await page.keyboard.press('Enter')
    await tabTo(page, dialogOf(page).getByRole('button', { name: /Speakers/ }))
    await page.keyboard.press('Enter')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await tabTo(page, dialogOf(page).getByRole('textbox', { name: 'Number of speakers' }))
    await page.keyboard.type('2')
    await tabTo(page, dialogOf(page).getByRole('textbox', { name: 'Special words' }))
    await page.keyboard.type('Stenobox, Ada Lovelace')
    await expectAccessible(t, page, 'options')
    await tabTo(page, dialogOf(page).getByRole('button', { name: 'Save' }))
    await page.keyboard.press('Enter')
    await dialogOf(page).waitFor({ state: 'detached' })
    await page.getByText('Next recordings: German, 2 speakers, 2 special words').waitFor()
    await expectAccessible(t, page, 'the options of the next recordings')
    await addFile(page, 'Chosen.wav')
    await row(page, 'Chosen.wav').waitFor()
    t.match(sent, [{ language: 'de', options: { speakers: { exact: 2 }, terms: ['Stenobox', 'Ada Lovelace'] } }])
    t.equal('sttQuality' in (sent[0]?.options ?? {}), false, 'what was not chosen is left to the appliance')
  })

  await t.test('this browser remembers them, the special words only this tab', async (t) => {
    const { page, open, context } = await stage.person(t)
    await open('/')
    await openOptions(page)
    await choose(page, 'Quality', 'Accurate: takes longer')
    await choose(page, 'Stereo recordings', 'Both channels together')
    await page.getByRole('textbox', { name: 'Special words' }).fill('Lovelace')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Next recordings: accurate, channels together, 1 special word').waitFor()
    await page.reload()
    await page.getByText('Next recordings: accurate, channels together, 1 special word').waitFor()
    const other = await context.newPage()
    await other.goto('/')
    await other.getByText('Next recordings: accurate, channels together', { exact: true }).waitFor()
    await other.getByRole('button', { name: 'Change the options for new recordings' }).click()
    await dialogOf(other).getByRole('button', { name: 'Reset' }).click()
    await dialogOf(other).getByRole('button', { name: 'Save' }).click()
    await other.getByText('Next recordings').waitFor({ state: 'detached' })
    await page.getByText('Next recordings: 1 special word').waitFor()
  })

  await t.test('what cannot be meant is said beside the field', async (t) => {
    const { page, open } = await stage.person(t)
    await open('/')
    await openOptions(page)
    await choose(page, 'Speakers', 'Tell apart: I know how many')
    await page.getByRole('textbox', { name: 'Number of speakers' }).fill('0')
    await page.getByRole('textbox', { name: 'Special words' }).fill('x'.repeat(65))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Type a whole number from 1 to 40.').waitFor()
    await page.getByText('At most 200 words, each with at most 64 characters.').waitFor()
    await expectAccessible(t, page, 'wrong options')
  })

  await t.test('a web address is fetched with options that are changed beside it', async (t) => {
    const person = await stage.person(t)
    const { page, open } = person
    const sent = noteRequests(person)
    await open('/')
    await page.getByRole('button', { name: 'Add recordings' }).click()
    await page.getByRole('menuitem', { name: 'From a web address…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Web address' }).fill('http://127.0.0.1:1/talk.mp3')
    await dialog.getByRole('button', { name: 'Options: automatic' }).click()
    await choose(page, 'Spoken language', 'Spanish')
    await choose(page, 'Speakers', 'Do not tell apart')
    await expectAccessible(t, page, 'an address with options')
    await dialog.getByRole('button', { name: 'Fetch' }).click()
    await page.getByText('Next recordings: Spanish, speakers not told apart').waitFor()
    t.match(sent, [{ sourceUrl: 'http://127.0.0.1:1/talk.mp3', language: 'es', options: { speakers: false } }])
  })

  await t.test('an upload that is resumed keeps the options that it began with', async (t) => {
    const person = await stage.person(t)
    const { page, open, context, faults } = person
    faults.allow(/ERR_FAILED|ERR_ABORTED/)
    page.on('dialog', (dialog) => { dialog.accept().catch(() => {}) })
    const sent = noteRequests(person)
    // Playwright gives a file a new date each time; a person's file keeps its own.
    await context.addInitScript('Object.defineProperty(File.prototype, "lastModified", { get: () => 1 })')
    await open('/')
    await openOptions(page)
    await choose(page, 'Spoken language', 'French')
    await page.getByRole('button', { name: 'Save' }).click()
    await context.route(/\/parts\/1$/, async (route) => { await route.abort('failed') })
    await addFile(page, 'Resumed.wav')
    await page.getByText('No connection. It goes on by itself.').waitFor()
    await context.unroute(/\/parts\/1$/)
    await page.reload()
    await page.getByRole('button', { name: 'Change the options for new recordings' }).click()
    await choose(page, 'Spoken language', 'Dutch')
    await page.getByRole('button', { name: 'Save' }).click()
    await addFile(page, 'Resumed.wav')
    await row(page, 'Resumed.wav').waitFor()
    t.match(sent, { length: 1, 0: { fileName: 'Resumed.wav', language: 'fr' } })
    await addFile(page, 'Later.wav')
    await row(page, 'Later.wav').waitFor()
    t.match(sent[1], { fileName: 'Later.wav', language: 'nl' })
  })

  await t.test('the languages are those that the appliance knows', async (t) => {
    const { LANGUAGE_CODES } = await import(new URL('../../src/dashboard/recordings/languages.ts', import.meta.url).href) as
      { LANGUAGE_CODES: string[] }
    t.strictSame(LANGUAGE_CODES, KNOWN_CODES)
  })

  await t.test('a plan without speakers has no options for them', async (t) => {
    const person = await stage.person(t)
    const { page, open } = person
    const sent = noteRequests(person)
    await open('/')
    await openOptions(page)
    await choose(page, 'Speakers', 'Do not tell apart')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Next recordings: speakers not told apart').waitFor()
    await takeSpeakersFromPlan(page)
    await page.reload()
    await page.locator('h1').waitFor()
    await openOptions(page)
    t.equal(await dialogOf(page).getByRole('button', { name: /Speakers/ }).count(), 0)
    t.equal(await page.getByText('Next recordings').count(), 0)
    await page.keyboard.press('Escape')
    await addFile(page, 'Plain.wav')
    await row(page, 'Plain.wav').waitFor()
    t.equal('speakers' in (sent[0]?.options ?? {}), false)
  })
})
