/** Where the identity provider sends browsers back to: finishes what they went there for, or says why not. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { RETURN_PATH } from '../api/agreed.ts'
import { BASE } from '../api/base.ts'
import { arrival, finishVisit, readErrand } from '../api/provider.ts'
import type { Arrival } from '../api/provider.ts'
import { sessionQuery } from '../api/session.ts'
import type { Session } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Fault } from '../ui/Fault.tsx'
import { inBackground, notify } from '../ui/Notices.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { AccountFrame } from './AccountFrame.tsx'
import { describeFault } from './provider-faults.ts'
import { SignInForm } from './SignInForm.tsx'

export function ProviderReturnPage () {
  const { t } = useTexts()
  const queries = useQueryClient()
  const router = useRouter()
  const [errand] = useState(readErrand)
  const isCode = arrival?.code !== undefined
  // A query, not an effect: it must run once, however often React mounts this.
  const visit = useQuery({
    queryKey: ['provider-visit'],
    queryFn: async () => await finishVisit(errand, arrival as Arrival),
    enabled: isCode,
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false
  })

  async function go (session: Session | null): Promise<void> {
    if (session) queries.setQueryData(sessionQuery.queryKey, session)
    else notify({ kind: 'done', text: t('account.connected') })
    // An address with its search, which `to` would take for a path.
    await router.navigate({ href: errand.next, replace: true })
  }

  // The code works only once, so it need not stay in the address.
  useEffect(() => { history.replaceState(history.state, '', BASE + RETURN_PATH) }, [])
  useEffect(() => {
    if (visit.data !== undefined) inBackground(go(visit.data))
  }, [visit.data])

  const fault = isCode ? describeFault(visit.error, t) : t('account.fault.denied')
  if (fault === null) {
    return <AccountFrame title={t('account.signIn')}><Skeleton label={t('account.providerWaiting')} rows={3} /></AccountFrame>
  }
  return (
    <AccountFrame title={t('account.signIn')}>
      <Fault error={fault} />
      {errand.purpose === 'connect'
        ? <Link to='/settings/$section' params={{ section: 'account' }}>{t('account.toSettings')}</Link>
        : <SignInForm next={errand.next} onDone={(session) => { inBackground(go(session)) }} />}
    </AccountFrame>
  )
}
