import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { createDownloader } from '../../../dist/engine/models/download.js'
import { createFetcher } from '../../../dist/engine/http/fetcher.js'
import { createNames } from '../../../dist/engine/http/names.js'
import { allowing } from '../../support/address-tricks.ts'
import { makeBytes, messageOf, serveBytes, sha256Of, startServer } from '../../support/model-server.ts'
import type { TestServer } from '../../support/model-server.ts'
import { startNameServer } from '../../support/name-server.ts'

type Faults = Parameters<typeof createDownloader>[0]
type Options = Partial<Faults>

/** A downloader into an empty directory; it never really waits between tries, and asks no name server unless `servers` are given. */
function setUp (t: Test, { servers = [], ...more }: Options & { servers?: string[] } = {}) {
  const { lookUp } = createNames({ hostsPath: '/dev/null', resolvPath: '/dev/null', servers })
  const fetcher = createFetcher({ allow: allowing('127.0.0.1', '127.0.0.1:1'), offline: false, lookup: lookUp })
  t.teardown(fetcher.close)
  const pauses: number[] = []
  const downloader = createDownloader({ fetcher, sleep: async (ms) => { pauses.push(ms) }, ...more })
  const dir = t.testdir()
  const target = `${dir}/models/x.bin`
  const notes: string[] = []
  /** `cutAt`: sums of bytes at which the server's connections are broken, in their order. */
  const pull = async (url: string, bytes: Buffer, { cut }: Partial<TestServer> = {}, cutAt: number[] = []) => await downloader.download({
    url: new URL(url),
    target,
    bytes: bytes.length,
    onProgress: (done) => {
      if (done !== cutAt[0]) return
      cutAt.shift()
      cut?.()
    },
    findFault: (facts) => facts.sha256 === sha256Of(bytes) ? undefined : 'x.bin does not match its published checksum',
    onRetry: (note) => { notes.push(note) }
  })
  return { downloader, pull, target, notes, pauses, left: () => existsSync(`${dir}/models`) ? readdirSync(`${dir}/models`).sort() : [] }
}

t.test('a file is fetched whole, and nothing else is left', async (t) => {
  const bytes = makeBytes()
  const { url } = await startServer(t, (seen, response) => { serveBytes(seen, response, bytes) })
  const { pull, target, left } = setUp(t)
  t.match(await pull(url, bytes), { bytes: bytes.length, sha256: sha256Of(bytes) })
  t.ok(readFileSync(target).equals(bytes))
  t.strictSame(left(), ['x.bin'])
})

t.test('a download resumes after a broken connection', async (t) => {
  const bytes = makeBytes()
  const server = await startServer(t, (one, response, count) => {
    serveBytes(one, response, bytes, { stallAfter: count < 3 ? 100_000 : undefined })
  })
  const { url, seen } = server
  const { pull, target, notes, pauses } = setUp(t)
  await pull(url, bytes, server, [100_000, 200_000])
  t.ok(readFileSync(target).equals(bytes))
  t.strictSame(seen.map(({ range, ifRange }) => [range, ifRange]), [
    [undefined, undefined], ['bytes=100000-', '"v1"'], ['bytes=200000-', '"v1"']
  ])
  t.strictSame(pauses, [1000, 2000])
  t.match(notes, [/broke the connection/, /broke the connection/])
})

t.test('another process resumes a download', async (t) => {
  const bytes = makeBytes()
  const server = await startServer(t, (one, response, count) => {
    serveBytes(one, response, bytes, { stallAfter: count <= 5 ? 10_000 : undefined })
  })
  const { url, seen } = server
  const { pull, target, left } = setUp(t)
  await t.rejects(pull(url, bytes, server, [10_000, 20_000, 30_000, 40_000, 50_000]), {
    message: /broke the connection; given up after 5 tries\. What has arrived is kept/
  })
  t.strictSame(left(), ['x.bin.part', 'x.bin.part.json'])
  await pull(url, bytes)
  t.equal(seen.at(-1)?.range, 'bytes=50000-')
  t.ok(readFileSync(target).equals(bytes))
  t.strictSame(left(), ['x.bin'])
})

t.test('a server that ignores ranges sends it from the beginning', async (t) => {
  const bytes = makeBytes()
  const server = await startServer(t, (one, response, count) => {
    serveBytes(one, response, bytes, { ranges: 'ignored', stallAfter: count === 1 ? 100_000 : undefined })
  })
  const { pull, target } = setUp(t)
  await pull(server.url, bytes, server, [100_000])
  t.equal(server.seen[1]?.range, 'bytes=100000-')
  t.ok(readFileSync(target).equals(bytes))
})

t.test('a file that changed meanwhile is fetched from the beginning', async (t) => {
  const [old, bytes] = [makeBytes(), makeBytes()]
  for (const obeys of [true, false]) {
    const server = await startServer(t, (one, response, count) => {
      // A server may also answer with a part of the new file, whatever If-Range said.
      if (count === 1) serveBytes(one, response, old, { stallAfter: 100_000 })
      else serveBytes(obeys ? one : { ...one, ifRange: undefined }, response, bytes, { etag: '"v2"' })
    })
    const { pull, target } = setUp(t)
    await pull(server.url, bytes, server, [100_000])
    t.ok(readFileSync(target).equals(bytes))
    t.equal(server.seen.length, obeys ? 2 : 3)
  }
})

t.test('after a weak tag the checksum decides, and the next try starts over', async (t) => {
  const [old, bytes] = [makeBytes(), makeBytes()]
  const server = await startServer(t, (one, response, count) => {
    if (count === 1) serveBytes(one, response, old, { etag: 'W/"1"', stallAfter: 100_000 })
    else serveBytes(one, response, bytes, { etag: 'W/"2"' })
  })
  const { pull, target, left } = setUp(t)
  await t.rejects(pull(server.url, bytes, server, [100_000]), {
    message: /^x\.bin does not match its published checksum\. It came from http:.* and was deleted$/
  })
  t.match(server.seen[1], { range: 'bytes=100000-', ifRange: undefined })
  t.strictSame(left(), [])
  await pull(server.url, bytes)
  t.ok(readFileSync(target).equals(bytes))
})

t.test('a partial file that is complete or too long is handled', async (t) => {
  const bytes = makeBytes(1000)
  const { url, seen } = await startServer(t, (one, response) => { serveBytes(one, response, bytes) })
  const { pull, target } = setUp(t)
  await pull(url, bytes)
  const note = (version: object) => JSON.stringify({ origin: `${url}/`, version: { etag: '"v1"', ...version } })
  writeFileSync(`${target}.part`, bytes)
  writeFileSync(`${target}.part.json`, note({ totalBytes: 1000 }))
  await pull(url, bytes)
  t.equal(seen.length, 1, 'nothing was asked for')
  writeFileSync(`${target}.part`, Buffer.alloc(2000))
  writeFileSync(`${target}.part.json`, note({}))
  await pull(url, bytes)
  t.strictSame(seen.slice(1).map(({ range }) => range), ['bytes=2000-', undefined])
  t.ok(readFileSync(target).equals(bytes))
})

t.test('a partial file of another or an unknown source is not used', async (t) => {
  const bytes = makeBytes(1000)
  const { url, seen } = await startServer(t, (one, response) => { serveBytes(one, response, bytes) })
  for (const note of [undefined, 'torn {', JSON.stringify({ origin: 'http://example.org/x.bin', version: { totalBytes: 1000 } })]) {
    const { pull, target } = setUp(t)
    await pull(url, bytes)
    writeFileSync(`${target}.part`, Buffer.alloc(500))
    if (note !== undefined) writeFileSync(`${target}.part.json`, note)
    await pull(url, bytes)
    t.ok(readFileSync(target).equals(bytes))
  }
  t.ok(seen.every(({ range }) => range === undefined))
})

t.test('wrong bytes are deleted, and what was installed stays', async (t) => {
  const [bytes, wrong] = [makeBytes(), makeBytes()]
  let current = bytes
  const { url } = await startServer(t, (seen, response) => { serveBytes(seen, response, current) })
  const { pull, target, left } = setUp(t)
  await pull(url, bytes)
  current = wrong
  await t.rejects(pull(url, bytes), { message: /published checksum/ })
  current = makeBytes(10)
  await t.rejects(pull(url, bytes), { message: /has 10 bytes and not 300000/ })
  t.strictSame(left(), ['x.bin'])
  t.ok(readFileSync(target).equals(bytes))
})

t.test('a body without an announced length may not grow past the known size', async (t) => {
  const { url } = await startServer(t, (_seen, response) => {
    response.writeHead(200)
    for (let i = 0; i < 20; i++) response.write(makeBytes(1000))
    response.end()
  })
  const { pull, left } = setUp(t)
  await t.rejects(pull(url, makeBytes(5000)), { message: /has more than 5000 bytes/ })
  t.strictSame(left(), [])
})

t.test('a silent connection is given up and the download resumed', async (t) => {
  const bytes = makeBytes()
  const { url, seen } = await startServer(t, (one, response, count) => {
    serveBytes(one, response, bytes, { stallAfter: count === 1 ? 50_000 : undefined })
  })
  const { pull, target, notes } = setUp(t, { stallMs: 200 })
  await pull(url, bytes)
  t.equal(seen[1]?.range, 'bytes=50000-')
  t.match(notes, [/sent nothing for too long/])
  t.ok(readFileSync(target).equals(bytes))
})

t.test('a server that does not answer is given up after some tries', async (t) => {
  const { url, seen } = await startServer(t, () => {})
  const { pull, pauses, left } = setUp(t, { stallMs: 50 })
  await t.rejects(pull(url, makeBytes(10)), { name: 'ModelError', message: /does not answer; given up after 5 tries/ })
  t.equal(seen.length, 5)
  t.strictSame(pauses, [1000, 2000, 4000, 8000])
  t.strictSame(left(), [])
})

t.test('errors of the server are tried again, errors of ours are not', async (t) => {
  const bytes = makeBytes(1000)
  for (const status of [500, 503, 429]) {
    const { url, seen } = await startServer(t, (one, response, count) => {
      if (count === 1) response.writeHead(status).end('sorry')
      else serveBytes(one, response, bytes)
    })
    await setUp(t).pull(url, bytes)
    t.equal(seen.length, 2, `${status}`)
  }
  for (const [status, message] of [
    [404, /is not there/], [403, /permission/], [400, /cannot be downloaded/], [204, /cannot be downloaded/]
  ] as const) {
    const { url, seen } = await startServer(t, (_seen, response) => { response.writeHead(status).end() })
    const { pull, left } = setUp(t)
    await t.rejects(pull(`${url}/x.bin?key=hunter2`, bytes), { message })
    t.notMatch(await messageOf(pull(`${url}/x.bin?key=hunter2`, bytes)), /hunter2/)
    t.equal(seen.length, 2, `${status}`)
    t.strictSame(left(), [])
  }
})

t.test('an unreachable server and an unknown host have different messages', async (t) => {
  const names = await startNameServer({})
  t.teardown(names.close)
  const { pull } = setUp(t, { servers: [names.address] })
  await t.rejects(pull('http://127.0.0.1:1/x', makeBytes(10)), { message: /^127\.0\.0\.1:1 refuses the connection/ })
  await t.rejects(pull('http://no-such-host.invalid/x', makeBytes(10)), { message: /no-such-host\.invalid/ })
  t.ok(names.asked.includes('no-such-host.invalid'))
})

t.test('a file that does not fit on the disk is neither started nor kept', async (t) => {
  const bytes = makeBytes()
  const { url } = await startServer(t, (seen, response) => { serveBytes(seen, response, bytes) })
  const { pull, left } = setUp(t, { freeBytes: async () => bytes.length - 1 })
  await t.rejects(pull(url, bytes), { message: /the disk of .* has 293\.0 KiB free, and 293\.0 KiB are needed; make room/ })
  t.strictSame(left(), [])
})

t.test('the record of the hub is on its own answer, before the redirect', async (t) => {
  const hash = 'ab'.repeat(32)
  const hub = await startServer(t, (_seen, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/', 'x-linked-etag': `"${hash}"`, 'x-linked-size': '77' }).end()
  })
  const { downloader } = setUp(t)
  t.strictSame(await downloader.readLinkedRecord(new URL(hub.url)), { sha256: hash, bytes: 77 })
  t.equal(hub.seen[0]?.method, 'HEAD')
  const renamed = await startServer(t, (_seen, response) => { response.writeHead(307, { location: hub.url }).end() })
  t.strictSame(await downloader.readLinkedRecord(new URL(renamed.url)), { sha256: hash, bytes: 77 })
  for (const status of [200, 405]) {
    const plain = await startServer(t, (_seen, response) => { response.writeHead(status, { etag: `"${hash}"` }).end() })
    t.equal(await downloader.readLinkedRecord(new URL(plain.url)), undefined)
  }
  const missing = await startServer(t, (_seen, response) => { response.writeHead(404, { 'x-linked-etag': 'none' }).end() })
  await t.rejects(downloader.readLinkedRecord(new URL(missing.url)), { message: /is not there/ })
})
