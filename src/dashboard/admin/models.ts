/** The models of the appliance, and the work on them. */
import { queryOptions } from '@tanstack/react-query'
import { BASE } from '../api/base.ts'
import { api, ApiError, take, toRefusal } from '../api/client.ts'

/** How often running work is looked at. */
const TASKS_MS = 1000

export const modelsQuery = queryOptions({
  queryKey: ['admin', 'models'],
  queryFn: async () => (await take(api.GET('/api/v1/admin/models'))).data
})
export type Models = Awaited<ReturnType<NonNullable<typeof modelsQuery.queryFn>>>
export type Model = Models['models'][number]

export const tasksQuery = queryOptions({
  queryKey: ['admin', 'model-tasks'],
  queryFn: async () => (await take(api.GET('/api/v1/admin/model-tasks'))).data,
  refetchInterval: TASKS_MS
})
export type Task = Awaited<ReturnType<NonNullable<typeof tasksQuery.queryFn>>>[number]

export const pullModel = async (name: string) => await take(api.POST('/api/v1/admin/models/{name}/pull', { params: { path: { name } } }))

export const isUnfinished = ({ state }: Task): boolean => state === 'waiting' || state === 'running'

export const cancelTask = async (id: Task['id']) => await take(api.DELETE('/api/v1/admin/model-tasks/{id}', { params: { path: { id } } }))

export const removeModel = async (name: string) => await take(api.DELETE('/api/v1/admin/models/{name}', { params: { path: { name } } }))

const ARCHIVE_PATH = `${BASE}/api/v1/admin/models/archive`

/** The reply as JSON; undefined where it is none, such as the page of a proxy. */
function readReply (text: string): Record<string, unknown> | undefined {
  try {
    const reply: unknown = JSON.parse(text)
    return typeof reply === 'object' && reply !== null ? reply as Record<string, unknown> : undefined
  } catch {
    return undefined
  }
}

/**
 * Sends an archive of `stenobox models export`. By XMLHttpRequest, because fetch does not tell how much was sent. Throws ApiError; an
 * abort is an AbortError.
 */
export async function sendArchive (file: File, { onSent, signal }: { onSent (share: number): void, signal: AbortSignal }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', ARCHIVE_PATH)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.addEventListener('progress', ({ loaded, total }) => { onSent(total === 0 ? 0 : loaded / total) })
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) return resolve()
      toRefusal(request, readReply(request.responseText)).then(reject, reject)
    })
    request.addEventListener('error', () => { reject(new ApiError(0, 'unreachable', 'The appliance does not answer.', undefined)) })
    request.addEventListener('abort', () => { reject(new DOMException('The upload was stopped.', 'AbortError')) })
    signal.addEventListener('abort', () => { request.abort() }, { once: true })
    request.send(file)
  })
}
