/** The appliance ends like in a power cut and is started again, under an open page. */
import t from 'tap'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { AUDIO } from '../support/paths.ts'
import { expectAccessible } from './support/accessible.ts'
import { NO_CHROMIUM } from './support/browser.ts'
import { editSegment, startRecording, wordsOf } from './support/recording.ts'
import type { Person } from './support/stage.ts'

/** What browsers report while nobody listens, and when a reply breaks off. */
const AWAY = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_SOCKET_NOT_CONNECTED/

t.test('a restart of the appliance', { skip: NO_CHROMIUM }, async (t) => {
  const { id, client, crash, person } = await startRecording(t, { STENOBOX_PORT: String(await findFreePort()) })
  const path = `/transcripts/${id}`
  const exported = async (): Promise<string> =>
    (await client.request<{ text: string }>('GET', `/api/v1/transcriptions/${id}`)).body.data.text
  const away = ({ page }: Person) => page.getByText('The appliance does not answer. Trying again…')
  type Segments = { segments: Array<{ id: string, revision: number }> }
  async function editElsewhere (index: number, text: string): Promise<void> {
    const { segments } = (await client.request<Segments>('GET', `/api/v1/transcriptions/${id}/segments`)).body.data
    const reply = await client.request('PATCH', `/api/v1/transcriptions/${id}/segments/${segments[index]?.id}`, {
      text, base: segments[index]?.revision
    })
    t.equal(reply.status, 200)
  }

  await t.test('is told calmly, passes by itself, and nothing typed is lost', async (t) => {
    const one = await person(t)
    const { page, faults, open } = one
    faults.allow(AWAY)
    await open(path)
    await page.evaluate('globalThis.isSamePage = true')
    const field = await editSegment(page, 2)
    await field.fill('Typed while it was there,')
    const start = await crash()
    await away(one).waitFor()
    await field.press('End')
    await page.keyboard.type(' and while it was not.')
    await field.press('Control+Enter')
    await page.getByRole('alert').getByText('Your text is kept').waitFor()
    await expectAccessible(t, page, 'a page without its appliance')

    await start()
    await away(one).waitFor({ state: 'detached' })
    t.equal(await field.inputValue(), 'Typed while it was there, and while it was not.')
    await field.press('Control+Enter')
    await field.waitFor({ state: 'detached' })
    t.match(await exported(), /Typed while it was there, and while it was not\./)
    await editElsewhere(1, 'Told after the restart.')
    await page.getByText('Told after the restart.').waitFor()
    t.equal(await page.evaluate('globalThis.isSamePage'), true, 'the page was not loaded again')
  })

  await t.test('what changed before the page was connected again is shown', async (t) => {
    const one = await person(t)
    const { page, context, faults, open } = one
    faults.allow(AWAY)
    faults.allow(/ERR_FAILED/)
    await open(path)
    await wordsOf(page, 0).waitFor()
    const start = await crash()
    await away(one).waitFor()
    await context.route(/\/events$/, async (route) => { await route.abort('failed') })
    await start()
    await editElsewhere(0, 'Changed while nobody told the page.')
    await context.unroute(/\/events$/)
    await page.getByText('Changed while nobody told the page.').waitFor()
  })

  await t.test('a recording that could not be loaded can be played afterwards', async (t) => {
    const one = await person(t)
    const { page, context, faults, open } = one
    faults.allow(AWAY)
    faults.allow(/ERR_FAILED/)
    await context.route(/\/audio$/, async (route) => { await route.abort('failed') })
    await open(path)
    const player = page.getByRole('region', { name: 'Player' })
    await player.getByText('The recording cannot be loaded right now.').waitFor()
    await expectAccessible(t, page, 'a recording that cannot be loaded')
    const start = await crash()
    await away(one).waitFor()
    await context.unroute(/\/audio$/)
    await start()
    await player.getByRole('button', { name: 'Play', exact: true }).waitFor()
  })

  await t.test('a part of the page that is opened meanwhile comes when it is back', async (t) => {
    const { page, faults, open } = await person(t)
    faults.allow(AWAY)
    faults.allow(/does not answer|dynamically imported module|preload assets/)
    await open('/')
    const start = await crash()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('The appliance does not answer. Check that it is running').waitFor()
    await expectAccessible(t, page, 'a part of the page that is away')
    await start()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  })

  await t.test('an upload that is begun meanwhile waits for it', async (t) => {
    const { page, faults, open } = await person(t)
    faults.allow(AWAY)
    await open('/')
    const start = await crash()
    await page.getByTestId('files').first().setInputFiles(`${AUDIO}en-1.wav`)
    await page.getByText('No connection. It goes on by itself.').waitFor()
    await start()
    await page.getByRole('link', { name: 'en-1.wav', exact: true }).waitFor()
  })
})
