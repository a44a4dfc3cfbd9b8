/** Downloads what a source address leads to: a media file into a draft, or the kind of thing that is there instead. */
import { createHash } from 'node:crypto'
import { JobFailure } from '../../domain/errors.js'
import type { FailureCode } from '../../domain/errors.js'
import { FetchError } from '../../domain/fetch-error.js'
import type { FetchErrorCode } from '../../domain/fetch-error.js'
import type { FileVersion, PartialFile } from '../../domain/file-version.js'
import { HEAD_BYTES, isHtml, nameFromDisposition, sniffKind } from '../../domain/source.js'
import type { SourceKind } from '../../domain/source.js'
import type { FetchAnswer, Fetcher } from './fetcher.js'
import { createTransfers, isPacked } from './transfer.js'
import type { Decision } from './transfer.js'

const MAX_REDIRECTS = 10
/** The longest feeds have some thousand episodes. */
const MAX_FEED_BYTES = 8 * 1024 ** 2
const TOTAL_MS = 12 * 60 * 60_000
const IDLE_MS = 30_000

export type SourceDownload = {
  url: string
  draft: PartialFile
  maxBytes: number
  /** True when media of this identity is stored already: then nothing more is downloaded. */
  isStored: (identity: string) => boolean
  /** Throws when the disk has no room for the rest of the file. */
  requireRoom: (restBytes: number, arrivedBytes: number) => Promise<void>
  /** Called with the share (0 to 1) that has arrived, where the server announces the length. */
  onProgress: (share: number) => void
  signal: AbortSignal
  /** Who the file is for: see `FetchRequest`. */
  share?: string
  /** True while others wait for a place: then a higher pace is required. */
  isContended?: () => boolean
}

export type Arrival =
  | { kind: 'media', name: string | undefined, identity: string | undefined }
  | { kind: 'stored', name: string | undefined, identity: string }
  | { kind: 'feed', url: string, text: string }
  | { kind: Exclude<SourceKind, 'media' | 'feed'> }

type Deps = {
  fetcher: Pick<Fetcher, 'request'>
  sleep?: (ms: number) => Promise<void>
  now?: () => number
  idleMs?: number
  paceMs?: number
}

const FAILURES: Readonly<Record<FetchErrorCode, FailureCode>> = {
  blocked: 'source_blocked',
  offline: 'source_blocked',
  too_large: 'media_too_large',
  invalid_url: 'source_unsupported',
  invalid_redirect: 'source_unsupported',
  packed: 'source_unsupported',
  not_found: 'source_not_found',
  forbidden: 'source_forbidden',
  unreachable: 'source_unreachable',
  tls: 'source_unreachable',
  timeout: 'source_unreachable',
  too_many_redirects: 'source_unreachable',
  broken: 'source_unreachable',
  failed: 'source_unreachable',
  aborted: 'source_unreachable',
  invalid_proxy: 'source_unreachable',
  refused_by_proxy: 'source_unreachable',
  unavailable: 'source_unreachable',
  refused: 'source_unreachable',
  incomplete: 'source_unreachable',
  wrong_length: 'source_unreachable',
  too_slow: 'source_unreachable',
  busy: 'source_unreachable'
}

/** What an error of the network means for a job. */
export function toJobFailure ({ code, detail }: FetchError): JobFailure {
  return new JobFailure(FAILURES[code], `fetching: ${[code, detail].filter(Boolean).join(', ')}`)
}

/** Identifies the file by what its server says: a strong entity tag, or else time and length. */
function identify (url: string, { etag, modified, totalBytes }: FileVersion): string | undefined {
  const mark = etag ?? (modified === undefined || totalBytes === undefined ? undefined : modified)
  return mark === undefined ? undefined : createHash('sha256').update(JSON.stringify([url, mark, totalBytes])).digest('hex')
}

function describeVersion (url: string, { headers }: FetchAnswer, version: FileVersion): FileVersion {
  const name = nameFromDisposition(headers['content-disposition'])
  const identity = identify(url, version)
  return { ...version, ...(name === undefined ? {} : { name }), ...(identity === undefined ? {} : { identity }) }
}

/** The first bytes of a body, and an iterator over the rest. */
async function peek (body: AsyncIterable<Buffer>): Promise<{ head: Buffer, rest: AsyncIterator<Buffer> }> {
  const rest = body[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < HEAD_BYTES) {
    const next = await rest.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  return { head, rest }
}

async function * join (head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head
  yield * { [Symbol.asyncIterator]: () => rest }
}

async function readText (body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new JobFailure('source_unsupported', `the feed has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Finds out what an answer holds. Media is to be stored, unless it is there already. */
async function decide (
  { url, isStored }: SourceDownload, answer: FetchAnswer, found: FileVersion, body: AsyncIterable<Buffer>
): Promise<Decision<Arrival>> {
  const { head, rest } = await peek(body)
  // A compressed page is read by yt-dlp, which asks for it in its own way.
  const kind = isPacked(answer) && isHtml(answer.headers) ? 'page' : sniffKind(head, answer.headers)
  if (kind === 'feed') return { instead: { kind, url: answer.url, text: await readText(join(head, rest), MAX_FEED_BYTES) } }
  const version = describeVersion(url, answer, found)
  const { name, identity } = version
  if (kind === 'media' && (identity === undefined || !isStored(identity))) return { version, body: join(head, rest) }
  await rest.return?.()
  return { instead: kind === 'media' ? { kind: 'stored', name, identity: identity ?? '' } : { kind } }
}

export function createSourceDownloads ({ fetcher, sleep, now, idleMs = IDLE_MS, paceMs }: Deps) {
  const transfers = createTransfers({ fetcher, sleep, now, idleMs, paceMs })
  return {
    /**
     * Downloads what is at the address. A file goes into the draft, from where that ends; a feed is returned as text. Throws
     * `JobFailure`: source_unreachable, source_forbidden, source_not_found, source_blocked, source_unsupported, media_too_large; what
     * `requireRoom` and the draft throw; and the reason of `signal`.
     */
    async fetch (download: SourceDownload): Promise<Arrival> {
      const { url, draft, maxBytes, requireRoom, onProgress, signal, share, isContended } = download
      try {
        const arrival = await transfers.fetch<Arrival>({
          purpose: 'sources',
          url,
          part: draft,
          maxRedirects: MAX_REDIRECTS,
          maxBytes,
          totalMs: TOTAL_MS,
          decide: async (answer, version, body) => await decide(download, answer, version, body),
          requireRoom,
          onProgress: (done, total) => { if (total) onProgress(Math.min(1, done / total)) },
          signal,
          share,
          isContended
        })
        const { name, identity } = draft.version() ?? {}
        return arrival ?? { kind: 'media', name, identity }
      } catch (error) {
        throw error instanceof FetchError ? toJobFailure(error) : error
      }
    }
  }
}
export type SourceDownloads = ReturnType<typeof createSourceDownloads>
