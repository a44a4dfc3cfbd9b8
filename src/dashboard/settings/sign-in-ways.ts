/** How the account that is signed in can be signed in to. */
import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import type { Errand } from '../api/provider.ts'

/** Going to the provider to connect the account, and coming back. */
export const CONNECTING: Errand = { purpose: 'connect', next: '/settings/account' }

export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: async () => (await take(api.GET('/api/v1/account/sign-in'))).data
})

type Ways = Awaited<ReturnType<NonNullable<typeof waysQuery.queryFn>>>
export type Provider = NonNullable<Ways['provider']>
