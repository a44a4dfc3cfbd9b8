/** What the first start shows of the appliance, and the models that it offers. */
import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import type { components } from '../api/schema.ts'

export type Model = components['schemas']['Model']
export type ModelTask = components['schemas']['ModelTask']

/** How often a download is looked at. */
const TASKS_MS = 1000
const OFFERED = 4

export const systemQuery = queryOptions({
  queryKey: ['first-start', 'system'],
  queryFn: async ({ signal }) => (await take(api.GET('/api/v1/admin/system', { signal }))).data
})
export const modelsQuery = queryOptions({
  queryKey: ['first-start', 'models'],
  queryFn: async ({ signal }) => (await take(api.GET('/api/v1/admin/models', { signal }))).data.models
})
export const tasksQuery = queryOptions({
  queryKey: ['first-start', 'tasks'],
  queryFn: async ({ signal }) => (await take(api.GET('/api/v1/admin/model-tasks', { signal }))).data,
  refetchInterval: TASKS_MS
})

export async function pullModel (name: string): Promise<void> {
  await take(api.POST('/api/v1/admin/models/{name}/pull', { params: { path: { name } } }))
}
export async function stopTask (id: number): Promise<void> {
  await take(api.DELETE('/api/v1/admin/model-tasks/{id}', { params: { path: { id } } }))
}

const isSpeech = ({ kind }: Model): boolean => kind === 'whisper' || kind === 'parakeet'
/** The speech models that make fewer mistakes than the starter: the recommended one first, then the smaller ones before the larger ones. */
export function offeredModels (models: readonly Model[]): Model[] {
  const rank = ({ recommended, bytes = 0 }: Model): number => recommended ? -1 : bytes
  return models.filter((model) => isSpeech(model) && !model.bundled).sort((a, b) => rank(a) - rank(b)).slice(0, OFFERED)
}
