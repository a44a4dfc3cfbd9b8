/** Fetches what is at an address: a media file to its end, however often the line breaks, or word of what is there instead. */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isNoRoom, JobFailure } from '../../domain/errors.js'
import type { FailureCode } from '../../domain/errors.js'
import { parseContentRange } from '../../domain/model-source.js'
import { HEAD_BYTES, nameFromDisposition, sniffKind } from '../../domain/source.js'
import type { SourceKind } from '../../domain/source.js'
import type { FetchAnswer, Fetcher } from './fetcher.js'
import { FetchError } from './guard.js'
import type { FetchErrorCode } from './guard.js'
import { isTooSlow, PACE_MS } from './pace.js'

const MAX_REDIRECTS = 10
/** Of a feed: the longest there are have some thousand episodes. */
const MAX_FEED_BYTES = 32 * 1024 ** 2
const TOTAL_MS = 12 * 60 * 60_000
/** Tries that may fail in a row; so much farther than ever before, and the failures are forgotten. */
const TRIES = 5
const GOOD_TRY_BYTES = 1024 ** 2
const FIRST_PAUSE_MS = 1000
/** Free disk is looked at again after so much. */
const ROOM_STEP_BYTES = 64 * 1024 ** 2

/** What a half file is half of. `name` and `identity` are kept for the time when the rest has arrived. */
export type DraftVersion = { etag?: string, modified?: string, totalBytes?: number, name?: string, identity?: string }

/** A file that is being fetched; it survives this process. */
export type Draft = {
  bytes (): number
  version (): DraftVersion | undefined
  /** Forgets all bytes: what comes now is this version, from its beginning. */
  begin (version: DraftVersion): Promise<void>
  append (chunk: Uint8Array): Promise<void>
}

export type Download = {
  url: string
  draft: Draft
  maxBytes: number
  /** True when media of this identity is here: then nothing more is fetched. */
  isKept: (identity: string) => boolean
  /** Throws when so many bytes more have no room. */
  requireRoom: (bytes: number) => Promise<void>
  /** Told the share that has arrived, where the source says how long it is. */
  onProgress: (share: number) => void
  signal: AbortSignal
}

export type Arrival =
  | { kind: 'media', name: string | undefined, identity: string | undefined }
  | { kind: 'kept', name: string | undefined, identity: string }
  | { kind: 'feed', url: string, text: string }
  | { kind: Exclude<SourceKind, 'media' | 'feed'> }

type Deps = {
  fetcher: Pick<Fetcher, 'request'>
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  now?: () => number
  idleMs?: number
  paceMs?: number
}

/** A failure that another try may mend. */
class PassingError extends Error {}

const FAILURES: Readonly<Record<Exclude<FetchErrorCode, 'aborted'>, FailureCode>> = {
  blocked: 'source_blocked',
  offline: 'source_blocked',
  too_large: 'media_too_large',
  invalid_url: 'source_unsupported',
  unreachable: 'source_unreachable',
  tls: 'source_unreachable',
  timeout: 'source_unreachable',
  too_many_redirects: 'source_unreachable',
  invalid_redirect: 'source_unsupported',
  broken: 'source_unreachable'
}
const PASSING = new Set<FetchErrorCode>(['unreachable', 'timeout', 'broken'])

/** What a refusal of the guard means for a job. */
export function toJobFailure (error: FetchError): JobFailure {
  return new JobFailure(error.code === 'aborted' ? 'source_unreachable' : FAILURES[error.code], `fetching: ${[error.code, error.detail].filter(Boolean).join(', ')}`)
}

/** Says which file this is, as far as its server tells: a strong tag, or time and length. */
function identify (url: string, { etag, modified, totalBytes }: DraftVersion): string | undefined {
  const mark = etag ?? (modified === undefined || totalBytes === undefined ? undefined : modified)
  return mark === undefined ? undefined : createHash('sha256').update(JSON.stringify([url, mark, totalBytes])).digest('hex')
}

function readVersion (url: string, { headers }: FetchAnswer): DraftVersion {
  const { etag, 'last-modified': modified, 'content-length': length, 'content-encoding': encoding } = headers
  const name = nameFromDisposition(headers['content-disposition'])
  // What was packed on the way has no length that is known, and no place to go on from.
  const version = encoding === undefined || encoding === 'identity'
    ? {
        ...(/^"[^"]*"$/.test(etag ?? '') ? { etag: etag as string } : {}),
        ...(modified === undefined ? {} : { modified }),
        ...(/^\d{1,15}$/.test(length ?? '') ? { totalBytes: Number(length) } : {})
      }
    : {}
  const identity = identify(url, version)
  return { ...version, ...(name === undefined ? {} : { name }), ...(identity === undefined ? {} : { identity }) }
}

/** True when the answer goes on exactly where the draft ends, in the same version of the file. */
function isContinuation ({ status, headers }: FetchAnswer, draft: Draft): boolean {
  const range = parseContentRange(headers['content-range'])
  const { etag, totalBytes } = draft.version() ?? {}
  if (status !== 206 || range?.start !== draft.bytes()) return false
  if (etag !== undefined && headers['etag'] !== undefined && headers['etag'] !== etag) return false
  return totalBytes === undefined || range.total === totalBytes
}

/** Throws for every answer that is not the whole thing. */
async function requireWhole (answer: FetchAnswer): Promise<void> {
  const { status } = answer
  if (status === 200) return
  await answer.discard()
  if (status === 404 || status === 410) throw new JobFailure('source_not_found', `fetching: status ${status}`)
  if ([401, 402, 403, 407, 451].includes(status)) throw new JobFailure('source_forbidden', `fetching: status ${status}`)
  if ([408, 425, 429].includes(status) || status >= 500) throw new PassingError(`status ${status}`)
  throw new JobFailure('source_unreachable', `fetching: status ${status}`)
}

/** The first bytes of a body, and all of it after them. */
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
    if (bytes > maxBytes) throw new JobFailure('source_unsupported', 'the feed is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export function createDownloads ({
  fetcher, sleep = async (ms, signal) => { await wait(ms, undefined, { signal }) }, now = Date.now, idleMs = 30_000, paceMs = PACE_MS
}: Deps) {
  async function * atPace (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let sinceMs = now()
    let bytes = 0
    for await (const chunk of body) {
      bytes += chunk.length
      if (now() - sinceMs >= paceMs) {
        if (isTooSlow(bytes)) throw new JobFailure('source_unreachable', 'fetching: far too slow')
        sinceMs = now()
        bytes = 0
      }
      yield chunk
    }
  }

  async function ask ({ url, draft, maxBytes, signal }: Download, headers: Record<string, string>): Promise<FetchAnswer> {
    const limits = { totalMs: TOTAL_MS, firstByteMs: idleMs, idleMs, maxBytes: maxBytes - ('range' in headers ? draft.bytes() : 0) }
    // Some servers pack although nobody asked for it: that is undone, but not asked for, as it would break going on.
    return await fetcher.request({ purpose: 'sources', url, decode: true, headers: { 'accept-encoding': 'identity', ...headers }, maxRedirects: MAX_REDIRECTS, limits, signal })
  }

  /** The rest of a draft, when the server goes on where it ends. */
  async function askForRest (download: Download): Promise<FetchAnswer | undefined> {
    const { draft } = download
    const { etag, modified, totalBytes } = draft.version() ?? {}
    const condition = etag ?? modified
    // Without any mark, what comes may be the rest of another file, or of the packed form of this one.
    if (draft.bytes() === 0 || (condition ?? totalBytes) === undefined) return undefined
    const answer = await ask(download, { range: `bytes=${draft.bytes()}-`, ...(condition === undefined ? {} : { 'if-range': condition }) })
    if (isContinuation(answer, draft)) return answer
    await answer.discard()
    return undefined
  }

  async function store ({ draft, maxBytes, requireRoom, onProgress }: Download, body: AsyncIterable<Buffer>): Promise<void> {
    const { totalBytes } = draft.version() ?? {}
    await requireRoom(Math.max(0, (totalBytes ?? 0) - draft.bytes()))
    let uncheckedBytes = 0
    for await (const chunk of body) {
      if (draft.bytes() + chunk.length > maxBytes) throw new JobFailure('media_too_large', `more than ${maxBytes} bytes`)
      await draft.append(chunk)
      uncheckedBytes += chunk.length
      if (uncheckedBytes >= ROOM_STEP_BYTES) {
        uncheckedBytes = 0
        await requireRoom(0)
      }
      if (totalBytes) onProgress(Math.min(1, draft.bytes() / totalBytes))
    }
    if (totalBytes !== undefined && draft.bytes() < totalBytes) throw new PassingError('ended before its end')
  }

  async function attempt (download: Download): Promise<Arrival> {
    const { url, draft } = download
    const arrived = (): Arrival => ({ kind: 'media', name: draft.version()?.name, identity: draft.version()?.identity })
    if (draft.bytes() > 0 && draft.bytes() === draft.version()?.totalBytes) return arrived()
    const continued = await askForRest(download)
    if (continued) {
      await store(download, atPace(continued.body))
      return arrived()
    }
    const answer = await ask(download, {})
    await requireWhole(answer)
    const { head, rest } = await peek(atPace(answer.body))
    const kind = sniffKind(head, answer.headers)
    if (kind === 'feed') return { kind, url: answer.url, text: await readText(join(head, rest), MAX_FEED_BYTES) }
    const version = readVersion(url, answer)
    const isKept = version.identity !== undefined && download.isKept(version.identity)
    if (kind !== 'media' || isKept) await rest.return?.()
    if (kind !== 'media') return { kind }
    if (isKept) return { kind: 'kept', name: version.name, identity: version.identity as string }
    await draft.begin(version)
    await store(download, join(head, rest))
    return arrived()
  }

  function explain (error: unknown, signal: AbortSignal): unknown {
    signal.throwIfAborted()
    if (!(error instanceof FetchError)) return error
    return PASSING.has(error.code) ? new PassingError([error.code, error.detail].filter(Boolean).join(', ')) : toJobFailure(error)
  }

  return {
    /**
     * Fetches what is at the address. A file goes into the draft, from where that ends; a feed comes back as text. Throws
     * `JobFailure`: source_unreachable, source_forbidden, source_not_found, source_blocked, media_too_large; what `requireRoom` and the draft throw;
     * and the reason of `signal`.
     */
    async fetch (download: Download): Promise<Arrival> {
      let farthest = download.draft.bytes()
      for (let failures = 1; ; failures++) {
        try {
          return await attempt(download)
        } catch (cause) {
          const error = isNoRoom(cause) ? cause : explain(cause, download.signal)
          if (!(error instanceof PassingError)) throw error
          // Not what one try brought: of a server that begins anew every time, that would be enough forever.
          if (download.draft.bytes() >= farthest + GOOD_TRY_BYTES) failures = 1
          farthest = Math.max(farthest, download.draft.bytes())
          if (failures >= TRIES) throw new JobFailure('source_unreachable', `fetching, after ${TRIES} tries: ${error.message}`)
          await sleep(FIRST_PAUSE_MS * 2 ** (failures - 1), download.signal)
        }
      }
    }
  }
}
export type Downloads = ReturnType<typeof createDownloads>
