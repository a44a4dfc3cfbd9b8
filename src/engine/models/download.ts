/** Fetches one file: resumes, tries again, verifies, and only then gives it its name. */
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freeBytes as readFreeBytes } from '../../disk/files.js'
import { isNoRoom } from '../../domain/errors.js'
import { parseContentRange, parseLinkedRecord, withoutSecrets } from '../../domain/model-source.js'
import type { LinkedRecord } from '../../domain/model-source.js'
import { formatBytes } from '../../domain/download-progress.js'
import { ModelError, NoRoomError, WrongFileError } from './files.js'
import type { FileFacts } from './files.js'
import { PassingError, wrapNetworkError } from '../http/model-http.js'
import type { Answer, ModelHttp } from '../http/model-http.js'
import { openPart, removePart } from './part.js'
import type { Part, Version } from './part.js'

/** Tries that may fail in a row. */
const TRIES = 5
/** So much in one try, and the failures before it are forgotten: a long download over a bad line ends. */
const GOOD_TRY_BYTES = 1024 * 1024
const FIRST_PAUSE_MS = 1000
/** A hub that does not answer for this long is skipped if there is another source. */
const PROBE_MS = 4000

export type Download = {
  url: URL
  /** Absolute path the file gets. */
  target: string
  /** Known size; another one is refused before it is fetched. */
  bytes?: number | undefined
  /** Why what came is not what was wanted. */
  findFault: (facts: FileFacts) => string | undefined
  onProgress?: (doneBytes: number, totalBytes: number | undefined) => void
  /** Told when something failed that is tried again. */
  onRetry?: (message: string) => void
}

type Deps = {
  http: ModelHttp
  freeBytes?: (directory: string) => Promise<number>
  sleep?: (ms: number) => Promise<void>
}

function readNewVersion ({ headers }: Answer): Version {
  const length = headers['content-length']
  return {
    ...(/^"[^"]*"$/.test(headers['etag'] ?? '') ? { etag: headers['etag'] as string } : {}),
    ...(length !== undefined && /^\d{1,15}$/.test(length) ? { totalBytes: Number(length) } : {})
  }
}

/** True when the answer goes on exactly where the part ends, in the same version of the file. */
function isContinuation (answer: Answer, part: Part): boolean {
  const range = parseContentRange(answer.headers['content-range'])
  const { etag, totalBytes } = part.version()
  if (answer.status !== 206 || range?.start !== part.bytes()) return false
  if (etag !== undefined && answer.headers['etag'] !== undefined && answer.headers['etag'] !== etag) return false
  return totalBytes === undefined || range.total === undefined || range.total === totalBytes
}

/** Networks that want a login answer every question with a page, and status 200. */
const isPage = ({ headers }: Answer): boolean => /^\s*(text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')

/** Throws for every status but 200, and for pages. */
async function requireWhole (answer: Answer, url: URL): Promise<void> {
  const { status } = answer
  if (status === 200 && !isPage(answer)) return
  await answer.dump()
  const where = withoutSecrets(url)
  if (status === 200) throw new ModelError(`${where} leads to a web page and not to the file: does this network or the hub want a login?`)
  if (status === 404 || status === 410) throw new ModelError(`${where} is not there (status ${status})`)
  if (status === 401 || status === 403) throw new ModelError(`${where} may not be fetched without permission (status ${status})`)
  if (status === 407) throw new ModelError('the proxy wants a name and a password: http://name:password@proxy:port in STENOBOX_HTTP_PROXY')
  if (status === 408 || status === 429 || status >= 500) throw new PassingError(`${url.host} answers with status ${status}`)
  throw new ModelError(`${where} cannot be fetched (status ${status})`)
}

export function createDownloader ({ http, freeBytes = readFreeBytes, sleep = async (ms) => { await wait(ms) } }: Deps) {
  /** Repeats `attempt` while it fails in a passing way, with growing pauses. `attempt` says how many bytes it brought. */
  async function persist<T> (attempt: (progress: (bytes: number) => void) => Promise<T>, onRetry: Download['onRetry']): Promise<T> {
    for (let failures = 1; ; failures++) {
      let bytes = 0
      try {
        return await attempt((more) => { bytes += more })
      } catch (error) {
        if (!(error instanceof PassingError)) throw error
        if (bytes >= GOOD_TRY_BYTES) failures = 1
        if (failures >= TRIES) throw new ModelError(`${error.message}; given up after ${TRIES} tries. What has arrived is kept: the same command goes on there`, { cause: error })
        onRetry?.(error.message)
        await sleep(FIRST_PAUSE_MS * 2 ** (failures - 1))
      }
    }
  }

  async function requireRoom ({ target }: Download, missingBytes: number): Promise<void> {
    const free = await freeBytes(dirname(target))
    if (free < missingBytes) {
      throw new NoRoomError(
        `the disk of ${dirname(target)} has ${formatBytes(free)} free, and ${formatBytes(missingBytes)} are needed; make room and try again`
      )
    }
  }

  /** The answer whose body is to be appended to the part, which is emptied when the answer is the whole file. */
  async function askForRest (download: Download, part: Part): Promise<Answer> {
    const { url } = download
    if (part.bytes() > 0) {
      const { etag } = part.version()
      const answer = await http.ask(url, { method: 'GET', headers: { range: `bytes=${part.bytes()}-`, ...(etag ? { 'if-range': etag } : {}) } })
      if (isContinuation(answer, part)) return answer
      if (answer.status === 206 || answer.status === 416) {
        await answer.dump()
        await part.begin({})
      } else {
        await requireWhole(answer, url)
        await part.begin(readNewVersion(answer))
        return answer
      }
    }
    const answer = await http.ask(url, { method: 'GET' })
    await requireWhole(answer, url)
    await part.begin(readNewVersion(answer))
    return answer
  }

  async function receive (download: Download, part: Part, count: (bytes: number) => void): Promise<void> {
    const isWhole = (): boolean => part.bytes() > 0 && part.bytes() === part.version().totalBytes
    if (isWhole()) return
    const answer = await askForRest(download, part)
    const total = part.version().totalBytes
    const wanted = download.bytes ?? total
    try {
      if (total !== undefined && total !== wanted) throw new WrongFileError(`${withoutSecrets(download.url)} has ${total} bytes and not ${wanted}: it is another file than the manifest means`)
      if (wanted !== undefined) await requireRoom(download, wanted - part.bytes())
      download.onProgress?.(part.bytes(), wanted)
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        await part.append(chunk)
        count(chunk.length)
        if (wanted !== undefined && part.bytes() > wanted) throw new WrongFileError(`${withoutSecrets(download.url)} has more than ${wanted} bytes: it is another file than the manifest means`)
        download.onProgress?.(part.bytes(), wanted)
      }
    } catch (error) {
      answer.body.on('error', () => {}).destroy()
      throw wrapNetworkError(error, download.url.host)
    }
    if (total !== undefined && part.bytes() < total) throw new PassingError(`${download.url.host} ended before the end of the file`)
  }

  return {
    /** Checks that a file is there, and has `bytes` bytes where that is known. Waits for seconds only. Throws `ModelError` when not. */
    async probe (url: URL, bytes: number | undefined): Promise<void> {
      try {
        const answer = await http.ask(url, { method: 'HEAD', patienceMs: PROBE_MS })
        await answer.dump()
        // Some servers do not know HEAD; then the download itself finds out.
        if (answer.status === 405 || answer.status === 501) return
        await requireWhole(answer, url)
        const length = answer.headers['content-length']
        if (bytes !== undefined && length !== undefined && Number(length) !== bytes) {
          throw new ModelError(`${withoutSecrets(url)} has ${length} bytes and not ${bytes}: it is another file than the manifest means`)
        }
      } catch (error) {
        throw error instanceof PassingError ? new ModelError(error.message, { cause: error }) : error
      }
    },

    /** The hub's own record of a file, or undefined when the server has none. Throws `ModelError`. */
    async readLinkedRecord (url: URL, onRetry?: Download['onRetry']): Promise<LinkedRecord | undefined> {
      return await persist(async () => {
        const read = (headers: Answer['headers']): LinkedRecord | undefined => parseLinkedRecord(headers['x-linked-etag'], headers['x-linked-size'])
        // The record is on the hub's own answer, which is a redirect to where the bytes are.
        const answer = await http.ask(url, { method: 'HEAD', isEnough: (headers) => read(headers) !== undefined })
        const record = answer.status < 400 ? read(answer.headers) : undefined
        if (answer.status === 405 || answer.status === 501) await answer.dump()
        else if (!record) await requireWhole(answer, url)
        await answer.dump()
        return record
      }, onRetry)
    },

    /** Fetches a file to `target`. Throws `ModelError`; then `target` is as it was. */
    async download (download: Download): Promise<FileFacts> {
      const part = await openPart(download.target, withoutSecrets(download.url))
      try {
        await persist(async (count) => { await receive(download, part, count) }, download.onRetry)
        const facts = part.facts()
        const fault = download.findFault(facts)
        if (fault !== undefined) throw new WrongFileError(`${fault}. It came from ${withoutSecrets(download.url)} and was deleted`)
        await part.install()
        return facts
      } catch (error) {
        if (error instanceof WrongFileError || part.bytes() === 0) await removePart(download.target)
        if (isNoRoom(error)) {
          throw new NoRoomError(
            `the disk of ${dirname(download.target)} is full; what has arrived is kept: make room, and the same command goes on there`,
            { cause: error }
          )
        }
        throw error
      } finally {
        await part.close()
      }
    }
  }
}
export type Downloader = ReturnType<typeof createDownloader>
