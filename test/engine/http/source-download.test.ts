import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { JobFailure } from '../../../dist/domain/errors.js'
import type { FileVersion, PartialFile } from '../../../dist/domain/file-version.js'
import { createSourceDownloads } from '../../../dist/engine/http/source-download.js'
import type { SourceDownload } from '../../../dist/engine/http/source-download.js'
import { makeAllowed } from '../../support/fetcher.ts'
import { createClock } from '../../support/clock.ts'
import { randomBytes } from '../../support/random.ts'
import { startSources } from '../../support/source-server.ts'

const MIB = 1024 ** 2
/** Random, but not the beginning of a text. */
const BYTES = Buffer.concat([Buffer.from('ID3\0'), randomBytes(2 * MIB, 3)])

/** A draft in memory. */
function makeDraft () {
  let bytes: Buffer = Buffer.alloc(0)
  let version: FileVersion | undefined
  const draft: PartialFile = {
    bytes: () => bytes.length,
    version: () => version,
    begin: async (next) => { [bytes, version] = [Buffer.alloc(0), next] },
    append: async (chunk) => { bytes = Buffer.concat([bytes, chunk]) }
  }
  return { draft, content: () => bytes }
}

async function open (t: Test, listener: RequestListener, more: Partial<SourceDownload> = {}) {
  const server = await startSources(t, listener)
  const clock = createClock()
  const pauses: number[] = []
  const sleep = async (ms: number): Promise<void> => { pauses.push(ms) }
  const downloads = createSourceDownloads({ fetcher: makeAllowed(t, server.url), sleep, now: clock.now, idleMs: 500, paceMs: 1000 })
  const { draft, content } = makeDraft()
  const shares: number[] = []
  const fetch = async (path = 'talk.mp3', changes: Partial<SourceDownload> = {}) => await downloads.fetch({
    url: server.url + path, draft, maxBytes: 10 * MIB, isStored: () => false,
    requireRoom: async () => {}, onProgress: (share) => { shares.push(share) },
    signal: new AbortController().signal, ...more, ...changes
  })
  return { server, clock, pauses, draft, content, shares, fetch }
}

/** The code of the failure with which a download ends. */
async function codeOf (work: Promise<unknown>): Promise<string> {
  return await work.then(() => 'it worked', (error: unknown) => error instanceof JobFailure ? error.code : String(error))
}

/** Sends the file from where it is asked for, and breaks off after so many bytes. */
function sendPart (request: IncomingMessage, response: ServerResponse, breakAfter = Infinity, etag = '"1"'): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  const isPart = from > 0 && (request.headers['if-range'] ?? etag) === etag
  const body = isPart ? BYTES.subarray(from) : BYTES
  response.writeHead(isPart ? 206 : 200, {
    etag, 'content-length': body.length, ...(isPart ? { 'content-range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` } : {})
  })
  if (body.length <= breakAfter) response.end(body)
  else response.write(body.subarray(0, breakAfter), () => { response.destroy() })
}

t.test('a file arrives whole, with its name and progress', async (t) => {
  const { fetch, content, shares } = await open(t, (_, response) => {
    response.writeHead(200, {
      'content-length': BYTES.length, 'content-type': 'text/html', 'content-disposition': 'attachment; filename="A talk.mp3"'
    }).end(BYTES)
  })
  t.match(await fetch(), { kind: 'media', name: 'A talk.mp3', identity: undefined })
  t.ok(content().equals(BYTES))
  t.equal(shares.at(-1), 1)
  t.strictSame(shares, [...shares].sort((a, b) => a - b))
})

t.test('a broken download resumes where it broke, with the same version', async (t) => {
  const ranges: Array<string | undefined> = []
  const { fetch, content, pauses } = await open(t, (request, response) => {
    ranges.push(request.headers.range)
    sendPart(request, response, ranges.length < 4 ? 400_000 : Infinity)
  })
  t.match(await fetch(), { kind: 'media' })
  t.ok(content().equals(BYTES))
  t.strictSame(ranges, [undefined, 'bytes=400000-', 'bytes=800000-', 'bytes=1200000-'])
  t.strictSame(pauses, [1000, 2000, 4000])
})

t.test('a file that changed meanwhile is fetched from the start', async (t) => {
  let count = 0
  const { fetch, content } = await open(t, (request, response) => {
    sendPart(request, response, ++count === 1 ? 400_000 : Infinity, `"${count}"`)
  })
  t.match(await fetch(), { kind: 'media' })
  t.ok(content().equals(BYTES))
})

t.test('without a usable range the whole file is fetched again', async (t) => {
  for (const answer of ['whole', 'other range', 'refusal']) {
    let count = 0
    const { fetch, content } = await open(t, (request, response) => {
      if (++count === 1) return sendPart(request, response, 400_000)
      if (request.headers.range === undefined || answer === 'whole') {
        response.writeHead(200, { etag: '"1"', 'content-length': BYTES.length }).end(BYTES)
      } else if (answer === 'refusal') response.writeHead(416, { 'content-range': `bytes */${BYTES.length}` }).end()
      else response.writeHead(206, { etag: '"1"', 'content-range': `bytes 5-${BYTES.length - 1}/${BYTES.length}` }).end(BYTES.subarray(5))
    })
    t.match(await fetch(), { kind: 'media' })
    t.ok(content().equals(BYTES), answer)
  }
})

t.test('a download resumes what an earlier process fetched; a complete one needs no server', async (t) => {
  const { fetch, content, draft, server } = await open(t, (request, response) => { sendPart(request, response) })
  await draft.begin({ etag: '"1"', totalBytes: BYTES.length, name: 'A talk.mp3' })
  await draft.append(BYTES.subarray(0, 1_000_000))
  t.match(await fetch(), { kind: 'media', name: 'A talk.mp3' })
  t.ok(content().equals(BYTES))
  t.ok(server.sentBytes() < 1_500_000, String(server.sentBytes()))
  const { length } = server.asked
  t.match(await fetch(), { kind: 'media', name: 'A talk.mp3' })
  t.equal(server.asked.length, length)
})

t.test('media that is already stored is not downloaded', async (t) => {
  const identities: string[] = []
  const { fetch, server, content } = await open(t, (request, response) => { sendPart(request, response) }, {
    isStored: (identity) => {
      identities.push(identity)
      return identities.length > 1 && identity === identities[0]
    }
  })
  t.match(await fetch(), { kind: 'media', identity: /^[0-9a-f]{64}$/ })
  const before = content()
  t.match(await fetch('talk.mp3', { draft: makeDraft().draft }), { kind: 'stored', identity: identities[0] })
  t.match(await fetch('other.mp3', { draft: makeDraft().draft }), { kind: 'media' }, 'the same tag at another address is another file')
  t.equal(content(), before)
  t.equal(server.asked.length, 3)
})

t.test('chunked and redirected bodies arrive whole', async (t) => {
  const { fetch, content } = await open(t, (request, response) => {
    if (request.url === '/from') response.writeHead(302, { location: '/chunked' })
    else for (let offset = 0; offset < BYTES.length; offset += 300_000) response.write(BYTES.subarray(offset, offset + 300_000))
    response.end()
  })
  for (const path of ['chunked', 'from']) {
    t.match(await fetch(path, { draft: makeDraft().draft }), { kind: 'media' })
    await fetch(path)
    t.ok(content().equals(BYTES), path)
  }
})

t.test('pages, manifests and endless streams are recognised and not read', async (t) => {
  const bodies: Record<string, [body: string, headers: Record<string, string>]> = {
    page: ['<!doctype html><title>x</title>', { 'content-type': 'audio/mpeg' }],
    manifest: ['#EXTM3U\n', {}],
    live: ['ID3\0', { 'icy-name': 'Radio' }]
  }
  for (const [kind, [body, headers]] of Object.entries(bodies)) {
    const { fetch, content } = await open(t, (_, response) => {
      response.writeHead(200, headers).write(body)
      const timer = setInterval(() => { response.write(Buffer.alloc(4096, '.')) }, 1)
      response.on('close', () => { clearInterval(timer) })
    })
    t.strictSame(await fetch(), { kind })
    t.equal(content().length, 0)
  }
  const { fetch } = await open(t, (_, response) => { response.end('<rss version="2.0"></rss>') })
  t.match(await fetch('feed.xml'), { kind: 'feed', url: /feed\.xml$/, text: '<rss version="2.0"></rss>' })
})

t.test('each refusal of a server has its code and is not retried', async (t) => {
  const codes = {
    400: 'source_unreachable', 401: 'source_forbidden', 403: 'source_forbidden',
    451: 'source_forbidden', 404: 'source_not_found', 410: 'source_not_found', 204: 'source_unreachable'
  }
  for (const [status, code] of Object.entries(codes)) {
    const { fetch, server } = await open(t, (_, response) => { response.writeHead(Number(status)).end() })
    t.equal(await codeOf(fetch()), code, status)
    t.equal(server.asked.length, 1)
  }
})

t.test('transient errors are tried five times', async (t) => {
  for (const status of [429, 500, 503]) {
    const { fetch, server, pauses } = await open(t, (_, response) => { response.writeHead(status).end() })
    t.equal(await codeOf(fetch()), 'source_unreachable')
    t.equal(server.asked.length, 5)
    t.strictSame(pauses, [1000, 2000, 4000, 8000])
  }
  let count = 0
  const { fetch } = await open(t, (request, response) => { ++count < 3 ? response.writeHead(503).end() : sendPart(request, response) })
  t.match(await fetch(), { kind: 'media' })
})

t.test('a server that is down or silent is unreachable', async (t) => {
  const silent = await open(t, () => {})
  t.equal(await codeOf(silent.fetch()), 'source_unreachable')
  const stalling = await open(t, (_, response) => {
    response.writeHead(200, { 'content-length': BYTES.length }).write(BYTES.subarray(0, 10_000))
  })
  t.equal(await codeOf(stalling.fetch()), 'source_unreachable')
  const { fetch } = await open(t, () => {})
  t.equal(await codeOf(fetch('', { url: 'http://127.0.0.1:1/x' })), 'source_blocked')
})

t.test('redirect loops and redirects to an internal network fail', async (t) => {
  const circle = await open(t, (_, response) => { response.writeHead(302, { location: '/again' }).end() })
  t.equal(await codeOf(circle.fetch()), 'source_unreachable')
  for (const location of ['http://10.0.0.1/x.mp3', 'http://169.254.169.254/latest/meta-data/', 'http://[::1]/x', 'http://localhost/x']) {
    const { fetch } = await open(t, (_, response) => { response.writeHead(302, { location }).end() })
    t.equal(await codeOf(fetch()), 'source_blocked', location)
  }
  for (const location of ['file:///etc/passwd', 'ftp://example.org/x']) {
    const { fetch } = await open(t, (_, response) => { response.writeHead(302, { location }).end() })
    t.equal(await codeOf(fetch()), 'source_unsupported', location)
  }
})

t.test('a file announced as too large is not fetched; an unannounced one stops at the limit', async (t) => {
  const honest = await open(t, (_, response) => { response.writeHead(200, { 'content-length': 20 * 1024 ** 3 }).write('ID3\0') })
  t.equal(await codeOf(honest.fetch()), 'media_too_large')
  t.equal(honest.content().length, 0)
  const endless = await open(t, (_, response) => {
    response.writeHead(200)
    const more = (): void => { while (!response.destroyed && response.write(BYTES)); }
    response.on('drain', more)
    more()
  }, { maxBytes: 5 * MIB })
  t.equal(await codeOf(endless.fetch()), 'media_too_large')
  t.ok(endless.content().length <= 5 * MIB)
})

t.test('compression is not requested, and an unrequested encoding is not decoded', async (t) => {
  const accepted: unknown[] = []
  const bodies: Record<string, Buffer> = {
    '/sound': BYTES, '/bomb': Buffer.alloc(50 * MIB), '/feed': Buffer.from('<rss version="2.0"></rss>')
  }
  const { fetch, content } = await open(t, (request, response) => {
    accepted.push(request.headers['accept-encoding'])
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bodies[request.url ?? ''] ?? ''))
  })
  for (const path of ['sound', 'bomb', 'feed']) t.equal(await codeOf(fetch(path)), 'source_unsupported', path)
  t.equal(content().length, 0)
  t.strictSame(accepted, ['identity', 'identity', 'identity'], 'asked once each')
  const page = await open(t, (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/html' }).end(gzipSync('<!doctype html>'))
  })
  t.strictSame(await page.fetch(), { kind: 'page' })
})

t.test('a feed has at most 8 MiB, announced or not', async (t) => {
  const { fetch } = await open(t, (_, response) => { response.end(`<rss version="2.0"><channel>${'<item/>'.repeat(8 * MIB / 7)}`) })
  t.equal(await codeOf(fetch()), 'source_unsupported')
})

t.test('an announced length that is too long is a broken download; a short one ends it there', async (t) => {
  const long = await open(t, (_, response) => {
    response.writeHead(200, { 'content-length': BYTES.length + 1000 })
    response.write(BYTES, () => { response.destroy() })
  })
  t.equal(await codeOf(long.fetch()), 'source_unreachable')
  const short = await open(t, (_, response) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n${'ID3\0'.repeat(1000)}`)
  })
  const arrival = await codeOf(short.fetch())
  t.ok(arrival === 'it worked' ? short.content().length === 1000 : arrival === 'source_unreachable', arrival)
})

t.test('a download of one byte a second is given up', async (t) => {
  const { fetch, clock, server } = await open(t, (_, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 })
    const timer = setInterval(() => {
      clock.advance(100)
      response.write('\0')
    }, 5)
    response.on('close', () => { clearInterval(timer) })
  })
  t.equal(await codeOf(fetch()), 'source_unreachable')
  t.equal(server.asked.length, 1, 'it is not tried again')
})

t.test('a slow download is given up only while others wait', async (t) => {
  for (const isContended of [false, true]) {
    let sentBytes = 0
    const length = 200_000
    const server = await startSources(t, (_, response) => {
      response.writeHead(200, { 'content-length': length }).write(Buffer.alloc(4096))
      sentBytes = 4096
      const timer = setInterval(() => {
        clock.advance(100)
        sentBytes += 2048
        response.write(Buffer.alloc(Math.min(2048, length - sentBytes + 2048)))
        if (sentBytes >= length) clearInterval(timer)
      }, 5)
      response.on('close', () => { clearInterval(timer) })
    })
    const clock = createClock()
    const downloads = createSourceDownloads({
      fetcher: makeAllowed(t, server.url), now: clock.now, idleMs: 5000, paceMs: 1000
    })
    const arrival = downloads.fetch({
      url: server.url, draft: makeDraft().draft, maxBytes: 10 * MIB,
      isStored: () => false, requireRoom: async () => {}, onProgress: () => {},
      signal: new AbortController().signal, isContended: () => isContended
    })
    t.equal(await codeOf(arrival), isContended ? 'source_unreachable' : 'it worked')
  }
})

t.test('a full disk stops a download before it starts and while it runs', async (t) => {
  const asked: number[] = []
  const { fetch } = await open(t, (request, response) => { sendPart(request, response) }, {
    requireRoom: async (bytes) => {
      asked.push(bytes)
      throw new JobFailure('insufficient_storage', 'full')
    }
  })
  t.equal(await codeOf(fetch()), 'insufficient_storage')
  t.strictSame(asked, [BYTES.length])
})

t.test('an aborted download stops and throws the reason', async (t) => {
  const controller = new AbortController()
  const { fetch, server } = await open(t, (_, response) => {
    response.writeHead(200, { 'content-length': BYTES.length }).write(BYTES.subarray(0, 10_000))
  })
  const work = fetch('talk.mp3', { signal: controller.signal })
  while (server.asked.length === 0) await nextTurn()
  controller.abort(new Error('stopping'))
  await t.rejects(work, { message: 'stopping' })
})

t.test('a partial file without a version is not resumed', async (t) => {
  let count = 0
  const { fetch, content } = await open(t, (request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    if (from > 0) {
      response
        .writeHead(206, { 'content-range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` })
        .end(Buffer.alloc(BYTES.length - from))
    } else if (++count === 1) {
      response.write(BYTES.subarray(0, 400_000), () => { response.destroy() })
    } else response.end(BYTES)
  })
  t.match(await fetch(), { kind: 'media' })
  t.ok(content().equals(BYTES))
})
