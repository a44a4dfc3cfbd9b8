/** Requests for models: redirects, passwords and proxies. */
import t from 'tap'
import type { Test } from 'tap'
import { createFetcher } from '../../../dist/engine/http/fetcher.js'
import type { Proxy } from '../../../dist/engine/http/fetcher.js'
import { allowing } from '../../support/address-tricks.ts'
import { makeFetcher, readText } from '../../support/fetcher.ts'
import { startProxy, startServer } from '../../support/model-server.ts'

async function fetchText (t: Test, url: string, proxy?: Proxy): Promise<string> {
  const fetcher = createFetcher({ allow: allowing('127.0.0.1', '127.0.0.1:1'), offline: false, ...(proxy ? { proxy } : {}) })
  t.teardown(fetcher.close)
  const answer = await fetcher.request({ purpose: 'models', url, maxRedirects: 5 })
  return `${answer.status} ${await readText(answer)}`
}

t.test('redirects are followed, relative ones too, five at most', async (t) => {
  const { url, seen } = await startServer(t, (one, response) => {
    const left = Number(one.url.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  t.equal(await fetchText(t, `${url}/5`), '200 there')
  await t.rejects(fetchText(t, `${url}/6`), { code: 'too_many_redirects' })
  t.equal(seen.length, 12)
})

t.test('a redirect in a circle ends', async (t) => {
  const { url, seen } = await startServer(t, (_seen, response) => { response.writeHead(301, { location: '/' }).end() })
  await t.rejects(fetchText(t, url), { code: 'too_many_redirects' })
  t.equal(seen.length, 6)
})

t.test('a redirect to something other than http is not followed', async (t) => {
  for (const location of ['file:///etc/passwd', 'ftp://127.0.0.1/x', 'http://']) {
    const { url } = await startServer(t, (_seen, response) => { response.writeHead(302, { location }).end() })
    await t.rejects(fetchText(t, url), { code: 'invalid_redirect' }, location)
  }
})

t.test('a hub cannot redirect into a private network that is not allowed', async (t) => {
  const inside = await startServer(t, (_seen, response) => { response.end('secret') })
  const hub = await startServer(t, (_seen, response) => { response.writeHead(302, { location: inside.url }).end() })
  const fetcher = makeFetcher(t, { allow: allowing(new URL(hub.url).host) })
  await t.rejects(fetcher.request({ purpose: 'models', url: hub.url, maxRedirects: 5 }), {
    code: 'blocked', message: /STENOBOX_ALLOW_MODELS/
  })
  t.equal(inside.seen.length, 0)
})

t.test('name and password go to their own host only', async (t) => {
  const other = await startServer(t, (_seen, response) => { response.end('other') })
  const { url, seen } = await startServer(t, (_seen, response) => { response.writeHead(302, { location: other.url }).end() })
  t.equal(await fetchText(t, url.replace('http://', 'http://me:p%40ss@')), '200 other')
  t.equal(seen[0]?.authorization, 'Basic ' + Buffer.from('me:p@ss').toString('base64'))
  t.equal(other.seen[0]?.authorization, undefined)
})

t.test('http goes through the proxy, except to the hosts that are named', async (t) => {
  const { url } = await startServer(t, (_seen, response) => { response.end('there') })
  const proxy = await startProxy(t)
  t.equal(await fetchText(t, `${url}/x`, { http: proxy.url, except: '' }), '200 there')
  t.strictSame(proxy.seen, [`GET ${url}/x`])
  t.equal(await fetchText(t, `${url}/x`, { http: proxy.url, except: 'example.org,127.0.0.1' }), '200 there')
  t.equal(proxy.seen.length, 1)
})

t.test('requests that bypass the proxy are checked', async (t) => {
  const { url, seen } = await startServer(t, (_seen, response) => { response.end('secret') })
  const proxy = await startProxy(t)
  const fetcher = makeFetcher(t, { allow: allowing(), proxy: { http: proxy.url, except: '127.0.0.1' } })
  await t.rejects(fetcher.request({ purpose: 'models', url }), { code: 'blocked' })
  t.equal(seen.length, 0)
})

t.test('recordings never go through the proxy', async (t) => {
  const { url } = await startServer(t, (_seen, response) => { response.end('there') })
  const proxy = await startProxy(t)
  const fetcher = makeFetcher(t, { allow: allowing('127.0.0.1'), proxy: { http: proxy.url, except: '' } })
  t.equal(await readText(await fetcher.request({ purpose: 'sources', url })), 'there')
  t.equal(proxy.seen.length, 0)
})

t.test('https goes through a tunnel, with name and password', async (t) => {
  // No certificate is needed to see that a tunnel was asked for, and led somewhere.
  const { url } = await startServer(t, () => {})
  const wanted = 'Basic ' + Buffer.from('me:secret').toString('base64')
  const proxy = await startProxy(t, new URL(url).host, wanted)
  const ask = async (address: string) => await fetchText(t, 'https://models.example/x', { https: address, except: '' })
  await t.rejects(ask(proxy.url.replace('http://', 'http://me:secret@')), { code: 'tls' })
  t.strictSame(proxy.seen, ['CONNECT models.example:443'])
  await t.rejects(ask(proxy.url), { code: 'refused_by_proxy', detail: '407' })
})

t.test('proxies come from the configuration, not from the environment', async (t) => {
  process.env['HTTP_PROXY'] = process.env['http_proxy'] = 'http://127.0.0.1:1'
  t.teardown(() => { for (const name of ['HTTP_PROXY', 'http_proxy']) Reflect.deleteProperty(process.env, name) })
  const { url } = await startServer(t, (_seen, response) => { response.end('there') })
  t.equal(await fetchText(t, url), '200 there')
})

t.test('an invalid proxy address is refused without quoting it', async (t) => {
  for (const http of ['http://u:hunter2@:x', '::hunter2']) {
    const refused = await fetchText(t, 'http://127.0.0.1:1', { http, except: '' }).catch((error: unknown) => error)
    t.match(refused, { code: 'invalid_proxy', message: /^The proxy must be/ })
    t.notMatch(String(refused), /hunter2/)
  }
})
