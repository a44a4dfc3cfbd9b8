/** Opens the sign-in over the page when its session has ended. */
import { useQuery } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, useRef } from 'react'
import { sessionQuery } from '../api/session.ts'
import type { Session } from '../api/session.ts'

// What dialogs and fields are made of is not part of the first load. If the appliance has other files by now, the page is loaded again.
const SignInDialog = lazyRouteComponent(async () => await import('./SignInDialog.tsx'), 'SignInDialog')

export function SignInAgain () {
  const { data: session } = useQuery(sessionQuery)
  const last = useRef<Session>(undefined)
  if (session) last.current = session
  return session === null && <Suspense><SignInDialog last={last.current} /></Suspense>
}
