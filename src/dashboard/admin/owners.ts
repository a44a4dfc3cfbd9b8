/** Owners, as an administrator sees them. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'

export const ownersQuery = infiniteQueryOptions({
  queryKey: ['admin', 'owners'],
  queryFn: async ({ pageParam }) =>
    await take(api.GET('/api/v1/admin/owners', { params: { query: pageParam === null ? {} : { cursor: pageParam } } })),
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextCursor }) => nextCursor
})

export const createOwner = async (body: { name: string, plan: Plan }) => (await take(api.POST('/api/v1/admin/owners', { body }))).data
export type Owner = Awaited<ReturnType<typeof createOwner>>
export type Plan = 'free' | 'build' | 'scale' | 'pro' | 'agency' | 'enterprise'
export const PLANS: readonly Plan[] = ['free', 'build', 'scale', 'pro', 'agency', 'enterprise']
export type Role = Owner['role']
export const ROLES: readonly Role[] = ['owner', 'administrator']

export type OwnerChange = { name?: string, plan?: Plan, role?: Role }

export const changeOwner = async (id: number, body: OwnerChange) =>
  (await take(api.PATCH('/api/v1/admin/owners/{id}', { params: { path: { id } }, body }))).data

/** `password` null: the owner cannot sign in any more. */
export const setOwnerPassword = async (id: number, password: string | null) =>
  await take(api.PUT('/api/v1/admin/owners/{id}/password', { params: { path: { id } }, body: { password } }))

export const removeOwner = async (id: number) => await take(api.DELETE('/api/v1/admin/owners/{id}', { params: { path: { id } } }))
