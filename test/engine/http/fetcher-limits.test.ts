import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import type { FetchLimits, FetchRequest } from '../../../dist/engine/http/fetcher.js'
import { createNames } from '../../../dist/engine/http/names.js'
import type { Lookup } from '../../../dist/engine/http/names.js'
import { allowing } from '../../support/address-tricks.ts'
import { codeOf, get, makeAllowed, makeFetcher, readText } from '../../support/fetcher.ts'
import { startServer } from '../../support/model-server.ts'
import { startNameServer } from '../../support/name-server.ts'

/** A server that says these bytes to every connection, in pieces `everyMs` apart, and never ends it itself. */
async function startRaw (t: Test, pieces: readonly string[], everyMs = 0): Promise<{ url: string, sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => { sockets.delete(socket) })
    const left = [...pieces]
    socket.once('data', () => {
      socket.write(left.shift() ?? '')
      const timer = setInterval(() => { socket.write(left.shift() ?? '') }, everyMs)
      socket.once('close', () => { clearInterval(timer) })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

const waitUntilGone = async (sockets: Set<Socket>): Promise<void> => {
  await Promise.all([...sockets].map(async (socket) => { await new Promise((resolve) => { socket.once('close', resolve) }) }))
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'
const readFrom = async (t: Test, url: string, more: Partial<FetchRequest> = {}): Promise<string> =>
  await readText(await makeAllowed(t, url).request(get(url, more)))

t.test('a silent server is given up after the time for the first byte', async (t) => {
  const { url, sockets } = await startRaw(t, [])
  t.equal(await codeOf(readFrom(t, url, { limits: { firstByteMs: 100 } })), 'timeout')
  await waitUntilGone(sockets)
})

t.test('a stalled body is given up after the idle time', async (t) => {
  const { url } = await startRaw(t, [HEAD + 'abc'])
  t.equal(await codeOf(readFrom(t, url, { limits: { idleMs: 100 } })), 'timeout')
})

t.test('time in which a lookup waits for other lookups does not count', async (t) => {
  const names = await startNameServer({ 'good.example': '127.0.0.1' })
  t.teardown(names.close)
  const { lookUp } = createNames({ hostsPath: '/dev/null', resolvPath: '/dev/null', servers: [names.address], lookupMs: 1500, maxShare: 1 })
  const { url } = await startServer(t, (_request, response) => { response.end('words') })
  const { port } = new URL(url)
  const fetcher = makeFetcher(t, { allow: allowing(`good.example:${port}`), lookup: lookUp })
  const ask = async (host: string, limits: Partial<FetchLimits>): Promise<string> =>
    await readText(await fetcher.request(get(`http://${host}:${port}/`, { limits, share: 'anna' })))
  const first = codeOf(ask('first.silent', {}))
  while (names.asked.length === 0) await new Promise(setImmediate)
  t.equal(await codeOf(ask('good.example', { placeMs: 10 })), 'busy')
  t.equal(await ask('good.example', { totalMs: 1000 }), 'words')
  t.equal(await first, 'timeout')
})

t.test('a trickle of bytes does not extend the total time', async (t) => {
  const { url } = await startRaw(t, [HEAD, ...'x'.repeat(99)], 20)
  t.equal(await codeOf(readFrom(t, url, { limits: { idleMs: 1000, totalMs: 150 } })), 'timeout')
  const slowHead = await startRaw(t, [...HEAD], 20)
  t.equal(await codeOf(readFrom(t, slowHead.url, { limits: { totalMs: 150 } })), 'timeout')
})

t.test('redirects do not restart the total time', async (t) => {
  const { url, seen } = await startServer(t, (_seen, response) => {
    setTimeout(() => { response.writeHead(302, { location: '/' }).end() }, 40)
  })
  t.equal(await codeOf(makeAllowed(t, url).request(get(url, { maxRedirects: 1000, limits: { totalMs: 200 } }))), 'timeout')
  t.ok(seen.length < 10)
})

t.test('a resolver that does not answer is given up after its time', async (t) => {
  const late: Lookup = async () => { throw Object.assign(new Error('late'), { code: 'ETIMEDOUT' }) }
  const fetcher = makeFetcher(t, { lookup: late })
  t.equal(await codeOf(fetcher.request(get('http://slow.example/'))), 'timeout')
  t.equal(await codeOf(fetcher.check('sources', 'http://slow.example/')), 'timeout')
})

t.test('a name that does not exist or has no address is unreachable', async (t) => {
  const unknown = makeFetcher(t, {
    lookup: async () => { throw Object.assign(new Error('getaddrinfo ENOTFOUND secret'), { code: 'ENOTFOUND' }) }
  })
  await t.rejects(unknown.request(get('http://secret.example/')), { code: 'unreachable', detail: 'ENOTFOUND' })
  t.equal(await codeOf(makeFetcher(t, { lookup: async () => [] }).request(get('http://secret.example/'))), 'unreachable')
})

t.test('the caller can abort before and while the body is read', async (t) => {
  const { url } = await startRaw(t, [HEAD + 'abc'])
  t.equal(await codeOf(readFrom(t, url, { signal: AbortSignal.abort() })), 'aborted')
  const stop = new AbortController()
  const answer = await makeAllowed(t, url).request(get(url, { signal: stop.signal }))
  setImmediate(() => { stop.abort() })
  t.equal(await codeOf(readText(answer)), 'aborted')
})

t.test('a body is read up to its limit, announced or not', async (t) => {
  const { url } = await startServer(t, (one, response) => {
    if (one.url === '/announced') response.setHeader('content-length', 1001)
    response.write('x'.repeat(500))
    response.end('x'.repeat(Number(one.url.slice(1)) || 501))
  })
  const read = async (path: string): Promise<string> =>
    await readText(await makeAllowed(t, url).request(get(url + path, { limits: { maxBytes: 1000 } })))
  t.equal((await read('/500')).length, 1000)
  t.equal(await codeOf(read('/501')), 'too_large')
  const announced = makeAllowed(t, url).request(get(`${url}/announced`, { limits: { maxBytes: 1000 } }))
  t.equal(await codeOf(announced), 'too_large', 'before a byte of it is read')
})

t.test('HEAD tells the size of what is too large', async (t) => {
  const { url } = await startServer(t, (_seen, response) => { response.writeHead(200, { 'content-length': 5000 }).end() })
  const answer = await makeAllowed(t, url).request(get(url, { method: 'HEAD', limits: { maxBytes: 10 } }))
  t.equal(answer.headers['content-length'], '5000')
  t.equal(await readText(answer), '')
})

t.test('a wrong content length is detected', async (t) => {
  const { url } = await startServer(t, (_seen, response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc')
  })
  t.equal(await codeOf(readFrom(t, url)), 'broken', 'fewer bytes than announced')
  const more = await startRaw(t, ['HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcdef'])
  t.equal(await codeOf(readFrom(t, more.url).then((text) => { t.equal(text, 'abc') })), 'it worked', 'what comes beyond is no part of it')
  for (const head of ['content-length: -1', 'content-length: 3\r\ncontent-length: 4', 'content-length: 3\r\ntransfer-encoding: chunked']) {
    const bad = await startRaw(t, [`HTTP/1.1 200 OK\r\n${head}\r\n\r\nabc`])
    t.equal(await codeOf(readFrom(t, bad.url, { limits: { totalMs: 5000 } })), 'broken', head)
  }
})

t.test('what is not HTTP, or too much of it, is broken', async (t) => {
  for (const text of [
    'SSH-2.0-OpenSSH_9\r\n',
    '\0\0\0',
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'
  ]) {
    const { url } = await startRaw(t, [text])
    t.equal(await codeOf(readFrom(t, url, { limits: { totalMs: 5000 } })), 'broken', JSON.stringify(text.slice(0, 20)))
  }
})

t.test('chunked bodies are read; a body cut in the middle is broken', async (t) => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'
  t.equal(await readFrom(t, (await startRaw(t, [chunked + '3\r\ndef\r\n0\r\n\r\n'])).url), 'abcdef')
  const { url } = await startServer(t, (_seen, response) => { response.socket?.end(chunked) })
  t.equal(await codeOf(readFrom(t, url)), 'broken')
})

t.test('compressed bodies are asked for and undone only when wanted, and count as what they become', async (t) => {
  const text = 'x'.repeat(100_000)
  const encoders: Record<string, (text: string) => Buffer> = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }
  const { url } = await startServer(t, (one, response) => {
    const encoding = one.url.slice(1)
    response.setHeader('x-asked', response.req.headers['accept-encoding'] ?? '')
    response.setHeader('content-encoding', response.req.headers['x-encoding'] ?? encoding)
    response.end(encoders[encoding]?.(text) ?? 'not compressed at all')
  })
  const fetcher = makeAllowed(t, url)
  for (const [encoding, encode] of Object.entries(encoders)) {
    const decoded = await fetcher.request(get(`${url}/${encoding}`, { decode: true }))
    t.equal(decoded.headers['x-asked'], 'gzip, deflate, br')
    t.equal(await readText(decoded), text, encoding)
    const raw = await fetcher.request(get(`${url}/${encoding}`))
    t.equal(raw.headers['x-asked'], 'identity')
    t.same(await buffer(raw.body), encode(text), `${encoding} as it came`)
    const answer = fetcher.request(get(`${url}/${encoding}`, { decode: true, limits: { maxBytes: 50_000 } }))
    t.equal(await codeOf(answer.then(readText)), 'too_large')
  }
  for (const garbage of ['x-gzip', 'GZIP', 'deflate ', ' br']) {
    const answer = fetcher.request(get(`${url}/?${garbage}`, { decode: true, headers: { 'x-encoding': garbage } }))
    t.equal(await codeOf(answer.then(readText)), 'broken', garbage)
  }
  const unasked = await fetcher.request(get(`${url}/zstd`, { decode: true }))
  t.equal(await readText(unasked), 'not compressed at all', 'an encoding that was not asked for is left as it is')
})

t.test('an endless body ends when the caller cancels it', async (t) => {
  const { url, sockets } = await startRaw(t, ['HTTP/1.1 200 OK\r\n\r\n', ...Array<string>(1000).fill('x'.repeat(16_384))])
  const fetcher = makeAllowed(t, url)
  const gone = async (): Promise<void> => { await waitUntilGone(sockets) }
  await (await fetcher.request(get(url))).discard()
  await gone()
  const pieces = (await fetcher.request(get(url))).body[Symbol.asyncIterator]()
  t.notOk((await pieces.next()).done)
  await pieces.return?.()
  await gone()
  t.equal(await codeOf(readText(await fetcher.request(get(url, { limits: { maxBytes: 1000 } })))), 'too_large')
  await gone()
  await fetcher.request(get(url, { limits: { totalMs: 100 } }))
  await gone()
  const stalled = await startRaw(t, [HEAD + 'abc'])
  await makeAllowed(t, stalled.url).request(get(stalled.url, { decode: true, limits: { idleMs: 100 } }))
  await waitUntilGone(stalled.sockets)
  t.pass('read in part, too large, or never looked at: the connection ends')
})

t.test('an untrusted certificate or one for another name is refused', async (t) => {
  const dir = t.testdir()
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1', '-subj',
    '/CN=test', '-addext', 'subjectAltName=DNS:loopback.example', '-keyout', join(dir, 'key'), '-out', join(dir, 'cert')
  ], { stdio: 'ignore' })
  const cert = readFileSync(join(dir, 'cert'), 'utf8')
  const server = createTlsServer({ key: readFileSync(join(dir, 'key')), cert }, (request, response) => {
    if (request.url === '/down') response.writeHead(302, { location: `http://${request.headers.host}/` })
    response.end(String((request.socket as TLSSocket).servername))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.close() })
  const { port } = server.address() as AddressInfo
  const read = async (host: string, path = '/', maxRedirects = 0): Promise<string> => {
    const fetcher = makeFetcher(t, { allow: allowing('127.0.0.1') })
    return await readText(await fetcher.request(get(`https://${host}:${port}${path}`, { maxRedirects })))
  }
  await t.rejects(read('loopback.example'), { code: 'tls', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  const trusted = getCACertificates('default')
  t.teardown(() => { setDefaultCACertificates(trusted) })
  setDefaultCACertificates([...trusted, cert])
  t.equal(await read('loopback.example'), 'loopback.example')
  await t.rejects(read('127.0.0.1'), { code: 'tls', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  t.equal(await codeOf(read('loopback.example', '/down', 3)), 'invalid_redirect', 'never from https to http')
  const { url } = await startServer(t, () => {})
  t.equal(await codeOf(makeAllowed(t, url).request(get(url.replace('http:', 'https:')))), 'tls', 'a server that speaks no TLS')
})

t.test('a name that is too long is an invalid address, and an unknown error is a failed request', async (t) => {
  const fetcher = makeFetcher(t, { lookup: async () => { throw Object.assign(new Error('odd'), { code: 'ERR_ODD' }) } })
  for (const host of [`${'a'.repeat(300)}.example`, `${'a'.repeat(64)}.example`, `${'a.'.repeat(130)}example`]) {
    t.equal(await codeOf(fetcher.request(get(`http://${host}/`))), 'invalid_url', host)
    t.equal(await codeOf(fetcher.check('webhooks', `http://${host}/`)), 'invalid_url', host)
  }
  await t.rejects(fetcher.request(get('http://odd.example/')), { code: 'failed', detail: 'ERR_ODD', isTransient: false })
})
