/** How the account that is signed in can be signed in to. */
import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'

export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: async () => (await take(api.GET('/api/v1/account/sign-in'))).data
})

type Ways = Awaited<ReturnType<NonNullable<typeof waysQuery.queryFn>>>
export type Provider = NonNullable<Ways['provider']>
