/** Downloads one file to its end: resumes after a break, starts over when the file changed, retries, and keeps to its limits. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Purpose } from '../../domain/addresses.js'
import { FetchError } from '../../domain/fetch-error.js'
import type { FileVersion, PartialFile } from '../../domain/file-version.js'
import { parseContentRange } from '../../domain/model-source.js'
import type { FetchAnswer, Fetcher } from './fetcher.js'
import { isTooSlow, PACE_MS } from './pace.js'

/** Attempts that may fail in a row. */
export const ATTEMPTS = 5
/** After this many new bytes, earlier failures no longer count, so that a long download over a bad line can finish. */
const GOOD_ATTEMPT_BYTES = 1024 ** 2
const FIRST_PAUSE_MS = 1000
/** Free disk is checked again after this many bytes. */
const ROOM_STEP_BYTES = 64 * 1024 ** 2

/** What to do with an answer: store its body, or end the transfer with something else. */
export type Decision<T> = { version: FileVersion, body: AsyncIterable<Buffer> } | { instead: T }

export type Transfer<T> = {
  purpose: Purpose
  url: string
  part: PartialFile
  maxRedirects: number
  /** Longest file that is accepted. */
  maxBytes: number
  /** The length of the file where it is known in advance. Another announced length is refused. */
  expectedBytes?: number | undefined
  /** For the whole transfer, all attempts apart. */
  totalMs?: number
  /** Called with every answer that is the whole file, before anything of it is stored. `body` can be read once. */
  decide: (answer: FetchAnswer, version: FileVersion, body: AsyncIterable<Buffer>) => Promise<Decision<T>>
  /** Throws when the disk has no room for this many more bytes. Called at the beginning and while bytes arrive. */
  requireRoom: (restBytes: number, arrivedBytes: number) => Promise<void>
  /** Called with the bytes that have arrived, and with the length of the file where it is known. */
  onProgress: (doneBytes: number, totalBytes: number | undefined) => void
  /** Called when an attempt failed and another one follows. */
  onRetry?: ((error: FetchError) => void) | undefined
  signal?: AbortSignal | undefined
  /** Who the file is for: see `FetchRequest`. */
  share?: string | undefined
  /** True while others wait for a place to download: then a higher pace is required. */
  isContended?: (() => boolean) | undefined
}

type Deps = {
  fetcher: Pick<Fetcher, 'request'>
  sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
  /** A monotonic clock in ms. */
  now?: (() => number) | undefined
  /** How long a server may send nothing. */
  idleMs: number
  /** How often the pace is checked. */
  paceMs?: number | undefined
}

const NOT_FOUND = new Set([404, 410])
const FORBIDDEN = new Set([401, 402, 403, 407, 451])
const UNAVAILABLE = new Set([408, 425, 429])

/** Throws the `FetchError` that the status of an answer means, unless it is 200. Leaves the body alone. */
export function requireOk (answer: FetchAnswer, purpose: Purpose): void {
  const { status } = answer
  if (status === 200) return
  const fail = (code: FetchError['code']): FetchError => new FetchError(code, purpose, String(status), new URL(answer.url).host)
  if (NOT_FOUND.has(status)) throw fail('not_found')
  if (FORBIDDEN.has(status)) throw fail('forbidden')
  if (UNAVAILABLE.has(status) || status >= 500) throw fail('unavailable')
  throw fail('refused')
}

/** True when the server compressed the body, which nobody asked for. It is never unpacked: a small answer could become a huge file. */
export const isPacked = ({ headers }: FetchAnswer): boolean =>
  (headers['content-encoding']?.trim().toLowerCase() || 'identity') !== 'identity'

function announcedBytes ({ headers }: FetchAnswer): number | undefined {
  const { 'content-length': length = '' } = headers
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

function readVersion (answer: FetchAnswer): FileVersion {
  const { etag = '', 'last-modified': modified } = answer.headers
  const totalBytes = announcedBytes(answer)
  return {
    ...(/^"[^"]*"$/.test(etag) ? { etag } : {}),
    ...(modified === undefined ? {} : { modified }),
    ...(totalBytes === undefined ? {} : { totalBytes })
  }
}

/** True when the answer continues exactly where the part ends, in the same version of the file. */
function isContinuation (answer: FetchAnswer, part: PartialFile): boolean {
  const { status, headers } = answer
  const range = parseContentRange(headers['content-range'])
  const { etag, totalBytes } = part.version() ?? {}
  if (status !== 206 || range?.start !== part.bytes() || isPacked(answer)) return false
  if (etag !== undefined && headers['etag'] !== undefined && headers['etag'] !== etag) return false
  return totalBytes === undefined || range.total === totalBytes
}

/** The headers that ask for the rest of a part. Undefined when nobody can know whether what comes belongs to it. */
function resumeHeaders (part: PartialFile, expectedBytes: number | undefined): Record<string, string> | undefined {
  const { etag, modified, totalBytes } = part.version() ?? {}
  const isSame = expectedBytes === undefined || totalBytes === undefined || totalBytes === expectedBytes
  const validator = etag ?? modified
  if (part.bytes() === 0 || !isSame || (validator ?? totalBytes) === undefined) return undefined
  return { range: `bytes=${part.bytes()}-`, ...(validator === undefined ? {} : { 'if-range': validator }) }
}

type Retries = {
  /** Bytes that have arrived in all attempts. */
  doneBytes: () => number
  onRetry?: ((error: FetchError) => void) | undefined
  signal?: AbortSignal | undefined
}

const pause = async (ms: number, signal: AbortSignal | undefined): Promise<void> => { await wait(ms, undefined, { signal }) }

export function createTransfers ({ fetcher, sleep = pause, now = () => performance.now(), idleMs, paceMs = PACE_MS }: Deps) {
  /** Repeats `attempt` while it fails with a transient error, with growing pauses. Throws its last error, or the reason of `signal`. */
  async function retry<T> (attempt: () => Promise<T>, { doneBytes, onRetry, signal }: Retries): Promise<T> {
    let farthest = doneBytes()
    for (let failures = 1; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof FetchError) || !error.isTransient) throw error
        // Measured from the farthest byte so far: a server that starts over every time would otherwise be asked forever.
        if (doneBytes() >= farthest + GOOD_ATTEMPT_BYTES) failures = 1
        farthest = Math.max(farthest, doneBytes())
        if (failures >= ATTEMPTS) throw error
        onRetry?.(error)
        await sleep(FIRST_PAUSE_MS * 2 ** (failures - 1), signal)
      }
    }
  }

  async function * atPace<T> ({ purpose, isContended }: Transfer<T>, { url, body }: FetchAnswer): AsyncGenerator<Buffer> {
    let sinceMs = now()
    let bytes = 0
    for await (const chunk of body) {
      bytes += chunk.length
      if (now() - sinceMs >= paceMs) {
        if (isTooSlow(bytes, isContended?.() === true)) throw new FetchError('too_slow', purpose, undefined, new URL(url).host)
        sinceMs = now()
        bytes = 0
      }
      yield chunk
    }
  }

  async function ask<T> (transfer: Transfer<T>, headers: Record<string, string>): Promise<FetchAnswer> {
    const { purpose, url, maxRedirects, totalMs = Infinity, signal, share } = transfer
    const limits = { totalMs, firstByteMs: idleMs, idleMs, maxBytes: Infinity }
    return await fetcher.request({ purpose, url, headers, maxRedirects, limits, signal, share })
  }

  /** Appends the body to the part, up to the end of the file. */
  async function store<T> (transfer: Transfer<T>, body: AsyncIterable<Buffer>, host: string): Promise<void> {
    const { purpose, part, maxBytes, requireRoom, onProgress, expectedBytes } = transfer
    const total = part.version()?.totalBytes
    const wanted = expectedBytes ?? total
    const requireRest = async (): Promise<void> => { await requireRoom(Math.max(0, (wanted ?? 0) - part.bytes()), part.bytes()) }
    await requireRest()
    onProgress(part.bytes(), wanted)
    let uncheckedBytes = 0
    for await (const chunk of body) {
      if (part.bytes() + chunk.length > maxBytes) throw new FetchError('too_large', purpose, undefined, host)
      await part.append(chunk)
      onProgress(part.bytes(), wanted)
      uncheckedBytes += chunk.length
      if (uncheckedBytes < ROOM_STEP_BYTES) continue
      uncheckedBytes = 0
      await requireRest()
    }
    if (total !== undefined && part.bytes() < total) throw new FetchError('incomplete', purpose, undefined, host)
  }

  /** Stores an answer that is the whole file, or ends with what `decide` says. */
  async function takeWhole<T> (transfer: Transfer<T>, answer: FetchAnswer): Promise<T | undefined> {
    const { purpose, part, decide, expectedBytes, maxBytes } = transfer
    requireOk(answer, purpose)
    const { host } = new URL(answer.url)
    const bytes = announcedBytes(answer)
    if (bytes !== undefined && expectedBytes === undefined && bytes > maxBytes) throw new FetchError('too_large', purpose, undefined, host)
    const decision = await decide(answer, readVersion(answer), atPace(transfer, answer))
    if ('instead' in decision) return decision.instead
    if (isPacked(answer)) throw new FetchError('packed', purpose, answer.headers['content-encoding'], host)
    if (bytes !== undefined && expectedBytes !== undefined && bytes !== expectedBytes) {
      throw new FetchError('wrong_length', purpose, String(bytes), host)
    }
    await part.begin(decision.version)
    await store(transfer, decision.body, host)
    return undefined
  }

  /** Continues the part with an answer that holds its rest; false when it holds something else. */
  async function takeRest<T> (transfer: Transfer<T>, answer: FetchAnswer): Promise<boolean> {
    if (!isContinuation(answer, transfer.part)) return false
    const { host } = new URL(answer.url)
    await store(transfer, atPace(transfer, answer), host)
    return true
  }

  /** Passes an answer on, and does not leave its connection open when that fails. */
  async function withAnswer<R> (answer: FetchAnswer, take: (answer: FetchAnswer) => Promise<R>): Promise<R> {
    try {
      return await take(answer)
    } catch (error) {
      await answer.discard()
      throw error
    }
  }

  async function attempt<T> (transfer: Transfer<T>): Promise<T | undefined> {
    const { part, expectedBytes } = transfer
    if (part.bytes() > 0 && part.bytes() === part.version()?.totalBytes) return undefined
    const takeAll = async (answer: FetchAnswer): Promise<T | undefined> => await takeWhole(transfer, answer)
    const headers = resumeHeaders(part, expectedBytes)
    const answer = await ask(transfer, headers ?? {})
    if (headers === undefined || ![206, 416].includes(answer.status)) return await withAnswer(answer, takeAll)
    if (await withAnswer(answer, async (rest) => await takeRest(transfer, rest))) return undefined
    await answer.discard()
    return await withAnswer(await ask(transfer, {}), takeAll)
  }

  return {
    retry,
    /**
     * Downloads the file into `part`, from where that ends. Undefined when it is complete, else what `decide` chose instead. Throws
     * `FetchError`, what `decide`, `requireRoom` and the part throw, and the reason of `signal`. What has arrived stays in the part.
     */
    fetch: async <T>(transfer: Transfer<T>): Promise<T | undefined> => {
      const { part, onRetry, signal } = transfer
      return await retry(async () => await attempt(transfer), { doneBytes: part.bytes, onRetry, signal })
    }
  }
}
