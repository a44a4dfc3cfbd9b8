/** Whether the person who is signed in can also sign in at the identity provider. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeFault } from '../account/provider-faults.ts'
import { api, take } from '../api/client.ts'
import { goToProvider } from '../api/provider.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Fault } from '../ui/Fault.tsx'
import { useFormats } from '../ui/formats.ts'
import { ConnectProvider } from './ConnectProvider.tsx'
import styles from './settings.module.css'
import { CONNECTING, waysQuery } from './sign-in-ways.ts'
import type { Provider } from './sign-in-ways.ts'

type Props = { provider: Provider, hasPassword: boolean }

export function ProviderCard ({ provider: { name, connectedAt }, hasPassword }: Props) {
  const { t } = useTexts()
  const { day } = useFormats()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'connect' | 'disconnect'>()
  const close = (): void => { setAsked(undefined) }
  // An account without a password has nothing to ask for: it must have signed in a moment ago.
  const leave = useMutation({ mutationFn: async () => { await goToProvider(CONNECTING) } })

  function connect (): void {
    if (hasPassword) setAsked('connect')
    else leave.mutate()
  }

  async function disconnect (): Promise<void> {
    const { data } = await take(api.DELETE('/api/v1/account/provider'))
    queries.setQueryData(waysQuery.queryKey, data)
  }

  return (
    <Card
      title={t('settings.provider', { name })}
      detail={connectedAt === undefined ? t('settings.provider.detail') : t('settings.provider.since', { when: day(connectedAt) })}
    >
      {connectedAt === undefined &&
        <div><Button isPending={leave.isPending} onPress={connect}>{t('settings.provider.connect')}</Button></div>}
      {connectedAt !== undefined && hasPassword &&
        <div><Button onPress={() => { setAsked('disconnect') }}>{t('settings.provider.disconnect')}</Button></div>}
      {connectedAt !== undefined && !hasPassword && <p className={styles['quiet']}>{t('settings.provider.only')}</p>}
      <Fault error={describeFault(leave.error, t)} />
      {asked === 'connect' && <ConnectProvider name={name} onClose={close} />}
      {asked === 'disconnect' && (
        <Confirm
          title={t('settings.provider.disconnectTitle', { name })} action={t('settings.provider.disconnect')}
          onConfirm={disconnect} onClose={close}
        >
          <p>{t('settings.provider.disconnectDetail')}</p>
        </Confirm>
      )}
    </Card>
  )
}
