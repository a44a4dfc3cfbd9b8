/** The attacks. Each `run` is repeated until the hostile owner is killed. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { findFixture } from '../lib/recordings.ts'
import type { Enemy } from './enemy.ts'
import { makeManyTracks, wideSoundHeader } from './media.ts'

export type Attack = { name: string, about: string, run: (enemy: Enemy) => Promise<void> }
type Listener = (request: IncomingMessage, response: ServerResponse) => void

const MIB = 1024 ** 2
const GIB = 1024 ** 3
const fill = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length))
const channel = (content: string): Buffer => Buffer.from(`<rss version="2.0"><channel>${content}</channel></rss>`)

const FEEDS = [
  () => channel(fill('<item/>', 7.9 * MIB)),
  () => channel(`<item ${Array.from({ length: 400_000 }, (_, index) => `a${index}="${index}"`).join(' ')}/>`),
  () => channel(`<item><title>${fill('&amp;', 7.9 * MIB)}</title></item>`),
  () => channel(fill('<a>', 4 * MIB))
]
const serveFeed: Listener = (request, response) => {
  const feed = FEEDS[Number(request.url?.slice(1)) % FEEDS.length]?.() ?? Buffer.alloc(0)
  response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed)
}
const servePackedFeed: Listener = (_request, response) => {
  const head = { 'content-type': 'application/rss+xml', 'content-encoding': 'gzip' }
  response.writeHead(200, head).end(gzipSync(channel(fill('<item/>', 32 * MIB))))
}
/** A WAV file that never ends, 2 kB every 5 s. */
const serveDrip: Listener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': GIB })
  response.write(wideSoundHeader(GIB))
  const timer = setInterval(() => { response.write(Buffer.alloc(2000)) }, 5000)
  response.once('close', () => { clearInterval(timer) })
}
/** Ten seconds of 8 channels at 384 kHz. */
const serveWide: Listener = (_request, response) => {
  const bytes = 10 * 8 * 384_000 * 2
  response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': bytes + 44 })
  response.write(wideSoundHeader(bytes))
  response.end(Buffer.alloc(bytes))
}
const never: Listener = () => {}
/** An answer of 100 MB. */
const answerMuch: Listener = (_request, response) => {
  response.writeHead(200, { 'content-length': 100 * MIB })
  response.end(Buffer.alloc(100 * MIB))
}

/** Makes a file once, with ffmpeg. */
function makeFile ({ scratch }: Enemy, name: string, ...args: string[]): Buffer {
  const path = join(scratch, name)
  if (!existsSync(path)) execFileSync('ffmpeg', ['-nostdin', '-v', 'error', ...args, path])
  return readFileSync(path)
}
const makeGap = (enemy: Enemy): Buffer => makeFile(
  enemy, 'gap.mkv', '-f', 'lavfi', '-i', 'sine=d=2', '-af', 'asetpts=PTS+gt(T\\,1)*7200*44100', '-c:a', 'aac'
)
const makeHour = (enemy: Enemy): Buffer => makeFile(
  enemy, 'hour.mp3', '-stream_loop', '-1', '-i', findFixture('talk').path, '-t', '3600', '-c', 'copy'
)
const LONG_TEXT = {
  fileName: 'x'.repeat(255),
  options: { prompt: 'x'.repeat(2000), terms: Array.from({ length: 200 }, (_, index) => `${'term'.repeat(15)}${index}`) }
}
const BAD_JSON = Buffer.alloc(100, '[')
const TEN_GB = { fileName: 'x', fileSize: 10_000_000_000 }

export const ATTACKS: readonly Attack[] = [
  {
    name: 'feeds',
    about: 'feeds of 8 MiB with millions of empty items, attributes, entities; 32 MiB packed',
    async run (enemy) {
      const [plain, packed] = [await enemy.serve(serveFeed), await enemy.serve(servePackedFeed)]
      await enemy.flood(40, 4, async (index) => {
        if (!await enemy.link(index % 5 === 4 ? `${packed}/${index}` : `${plain}/${index}`)) await sleep(500)
      })
    }
  },
  {
    name: 'silent names',
    about: 'hundreds of webhook tests and links to names whose name server says nothing',
    async run (enemy) {
      await enemy.flood(400, 60, async (index) => {
        if (index % 2 === 0) await enemy.call('POST', '/api/v1/webhooks/test', { url: `http://n${index}.silent/` })
        else if (!await enemy.link(`http://n${index}.silent/x.mp3`)) await sleep(500)
      })
    }
  },
  {
    name: 'dripping sources',
    about: 'links to sources that send 2 kB every 5 s',
    async run (enemy) {
      const drip = await enemy.serve(serveDrip)
      await enemy.flood(30, 4, async (index) => { if (!await enemy.link(`${drip}/${index}.wav`)) await sleep(1000) })
      await sleep(1000)
    }
  },
  {
    name: 'reservations',
    about: '10,000 uploads of 10 GB begun at once, without a byte',
    run: async (enemy) => { await enemy.flood(10_000, 60, async () => await enemy.call('POST', '/api/v1/media/uploads/init', TEN_GB)) }
  },
  {
    name: 'big uploads',
    about: '100 uploads of 10 GB that send parts of 10 MiB in parallel',
    async run (enemy) {
      const part = Buffer.alloc(10 * MIB)
      await enemy.flood(100, 100, async () => {
        const { status, body } = await enemy.call('POST', '/api/v1/media/uploads/init', TEN_GB)
        if (status !== 201) return await sleep(500)
        // The same part again and again, so that the disk of this machine is not filled.
        const path = `/api/v1/media/uploads/${String(body.data?.['uploadId'])}/parts/1`
        for (let index = 0; index < 20; index++) await enemy.call('PUT', path, part)
        await enemy.call('DELETE', path.replace('/parts/1', ''))
      })
    }
  },
  {
    name: 'full queue',
    about: 'as many links with 15 kB of text each as the queue takes, to a source that never answers',
    async run (enemy) {
      const url = await enemy.serve(never)
      await enemy.flood(2000, 16, async (index) => { await enemy.link(`${url}/${index}.mp3`, { fileName: LONG_TEXT.fileName }) })
    }
  },
  {
    name: 'long text',
    about: 'jobs with 15 kB of text each that fail at once and are deleted',
    async run (enemy) {
      await enemy.flood(500, 16, async () => {
        const { status, body } = await enemy.call('POST', '/api/v1/transcriptions', {
          source: { url: 'http://127.0.0.1:1/x.mp3' }, language: 'en', ...LONG_TEXT
        })
        if (status === 201) await enemy.call('DELETE', `/api/v1/transcriptions/${String(body.data?.['jobId'])}`)
      })
    }
  },
  {
    name: 'long recordings',
    about: 'recordings of an hour, as many as are taken',
    async run (enemy) { await enemy.flood(8, 2, async () => { if (!await enemy.upload(makeHour(enemy))) await sleep(1000) }) }
  },
  {
    name: 'gaps',
    about: 'files of 50 kB with a gap of hours in their time stamps',
    async run (enemy) { await enemy.flood(20, 4, async () => { if (!await enemy.upload(makeGap(enemy))) await sleep(500) }) }
  },
  {
    name: 'wide sound',
    about: 'links to WAV files of 8 channels at 384 kHz',
    async run (enemy) {
      const url = await enemy.serve(serveWide)
      await enemy.flood(8, 2, async (index) => { if (!await enemy.link(`${url}/${index}.wav`)) await sleep(1000) })
    }
  },
  {
    name: 'many tracks',
    about: 'MP4 files of 20,000 tracks',
    async run (enemy) {
      const file = makeManyTracks(makeFile(enemy, 'one.m4a', '-f', 'lavfi', '-i', 'sine=d=1', '-c:a', 'aac'), 20_000)
      await enemy.flood(8, 2, async () => { if (!await enemy.upload(file)) await sleep(1000) })
    }
  },
  {
    name: 'slow bodies',
    about: '400 request bodies of one byte every 20 s, 100 of them without a key',
    async run (enemy) {
      await enemy.flood(400, 400, async (index) => {
        const socket = enemy.open()
        const key = index % 4 === 0 ? '' : `authorization: Bearer ${enemy.key}\r\n`
        const head = 'POST /api/v1/media/ingest HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n'
        socket.write(`${head}${key}\r\n`)
        const timer = setInterval(() => { socket.write(' ') }, 20_000)
        await new Promise((resolve) => { socket.once('close', resolve) })
        clearInterval(timer)
      })
    }
  },
  {
    name: 'connections',
    about: '2,000 connections that send nothing, or half a header',
    async run (enemy) {
      await enemy.flood(2000, 1000, async (index) => {
        const socket = enemy.open()
        if (index % 2 === 0) socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nx: ')
        await new Promise((resolve) => { socket.once('close', resolve) })
        await sleep(100)
      })
    }
  },
  {
    name: 'unread replies',
    about: '400 connections that ask for the OpenAPI document a hundred times and read nothing',
    async run (enemy) {
      await enemy.flood(400, 400, async () => {
        const socket = enemy.open().pause()
        socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100))
        await new Promise((resolve) => { socket.once('close', resolve) })
        await sleep(100)
      })
    }
  },
  {
    name: 'bad receivers',
    about: 'webhook tests to receivers that never answer, answer 100 MB, or have a name of 300 characters',
    async run (enemy) {
      const urls = [await enemy.serve(never), await enemy.serve(answerMuch), `http://${'x'.repeat(300)}/`, await enemy.serve(answerMuch)]
      await enemy.flood(200, 50, async (index) => { await enemy.call('POST', '/api/v1/webhooks/test', { url: urls[index % urls.length] }) })
    }
  },
  {
    name: 'refusals',
    about: 'requests that are refused, as many as are answered: too large, no room, bad JSON, unknown paths',
    async run (enemy) {
      await enemy.flood(4000, 32, async (index) => {
        if (index % 4 === 0) await enemy.call('POST', '/api/v1/media/uploads/init', TEN_GB)
        else if (index % 4 === 1) await enemy.call('POST', '/api/v1/media/ingest', BAD_JSON, { 'content-type': 'application/json' })
        else if (index % 4 === 2) await enemy.call('GET', '/api/v1/jobs/999999')
        else await enemy.call('PUT', '/api/v1/media/uploads/x/parts/1', Buffer.alloc(10))
      })
    }
  },
  {
    name: 'idempotency keys',
    about: 'uploads begun with a key each, whose replies of 100 kB are kept for a day, and dropped',
    async run (enemy) {
      const body = { fileName: 'x', fileSize: 1000 * MIB }
      await enemy.flood(2000, 16, async () => {
        const begun = await enemy.call('POST', '/api/v1/media/uploads/init', body, { 'idempotency-key': crypto.randomUUID() })
        if (begun.status === 201) await enemy.call('DELETE', `/api/v1/media/uploads/${String(begun.body.data?.['uploadId'])}`)
      })
    }
  },
  {
    name: 'polls',
    about: 'requests for a job over 64 connections, as fast as they are answered',
    run: async (enemy) => { await enemy.flood(20_000, 64, async () => await enemy.call('GET', '/api/v1/jobs/1')) }
  },
  {
    name: 'exports',
    about: 'json exports of an hour over 64 connections, as fast as they are answered',
    run: async (enemy) => {
      await enemy.flood(20_000, 64, async () => await enemy.read(`/api/v1/transcriptions/${enemy.hourId}/export?format=json`))
    }
  },
  {
    name: 'documents',
    about: 'docx exports of an hour over 64 connections',
    run: async (enemy) => {
      await enemy.flood(20_000, 64, async () => await enemy.read(`/api/v1/transcriptions/${enemy.hourId}/export?format=docx`))
    }
  },
  {
    name: 'reads',
    about: 'lists, transcriptions of an hour, speakers and artifacts over 64 connections',
    async run (enemy) {
      const of = `/api/v1/transcriptions/${enemy.hourId}`
      const paths = ['/api/v1/transcriptions?limit=100', of, `${of}/speakers`, `${of}/artifacts`, '/api/v1/usage', '/api/v1/openapi.json']
      await enemy.flood(20_000, 64, async (index) => await enemy.read(paths[index % paths.length] ?? of))
    }
  },
  {
    name: 'searches',
    about: 'searches of 10 kB over 64 connections',
    async run (enemy) {
      const text = (index: number): string => encodeURIComponent(fill(`council ${index} budget proposal `, 10_000))
      await enemy.flood(20_000, 64, async (index) => await enemy.read(`/api/v1/library/search?q=${text(index)}`))
    }
  },
  {
    name: 'unread exports',
    about: '400 connections that ask for json exports of an hour and read nothing',
    async run (enemy) {
      const head = `GET /api/v1/transcriptions/${enemy.hourId}/export?format=json HTTP/1.1\r\nhost: x\r\n`
      await enemy.flood(400, 400, async () => {
        const socket = enemy.open().pause()
        socket.write(`${head}authorization: Bearer ${enemy.key}\r\n\r\n`.repeat(4))
        await new Promise((resolve) => { socket.once('close', resolve) })
        await sleep(100)
      })
    }
  }
]
