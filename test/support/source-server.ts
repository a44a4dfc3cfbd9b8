/** The world outside, on the loopback interface: a server of recordings in every form, and with every fault. */
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { extname, join, normalize } from 'node:path'
import type { Test } from 'tap'
import { listen } from './listen.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html', '.xml': 'application/rss+xml', '.m3u8': 'application/vnd.apple.mpegurl',
  '.mpd': 'application/dash+xml', '.mp3': 'audio/mpeg', '.wav': 'audio/wav', '.mp4': 'video/mp4'
}

export type SourceServer = {
  url: string
  host: string
  /** Paths with their query, in the order they were asked for. */
  asked: string[]
  /** Bytes of bodies that were sent whole or in part. */
  sentBytes: () => number
}

/** Starts a server whose answers `listener` gives. */
export async function startSources (t: Test, listener: RequestListener): Promise<SourceServer> {
  const asked: string[] = []
  let sentBytes = 0
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const write = response.write.bind(response)
    response.write = ((chunk: Uint8Array, ...rest: never[]) => {
      sentBytes += chunk.length
      return write(chunk, ...rest)
    }) as typeof response.write
    listener(request, response)
  })
  const address = await listen(t, server)
  const { host } = new URL(address)
  return { url: `http://${host}/`, host, asked, sentBytes: () => sentBytes }
}

/** Serves the files below `folder` as file servers do: with tags, times and ranges. */
export function serveFolder (folder: string) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const path = join(folder, normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname)))
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile()) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html><body>Nothing here</body></html>')
      return
    }
    const etag = `"${createHash('md5').update(readFileSync(path)).digest('hex')}"`
    const headers = {
      etag,
      'last-modified': stats.mtime.toUTCString(),
      'accept-ranges': 'bytes',
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream'
    }
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const isPart = from !== undefined && (request.headers['if-range'] ?? etag) === etag
    if (isPart && Number(from) >= stats.size) {
      response.writeHead(416, { 'content-range': `bytes */${stats.size}` }).end()
      return
    }
    const [start, end] = isPart ? [Number(from), Math.min(to ? Number(to) : Infinity, stats.size - 1)] : [0, stats.size - 1]
    response.writeHead(isPart ? 206 : 200, {
      ...headers, 'content-length': end - start + 1, ...(isPart ? { 'content-range': `bytes ${start}-${end}/${stats.size}` } : {})
    })
    if (request.method === 'HEAD') response.end()
    else createReadStream(path, { start, end }).pipe(response)
  }
}
