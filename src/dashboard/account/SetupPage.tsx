/** First start: the first account, then what is installed. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { BASE } from '../api/base.ts'
import { api, take } from '../api/client.ts'
import { sessionQuery } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Message } from '../ui/Message.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { AccountFrame } from './AccountFrame.tsx'
import { FirstAccountForm } from './FirstAccountForm.tsx'
import { InstalledStep } from './InstalledStep.tsx'

const route = getRouteApi('/setup')

export function SetupPage () {
  const { t } = useTexts()
  const { token } = route.useSearch()
  const queries = useQueryClient()
  const [isCreated, setCreated] = useState(false)
  const setup = useQuery({ queryKey: ['setup'], queryFn: async () => (await take(api.GET('/api/v1/setup'))).data, staleTime: Infinity })

  if (isCreated) return <InstalledStep />
  if (setup.isError) {
    return <AccountFrame title={t('setup.title')}><Message title={t('error.unreachable')} detail={setup.error.message} /></AccountFrame>
  }
  if (!setup.data) return <AccountFrame title={t('setup.title')}><Skeleton label={t('app.loading')} rows={4} /></AccountFrame>
  if (!setup.data.needed) return <Navigate to='/' replace />

  const finish = (): void => {
    setCreated(true)
    queries.removeQueries({ queryKey: sessionQuery.queryKey })
    // The token has served; it need not stay in the address.
    history.replaceState(history.state, '', `${BASE}/setup`)
  }
  return (
    <AccountFrame title={t('setup.title')} lead={t('setup.lead')}>
      <FirstAccountForm token={token} isTokenRequired={setup.data.tokenRequired} onDone={finish} />
    </AccountFrame>
  )
}
