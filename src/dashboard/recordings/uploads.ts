/**
 * Uploads of this tab: a queue of files, each sent in parts. A part that did not arrive is sent again, also after a lost connection or when
 * the laptop has slept. The appliance is asked first which parts it has. Uploads continue while other pages are open.
 */
import { ApiError } from '../api/client.ts'
import { beginUpload, completeUpload, dropUpload, forgetUpload, mayPass, readMissing, RETRY_MS, sendPart } from './upload-client.ts'
import type { RequestOptions } from './next-options.ts'
import type { Session } from './upload-client.ts'

/** Browsers open six connections to a server: four parts leave one for the events and one for the rest of the page. */
const FILES_AT_ONCE = 2
const PARTS_AT_ONCE = 2

/**
 * `waiting`: for its turn. `paused`: the connection is lost, or nobody is signed in; it resumes by itself. `failed`: `fault` says why.
 */
export type UploadState = 'waiting' | 'sending' | 'paused' | 'done' | 'failed'
export type Upload = {
  readonly key: number
  readonly name: string
  readonly sizeBytes: number
  readonly state: UploadState
  readonly sentBytes: number
  readonly fault?: string
  readonly jobId?: number
}
/** `options`: as they were when the file was added. */
type Work = { file: File, options: RequestOptions, stop: AbortController, session?: Session }

export type UploadOptions = {
  /** A file has become a recording of the library. */
  onDone (jobId: number): void
  /** Waits that long, or until the connection may be back. Replaced in tests. */
  wait? (ms: number, signal: AbortSignal): Promise<void>
}

/** Waits, but no longer than until the browser is online or somebody looks at the page again. */
async function waitForConnection (ms: number, signal: AbortSignal): Promise<void> {
  const ended = new AbortController()
  await new Promise<void>((resolve) => {
    const options = { signal: ended.signal }
    const timer = setTimeout(resolve, ms)
    ended.signal.addEventListener('abort', () => { clearTimeout(timer) })
    window.addEventListener('online', () => { resolve() }, options)
    document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') resolve() }, options)
    signal.addEventListener('abort', () => { resolve() }, options)
  })
  ended.abort()
}

export function createUploads ({ onDone, wait = waitForConnection }: UploadOptions) {
  let uploads: readonly Upload[] = []
  let keys = 0
  const works = new Map<number, Work>()
  const watchers = new Set<() => void>()
  /** Resolved when somebody has signed in again. */
  let signIn: PromiseWithResolvers<void> | undefined

  function set (next: readonly Upload[]): void {
    uploads = next
    for (const tell of watchers) tell()
  }
  const patch = (key: number, change: Partial<Upload>): void => {
    set(uploads.map((upload) => upload.key === key ? { ...upload, ...change } : upload))
  }

  async function untilSignedIn (signal: AbortSignal): Promise<void> {
    signIn ??= Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => { cancelled.resolve() }, { once: true })
    await Promise.race([signIn.promise, cancelled.promise])
  }

  /** Repeats a request until it succeeds, is refused for a reason that stays, or the upload is cancelled. */
  async function insist<T> (key: number, { stop: { signal } }: Work, request: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        const result = await request()
        if (uploads.some((one) => one.key === key && one.state === 'paused')) patch(key, { state: 'sending' })
        return result
      } catch (error) {
        const isSignedOut = error instanceof ApiError && error.status === 401
        if (signal.aborted || !(isSignedOut || mayPass(error))) throw error
        patch(key, { state: 'paused' })
        if (isSignedOut) await untilSignedIn(signal)
        else await wait(RETRY_MS[attempt] ?? RETRY_MS.at(-1) ?? 0, signal)
        signal.throwIfAborted()
      }
    }
  }

  /** Sends the missing parts, some at once. */
  async function sendParts (key: number, work: Work, session: Session): Promise<void> {
    const missing = [...session.missing]
    const sendSome = async (): Promise<void> => {
      for (let part = missing.shift(); part !== undefined; part = missing.shift()) {
        const partNumber = part
        const size = await insist(key, work, async () => await sendPart(work.file, session, partNumber, work.stop.signal))
        const sent = uploads.find((one) => one.key === key)?.sentBytes ?? 0
        patch(key, { sentBytes: Math.min(work.file.size, sent + size) })
      }
    }
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendSome))
  }

  async function send (key: number, work: Work): Promise<number> {
    const { signal } = work.stop
    let session: Session | undefined = await insist(key, work, async () => await beginUpload(work.file, work.options, signal))
    const { uploadId, partSize } = session
    while (session && session.missing.length > 0) {
      work.session = session
      patch(key, { sentBytes: Math.max(0, work.file.size - session.missing.length * partSize) })
      await sendParts(key, work, session)
      // The appliance may have lost parts, for example by a restore of its backup; usually none is missing.
      session = await insist(key, work, async () => await readMissing(uploadId, signal))
    }
    const jobId = await insist(key, work, async () => await completeUpload(uploadId, signal))
    forgetUpload(work.file)
    return jobId
  }

  async function run (key: number, work: Work): Promise<void> {
    patch(key, { state: 'sending' })
    try {
      const jobId = await send(key, work)
      patch(key, { state: 'done', sentBytes: work.file.size, jobId })
      onDone(jobId)
    } catch (error) {
      if (work.stop.signal.aborted) return
      forgetUpload(work.file)
      // Stops the other requests of this file, which are no longer needed.
      work.stop.abort()
      patch(key, { state: 'failed', fault: error instanceof Error ? error.message : String(error) })
    } finally {
      startNext()
    }
  }

  function startNext (): void {
    const active = uploads.filter(({ state }) => state === 'sending' || state === 'paused').length
    for (const { key } of uploads.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, FILES_AT_ONCE - active))) {
      const work = works.get(key)
      // It reports its own failure.
      if (work) run(key, work).catch((error: unknown) => { reportError(error) })
    }
  }

  return {
    list: (): readonly Upload[] => uploads,
    watch (tell: () => void): () => void {
      watchers.add(tell)
      return () => { watchers.delete(tell) }
    },
    add (files: readonly File[], options: RequestOptions): void {
      const added = files.map((file): Upload => {
        const key = ++keys
        works.set(key, { file, options, stop: new AbortController() })
        return { key, name: file.name, sizeBytes: file.size, state: 'waiting', sentBytes: 0 }
      })
      set([...uploads, ...added])
      startNext()
    },
    /** Stops an upload and has the appliance forget its parts. Throws ApiError when it cannot be reached. */
    async cancel (key: number): Promise<void> {
      const work = works.get(key)
      works.delete(key)
      work?.stop.abort()
      set(uploads.filter((upload) => upload.key !== key))
      startNext()
      if (work) forgetUpload(work.file)
      if (work?.session) await dropUpload(work.session.uploadId)
    },
    /** Retries a failed upload. */
    retry (key: number): void {
      const work = works.get(key)
      if (!work) return
      works.set(key, { ...work, session: undefined, stop: new AbortController() })
      set(uploads.map(({ fault: _, ...upload }) => upload.key === key ? { ...upload, state: 'waiting', sentBytes: 0 } : upload as Upload))
      startNext()
    },
    /** Removes uploads that are done or have failed from the list. */
    clear (): void {
      const rest = uploads.filter(({ state }) => state !== 'done' && state !== 'failed')
      for (const { key } of uploads) if (!rest.some((one) => one.key === key)) works.delete(key)
      set(rest)
    },
    /** Stops all uploads and forgets them, because another person may use this tab. The appliance removes the parts later. */
    drop (): void {
      for (const { stop } of works.values()) stop.abort()
      works.clear()
      set([])
    },
    /** Resumes uploads that stopped because the session had ended. */
    resume (): void {
      signIn?.resolve()
      signIn = undefined
    }
  }
}
export type Uploads = ReturnType<typeof createUploads>
