/** Text of others is text: whatever it looks like, nothing of it runs. And pages of other sites can do nothing here. */
import { createServer } from 'node:http'
import t from 'tap'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { beginLogin, discover, register } from '../support/agent.ts'
import { listen } from '../support/listen.ts'
import { AUDIO } from '../support/paths.ts'
import { NO_CHROMIUM } from './support/browser.ts'
import { ACCOUNT, startPage } from './support/stage.ts'
import type { Person } from './support/stage.ts'

const RUN = 'globalThis.pwned=1'
const IMAGE = `<img src=x onerror="${RUN}">`
const SCRIPT = `"><script>${RUN}</script>`
const VECTOR = `'><svg onload='${RUN}'>`
const LINK = `<a href="javascript:${RUN}" style="position:fixed;inset:0">x</a>`
/** Characters that a URL may have; some break out of attributes. */
const HOOK = `http://127.0.0.1:8099/'onmouseover='${RUN}'x='?q=javascript:${RUN}`
/** What browsers report of the pages between the program and ours: a wrong password, the end of the way. */
const OUTSIDE = /status of 401 .*oauth\/interaction|assets\/landed|favicon\.ico/
const HOSTILE_OWNER = { name: `${IMAGE}owner`, password: 'five green boats at dawn' }

/** What a person does with everything on a page: points at it and gives it the keyboard. */
const PROVOKE = `for (const element of document.querySelectorAll('*')) {
  for (const kind of ['mouseover', 'mouseenter', 'pointerenter', 'focus']) element.dispatchEvent(new Event(kind, { bubbles: true }))
}`

/** What only payloads would put into a page. */
const FOREIGN_ELEMENTS = 'img[src=x], [onerror], [onload], [onmouseover], script:not([src])'

/** Fails when anything of a payload became a part of the page or ran. The harness reports what the policy had to refuse. */
async function expectInert (t: Test, page: Page, what: string): Promise<void> {
  await page.evaluate(PROVOKE)
  t.equal(await page.evaluate('globalThis.pwned'), undefined, `${what}: nothing runs`)
  const made = await page.evaluate(`[...document.querySelectorAll('${FOREIGN_ELEMENTS}')].map((element) => element.outerHTML)`)
  t.strictSame(made, [], `${what}: no element comes from text`)
  t.strictSame(await page.evaluate(`[...document.querySelectorAll('[href], [src], [action]')]
    .flatMap((element) => [element.href, element.src, element.action])
    .filter((address) => typeof address === 'string' && /^(javascript|data:text)/i.test(address))`), [], `${what}: no address runs`)
}

t.test('text that looks like a program', { skip: NO_CHROMIUM, timeout: 900_000 }, async (t) => {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const { client, person } = await startPage(t, {
    settings: {
      STENOBOX_PORT: String(port), STENOBOX_OAUTH_SERVER: 'true', STENOBOX_OAUTH_REGISTRATION: 'true',
      STENOBOX_ALLOW_WEBHOOKS: '127.0.0.0/8', STENOBOX_AUDIT_LOG: `${t.testdirName}/audit.log`
    }
  })
  const expectStatus = async (status: number, method: string, path: string, body: object): Promise<void> => {
    const reply = await client.request(method, `/api/v1${path}`, body)
    t.equal(reply.status, status, `${method} ${path} ${reply.body.error ?? ''}`)
  }

  const id = await client.uploadFile(`${AUDIO}dialogue.mp3`, { fileName: `${IMAGE}.mp3`, options: { speakers: { exact: 2 } } })
  t.match(await client.ended(id), { status: 'completed' })
  const untitled = await client.upload(Buffer.from('no sound'), { fileName: `${SCRIPT}.mp3` })
  t.match(await client.ended(untitled), { status: 'failed' })
  await expectStatus(200, 'PATCH', `/transcriptions/${id}`, { title: `${SCRIPT} title`, tags: [`${IMAGE.slice(0, 34)}`, VECTOR] })
  const [segment] = (await client.request<{ segments: Array<{ id: string, revision: number }> }>(
    'GET', `/api/v1/transcriptions/${id}/segments`)).body.data.segments
  await expectStatus(200, 'PATCH', `/transcriptions/${id}/segments/${segment?.id}`, {
    text: `${IMAGE} ${SCRIPT} ${LINK} {{constructor.constructor('${RUN}')()}}`, base: segment?.revision
  })
  const { speakers } = (await client.request<{ speakers: Array<{ label: string }> }>(
    'GET', `/api/v1/transcriptions/${id}/speakers`)).body.data
  await expectStatus(200, 'PATCH', `/transcriptions/${id}/speakers`, {
    speakers: speakers.map(({ label }, index) => ({ label, name: index === 0 ? IMAGE : SCRIPT }))
  })
  await expectStatus(200, 'PUT', '/vocabulary', { terms: [IMAGE, SCRIPT, VECTOR] })
  await expectStatus(201, 'POST', '/webhooks/endpoints', { url: HOOK })
  const { server } = await discover(origin)
  const agent = await register(server, { client_name: `${IMAGE}${SCRIPT}`, redirect_uris: [`${origin}/assets/landed`] })
  const ask = async (): Promise<URL> => (await beginLogin(server, agent, { resource: origin, redirectUri: `${origin}/assets/landed` })).url

  async function watch ({ page, faults }: Person): Promise<void> {
    faults.allow(OUTSIDE)
    page.on('dialog', (dialog) => {
      t.fail(`a dialog opened: ${dialog.message()}`)
      dialog.dismiss().catch(() => {})
    })
  }

  /** Logs in, sees the consent page and allows access. */
  async function grant (page: Page, { name, password }: { name: string, password: string }): Promise<void> {
    await page.goto((await ask()).href)
    await expectInert(t, page, 'login')
    await page.getByLabel('Name of the owner').fill(SCRIPT)
    await page.getByLabel('Password').fill(SCRIPT)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').waitFor()
    await expectInert(t, page, 'login that failed')
    await page.getByLabel('Name of the owner').fill(name)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
    t.ok(await page.getByText(`${IMAGE}${SCRIPT}`).isVisible(), 'the name of the program is shown as it is')
    await expectInert(t, page, 'consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(/assets\/landed/, { waitUntil: 'commit' })
  }

  await t.test('pages of the account', async (t) => {
    const one = await person(t)
    await watch(one)
    const { page, open } = one
    await grant(page, ACCOUNT)
    for (const [name, expiry] of [[IMAGE, {}], [SCRIPT, { expiresInDays: 1 }]] as const) {
      const made = await page.request.post('/api/v1/keys', { data: { name, ...expiry }, headers: { origin } })
      t.equal(made.status(), 201)
    }
    const shown: Array<[string, string]> = [
      ['/', `${SCRIPT} title`], ['/', `${SCRIPT}.mp3`], [`/transcripts/${id}`, `${SCRIPT} title`], [`/transcripts/${id}`, IMAGE],
      ['/settings/api', IMAGE], ['/settings/webhooks', HOOK], ['/settings/connections', `${IMAGE}${SCRIPT}`],
      ['/settings/vocabulary', VECTOR]
    ]
    for (const [path, text] of shown) {
      await open(path)
      await page.getByText(text).first().waitFor()
      await expectInert(t, page, `${path} with ${text}`)
    }
    await open('/settings/webhooks')
    await page.getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await expectInert(t, page, 'dialog of a webhook')
    await open('/settings/connections')
    await page.getByRole('button', { name: /^Disconnect/ }).click()
    await expectInert(t, page, 'dialog of a program')
  })

  await t.test('addresses of the page', async (t) => {
    const one = await person(t)
    await watch(one)
    for (const path of [
      `/?q=${encodeURIComponent(IMAGE)}`, `/?q=${encodeURIComponent('"globalThis"')}&tag=${encodeURIComponent(VECTOR)}`,
      `/settings/${encodeURIComponent(IMAGE)}`, `/transcripts/${encodeURIComponent(SCRIPT)}`,
      `/transcripts/${id}?q=${encodeURIComponent(IMAGE)}`,
      `/sign-in?next=${encodeURIComponent(`javascript:${RUN}`)}`, `/setup?token=${encodeURIComponent(SCRIPT)}`,
      `/shared/${encodeURIComponent(IMAGE)}`, `/${encodeURIComponent(SCRIPT)}#${encodeURIComponent(IMAGE)}`
    ]) {
      await one.page.goto(path)
      await one.page.locator('#page > *').first().waitFor()
      await expectInert(t, one.page, path)
    }
  })

  await t.test('pages that show the name of an owner', async (t) => {
    const one = await person(t)
    await watch(one)
    const { page, open } = one
    const headers = { origin }
    const made = await page.request.post('/api/v1/admin/owners', { data: { name: HOSTILE_OWNER.name, plan: 'free' }, headers })
    const { data: owner } = await made.json() as { data: { id: number } }
    const { password } = HOSTILE_OWNER
    t.equal((await page.request.put(`/api/v1/admin/owners/${owner.id}/password`, { data: { password }, headers })).status(), 200)
    for (const path of ['system', 'owners', 'queue', 'failed', 'models', 'log']) {
      await open(`/administration/${path}`)
      if (path === 'owners') await page.getByText(HOSTILE_OWNER.name).waitFor()
      await page.getByRole('status', { name: 'Loading…' }).first().waitFor({ state: 'detached' })
      await expectInert(t, page, path)
    }
    await grant(page, HOSTILE_OWNER)
    t.equal((await page.request.post('/api/v1/session', { data: HOSTILE_OWNER, headers })).status(), 200)
    await open('/settings/account')
    await page.getByText(HOSTILE_OWNER.name).first().waitFor()
    await expectInert(t, page, 'account')
  })

  await t.test('replies of the interface are no pages', async (t) => {
    const one = await person(t)
    for (const path of [`/api/v1/transcriptions/${id}`, `/api/v1/transcriptions/${id}/export?format=txt`, '/api/v1/webhooks/endpoints']) {
      const reply = await one.page.request.get(path, { headers: { accept: 'text/html' } })
      t.equal(reply.status(), 200, path)
      t.notMatch(reply.headers()['content-type'], /html/, path)
      t.equal(reply.headers()['x-content-type-options'], 'nosniff', path)
    }
  })
})

/** Everything that a page of another origin can try with the cookies of a person. */
const attackOf = (victim: string): string => `<!doctype html><title>attack</title>
<iframe name="frame"></iframe><iframe src="${victim}/settings/api"></iframe>
<form method="post" action="${victim}/api/v1/keys" enctype="text/plain" target="frame">
  <input name='{"name":"stolen","x":"' value='"}'>
</form>
<script>
const attempts = []
const ask = (path, method, type) => attempts.push(fetch('${victim}/api/v1' + path, {
  method, mode: type === 'application/json' ? 'cors' : 'no-cors', credentials: 'include', headers: { 'content-type': type },
  ...(method === 'GET' ? {} : { body: JSON.stringify({ name: 'stolen', terms: ['stolen'] }) })
}).then((reply) => reply.type === 'opaque' ? 'sent' : 'read', () => 'refused'))
for (const type of ['text/plain', 'application/json']) {
  ask('/keys', 'POST', type); ask('/vocabulary', 'PUT', type); ask('/session', 'DELETE', type); ask('/session', 'GET', type)
}
document.forms[0].submit()
Promise.all(attempts).then((outcomes) => { document.title = 'done ' + outcomes.join() })
</script>`

t.test('pages of other origins', { skip: NO_CHROMIUM, timeout: 300_000 }, async (t) => {
  const { origin, client, person } = await startPage(t)
  const address = await listen(t, createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(attackOf(origin))
  }))
  // Another port is another origin but the same site, where the cookie is sent; another name is another site.
  for (const foreign of [address, address.replace('127.0.0.1', 'localhost')]) {
    const { page, open, faults } = await person(t)
    faults.allow(/.*/s)
    await page.goto(foreign)
    await page.waitForFunction('document.title.startsWith("done")')
    t.notMatch(await page.title(), /read/, `${foreign}: no reply can be read`)
    await open('/settings/api')
    t.equal(await page.getByText('stolen').count(), 0, `${foreign}: no key was made, and the session goes on`)
    t.match((await client.request('GET', '/api/v1/vocabulary')).body.data, { terms: [] })
  }
})
