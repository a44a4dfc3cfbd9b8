/** The recordings of the library as the page keeps them: lists by filter, and the changes that people make to single ones. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import type { components } from '../api/schema.ts'
import type { RequestOptions } from './next-options.ts'

export type Recording = components['schemas']['ListedTranscription']
export type RecordingStatus = Recording['status']
export type RecordingPage = components['schemas']['TranscriptionPage']
export type Transcription = components['schemas']['Transcription']
export type RecordingPages = InfiniteData<RecordingPage, string | undefined>

export const RECORDINGS = ['recordings'] as const
const TAGS = ['tags'] as const
export const PAGE_SIZE = 100
/** Of lists with more pages than this, only the beginning is read again, and merged with the rest. */
const MOST_PAGES = 3

export type RecordingFilter = {
  q?: string, status?: RecordingStatus, tag?: string, language?: string
  sort?: 'created' | 'title' | 'duration', order?: 'asc' | 'desc'
}

/** What the recording is called for people. */
export const nameOf = ({ title, fileName }: Pick<Recording, 'title' | 'fileName'>): string => title ?? fileName

async function readPage (filter: RecordingFilter, cursor: string | undefined, signal?: AbortSignal): Promise<RecordingPage> {
  const query = { ...filter, limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) }
  return await take(api.GET('/api/v1/transcriptions', { params: { query }, ...(signal ? { signal } : {}) }))
}

export const recordingsQuery = (filter: RecordingFilter) => infiniteQueryOptions({
  queryKey: [...RECORDINGS, filter],
  queryFn: async ({ pageParam, signal }) => await readPage(filter, pageParam, signal),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined
})

export const tagsQuery = queryOptions({
  queryKey: TAGS,
  queryFn: async ({ signal }) => (await take(api.GET('/api/v1/tags', { signal }))).data,
  staleTime: 60_000
})

/** Changes recordings in every list that is shown or remembered. */
export function patchRecordings (queries: QueryClient, change: (recording: Recording) => Recording): void {
  queries.setQueriesData<RecordingPages>({ queryKey: RECORDINGS }, (pages) => pages && ({
    ...pages, pages: pages.pages.map((page) => ({ ...page, data: page.data.map(change) }))
  }))
}

/** How far a recording is. Jobs that wait are `queued`, and their recordings `pending`. */
type JobProgress = Pick<Recording, 'id' | 'stage' | 'progress' | 'title'> & { status: RecordingStatus | 'queued' }

/** Shows in every list how far a recording is. */
export function showProgress (queries: QueryClient, { status, ...event }: JobProgress): void {
  patchRecordings(queries, (one) => one.id === event.id ? { ...one, ...event, status: status === 'queued' ? 'pending' : status } : one)
}

/** A long list whose beginning was read again: the first page as it is now, then what is known after its last recording. */
export function mergeFirstPage (pages: RecordingPages, first: RecordingPage): RecordingPages {
  const [old, ...others] = pages.pages
  if (!old) return pages
  const known = pages.pages.flatMap(({ data }) => data.map(({ id }) => id))
  const end = known.indexOf(first.data.at(-1)?.id ?? -1)
  // What was known before that place and was not read is no longer there.
  const rest = new Set(first.nextCursor === null ? [] : known.slice(end + 1))
  for (const { id } of first.data) rest.delete(id)
  const left = (data: readonly Recording[]): Recording[] => data.filter(({ id }) => rest.has(id))
  return {
    ...pages,
    pages: [{ ...old, data: [...first.data, ...left(old.data)] }, ...others.map((page) => ({ ...page, data: left(page.data) }))]
  }
}

/** Reads again what a list shows. Long lists keep their place: their beginning is read, the rest stays as it is known. */
export async function refreshRecordings (queries: QueryClient): Promise<void> {
  const lists = queries.getQueryCache().findAll({ queryKey: RECORDINGS })
  await Promise.all(lists.map(async ({ queryKey, state }) => {
    const pages = state.data as RecordingPages | undefined
    if (!pages || pages.pages.length <= MOST_PAGES) {
      await queries.invalidateQueries({ queryKey, exact: true })
      return
    }
    const first = await readPage(queryKey[1] as RecordingFilter, undefined)
    queries.setQueryData<RecordingPages>(queryKey, (now) => now && mergeFirstPage(now, first))
  }))
}

export type RecordingChange = { title?: string | null, tags?: string[] }

/** A recording as the lists have it; undefined: none of them has it. */
const findRecording = (queries: QueryClient, id: number): Recording | undefined =>
  queries.getQueriesData<RecordingPages>({ queryKey: RECORDINGS })
    .flatMap(([, pages]) => pages?.pages ?? []).flatMap(({ data }) => data).find((one) => one.id === id)

/**
 * Shows the change in the lists at once, and takes it back when the appliance refuses it. Throws ApiError then. Returns the transcription
 * as it is now.
 */
export async function changeRecording (queries: QueryClient, id: number, change: RecordingChange): Promise<Transcription> {
  const { title, tags } = change
  const show = (labels: Partial<Pick<Recording, 'title' | 'tags'>>): void => {
    patchRecordings(queries, (one) => one.id === id ? { ...one, ...labels } : one)
  }
  const before = findRecording(queries, id)
  show({ ...(typeof title === 'string' ? { title } : {}), ...(tags ? { tags } : {}) })
  const request = api.PATCH('/api/v1/transcriptions/{id}', { params: { path: { id } }, body: change })
  const { data } = await take(request).catch((error: unknown) => {
    // Long lists are not read again as a whole.
    if (before) show({ title: before.title, tags: before.tags })
    throw error
  })
  show({ title: data.title ?? data.fileName, tags: data.tags })
  await Promise.all([refreshRecordings(queries), queries.invalidateQueries({ queryKey: TAGS })])
  return data
}

/** Starts a failed recording again. Throws ApiError, for example when the recording itself is no longer there. */
export async function retryRecording (queries: QueryClient, id: number): Promise<void> {
  await take(api.POST('/api/v1/jobs/{id}/retry', { params: { path: { id } } }))
  patchRecordings(queries, (one) => {
    if (one.id !== id) return one
    const { failure: _, ...rest } = one
    return { ...rest, status: 'pending' }
  })
  await refreshRecordings(queries)
}

/** Has the appliance fetch a recording from an address. Throws ApiError with the reason when it is refused. */
export async function addAddress (queries: QueryClient, sourceUrl: string, options: RequestOptions): Promise<void> {
  await take(api.POST('/api/v1/media/ingest', { body: { sourceUrl, ...options } }))
  await refreshRecordings(queries)
}
