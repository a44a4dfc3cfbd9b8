/** The whole page: its language, the cache of what the appliance said, the routes and the messages at its edge. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { I18nProvider, RouterProvider as LinkProvider } from 'react-aria-components'
import { ApiError, onSignedOut } from '../api/client.ts'
import { rememberLanguage, startLanguage, TextsContext } from '../i18n/index.tsx'
import type { Language, Texts } from '../i18n/index.tsx'
import { inBackground, Notices } from '../ui/Notices.tsx'
import { createPageRouter } from './router.tsx'
import { SESSION } from '../api/session.ts'

/** A refusal that repeating cannot change is not repeated. */
const mayRetry = (failures: number, error: unknown): boolean => error instanceof ApiError && error.status === 0 && failures < 3

function createQueries (): QueryClient {
  const queries = new QueryClient({
    defaultOptions: { queries: { retry: mayRetry, staleTime: 5000 }, mutations: { retry: false } }
  })
  // A session that has ended is noticed by whichever request comes first; the sign-in then opens over the page, which keeps its state.
  onSignedOut(() => { inBackground(queries.invalidateQueries({ queryKey: SESSION })) })
  return queries
}

export function App ({ language }: { language: Texts }) {
  const [texts, setTexts] = useState(language)
  const queries = useMemo(createQueries, [])
  const router = useMemo(() => createPageRouter(queries), [queries])
  const context = useMemo(() => ({
    ...texts,
    async change (next: Language): Promise<void> {
      rememberLanguage(next)
      setTexts(await startLanguage(next))
    }
  }), [texts])
  return (
    <TextsContext value={context}>
      <I18nProvider locale={texts.language}>
        <QueryClientProvider client={queries}>
          <LinkProvider navigate={(to) => { inBackground(router.navigate({ to })) }}>
            <RouterProvider router={router} />
            <Notices />
          </LinkProvider>
        </QueryClientProvider>
      </I18nProvider>
    </TextsContext>
  )
}
