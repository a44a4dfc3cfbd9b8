/** What the pages of a transcript ask the appliance. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, ApiError, take } from '../../api/client.ts'
import { decodePeaks } from './peaks.ts'
import type { Segment, SegmentPage } from './segment.ts'
import type { PageStart } from './segments.ts'

const path = (id: number) => ({ params: { path: { id } } })
const HOUR_MS = 3_600_000

export const KEYS = {
  transcription: (id: number) => ['transcription', id] as const,
  speakers: (id: number) => ['transcription', id, 'speakers'] as const,
  revisions: (id: number) => ['transcription', id, 'revisions'] as const,
  previews: (id: number) => ['transcription', id, 'preview'] as const,
  artifacts: (id: number) => ['transcription', id, 'artifact'] as const,
  shares: (id: number) => ['transcription', id, 'shares'] as const
}

export const transcriptionQuery = (id: number) => queryOptions({
  queryKey: KEYS.transcription(id),
  queryFn: async () => (await take(api.GET('/api/v1/transcriptions/{id}', path(id)))).data
})
export type Transcription = Awaited<ReturnType<NonNullable<ReturnType<typeof transcriptionQuery>['queryFn']>>>

/** State of the job, for what the transcription does not have: progress, and why it failed. */
export const jobQuery = (id: number) => queryOptions({
  queryKey: ['job', id],
  queryFn: async () => (await take(api.GET('/api/v1/jobs/{id}', path(id)))).data
})

export async function loadSegments (id: number, start: PageStart, limit: number): Promise<SegmentPage> {
  const query = { ...start, limit }
  return (await take(api.GET('/api/v1/transcriptions/{id}/segments', { params: { path: { id }, query } }))).data
}

export async function saveSegment (id: number, segmentId: string, body: { text: string, base: number }): Promise<Segment> {
  return (await take(api.PATCH('/api/v1/transcriptions/{id}/segments/{segmentId}', { params: { path: { id, segmentId } }, body }))).data
}

export type Replacement = { find: string, replace: string, matchCase: boolean, wholeWords: boolean }
/** With `preview`, nothing is changed. */
export async function replaceText (id: number, body: Replacement & { preview: boolean }) {
  return (await take(api.POST('/api/v1/transcriptions/{id}/replace', { ...path(id), body }))).data
}

export const previewQuery = (id: number, replacement: Replacement) => queryOptions({
  queryKey: [...KEYS.previews(id), replacement],
  queryFn: async () => await replaceText(id, { ...replacement, preview: true }),
  enabled: replacement.find !== '',
  placeholderData: keepPreviousData,
  staleTime: 0
})

/** Newest first, page by page. */
export const revisionsQuery = (id: number) => infiniteQueryOptions({
  queryKey: KEYS.revisions(id),
  async queryFn ({ pageParam }) {
    const query = pageParam === null ? {} : { cursor: pageParam }
    return await take(api.GET('/api/v1/transcriptions/{id}/revisions', { params: { path: { id }, query } }))
  },
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextCursor }) => nextCursor
})
export type Revision = Awaited<ReturnType<NonNullable<ReturnType<typeof revisionsQuery>['queryFn']>>>['data'][number]

/** Undoes a revision; undefined: the latest one. */
export async function undo (id: number, revision?: number): Promise<void> {
  await take(api.POST('/api/v1/transcriptions/{id}/undo', { ...path(id), body: revision === undefined ? {} : { revision } }))
}

/** Null: there is no wave, because the recording was deleted before one was made. */
export const peaksQuery = (id: number) => queryOptions({
  queryKey: ['transcription', id, 'peaks'],
  queryFn: async () => {
    try {
      const { peaks, perSecond } = (await take(api.GET('/api/v1/transcriptions/{id}/peaks', path(id)))).data
      return decodePeaks(peaks, perSecond)
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 410)) return null
      throw error
    }
  },
  staleTime: Infinity
})

/** Null: the plan does not include speakers. */
export const speakersQuery = (id: number) => queryOptions({
  queryKey: KEYS.speakers(id),
  queryFn: async () => {
    try {
      return (await take(api.GET('/api/v1/transcriptions/{id}/speakers', path(id)))).data
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_in_plan') return null
      throw error
    }
  }
})
export type SpeakerState = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof speakersQuery>['queryFn']>>>>

/** Has the speakers told apart again; undefined: the appliance finds out how many there are. Returns at once, with the old speakers. */
export async function findSpeakers (id: number, count: number | undefined): Promise<SpeakerState> {
  const body = { speakers: count === undefined ? true : { exact: count } }
  return (await take(api.POST('/api/v1/transcriptions/{id}/speakers', { ...path(id), body }))).data
}

export type SpeakerChange = { speakers?: Array<{ label: string, name: string }>, merge?: Array<{ from: string, into: string }> }
export async function changeSpeakers (id: number, body: SpeakerChange): Promise<SpeakerState> {
  return (await take(api.PATCH('/api/v1/transcriptions/{id}/speakers', { ...path(id), body }))).data
}

export const MODES = ['summary', 'chapters', 'quotes', 'show-notes', 'thread', 'blog'] as const
export type Mode = typeof MODES[number]

async function readArtifact (id: number, mode: Mode) {
  switch (mode) {
    case 'summary': return await take(api.POST('/api/v1/transcriptions/{id}/summary', path(id)))
    case 'chapters': return await take(api.POST('/api/v1/transcriptions/{id}/chapters', path(id)))
    case 'quotes': return await take(api.POST('/api/v1/transcriptions/{id}/quotes', path(id)))
    default: return await take(api.POST('/api/v1/transcriptions/{id}/repurpose', { ...path(id), body: { mode } }))
  }
}

/** Asked for when its panel is opened, and kept until the text changes. */
export const artifactQuery = (id: number, mode: Mode) => queryOptions({
  queryKey: [...KEYS.artifacts(id), mode],
  queryFn: async () => (await readArtifact(id, mode)).data,
  staleTime: Infinity,
  gcTime: HOUR_MS
})
export type Artifact = Awaited<ReturnType<typeof readArtifact>>['data']

export async function retryJob (id: number): Promise<void> {
  await take(api.POST('/api/v1/jobs/{id}/retry', path(id)))
}

export const sharesQuery = (id: number) => queryOptions({
  queryKey: KEYS.shares(id),
  queryFn: async () => (await take(api.GET('/api/v1/transcriptions/{id}/shares', path(id)))).data
})
export async function createShare (id: number, expiresInDays: number) {
  return (await take(api.POST('/api/v1/transcriptions/{id}/shares', { ...path(id), body: { expiresInDays } }))).data
}
export async function deleteShare (id: number, shareId: number): Promise<void> {
  await take(api.DELETE('/api/v1/transcriptions/{id}/shares/{shareId}', { params: { path: { id, shareId } } }))
}

export const sharedQuery = (token: string) => queryOptions({
  queryKey: ['shared', token],
  queryFn: async () => (await take(api.GET('/api/v1/shared/{token}', { params: { path: { token } } }))).data,
  retry: false
})
