/** What changes in the library while the page is open: server-sent events, and polling while there are none. */
import { useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { BASE } from '../api/base.ts'
import { inBackground } from '../ui/Notices.tsx'
import { refreshRecordings, showProgress } from './recordings.ts'
import type { Recording } from './recordings.ts'

type JobEvent = Pick<Recording, 'id' | 'status' | 'stage' | 'progress' | 'title'>
/** `id`: of the transcription; undefined: any may have changed, because events were missed. */
type TranscriptListener = (id: number | undefined) => void

const transcriptListeners = new Set<TranscriptListener>()
const watchers = new Set<() => void>()
/** `lost`: there was a connection, and the server does not answer now. `none`: there is none, so views poll (`refetchInterval`). */
export type Connection = 'none' | 'live' | 'lost'
let connection: Connection = 'none'

function setConnection (next: Connection): void {
  if (next === connection) return
  connection = next
  for (const tell of watchers) tell()
}
const watch = (tell: () => void): (() => void) => {
  watchers.add(tell)
  return () => { watchers.delete(tell) }
}

export const useConnection = (): Connection => useSyncExternalStore(watch, () => connection)

/** Calls `listener` for each transcription whose text, speakers or artifacts have changed. Returns a function that ends that. */
export function onTranscriptChange (listener: TranscriptListener): () => void {
  transcriptListeners.add(listener)
  return () => { transcriptListeners.delete(listener) }
}

function applyJob (queries: QueryClient, event: JobEvent): void {
  showProgress(queries, event)
  // What the list shows of an ended recording is not in the event: duration, language, speakers, the reason of a failure.
  if (event.status === 'completed' || event.status === 'failed') inBackground(refreshRecordings(queries))
}

/** True after the first connection: events may be missed between it and the next one. */
let hasFollowed = false

function connect (queries: QueryClient): EventSource {
  const source = new EventSource(`${BASE}/api/v1/events`)
  source.addEventListener('open', () => {
    setConnection('live')
    // The server repeats no events, so what may have changed meanwhile is read again.
    inBackground(refreshRecordings(queries))
    if (hasFollowed) for (const listener of transcriptListeners) listener(undefined)
    hasFollowed = true
  })
  source.addEventListener('error', () => { setConnection(connection === 'none' ? 'none' : 'lost') })
  source.addEventListener('job', ({ data }) => { applyJob(queries, JSON.parse(data as string) as JobEvent) })
  source.addEventListener('list', () => { inBackground(refreshRecordings(queries)) })
  source.addEventListener('transcript', ({ data }) => {
    const { id } = JSON.parse(data as string) as { id: number }
    for (const listener of transcriptListeners) listener(id)
    inBackground(refreshRecordings(queries))
  })
  return source
}

/** After this long, a browser that gave up (the server refused, or restarted for long) tries again. */
const RECONNECT_MS = 5000

/**
 * Follows the library while `isOn`. A tab that nobody looks at has no connection: browsers allow few per server, and reading the list
 * when it is looked at again brings everything.
 */
export function useEvents (isOn: boolean): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (!isOn) return
    let source: EventSource | undefined
    const stop = (): void => {
      source?.close()
      source = undefined
      setConnection('none')
    }
    const follow = (): void => {
      if (document.visibilityState === 'hidden') stop()
      else if (!source || source.readyState === EventSource.CLOSED) source = connect(queries)
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    window.addEventListener('online', follow)
    const timer = setInterval(follow, RECONNECT_MS)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', follow)
      window.removeEventListener('online', follow)
      stop()
    }
  }, [queries, isOn])
}
