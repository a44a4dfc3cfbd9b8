/** The API keys of the person who is signed in. */
import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async () => (await take(api.GET('/api/v1/keys'))).data
})
export type Key = Awaited<ReturnType<NonNullable<typeof keysQuery.queryFn>>>[number]

export type NewKey = { name: string, expiresInDays?: number }

export const createKey = async (body: NewKey) => (await take(api.POST('/api/v1/keys', { body }))).data

export const rotateKey = async (id: number, graceSeconds: number) =>
  (await take(api.POST('/api/v1/keys/{id}/rotate', { params: { path: { id } }, body: { graceSeconds } }))).data

export const revokeKey = async (id: number) => (await take(api.DELETE('/api/v1/keys/{id}', { params: { path: { id } } }))).data
