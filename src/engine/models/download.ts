/** Downloads one file of a model. Resumes a partial download, verifies the file, and only then gives it its name. */
import { dirname } from 'node:path'
import { freeBytes as readFreeBytes } from '../../disk/files.js'
import { isNoRoom } from '../../domain/errors.js'
import { formatBytes } from '../../domain/download-progress.js'
import { FetchError } from '../../domain/fetch-error.js'
import { ModelError, NoRoomError, WrongFileError } from '../../domain/model-error.js'
import { parseLinkedRecord, withoutSecrets } from '../../domain/model-source.js'
import type { LinkedRecord } from '../../domain/model-source.js'
import type { FetchAnswer, Fetcher, FetchRequest } from '../http/fetcher.js'
import { ATTEMPTS, createTransfers, requireOk } from '../http/transfer.js'
import { describeFetchError } from './fetch-failure.js'
import type { FileFacts } from './files.js'
import { openPart, removePart } from './part.js'
import type { Part } from './part.js'

const PURPOSE = 'models'
const MAX_REDIRECTS = 5
const STALL_MS = 60_000
/** A hub that does not answer for this long is skipped if there is another source. */
const PROBE_MS = 4000
/** Statuses of servers that do not support HEAD. */
const NO_HEAD = new Set([405, 501])

export type Download = {
  url: URL
  /** Absolute path of the file to write. */
  target: string
  /** The known size. A file of a different size is refused before it is downloaded. */
  bytes?: number | undefined
  /** Why the downloaded file is not the expected one; undefined when it is. */
  findFault: (facts: FileFacts) => string | undefined
  onProgress?: (doneBytes: number, totalBytes: number | undefined) => void
  /** Called with one sentence before each retry. */
  onRetry?: (message: string) => void
  /** Stops the download; what has arrived is kept. */
  signal?: AbortSignal | undefined
}

type Deps = {
  fetcher: Pick<Fetcher, 'request'>
  freeBytes?: (directory: string) => Promise<number>
  sleep?: (ms: number) => Promise<void>
  /** How long a server may send nothing. */
  stallMs?: number
}

/** Throws for every status except 200, and for web pages: networks with a login page answer every request with it. */
function requireFile (answer: FetchAnswer, url: URL): void {
  requireOk(answer, PURPOSE)
  if (!/^\s*(text\/html|application\/xhtml)/i.test(answer.headers['content-type'] ?? '')) return
  throw new ModelError(`${withoutSecrets(url)} returned a web page instead of the file; this network or the hub may require a login`)
}

/** Converts network and disk errors to `ModelError`. Returns other errors unchanged. */
function explain (error: unknown, { url, target, bytes }: Pick<Download, 'url'> & Partial<Download>): unknown {
  if (isNoRoom(error)) {
    return new NoRoomError(
      `the disk of ${dirname(target ?? '')} is full; what has arrived is kept: free some space and run the same command again`,
      { cause: error }
    )
  }
  if (!(error instanceof FetchError)) return error
  const address = withoutSecrets(url)
  if (error.code === 'wrong_length') {
    return new WrongFileError(`${address} has ${error.detail} bytes and not ${bytes}: it is not the file in the manifest`)
  }
  if (error.code === 'too_large') {
    return new WrongFileError(`${address} has more than ${bytes} bytes: it is not the file in the manifest`)
  }
  const sentence = describeFetchError(error, url)
  const resume = `; given up after ${ATTEMPTS} tries. What has arrived is kept: run the same command again to continue`
  return new ModelError(error.isTransient && target !== undefined ? sentence + resume : sentence, { cause: error })
}

export function createDownloader ({ fetcher, freeBytes = readFreeBytes, sleep, stallMs = STALL_MS }: Deps) {
  const transfers = createTransfers({ fetcher, sleep, idleMs: stallMs })

  /** Requests the headers of a file. Throws `FetchError`. */
  async function askHead (url: URL, answerMs: number, isAnswer: FetchRequest['isAnswer'] = () => false): Promise<FetchAnswer> {
    const limits = { totalMs: Infinity, answerMs, firstByteMs: stallMs, idleMs: stallMs }
    const answer = await fetcher.request({ purpose: PURPOSE, url: url.href, method: 'HEAD', maxRedirects: MAX_REDIRECTS, isAnswer, limits })
    await answer.discard()
    return answer
  }

  async function requireRoom (target: string, missingBytes: number): Promise<void> {
    const free = await freeBytes(dirname(target))
    if (free >= missingBytes) return
    throw new NoRoomError(
      `the disk of ${dirname(target)} has ${formatBytes(free)} free, and ${formatBytes(missingBytes)} are needed; make room and try again`
    )
  }

  async function receive ({ url, target, bytes, onProgress, onRetry, signal }: Download, part: Part): Promise<void> {
    await transfers.fetch<never>({
      purpose: PURPOSE,
      url: url.href,
      part,
      signal,
      maxRedirects: MAX_REDIRECTS,
      maxBytes: bytes ?? Infinity,
      expectedBytes: bytes,
      async decide (answer, version, body) {
        requireFile(answer, url)
        return { version, body }
      },
      requireRoom: async (missingBytes) => { await requireRoom(target, missingBytes) },
      onProgress: (done, total) => { onProgress?.(done, total) },
      onRetry: (error) => { onRetry?.(describeFetchError(error, url)) }
    })
  }

  return {
    /** Checks that a file exists, and has `bytes` bytes if that is given. Waits only a few seconds. Throws `ModelError`. */
    async probe (url: URL, bytes: number | undefined): Promise<void> {
      try {
        const answer = await askHead(url, PROBE_MS)
        // The download itself will report the problem.
        if (NO_HEAD.has(answer.status)) return
        requireFile(answer, url)
        const length = answer.headers['content-length']
        if (bytes === undefined || length === undefined || Number(length) === bytes) return
        throw new FetchError('wrong_length', PURPOSE, length)
      } catch (error) {
        throw explain(error, { url, bytes })
      }
    },

    /** The hub's own record of a file, or undefined when the server has none. Throws `ModelError`. */
    async readLinkedRecord (url: URL, { onRetry, signal }: Pick<Download, 'onRetry' | 'signal'> = {}): Promise<LinkedRecord | undefined> {
      const read = (headers: FetchAnswer['headers']): LinkedRecord | undefined =>
        parseLinkedRecord(headers['x-linked-etag'], headers['x-linked-size'])
      const attempt = async (): Promise<LinkedRecord | undefined> => {
        // The record is in the hub's own reply, a redirect to the storage server.
        const answer = await askHead(url, Infinity, (headers) => read(headers) !== undefined)
        const record = answer.status < 400 ? read(answer.headers) : undefined
        if (!record && !NO_HEAD.has(answer.status)) requireFile(answer, url)
        return record
      }
      try {
        const tell = (error: FetchError): void => { onRetry?.(describeFetchError(error, url)) }
        return await transfers.retry(attempt, { doneBytes: () => 0, onRetry: tell, signal })
      } catch (error) {
        throw explain(error, { url })
      }
    },

    /** Downloads a file to `target`. Throws `ModelError` and leaves `target` unchanged when that fails. */
    async download (download: Download): Promise<FileFacts> {
      const { url, target, findFault } = download
      const part = await openPart(target, withoutSecrets(url))
      try {
        await receive(download, part)
        const facts = part.facts()
        const fault = findFault(facts)
        if (fault !== undefined) throw new WrongFileError(`${fault}. It came from ${withoutSecrets(url)} and was deleted`)
        await part.install()
        return facts
      } catch (cause) {
        const error = explain(cause, download)
        if (error instanceof WrongFileError || part.bytes() === 0) await removePart(target)
        throw error
      } finally {
        await part.close()
      }
    }
  }
}
export type Downloader = ReturnType<typeof createDownloader>
