/** The recordings of the library as the page keeps them: lists by filter, and the changes that people make to single ones. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import type { components } from '../api/schema.ts'

export type Recording = components['schemas']['ListedTranscription']
export type RecordingStatus = Recording['status']
export type RecordingPage = components['schemas']['TranscriptionPage']
export type RecordingPages = InfiniteData<RecordingPage, string | undefined>

export const RECORDINGS = ['recordings'] as const
const TAGS = ['tags'] as const
export const PAGE_SIZE = 100
/** Lists with more pages than this are not read again as a whole: only their beginning is, and merged. */
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

/** The first page as it is now, and what is left of the others. New recordings come to the top of the list. */
export function mergeFirstPage (pages: RecordingPages, first: RecordingPage): RecordingPages {
  const [old, ...rest] = pages.pages
  if (!old) return pages
  const fresh = new Map(first.data.map((recording) => [recording.id, recording]))
  const known = new Set(pages.pages.flatMap(({ data }) => data.map(({ id }) => id)))
  const added = first.data.filter(({ id }) => !known.has(id))
  const update = (recording: Recording): Recording => fresh.get(recording.id) ?? recording
  return {
    ...pages,
    pages: [{ ...old, data: [...added, ...old.data.map(update)] }, ...rest.map((page) => ({ ...page, data: page.data.map(update) }))]
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

/** Shows the change at once, and takes it back when the appliance refuses it. Throws ApiError then. */
export async function changeRecording (queries: QueryClient, id: number, change: RecordingChange): Promise<void> {
  const { title, tags } = change
  patchRecordings(queries, (one) => one.id === id
    ? { ...one, ...(typeof title === 'string' ? { title } : {}), ...(tags ? { tags } : {}) }
    : one)
  try {
    const { data } = await take(api.PATCH('/api/v1/transcriptions/{id}', { params: { path: { id } }, body: change }))
    patchRecordings(queries, (one) => one.id === id ? { ...one, title: data.title ?? data.fileName, tags: data.tags } : one)
  } finally {
    await Promise.all([refreshRecordings(queries), queries.invalidateQueries({ queryKey: TAGS })])
  }
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
export async function addAddress (queries: QueryClient, sourceUrl: string): Promise<void> {
  await take(api.POST('/api/v1/media/ingest', { body: { sourceUrl } }))
  await refreshRecordings(queries)
}
