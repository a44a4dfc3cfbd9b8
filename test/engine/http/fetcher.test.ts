import { once } from 'node:events'
import { createServer } from 'node:http'
import t from 'tap'
import { createFetcher } from '../../../dist/engine/http/fetcher.js'
import type { FetchRequest } from '../../../dist/engine/http/fetcher.js'
import type { Lookup } from '../../../dist/engine/http/names.js'
import { PURPOSES, TRICKS, allowing } from '../../support/address-tricks.ts'
import { codeOf, get, makeAllowed, makeFetcher, readText } from '../../support/fetcher.ts'
import { startServer } from '../../support/model-server.ts'

t.test('no disguised internal address is reachable, for any purpose', async (t) => {
  const inside = await startServer(t, (_seen, response) => { response.end('secret') })
  const fetcher = makeFetcher(t)
  t.ok(TRICKS.length > 60)
  for (const [trick, code] of TRICKS) {
    const url = trick.replace('PORT', new URL(inside.url).port)
    for (const purpose of PURPOSES) {
      t.equal(await codeOf(fetcher.request({ purpose, url })), code, `${purpose} ${JSON.stringify(trick)}`)
      t.equal(await codeOf(fetcher.check(purpose, url)), code, `check ${purpose} ${JSON.stringify(trick)}`)
    }
  }
  t.strictSame(inside.seen, [])
})

t.test('no redirect reaches an internal address', async (t) => {
  const inside = await startServer(t, (_seen, response) => { response.end('secret') })
  let location = ''
  const outside = await startServer(t, ({ url }, response) => { response.writeHead(Number(url.slice(1)), { location }).end() })
  const fetcher = makeAllowed(t, outside.url)
  // A relative or malformed address leads back to the server that is allowed, or nowhere; line breaks cannot be in a header.
  const targets = TRICKS
    .map(([trick]) => trick.replace('PORT', new URL(inside.url).port))
    .filter((url) => URL.canParse(url) && /^[\x21-\x7e]+$/.test(url) && !url.startsWith('http:127'))
  t.ok(targets.length > 100)
  for (const target of targets) {
    for (const status of [301, 302, 303, 307, 308]) {
      location = target
      const code = await codeOf(fetcher.request(get(`${outside.url}/${status}`, { maxRedirects: 3 })))
      t.ok(['blocked', 'invalid_redirect'].includes(code), `${status} ${target}: ${code}`)
    }
  }
  t.strictSame(inside.seen, [])
})

t.test('a name is resolved once per connection, and each new resolution is checked', async (t) => {
  const inside = await startServer(t, (_seen, response) => { response.end('secret') })
  const { port } = new URL(inside.url)
  const allowed = createServer((_request, response) => { response.writeHead(200, { connection: 'close' }).end('allowed') })
  allowed.listen(Number(port), '127.0.0.2')
  await once(allowed, 'listening')
  t.teardown(() => { allowed.close() })
  let asked = 0
  const lookup: Lookup = async () => [{ address: asked++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }]
  const fetcher = makeFetcher(t, { lookup, allow: allowing('127.0.0.2') })
  t.equal(await readText(await fetcher.request(get(`http://rebinding.example:${port}/`))), 'allowed')
  t.equal(asked, 1)
  t.equal(await codeOf(fetcher.request(get(`http://rebinding.example:${port}/`))), 'blocked')
  t.strictSame(inside.seen, [])
})

t.test('the real resolver is asked for localhost, and its answer is refused', async (t) => {
  const inside = await startServer(t, (_seen, response) => { response.end('secret') })
  const fetcher = createFetcher({ allow: allowing(), offline: false })
  t.teardown(fetcher.close)
  t.equal(await codeOf(fetcher.request(get(inside.url.replace('127.0.0.1', 'localhost')))), 'blocked')
  t.strictSame(inside.seen, [])
})

t.test('allowed hosts are reachable by address, range and name', async (t) => {
  const { url, seen } = await startServer(t, (one, response) => { response.end(`${one.method} ${response.req.headers.host}`) })
  const { host, port } = new URL(url)
  for (const entry of ['127.0.0.1', '127.0.0.0/8', host, `127.0.0.0/8:${port}`]) {
    const answer = await makeFetcher(t, { allow: allowing(entry) }).request(get(`${url}/a?b=c#d`))
    t.match(answer, { status: 200, url: `${url}/a?b=c#d` })
    t.equal(await readText(answer), `GET ${host}`)
  }
  const named = makeFetcher(t, { allow: allowing('*.example') })
  t.equal(await readText(await named.request(get(`http://loopback.example:${port}/`))), `GET loopback.example:${port}`)
  t.equal(await codeOf(named.request(get(url))), 'blocked', 'the name, not its address')
  t.equal(seen[0]?.url, '/a?b=c')
})

t.test('each purpose has a separate allow list', async (t) => {
  const { url } = await startServer(t, (_seen, response) => { response.end('there') })
  const fetcher = makeFetcher(t, { allow: { ...allowing(), webhooks: allowing('127.0.0.1').webhooks } })
  const request = async (purpose: 'sources' | 'webhooks'): Promise<string> => await readText(await fetcher.request({ purpose, url }))
  t.equal(await request('webhooks'), 'there')
  const refusal = { code: 'blocked', message: /STENOBOX_ALLOW_SOURCES/ }
  await t.rejects(request('sources'), refusal, 'also while a connection for another purpose is open')
})

t.test('offline refuses everything, allowed or not', async (t) => {
  const { url, seen } = await startServer(t, (_seen, response) => { response.end('there') })
  const fetcher = makeFetcher(t, { allow: allowing('127.0.0.1'), offline: true })
  t.equal(await codeOf(fetcher.request(get(url))), 'offline')
  t.equal(await codeOf(fetcher.check('sources', url)), 'offline')
  t.strictSame(seen, [])
})

t.test('redirects are followed up to the limit; beyond it the redirect is the answer', async (t) => {
  const { url, seen } = await startServer(t, (one, response) => {
    const left = Number(one.url.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { location: `/${left - 1}` }).end('moved')
  })
  const fetcher = makeAllowed(t, url)
  const first = await fetcher.request(get(`${url}/2`))
  t.match(first, { status: 302, headers: { location: '/1' } })
  t.equal(await readText(first), 'moved')
  const answer = await fetcher.request(get(`${url}/3`, { maxRedirects: 3 }))
  t.match(answer, { status: 200, url: `${url}/0` })
  t.equal(await readText(answer), 'there')
  seen.length = 0
  t.equal(await codeOf(fetcher.request(get(`${url}/9`, { maxRedirects: 3 }))), 'too_many_redirects')
  t.equal(seen.length, 4)
})

t.test('a redirect in a circle ends', async (t) => {
  const { url, seen } = await startServer(t, (_seen, response) => { response.writeHead(301, { location: '/' }).end() })
  t.equal(await codeOf(makeAllowed(t, url).request(get(url, { maxRedirects: 5 }))), 'too_many_redirects')
  t.equal(seen.length, 6)
})

t.test('a redirected POST becomes GET, except for 307 and 308', async (t) => {
  const { url } = await startServer(t, (one, response) => {
    if (one.url !== '/') response.writeHead(Number(one.url.slice(1)), { location: '/' }).end()
    else {
      response.req.toArray().then((body: Buffer[]) => {
        response.end(`${one.method} ${response.req.headers['content-type'] ?? '-'} ${Buffer.concat(body)}`)
      }, () => {})
    }
  })
  const fetcher = makeAllowed(t, url)
  const post = async (status: number): Promise<string> => await readText(await fetcher.request(get(`${url}/${status}`, {
    method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' }, maxRedirects: 1
  })))
  for (const status of [301, 302, 303]) t.equal(await post(status), 'GET - ', String(status))
  for (const status of [307, 308]) t.equal(await post(status), 'POST application/json {}', String(status))
})

t.test('credentials and cookies go to their own origin only', async (t) => {
  const other = await startServer(t, (_seen, response) => { response.end(JSON.stringify(response.req.headers)) })
  const { url, seen } = await startServer(t, (one, response) => {
    response.writeHead(302, { location: one.url === '/' ? '/again' : other.url.replace('//', '//mallory:x@'), 'set-cookie': 'a=b' }).end()
  })
  const answer = await makeAllowed(t, url, other.url).request(get(url.replace('//', '//me:p%40ss@'), {
    maxRedirects: 2, headers: { Cookie: 'c=d', 'X-Key': 'k', Range: 'bytes=0-' }
  }))
  const headers = JSON.parse(await readText(answer)) as Record<string, string>
  const basic = 'Basic ' + Buffer.from('me:p@ss').toString('base64')
  t.strictSame(seen.map(({ authorization }) => authorization), [basic, basic])
  t.strictSame(Object.keys(headers).sort(), ['accept-encoding', 'connection', 'host', 'range', 'user-agent'])
  t.equal(answer.url, `${other.url}/`)
  t.equal((await makeAllowed(t, url).request(get(url.replace('//', '//me:x@')))).url, `${url}/`)
})

t.test('errors and answers reveal no address', async (t) => {
  const { url } = await startServer(t, (one, response) => {
    if (one.url.startsWith('/cut')) response.destroy()
    else response.writeHead(302, { location: 'http://10.1.2.3/hunter2' }).end()
  })
  const secret = (path: string): FetchRequest => get(`${url}${path}?token=hunter2`.replace('//', '//hunter2:hunter2@'), { maxRedirects: 2 })
  const fetcher = makeAllowed(t, url, 'http://127.0.0.1:1')
  for (const [wanted, code] of [
    [secret('/cut'), 'broken'],
    [secret('/'), 'blocked'],
    [get('http://u:hunter2@127.0.0.1:1/hunter2'), 'unreachable'],
    [get('hunter2://x'), 'invalid_url']
  ] as const) {
    const error = await fetcher.request(wanted).then(() => undefined, (error: unknown) => error)
    t.match(error, { name: 'FetchError', code })
    t.notMatch([String(error), (error as Error).stack, JSON.stringify(error), (error as Error).cause], /hunter2|127\.0\.0|10\.1\.2/)
  }
})

t.test('connections are reused, but not across purposes', async (t) => {
  const ports = new Set<number | undefined>()
  const { url } = await startServer(t, (_seen, response) => {
    ports.add(response.req.socket.remotePort)
    response.end('a body')
  })
  const fetcher = makeAllowed(t, url)
  for (let count = 0; count < 5; count++) {
    await readText(await fetcher.request(get(url)))
    await (await fetcher.request(get(url))).discard()
  }
  const before = ports.size
  t.ok(before <= 2, 'undici looks at a connection before it uses it again, and meanwhile at another')
  await readText(await fetcher.request(get(url, { purpose: 'webhooks' })))
  t.equal(ports.size, before + 1)
})

t.test('a path that begins with two slashes does not name another server', async (t) => {
  const { url, seen } = await startServer(t, (_seen, response) => { response.end('here') })
  const fetcher = makeAllowed(t, url)
  for (const path of ['//', '//elsewhere.example/x?y=//z', '/a//b']) {
    const answer = await fetcher.request(get(url + path))
    t.equal(await readText(answer), 'here')
    t.equal(seen.at(-1)?.url, path)
  }
})
