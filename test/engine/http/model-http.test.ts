import t from 'tap'
import type { Test } from 'tap'
import { createModelHttp, wrapNetworkError } from '../../../dist/engine/http/model-http.js'
import type { Proxy } from '../../../dist/engine/http/model-http.js'
import { messageOf, startProxy, startServer } from '../../support/model-server.ts'

async function fetchText (t: Test, url: string, proxy?: Proxy): Promise<string> {
  const http = createModelHttp(proxy ? { proxy } : {})
  t.teardown(http.close)
  const answer = await http.ask(new URL(url), { method: 'GET' })
  let text = `${answer.status} `
  for await (const chunk of answer.body) text += String(chunk)
  return text
}

t.test('redirects are followed, relative ones too, five at most', async (t) => {
  const { url, seen } = await startServer(t, (one, response) => {
    const left = Number(one.url.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  t.equal(await fetchText(t, `${url}/5`), '200 there')
  await t.rejects(fetchText(t, `${url}/6`), { message: /redirects more than 5 times/ })
  t.equal(seen.length, 12)
})

t.test('a redirect in a circle ends', async (t) => {
  const { url, seen } = await startServer(t, (_seen, response) => { response.writeHead(301, { location: '/' }).end() })
  await t.rejects(fetchText(t, url), { message: /redirects more than 5 times/ })
  t.equal(seen.length, 6)
})

t.test('a redirect to something else than http is not followed', async (t) => {
  for (const location of ['file:///etc/passwd', 'ftp://127.0.0.1/x', 'http://']) {
    const { url } = await startServer(t, (_seen, response) => { response.writeHead(302, { location }).end() })
    await t.rejects(fetchText(t, url), { name: 'ModelError', message: /redirect/ }, location)
  }
})

t.test('name and password go to their own host only', async (t) => {
  const other = await startServer(t, (_seen, response) => { response.end('other') })
  const { url, seen } = await startServer(t, (_seen, response) => { response.writeHead(302, { location: other.url }).end() })
  t.equal(await fetchText(t, url.replace('http://', 'http://me:p%40ss@')), '200 other')
  t.equal(seen[0]?.authorization, 'Basic ' + Buffer.from('me:p@ss').toString('base64'))
  t.equal(other.seen[0]?.authorization, undefined)
})

t.test('http goes through the proxy, but for the hosts that are excepted', async (t) => {
  const { url } = await startServer(t, (_seen, response) => { response.end('there') })
  const proxy = await startProxy(t)
  t.equal(await fetchText(t, `${url}/x`, { http: proxy.url, except: '' }), '200 there')
  t.strictSame(proxy.seen, [`GET ${url}/x`])
  t.equal(await fetchText(t, `${url}/x`, { http: proxy.url, except: 'example.org,127.0.0.1' }), '200 there')
  t.equal(proxy.seen.length, 1)
})

t.test('https goes through a tunnel, with name and password', async (t) => {
  // No certificate is needed to see that a tunnel was asked for, and led somewhere.
  const { url } = await startServer(t, () => {})
  const wanted = 'Basic ' + Buffer.from('me:secret').toString('base64')
  const proxy = await startProxy(t, new URL(url).host, wanted)
  const ask = async (address: string) => await fetchText(t, 'https://models.example/x', { https: address, except: '' })
  t.notMatch(await messageOf(ask(proxy.url.replace('http://', 'http://me:secret@'))), /proxy/)
  t.strictSame(proxy.seen, ['CONNECT models.example:443'])
  t.match(await messageOf(ask(proxy.url)), /^ModelError: the proxy .*407/)
})

t.test('the environment is not looked at: configuration is', async (t) => {
  process.env['HTTP_PROXY'] = process.env['http_proxy'] = 'http://127.0.0.1:1'
  t.teardown(() => { for (const name of ['HTTP_PROXY', 'http_proxy']) Reflect.deleteProperty(process.env, name) })
  const { url } = await startServer(t, (_seen, response) => { response.end('there') })
  t.equal(await fetchText(t, url), '200 there')
})

t.test('a proxy that is no address is named, without what it holds', async (t) => {
  for (const http of ['http://u:hunter2@:x', '::hunter2']) {
    const message = await messageOf(fetchText(t, 'http://127.0.0.1:1', { http, except: '' }))
    t.match(message, /^ModelError: the proxy must be/)
    t.notMatch(message, /hunter2/)
  }
})

t.test('errors of the network are sentences, and others stay what they are', async (t) => {
  const make = (code: string): Error => Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) })
  t.match(wrapNetworkError(make('ENOTFOUND'), 'x.example'), { name: 'ModelError', message: /no network here knows x\.example/ })
  t.match(wrapNetworkError(make('SELF_SIGNED_CERT_IN_CHAIN'), 'x.example'), { name: 'ModelError', message: /NODE_EXTRA_CA_CERTS/ })
  t.match(wrapNetworkError(make('EAI_AGAIN'), 'x.example'), { name: 'PassingError', message: /is there a network/ })
  t.match(wrapNetworkError(make('HPE_INVALID_CONSTANT'), 'x.example'), { name: 'PassingError' })
  for (const error of [new Error('x'), make('ENOSPC'), 'text']) t.equal(wrapNetworkError(error, 'x.example'), error)
})
