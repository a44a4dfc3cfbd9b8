/**
 * Every address of the page. Pages are loaded when they are opened, with their texts, so that signing in fetches none of them.
 * A page under `signedIn` needs a session: without one, the sign-in is shown and leads back.
 */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { RETURN_PATH } from '../api/agreed.ts'
import { api, take } from '../api/client.ts'
import { withTexts } from '../i18n/index.tsx'
import { Broken, NotFound } from './faults.tsx'
import { Frame } from './Frame.tsx'
import { lazyPage } from '../api/lazy-page.ts'
import { BASE } from '../api/base.ts'
import { arrival, isOwnAddress } from '../api/provider.ts'
import { sessionQuery } from '../api/session.ts'
import { readLibrarySearch } from '../library/search-params.ts'

type Context = { queries: QueryClient }

const root = createRootRouteWithContext<Context>()({ notFoundComponent: NotFound, errorComponent: Broken })

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: ({ token }: Record<string, unknown>): { token?: string } => ({ token: typeof token === 'string' ? token : undefined }),
  component: lazyPage(async () => await withTexts('setup', import('../account/SetupPage.tsx')), 'SetupPage')
})
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // Only addresses of this page: a link must not lead to another site after sign-in.
  // Undefined, because a key that is left out would keep what the address has.
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } =>
    ({ next: typeof next === 'string' && isOwnAddress(next) ? next : undefined }),
  component: lazyPage(() => import('../account/SignInPage.tsx'), 'SignInPage')
})
const providerReturn = createRoute({
  getParentRoute: () => root,
  path: RETURN_PATH,
  // Opened by hand, or again after it was left.
  beforeLoad: () => {
    if (!arrival) throw redirect({ to: '/sign-in' })
  },
  component: lazyPage(() => import('../account/ProviderReturnPage.tsx'), 'ProviderReturnPage')
})
const shared = createRoute({
  getParentRoute: () => root,
  path: '/shared/$token',
  component: lazyPage(async () => await withTexts('transcript', import('../transcript/SharedPage.tsx')), 'SharedPage')
})

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signedIn',
  beforeLoad: async ({ context: { queries }, location }) => {
    if (await queries.ensureQueryData(sessionQuery) !== null) return
    const { data: { needed } } = await take(api.GET('/api/v1/setup'))
    if (needed) throw redirect({ to: '/setup' })
    throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
  component: Frame
})
const library = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: readLibrarySearch,
  component: lazyPage(() => import('../library/LibraryPage.tsx'), 'LibraryPage')
})
const transcript = createRoute({
  getParentRoute: () => signedIn,
  path: '/transcripts/$id',
  // `at`: seconds to begin at; `q`: what was searched for.
  validateSearch: ({ at, q }: Record<string, unknown>): { at?: number, q?: string } => ({
    at: typeof at === 'number' && at >= 0 ? at : undefined, q: typeof q === 'string' && q !== '' ? q : undefined
  }),
  component: lazyPage(async () => await withTexts('transcript', import('../transcript/TranscriptPage.tsx')), 'TranscriptPage')
})
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/$section',
  component: lazyPage(async () => await withTexts('settings', import('../settings/SettingsPage.tsx')), 'SettingsPage')
})
const admin = createRoute({
  getParentRoute: () => signedIn,
  path: '/administration/$section',
  component: lazyPage(async () => await withTexts('admin', import('../admin/AdminPage.tsx')), 'AdminPage')
})

const tree = root.addChildren([setup, signIn, providerReturn, shared, signedIn.addChildren([library, transcript, settings, admin])])

export function createPageRouter (queries: QueryClient) {
  return createRouter({
    routeTree: tree, context: { queries }, basepath: BASE === '' ? '/' : BASE, defaultPreload: 'intent', scrollRestoration: true
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPageRouter>
  }
}
