/** Recordings from addresses, by the real program: each kind ends in its text, each fault in its code, and nothing stays on disk. */
import { copyFileSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { countWordErrors, rateOf } from '../../dist/evaluate/text/wer.js'
import { createYtDlp } from '../../dist/engine/media/yt-dlp.js'
import { createClient } from '../support/client.ts'
import type { Client } from '../support/client.ts'
import { makeMedia } from '../support/media.ts'
import { AUDIO } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'
import { serveFolder, startSources } from '../support/source-server.ts'
import type { SourceServer } from '../support/source-server.ts'
import { waitFor } from '../support/wait.ts'

const PATH = process.env['PATH'] ?? ''
const needsYtDlp = {
  skip:
    (await createYtDlp({ program: undefined, searchPath: PATH }).version()) === undefined
      ? 'yt-dlp is not installed; npm run build installs it'
      : false
}

/** A server of recordings and of faults, and a data directory beside it. */
async function serve (t: Test): Promise<SourceServer & { folder: string, dataDir: string }> {
  const root = t.testdir({ www: {}, data: {} })
  const [folder, dataDir] = [`${root}/www`, `${root}/data`]
  const serveFile = serveFolder(folder)
  const server = await startSources(t, (request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/circle') response.writeHead(302, { location: '/circle' }).end()
    else if (path === '/inward') response.writeHead(302, { location: 'http://10.0.0.1/talk.mp3' }).end()
    else if (path === '/closed') response.writeHead(403).end()
    else if (path === '/large') response.writeHead(200, { 'content-length': 20 * 1024 ** 3 }).write('ID3\0')
    else if (path === '/radio') response.writeHead(200, { 'icy-name': 'Radio' }).write('ID3\0'.repeat(2000))
    else serveFile(request, response)
  })
  for (const name of ['en-1.wav', 'en-3.mp3', 'video.mp4', 'talk.mp3']) copyFileSync(AUDIO + name, `${folder}/${name}`)
  return { ...server, folder, dataDir }
}

async function open (t: Test, { host, dataDir }: SourceServer & { dataDir: string }) {
  const server = await startServer(dataDir, { STENOBOX_ALLOW_SOURCES: host })
  t.teardown(server.stop)
  return { server, client: createClient(server.address, server.firstKey ?? '') }
}

async function submit (client: Client, sourceUrl: string, more: object = {}): Promise<number> {
  const reply = await client.request<{ jobId: number }>('POST', '/api/v1/media/ingest', { sourceUrl, ...more })
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.body.error}`)
  return reply.body.data.jobId
}

const look = async (client: Client, id: number): Promise<Record<string, unknown>> =>
  (await client.request<Record<string, unknown>>('GET', `/api/v1/transcriptions/${id}`)).body.data

/** A transcript that says what the recording says, but for what the starter model mishears. */
function matchesText (t: Test, text: string | undefined, name: string, what: string): void {
  const reference = readFileSync(`${AUDIO}${name}.txt`, 'utf8')
  t.ok((rateOf(countWordErrors(reference, text ?? '')) ?? 1) < 0.2, `${what}: ${text}`)
}

t.test('a file, a feed, a page, HLS and DASH end in the text of their recording', needsYtDlp, async (t) => {
  const outside = await serve(t)
  const { folder, url } = outside
  makeMedia(
    `${folder}/hls.m3u8`,
    '-i',
    AUDIO + 'video.mp4',
    '-c:v',
    'copy',
    '-c:a',
    'aac',
    '-f',
    'hls',
    '-hls_time',
    '2',
    '-hls_playlist_type',
    'vod'
  )
  makeMedia(`${folder}/dash.mpd`, '-i', AUDIO + 'video.mp4', '-map', '0', '-c:v', 'copy', '-c:a', 'aac', '-f', 'dash')
  writeFileSync(
    `${folder}/page.html`,
    '<!doctype html><html><head><title>A film</title></head><body><video src="/video.mp4"></video></body></html>'
  )
  writeFileSync(
    `${folder}/feed.xml`,
    `<?xml version="1.0"?><rss version="2.0"><channel><title>Pod</title>
    <item><title>Old</title><pubDate>Mon, 01 Jun 2026 08:00:00 GMT</pubDate><enclosure url="${url}en-1.wav" type="audio/wav"/></item>
    <item><title>New &amp; good</title><pubDate>Tue, 02 Jun 2026 08:00:00 GMT</pubDate>
    <enclosure url="/en-3.mp3?a=1&amp;b=2" type="audio/mpeg"/></item></channel></rss>`
  )
  const { client } = await open(t, outside)
  const kinds: Array<[path: string, recording: string, known: object]> = [
    ['en-1.wav', 'en-1', { fileName: 'en-1.wav' }],
    ['feed.xml', 'en-3', { fileName: 'New & good', title: 'New & good', publishedAt: '2026-06-02T08:00:00.000Z' }],
    ['page.html', 'video', { fileName: 'A film', title: 'A film' }],
    ['hls.m3u8', 'video', { fileName: 'hls.m3u8' }],
    ['dash.mpd', 'video', { fileName: 'dash.mpd' }]
  ]
  const jobs = await Promise.all(kinds.map(async ([path]) => await submit(client, url + path)))
  for (const [index, [path, recording, known]] of kinds.entries()) {
    const id = jobs[index] ?? 0
    const job = await client.ended(id)
    t.match(job, { status: 'completed', progress: 100, failure: null }, path)
    matchesText(t, job.transcriptText, recording, path)
    t.match(await look(client, id), { ...known, sourceUrl: url + path })
  }
})

t.test('ingest takes language and quality; the exports name the source', async (t) => {
  const outside = await serve(t)
  const { client, server } = await open(t, outside)
  const source = { url: `${outside.url.replace('//', '//user:hunter2@')}en-3.mp3?token=hunter2&episode=7` }
  const reply = await client.request<{ jobId: number, status: string }>('POST', '/api/v1/transcriptions', {
    source,
    language: 'en',
    options: { sttQuality: 'fast' },
    fileName: 'My talk'
  })
  t.match(reply, { status: 201, body: { data: { jobId: 1, status: /queued|processing/ } } })
  t.match(await client.ended(1), { status: 'completed' })
  t.match(await look(client, 1), { fileName: 'My talk', language: 'en', sourceUrl: `${outside.url}en-3.mp3?episode=7` })
  const markdown = await (
    await fetch(`${server.address}/api/v1/transcriptions/1/export?format=md`, { headers: { authorization: `Bearer ${server.firstKey}` } })
  ).text()
  t.match(markdown, `- Source: <${outside.url}en-3.mp3?episode=7>`)
  t.notMatch(server.log() + markdown, /hunter2/, 'no credentials in log or export')
  // Straight to the server: what the document rules out, a proxy that checks would refuse itself.
  const direct = createClient(server.origin, server.firstKey ?? '')
  for (const [body, field] of [
    [{ source: { url: 'file:///etc/passwd' } }, 'source.url'],
    [{ source: {} }, 'source.url'],
    [{}, 'source'],
    [{ source, language: 'klingon?' }, 'language']
  ] as const) {
    t.match(await direct.request('POST', '/api/v1/transcriptions', body), {
      status: 400,
      body: { code: 'invalid_request', error: new RegExp(`^${field}`) }
    })
  }
  t.match(await direct.request('POST', '/api/v1/media/ingest', { sourceUrl: 'talk.mp3' }), { status: 400, body: { error: /^sourceUrl/ } })
})

t.test('what cannot be fetched fails with its code, names no address, and leaves nothing', needsYtDlp, async (t) => {
  const outside = await serve(t)
  const { folder, url, dataDir } = outside
  writeFileSync(`${folder}/text.html`, '<!doctype html><html><body>Only words</body></html>')
  writeFileSync(`${folder}/words.txt`, 'Dear all, this is no recording.\n'.repeat(100))
  writeFileSync(`${folder}/empty.xml`, '<rss version="2.0"><channel><item><title>News</title></item></channel></rss>')
  writeFileSync(`${folder}/file.m3u8`, '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n')
  writeFileSync(`${folder}/live.m3u8`, '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nvideo.ts\n')
  const { client, server } = await open(t, outside)
  const cases: Array<[path: string, code: string]> = [
    ['missing', 'source_not_found'],
    ['closed', 'source_forbidden'],
    ['circle', 'source_unreachable'],
    ['inward', 'source_blocked'],
    ['large', 'media_too_large'],
    ['radio', 'source_unsupported'],
    ['text.html', 'source_unsupported'],
    ['words.txt', 'unsupported_media'],
    ['empty.xml', 'source_unsupported'],
    ['file.m3u8', 'source_unsupported'],
    ['live.m3u8', 'source_unsupported']
  ]
  const jobs = await Promise.all(cases.map(async ([path]) => await submit(client, `${url}${path}?token=hunter2`)))
  for (const [index, [path, code]] of cases.entries()) {
    const job = await client.ended(jobs[index] ?? 0)
    t.match(job, { status: 'failed', failure: { code } }, path)
    t.notMatch(job.failure?.message, /127\.0\.0\.1|http|\/\w/, `${path}: no address in the sentence`)
  }
  for (const blocked of ['http://127.0.0.1:1/x.mp3', 'http://169.254.169.254/latest/meta-data/', 'http://[::1]/x.mp3']) {
    t.match(await client.ended(await submit(client, blocked)), { status: 'failed', failure: { code: 'source_blocked' } }, blocked)
  }
  await waitFor('the removal of all files', () => readdirSync(`${dataDir}/work`).length + readdirSync(`${dataDir}/media`).length === 0)
  t.strictSame([readdirSync(`${dataDir}/work`), readdirSync(`${dataDir}/media`)], [[], []])
  t.notMatch(server.log(), /hunter2/)
})

t.test('the same recording is neither fetched nor kept twice', async (t) => {
  const outside = await serve(t)
  copyFileSync(`${outside.folder}/en-1.wav`, `${outside.folder}/copy.wav`)
  const { dataDir } = outside
  const { client } = await open(t, outside)
  const texts: Array<string | undefined> = []
  const sent: number[] = []
  for (const name of ['en-1.wav', 'en-1.wav', 'copy.wav']) {
    const before = outside.sentBytes()
    texts.push((await client.ended(await submit(client, outside.url + name))).transcriptText)
    sent.push(outside.sentBytes() - before)
  }
  t.equal(new Set(texts).size, 1)
  t.ok((sent[0] ?? 0) >= statSync(AUDIO + 'en-1.wav').size)
  t.equal(readdirSync(`${dataDir}/media`).length, 1, 'one file')
  t.match(await look(client, 3), { fileName: 'copy.wav' })
})

t.test('a download resumes after kill -9', async (t) => {
  const talk = readFileSync(AUDIO + 'talk.mp3')
  const ranges: Array<string | undefined> = []
  const outside = await startSources(t, (request, response) => {
    ranges.push(request.headers.range)
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"1"',
      'content-length': talk.length - from,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${talk.length - 1}/${talk.length}` } : {})
    })
    // The first time, half of it and then nothing.
    if (from > 0) response.end(talk.subarray(from))
    else response.write(talk.subarray(0, talk.length / 2))
  })
  const dataDir = t.testdir({ data: {} }) + '/data'
  const first = await startServer(dataDir, { STENOBOX_ALLOW_SOURCES: outside.host })
  const key = first.firstKey ?? ''
  const id = await submit(createClient(first.address, key), `${outside.url}talk.mp3`)
  await waitFor('the first bytes', async () => (await createClient(first.address, key).job(id)).progress > 0)
  t.match(await createClient(first.address, key).job(id), { status: 'processing' })
  await first.kill9()
  const second = await startServer(dataDir, { STENOBOX_ALLOW_SOURCES: outside.host })
  t.teardown(second.stop)
  const job = await createClient(second.address, key).ended(id)
  t.match(job, { status: 'completed' })
  matchesText(t, job.transcriptText, 'talk', 'talk')
  t.strictSame(ranges[0], undefined)
  t.match(ranges[1], /^bytes=\d{6,}-$/)
  t.equal(ranges.length, 2)
})

t.test('a polite stop does not wait for a download, which is given back', async (t) => {
  const outside = await startSources(t, (_, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 }).write('ID3\0'.repeat(2000))
  })
  const dataDir = t.testdir({ data: {} }) + '/data'
  const server = await startServer(dataDir, { STENOBOX_ALLOW_SOURCES: outside.host })
  const client = createClient(server.address, server.firstKey ?? '')
  await submit(client, `${outside.url}talk.mp3`)
  await waitFor('a request', () => outside.asked.length > 0)
  t.equal(await server.stop(), 0)
})

t.test('media goes with its transcript where it is not to be kept', async (t) => {
  const outside = await serve(t)
  const { dataDir } = outside
  const server = await startServer(dataDir, { STENOBOX_ALLOW_SOURCES: outside.host, STENOBOX_KEEP_MEDIA: 'false' })
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  t.match(await client.ended(await submit(client, `${outside.url}en-3.mp3`)), { status: 'completed' })
  await waitFor('the removal of the media', () => readdirSync(`${dataDir}/media`).length === 0)
  t.strictSame(readdirSync(`${dataDir}/media`), [])
})

t.test('the command line takes an address', async (t) => {
  const outside = await serve(t)
  const { dataDir } = outside
  const settings = { STENOBOX_ALLOW_SOURCES: outside.host }
  const { code, stdout } = await runCommand(dataDir, ['transcribe', `${outside.url}en-3.mp3`], settings)
  t.equal(code, 0)
  matchesText(t, stdout, 'en-3', 'stdout')
  const missing = await runCommand(dataDir, ['transcribe', `${outside.url}missing.mp3`], settings)
  t.equal(missing.code, 1)
  t.match(missing.stderr, /source_not_found: There is nothing/)
})
