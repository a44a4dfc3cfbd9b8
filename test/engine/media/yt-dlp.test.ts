/** The real yt-dlp against real servers, with the real proxy as its only way out. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { JobFailure } from '../../../dist/domain/errors.js'
import { probeMedia } from '../../../dist/engine/media/ffmpeg.js'
import { startFilterProxy } from '../../../dist/engine/http/filter-proxy.js'
import type { GuardDeps } from '../../../dist/engine/http/guard.js'
import { createYtDlp } from '../../../dist/engine/media/yt-dlp.js'
import { allowing, lookUp, TRICKS } from '../../support/address-tricks.ts'
import { makeMedia } from '../../support/media.ts'
import { AUDIO } from '../../support/paths.ts'
import { listChildren } from '../../support/processes.ts'
import { serveFolder, startSources } from '../../support/source-server.ts'

const ytDlp = createYtDlp({ program: undefined, searchPath: process.env['PATH'] ?? '' })
const needsYtDlp = { skip: await ytDlp.version() === undefined ? 'yt-dlp is not installed; npm run build installs it' : false }

const page = (body: string, title = 'A talk'): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`
const playlist = (...lines: string[]): string =>
  ['#EXTM3U', '#EXT-X-VERSION:6', '#EXT-X-TARGETDURATION:10', ...lines, '#EXT-X-ENDLIST', ''].join('\n')

/** The file that names an address. */
function named (url: string, { directory }: { directory: string }): string {
  writeFileSync(`${directory}/address`, url)
  return `${directory}/address`
}

/** A folder that is served, and a way out that leads only there. */
async function open (t: Test, deps: Partial<GuardDeps> = {}) {
  const root = t.testdir({ www: {} })
  const folder = `${root}/www`
  const serve = serveFolder(folder)
  const server = await startSources(t, (request, response) => {
    // Every request on a separate connection: each is checked.
    response.setHeader('connection', 'close')
    serve(request, response)
  })
  const startProxy = async () => {
    const proxy = await startFilterProxy({ allow: allowing(server.host), offline: false, purpose: 'sources', ...deps })
    t.teardown(proxy.close)
    return { proxy, place: { directory: mkdtempSync(`${root}/work-`), proxyUrl: proxy.url, signal: new AbortController().signal } }
  }
  const limits = { maxBytes: 100_000_000, onProgress: (_: number) => {} }

  async function fetch (
    url: string,
    more: Partial<typeof limits> = {},
    way?: Awaited<ReturnType<typeof startProxy>>
  ): Promise<{ title: string | undefined, path: string }> {
    const { place } = way ?? (await startProxy())
    const facts = await ytDlp.inspect(named(url, place), place, { onlyKnown: false })
    writeFileSync(`${place.directory}/info.json`, facts.info)
    const name = await ytDlp.download(`${place.directory}/info.json`, place, { isContended: () => false, ...limits, ...more })
    return { title: facts.title, path: `${place.directory}/${name}` }
  }
  /** The code of the failure it ends with; of the proxy where that refused. */
  async function codeOf (url: string, more = {}): Promise<string> {
    const way = await startProxy()
    const end = await fetch(url, more, way).then(
      () => 'it worked',
      (error: unknown) => (error instanceof JobFailure ? error.code : String(error))
    )
    return way.proxy.problem()?.code ?? end
  }
  return { folder, server, startProxy, fetch, codeOf, put: (name: string, text: string) => { writeFileSync(`${folder}/${name}`, text) } }
}

t.test('a page with one recording: its title, its file, its progress', needsYtDlp, async (t) => {
  const { server, put, folder, fetch } = await open(t)
  writeFileSync(`${folder}/video.mp4`, readFileSync(AUDIO + 'video.mp4'))
  put('page.html', page('<video src="/video.mp4"></video>', 'A talk &amp; more'))
  const shares: number[] = []
  const { title, path } = await fetch(`${server.url}page.html`, { onProgress: (share) => { shares.push(share) } })
  t.equal(title, 'A talk & more')
  t.ok(readFileSync(path).equals(readFileSync(AUDIO + 'video.mp4')))
  t.equal(shares.at(-1), 1)
})

t.test('of a stream whose sound is apart, only the sound is fetched', needsYtDlp, async (t) => {
  const { server, folder, fetch } = await open(t)
  makeMedia(`${folder}/index.mpd`, '-i', AUDIO + 'video.mp4', '-map', '0', '-c:v', 'copy', '-c:a', 'aac', '-f', 'dash')
  const { path } = await fetch(`${server.url}index.mpd`)
  t.ok((await probeMedia(path)).durationMs ?? 0 > 5000)
  t.ok(server.asked.some((asked) => asked.includes('stream1')), 'sound')
  t.notOk(server.asked.some((asked) => asked.includes('stream0')), 'no picture')
})

t.test('a stream in pieces, also one with keys, is joined', needsYtDlp, async (t) => {
  const { server, folder, put, fetch } = await open(t)
  writeFileSync(`${folder}/key`, Buffer.alloc(16, 7))
  put('keys.txt', `${server.url}key\n${folder}/key\n`)
  const hls = ['-i', AUDIO + 'video.mp4', '-vn', '-c:a', 'aac', '-f', 'hls', '-hls_time', '2', '-hls_playlist_type', 'vod']
  makeMedia(`${folder}/plain.m3u8`, ...hls)
  makeMedia(`${folder}/secret.m3u8`, ...hls, '-hls_key_info_file', `${folder}/keys.txt`)
  const expectedMs = (await probeMedia(AUDIO + 'video.mp4')).durationMs ?? 0
  for (const name of ['plain', 'secret']) {
    const { path } = await fetch(`${server.url}${name}.m3u8`)
    t.ok(Math.abs(((await probeMedia(path)).durationMs ?? 0) - expectedMs) < 500, name)
  }
})

t.test('lists, live streams and pages without a recording are unsupported', needsYtDlp, async (t) => {
  const { server, put, codeOf } = await open(t)
  put('empty.html', page('Hello'))
  put('two.html', page('<video src="/a.mp4"></video><audio src="/b.mp3"></audio>'))
  put('live.m3u8', playlist('#EXTINF:10,', 'a.ts').replace('#EXT-X-ENDLIST\n', ''))
  put('plain.m3u8', '#EXTM3U\n')
  for (const name of ['empty.html', 'two.html', 'live.m3u8', 'plain.m3u8']) {
    t.equal(await codeOf(server.url + name), 'source_unsupported', name)
  }
  t.equal(await codeOf(`${server.url}missing.html`), 'source_not_found')
})

t.test('unknown sites are not asked when only known platforms count', needsYtDlp, async (t) => {
  const { server, startProxy } = await open(t)
  const { place } = await startProxy()
  await t.rejects(ytDlp.inspect(named(`${server.url}page.html`, place), place, { onlyKnown: true }), { code: 'source_unsupported' })
  t.strictSame(server.asked, [])
})

t.test('a file that is too large is not fetched', needsYtDlp, async (t) => {
  const { server, put, folder, codeOf } = await open(t)
  writeFileSync(`${folder}/video.mp4`, readFileSync(AUDIO + 'video.mp4'))
  put('page.html', page('<video src="/video.mp4"></video>'))
  t.equal(await codeOf(`${server.url}page.html`, { maxBytes: 1000 }), 'media_too_large')
})

t.test('no internal address is reachable from a page, redirect, segment, key, variant or initialisation', needsYtDlp, async (t) => {
  const inside = await startSources(t, (_, response) => { response.end('secret') })
  const { server, put, codeOf } = await open(t)
  const port = new URL(inside.url).port
  const dash = (address: string): string =>
    '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT5S"><Period>' +
    '<AdaptationSet mimeType="audio/mp4" codecs="mp4a.40.2"><Representation id="1" bandwidth="64000">' +
    `<BaseURL>${address}</BaseURL></Representation></AdaptationSet></Period></MPD>`
  const forms: Record<string, (address: string) => string> = {
    'video.html': (address) => page(`<video src="${address}"></video>`),
    'refresh.html': (address) => `<!doctype html><html><head><meta http-equiv="refresh" content="0; url=${address}"></head></html>`,
    'piece.m3u8': (address) => playlist('#EXTINF:10,', address),
    'key.m3u8': (address) => playlist(`#EXT-X-KEY:METHOD=AES-128,URI="${address}"`, '#EXTINF:10,', 'video.html'),
    'map.m3u8': (address) => playlist(`#EXT-X-MAP:URI="${address}"`, '#EXTINF:10,', 'video.html'),
    'variant.m3u8': (address) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"\n${address}\n`,
    'base.mpd': dash
  }
  const addresses = [
    `http://127.0.0.1:${port}/x.ts`,
    `http://[::ffff:127.0.0.1]:${port}/x.ts`,
    `http://localhost:${port}/x.mp4`,
    'file:///etc/passwd',
    `tcp://127.0.0.1:${port}/x.ts`,
    `ftp://127.0.0.1:${port}/x.mp4`
  ]
  for (const [name, render] of Object.entries(forms)) {
    for (const address of name === 'piece.m3u8' ? addresses : addresses.slice(0, 1)) {
      put(name, render(address))
      const code = await codeOf(server.url + name)
      t.ok(code !== 'it worked', `${name} with ${address}: ${code}`)
    }
  }
  t.strictSame(inside.asked, [], 'nobody came')
})

/** Each disguise is a run of yt-dlp, of a second or two: all of them with STENOBOX_TEST_ALL_DISGUISES, else one in fifteen. */
const disguises = TRICKS.filter((_, index) => process.env['STENOBOX_TEST_ALL_DISGUISES'] || index % 15 === 0)

t.test('no disguised internal address is reachable', { ...needsYtDlp, timeout: 900_000 }, async (t) => {
  const inside = await startSources(t, (_, response) => { response.end('secret') })
  const port = new URL(inside.url).port
  const { startProxy } = await open(t, { lookup: lookUp })
  const waiting = [...disguises]
  const refused: string[] = []
  await Promise.all(Array.from({ length: 2 }, async () => {
    for (let trick = waiting.pop(); trick; trick = waiting.pop()) {
      const { proxy, place } = await startProxy()
      const url = trick[0].replace('PORT', port)
      const end = await ytDlp.inspect(named(url, place), place, { onlyKnown: false }).then(() => 'it worked', () => 'refused')
      t.equal(end, 'refused', JSON.stringify(url))
      refused.push(proxy.problem()?.code ?? 'by yt-dlp itself')
      await proxy.close()
    }
  }))
  t.equal(refused.length, disguises.length)
  t.comment(`${refused.filter((code) => code === 'blocked').length} of ${refused.length} were refused by the proxy`)
  t.strictSame(inside.asked, [], 'nobody came')
})

t.test('a name that resolves to an internal address the second time is refused', needsYtDlp, async (t) => {
  let asked = 0
  const { server, put, folder, codeOf } = await open(t, {
    lookup: async () => [{ address: ++asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
  })
  writeFileSync(`${folder}/video.mp4`, readFileSync(AUDIO + 'video.mp4'))
  put('page.html', page('<video src="/video.mp4"></video>'))
  const { port } = new URL(server.url)
  t.equal(await codeOf(`http://flip.example:${port}/page.html`), 'blocked')
  t.notOk(server.asked.includes('/video.mp4'))
})

t.test('a source that delivers almost nothing is given up', needsYtDlp, async (t) => {
  const slow = await startSources(t, (request, response) => {
    if (request.url === '/page.html') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page('<video src="/video.mp4"></video>'))
      return
    }
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 1_000_000 })
    const timer = setInterval(() => { response.write('\0') }, 100)
    response.on('close', () => { clearInterval(timer) })
  })
  const directory = t.testdir()
  const proxy = await startFilterProxy({ allow: allowing(slow.host), offline: false, purpose: 'sources' })
  t.teardown(proxy.close)
  const impatient = createYtDlp({ program: undefined, searchPath: process.env['PATH'] ?? '', paceMs: 1000 })
  const place = { directory, proxyUrl: proxy.url, signal: new AbortController().signal }
  const facts = await impatient.inspect(named(`${slow.url}page.html`, place), place, { onlyKnown: false })
  writeFileSync(`${directory}/info.json`, facts.info)
  const options = { maxBytes: 10_000_000, onProgress: () => {}, isContended: () => false }
  await t.rejects(impatient.download(`${directory}/info.json`, place, options), {
    code: 'source_unreachable'
  })
})

t.test('no address appears in the arguments of the program', needsYtDlp, async (t) => {
  const seen: string[] = []
  const { server, put, startProxy } = await open(t)
  put('page.html', page(''))
  const { place } = await startProxy()
  const watching = setInterval(() => { seen.push(...listChildren()) }, 20)
  await t.rejects(ytDlp.inspect(named(`${server.url}page.html?token=hunter2`, place), place, { onlyKnown: false }), {
    code: 'source_unsupported'
  })
  clearInterval(watching)
  t.match(seen.join('\n'), 'yt_dlp')
  t.notMatch(seen.join('\n'), /hunter2|page\.html/)
})

t.test('without a program that can be run, it says so', async (t) => {
  const absent = createYtDlp({ program: '/nonexistent/yt-dlp', searchPath: process.env['PATH'] ?? '' })
  t.equal(await absent.version(), undefined)
  const place = { directory: t.testdir(), proxyUrl: '', signal: new AbortController().signal }
  await t.rejects(absent.inspect(named('https://example.org/', place), place, { onlyKnown: false }), {
    code: 'source_unsupported',
    message: /stenobox doctor/
  })
})
