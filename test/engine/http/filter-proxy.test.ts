import { execFile } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createRawServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import type { Test } from 'tap'
import type { Purpose } from '../../../dist/domain/addresses.js'
import { startFilterProxy } from '../../../dist/engine/http/filter-proxy.js'
import type { FilterProxy, ProxyLimits } from '../../../dist/engine/http/filter-proxy.js'
import type { GuardDeps } from '../../../dist/engine/http/guard.js'
import { PURPOSES, TRICKS, allowing, lookUp } from '../../support/address-tricks.ts'
import { startServer } from '../../support/model-server.ts'

const run = promisify(execFile)

type Options = Partial<GuardDeps> & { limits?: Partial<ProxyLimits>, purpose?: Purpose }

async function startFilter (t: Test, { allow = allowing(), ...deps }: Options = {}): Promise<FilterProxy> {
  const proxy = await startFilterProxy({ allow, offline: false, lookup: lookUp, ...deps })
  t.teardown(proxy.close)
  return proxy
}

const credentialOf = ({ url }: FilterProxy): string => {
  const { username, password } = new URL(url)
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** What the proxy says to these bytes until it ends the connection; `then` is said once it has answered. */
async function say (proxy: FilterProxy, text: string, then = ''): Promise<string> {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('error', () => {}).on('data', (chunk: string) => {
    if (answer === '' && then !== '') socket.write(then)
    answer += chunk
  })
  socket.write(text)
  await new Promise((resolve) => { socket.once('close', resolve) })
  return answer
}

const ask = async (proxy: FilterProxy, line: string, credential = credentialOf(proxy), then = ''): Promise<string> =>
  await say(proxy, `${line} HTTP/1.1\r\nhost: public.example\r\nproxy-authorization: ${credential}\r\nconnection: close\r\n\r\n`, then)

const statusOf = (answer: string): string => answer.slice(9, 12)

/** The answer to a page fetched with curl, and its exit code. */
async function curl (proxy: FilterProxy, ...args: string[]): Promise<string> {
  const { stdout } = await run('curl', ['-sS', '--max-time', '20', '-x', proxy.url, ...args], { env: {} }).catch(
    (error: { stdout: string, code: number }) => ({ stdout: `${error.stdout}(${error.code})` })
  )
  return stdout
}

t.test('no disguised internal address is reachable, in absolute form or by CONNECT', async (t) => {
  const inside = await startServer(t, (_seen, response) => { response.end('secret') })
  const { port } = new URL(inside.url)
  for (const purpose of PURPOSES) {
    const proxy = await startFilter(t, { purpose })
    for (const [trick] of TRICKS) {
      const url = trick.replace('PORT', port)
      const absolute = statusOf(await ask(proxy, `GET ${url}`))
      t.ok(['400', '403'].includes(absolute), `${purpose} GET ${JSON.stringify(trick)}: ${absolute}`)
      const authority = /^ *https?:\/*([^/]*)/i.exec(url)?.[1] ?? url
      const tunnel = statusOf(await ask(proxy, `CONNECT ${/:\d+$/.test(authority) ? authority : `${authority}:${port}`}`))
      t.ok(['400', '403'].includes(tunnel), `${purpose} CONNECT ${JSON.stringify(authority)}: ${tunnel}`)
    }
  }
  t.strictSame(inside.seen, [])
})

t.test('curl gets what is allowed, and a refusal for what is not', async (t) => {
  const inside = await startServer(t, (_seen, response) => { response.end('secret') })
  const { url, seen } = await startServer(t, (one, response) => {
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    if (one.url === '/inside') response.writeHead(302, { location: inside.url })
    response.end(`${one.method} ${response.req.headers.host} ${one.url}`)
  })
  const { host } = new URL(url)
  const proxy = await startFilter(t, { allow: allowing(host) })
  t.equal(await curl(proxy, `${url}/a?b=c`), `GET ${host} /a?b=c`)
  t.equal(proxy.problem(), undefined)
  t.equal(await curl(proxy, '-p', `${url}/tunnel`), `GET ${host} /tunnel`)
  t.match(await curl(proxy, '-i', url), /set-cookie: a=1\r\nset-cookie: b=2/)
  t.equal(await curl(proxy, '-w', '%{http_code}', inside.url), '403')
  t.equal(await curl(proxy, '-w', '%{http_connect}', '-p', inside.url), '403(56)')
  const status = await curl(proxy, '-L', '-o', '/dev/null', '-w', '%{http_code}', `${url}/inside`)
  t.equal(status, '403', 'the program follows redirects, and each is checked')
  t.match(proxy.problem(), { code: 'blocked', purpose: 'sources' })
  t.strictSame(inside.seen, [])
  t.equal(seen.length, 4)
})

t.test('bodies go both ways, chunked or of known length', async (t) => {
  const { url } = await startServer(t, (one, response) => {
    response.req.toArray().then((body: Buffer[]) => {
      response.end(`${one.method} ${Buffer.concat(body)} ${response.req.headers['x-own']} ${response.req.headers['proxy-authorization']}`)
    }, () => {})
  })
  const proxy = await startFilter(t, { allow: allowing(new URL(url).host) })
  t.equal(await curl(proxy, '-H', 'x-own: 1', '-d', 'abc', url), 'POST abc 1 undefined')
  t.equal(await curl(proxy, '-H', 'transfer-encoding: chunked', '-d', 'abc', '-X', 'PUT', url), 'PUT abc undefined undefined')
  t.equal(await curl(proxy, '-I', '-o', '/dev/null', '-w', '%{http_code}', url), '200')
})

t.test('headers of one connection stay on it', async (t) => {
  const { url } = await startServer(t, (_seen, response) => { response.end(JSON.stringify(response.req.headers)) })
  const proxy = await startFilter(t, { allow: allowing(new URL(url).host) })
  const sent = ['connection: x-hop, keep-alive', 'x-hop: 1', 'te: trailers', 'upgrade: h2c', 'proxy-connection: x', 'accept: */*']
  const headers = JSON.parse(await curl(proxy, ...sent.flatMap((header) => ['-H', header]), url)) as object
  t.strictSame(Object.keys(headers).sort(), ['accept', 'connection', 'host', 'user-agent'])
})

t.test('requests without the credentials of this run are refused', async (t) => {
  const { url, seen } = await startServer(t, (_seen, response) => { response.end('there') })
  const { host } = new URL(url)
  const proxy = await startFilter(t, { allow: allowing(host) })
  const other = await startFilter(t, { allow: allowing(host) })
  for (const credential of [
    '', 'Basic', 'Basic c3Rlbm9ib3g6', credentialOf(other), credentialOf(proxy) + 'x', credentialOf(proxy).replace('Basic', 'Bearer')
  ]) {
    for (const line of [`GET ${url}/`, `CONNECT ${host}`]) {
      const answer = await ask(proxy, line, credential)
      t.equal(statusOf(answer), '407', `${line} ${credential}`)
      t.match(answer, /proxy-authenticate: Basic realm/i)
    }
  }
  t.strictSame(seen, [])
  t.match(proxy.url, /^http:\/\/stenobox:[\w-]{43}@127\.0\.0\.1:\d+$/)
})

t.test('malformed proxy requests are refused', async (t) => {
  const proxy = await startFilter(t)
  for (const line of [
    'GET /', 'OPTIONS *', 'GET https://public.example/', 'CONNECT public.example', 'CONNECT public.example:', 'CONNECT :443',
    'CONNECT a@public.example:443', 'CONNECT public.example:443/x', 'CONNECT public.example:99999', 'CONNECT http://public.example:443'
  ]) {
    t.equal(statusOf(await ask(proxy, line)), '400', line)
  }
  t.equal(proxy.problem()?.code, 'invalid_url')
})

t.test('a server that cannot be reached, or breaks, is a bad gateway', async (t) => {
  const { url } = await startServer(t, (_seen, response) => { response.destroy() })
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const closed = `127.0.0.1:${(free.address() as AddressInfo).port}`
  free.close()
  const proxy = await startFilter(t, { allow: allowing('127.0.0.1') })
  t.equal(statusOf(await ask(proxy, `GET ${url}/`)), '502')
  t.equal(proxy.problem()?.code, 'broken')
  t.equal(statusOf(await ask(proxy, `CONNECT ${closed}`)), '502')
  t.match(proxy.problem(), { code: 'unreachable', detail: 'ECONNREFUSED' })
  const late = Object.assign(new Error('late'), { code: 'ETIMEDOUT' })
  const slow = await startFilter(t, { lookup: async () => { throw late } })
  t.equal(statusOf(await ask(slow, 'CONNECT slow.example:443')), '504')
})

/** A server that takes every connection, and says nothing but `text` when it is spoken to. */
async function startMute (t: Test, text = ''): Promise<{ host: string, sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createRawServer((socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => { sockets.delete(socket) }))
    socket.once('data', () => { socket.write(text) })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

t.test('connections on which nothing comes are ended', async (t) => {
  const { host } = await startMute(t)
  const proxy = await startFilter(t, { allow: allowing('127.0.0.1'), limits: { idleMs: 100 } })
  t.equal(statusOf(await ask(proxy, `GET http://${host}/`)), '504')
  t.match(await ask(proxy, `CONNECT ${host}`, credentialOf(proxy), 'hello'), /^HTTP\/1.1 200 .*\r\n\r\n$/)
})

t.test('bytes are counted over all connections; too many end everything', async (t) => {
  const { url } = await startServer(t, (_seen, response) => { response.end('x'.repeat(400)) })
  const { host } = new URL(url)
  const page = `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
  const proxy = await startFilter(t, { allow: allowing(host), limits: { maxBytes: 800 } })
  t.match(await ask(proxy, `GET ${url}/`), /x{400}/)
  t.equal(proxy.problem(), undefined)
  t.match(await ask(proxy, `CONNECT ${host}`, credentialOf(proxy), page), /^HTTP\/1.1 200(?!.*x{400})/s)
  t.equal(proxy.problem()?.code, 'too_large')
  await t.rejects(run('curl', ['-sS', '-x', proxy.url, url]), { code: 7 }, 'it listens no more')
})

t.test('when its time is up, or it is closed, every connection ends', async (t) => {
  const { host, sockets } = await startMute(t)
  const timed = await startFilter(t, { allow: allowing('127.0.0.1'), limits: { totalMs: 100 } })
  await Promise.all([ask(timed, `CONNECT ${host}`), ask(timed, `GET http://${host}/`)])
  t.equal(timed.problem()?.code, 'timeout')
  const closed = await startFilter(t, { allow: allowing('127.0.0.1') })
  const open = [ask(closed, `CONNECT ${host}`, undefined, 'hello'), ask(closed, `GET http://${host}/`)]
  while (sockets.size < 2) await new Promise(setImmediate)
  await closed.close()
  await Promise.all(open)
  t.equal(closed.problem(), undefined)
})

t.test('when the program disconnects, the connection to the server ends', async (t) => {
  const { host, sockets } = await startMute(t)
  const proxy = await startFilter(t, { allow: allowing('127.0.0.1') })
  for (const line of [`GET http://${host}/`, `CONNECT ${host}`]) {
    const program = connect(Number(new URL(proxy.url).port), '127.0.0.1')
    program.write(`${line} HTTP/1.1\r\nhost: x\r\nproxy-authorization: ${credentialOf(proxy)}\r\n\r\n`)
    while (sockets.size === 0) await new Promise(setImmediate)
    program.destroy()
    await Promise.all([...sockets].map(async (socket) => { await new Promise((resolve) => { socket.once('close', resolve) }) }))
  }
  t.equal(sockets.size, 0)
})

t.test('a lookup that ends after the proxy closed opens no tunnel', async (t) => {
  const { host, sockets } = await startMute(t)
  const late = new EventEmitter()
  const lookup = async () => {
    late.emit('question')
    return await once(late, 'answer') as { address: string, family: number }[]
  }
  const proxy = await startFilter(t, { allow: allowing('127.0.0.1'), lookup })
  const question = once(late, 'question')
  const asked = ask(proxy, `CONNECT late.example:${host.split(':')[1]}`)
  await question
  await proxy.close()
  t.equal(await asked, '')
  late.emit('answer', { address: '127.0.0.1', family: 4 })
  await new Promise((resolve) => { setTimeout(resolve, 20) })
  t.equal(sockets.size, 0)
})

t.test('offline there is no proxy', async (t) => {
  const proxy = await startFilter(t, { offline: true, allow: allowing('127.0.0.1') })
  t.equal(statusOf(await ask(proxy, 'GET http://127.0.0.1/')), '403')
  t.equal(statusOf(await ask(proxy, 'CONNECT 127.0.0.1:80')), '403')
  t.equal(proxy.problem()?.code, 'offline')
})

t.test('ffmpeg follows a playlist through the proxy, to allowed hosts only', async (t) => {
  const inside = await startServer(t, (_seen, response) => { response.end('secret') })
  const { url, seen } = await startServer(t, (one, response) => {
    response.end(one.url === '/list.m3u8'
      ? `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${url}/one.ts\n#EXTINF:1,\n${inside.url}/two.ts\n#EXT-X-ENDLIST\n`
      : '')
  })
  const proxy = await startFilter(t, { allow: allowing(new URL(url).host) })
  const env = { PATH: process.env['PATH'], http_proxy: proxy.url }
  await run('ffmpeg', ['-v', 'error', '-i', `${url}/list.m3u8`, '-f', 'null', '-'], { env }).catch(() => {})
  t.match(seen.map((one) => one.url), ['/list.m3u8', '/one.ts'])
  t.match(proxy.problem(), { code: 'blocked' })
  t.strictSame(inside.seen, [])
})
