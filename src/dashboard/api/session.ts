/** Who is signed in. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, ApiError, take } from './client.ts'

export const SESSION = ['session'] as const

/** Throws what a request has thrown, unless the session had ended already. */
export function unlessSignedOut (error: unknown): void {
  if (!(error instanceof ApiError && error.status === 401)) throw error
}

/** The session of this browser; null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: async () => {
    try {
      return (await take(api.GET('/api/v1/session'))).data
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
  staleTime: 60_000
})

/** What is possible before anybody is signed in. */
export const signInOptionsQuery = queryOptions({
  queryKey: ['session-options'],
  queryFn: async () => (await take(api.GET('/api/v1/session/options'))).data,
  staleTime: 3600_000
})

export type Session = NonNullable<Awaited<ReturnType<NonNullable<typeof sessionQuery.queryFn>>>>

/** The account that is signed in. Only inside pages that need a session. */
export function useAccount (): Session['account'] | undefined {
  return useQuery(sessionQuery).data?.account
}
