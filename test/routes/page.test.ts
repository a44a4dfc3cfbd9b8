import { gunzipSync } from 'node:zlib'
import { mkdirSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { createLogger } from '../../dist/logger.js'
import { buildAppliance } from '../support/appliance.ts'

const HTML = '<!doctype html><title>Page</title><link rel="icon" href="/icon.svg">' +
  '<script type="module" src="/assets/index-1a2b.js"></script>'
const SCRIPT = 'console.log("page")\n'.repeat(100)
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

async function build (t: Test, settings: Record<string, string> = {}, isBuilt = true) {
  const root = t.testdir({ data: {}, page: {}, 'secret.txt': 'secret' })
  const pageFolder = isBuilt ? `${root}/page` : `${root}/missing`
  if (isBuilt) {
    mkdirSync(`${pageFolder}/assets`)
    writeFileSync(`${pageFolder}/index.html`, HTML)
    writeFileSync(`${pageFolder}/icon.svg`, '<svg xmlns="http://www.w3.org/2000/svg"/>')
    writeFileSync(`${pageFolder}/.hidden.txt`, 'hidden')
    writeFileSync(`${pageFolder}/assets/index-1a2b.js`, SCRIPT)
  }
  const own = { STENOBOX_DATA_DIR: `${root}/data`, ...settings }
  const built = await buildAppliance(t, own, Date.now, createLogger('silent'), { pageFolder })
  const get = async (url: string, headers: Record<string, string> = { accept: BROWSER }, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    await built.http.inject({ method, url, headers })
  return { ...built, get, pageFolder }
}

t.test('the page is sent at its address, and at those that only it knows', async (t) => {
  const { get } = await build(t)
  for (const url of ['/', '/?x=1', '/library/42', '/setup?token=abc', '/shared/abc', '/a/b/c.d']) {
    const reply = await get(url)
    t.match({ status: reply.statusCode, body: reply.body }, { status: 200, body: HTML }, url)
    t.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
    t.equal(reply.headers['cache-control'], 'no-cache')
  }
  t.equal((await get('/', { accept: '*/*' })).body, HTML, 'without a preference')
})

t.test('its policy allows our own files only, and no frames', async (t) => {
  const { get } = await build(t)
  for (const url of ['/', '/library', '/icon.svg', '/assets/index-1a2b.js']) {
    const { headers } = await get(url)
    t.equal(headers['content-security-policy'], "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
      "media-src 'self' blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
      "frame-ancestors 'none'", url)
    t.match(headers, {
      'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': /microphone=\(\)/
    })
  }
})

t.test('files are compressed and have tags; browsers keep assets without asking again', async (t) => {
  const { get, pageFolder } = await build(t)
  const plain = await get('/assets/index-1a2b.js', { accept: '*/*' })
  t.match({ body: plain.body, headers: plain.headers }, {
    body: SCRIPT,
    headers: {
      'cache-control': 'public, max-age=31536000, immutable', 'content-type': 'text/javascript; charset=utf-8', vary: 'accept-encoding'
    }
  })
  const zipped = await get('/assets/index-1a2b.js', { 'accept-encoding': 'gzip, br' })
  t.equal(zipped.headers['content-encoding'], 'gzip')
  t.equal(gunzipSync(zipped.rawPayload).toString(), SCRIPT)
  t.not(zipped.headers.etag, plain.headers.etag)
  t.equal((await get('/assets/index-1a2b.js', { 'accept-encoding': 'gzip;q=0, br' })).headers['content-encoding'], undefined)
  const tag = String(plain.headers.etag)
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
    const reply = await get('/assets/index-1a2b.js', { 'if-none-match': known })
    t.match({ status: reply.statusCode, body: reply.body }, { status: 304, body: '' }, known)
  }
  const head = await get('/assets/index-1a2b.js', {}, 'HEAD')
  t.match({ status: head.statusCode, body: head.body, length: head.headers['content-length'] }, { status: 200, body: '', length: '2000' })
  writeFileSync(`${pageFolder}/index.html`, HTML + '<p>new</p>')
  t.match((await get('/')).body, /new/, 'a new build needs no restart')
})

t.test('what is no file and no address of the page is not found, in the usual form', async (t) => {
  const { get } = await build(t)
  for (const url of [
    '/api', '/api/v1/nothing', '/api/v2', '/assets/missing.js', '/assets/', '/docs/nothing', '/oauth/authorize', '/.well-known/x'
  ]) {
    const reply = await get(url)
    t.match({ status: reply.statusCode, body: reply.json<object>() }, { status: 404, body: { success: false, code: 'not_found' } }, url)
  }
  t.equal((await get('/api/v1/uploads/init')).statusCode, 404)
  t.match((await get('/api/v1/media/uploads/init')).json(), { code: 'method_not_allowed' }, 'a path of the interface with another method')
  for (const accept of ['*/*', 'application/json', '']) {
    t.match((await get('/library/42', { accept })).json(), { code: 'not_found' }, 'a program that mistyped an address')
  }
  t.equal((await get('/library', { accept: BROWSER }, 'POST')).statusCode, 404)
  t.match((await get('/healthz')).json(), { success: true })
})

t.test('nothing outside the folder and no hidden file is sent', async (t) => {
  const { get } = await build(t)
  for (const url of [
    '/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/assets/../../secret.txt', '/assets/..%5c..%5csecret.txt', '//secret.txt',
    '/.hidden.txt', '/assets/.hidden.txt', '/index.html%00.js', '/constructor', '/x.constructor'
  ]) {
    for (const accept of ['*/*', BROWSER]) {
      const reply = await get(url, { accept })
      t.notMatch(reply.body, /^(secret|hidden)/, url)
      t.ok([200, 400, 404].includes(reply.statusCode), `${url}: ${reply.statusCode}`)
    }
  }
})

t.test('behind a proxy that publishes the appliance in a folder, addresses begin with it', async (t) => {
  const { get } = await build(t, { STENOBOX_PUBLIC_URL: 'https://example.org/steno' })
  t.match((await get('/')).body, /href="\/steno\/icon\.svg".*src="\/steno\/assets\/index-1a2b\.js"/)
})

t.test('a page that is not built says how it is, and the interface works', async (t) => {
  const { get } = await build(t, {}, false)
  const reply = await get('/')
  t.match({ status: reply.statusCode, body: reply.body, type: reply.headers['content-type'] }, {
    status: 404, body: /npm run build.*\/docs/, type: 'text/plain; charset=utf-8'
  })
  t.match((await get('/', { accept: 'application/json' })).json(), { code: 'not_found' })
  t.match((await get('/healthz')).json(), { success: true })
})
