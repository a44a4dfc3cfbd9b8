/** Sign-in, which leads back to where somebody wanted to go. */
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { sessionQuery } from '../api/session.ts'
import type { Session } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { AccountFrame } from './AccountFrame.tsx'
import { SignInForm } from './SignInForm.tsx'

const route = getRouteApi('/sign-in')

export function SignInPage () {
  const { t } = useTexts()
  const { next = '/' } = route.useSearch()
  const queries = useQueryClient()
  const router = useRouter()
  const go = async (session: Session): Promise<void> => {
    queries.setQueryData(sessionQuery.queryKey, session)
    // An address with its search, which `to` would take for a path.
    await router.navigate({ href: next })
  }
  return (
    <AccountFrame title={t('account.signIn')}>
      <SignInForm next={next} onDone={(session) => { inBackground(go(session)) }} />
    </AccountFrame>
  )
}
