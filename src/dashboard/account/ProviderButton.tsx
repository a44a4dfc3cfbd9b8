/** Sign-in at the identity provider, where there is one. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { goToProvider } from '../api/provider.ts'
import { signInOptionsQuery } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Fault } from '../ui/Fault.tsx'
import styles from './account.module.css'
import { describeFault } from './provider-faults.ts'

type Props = {
  /** The address of the page to come back to. */
  next: string
  /** What else a person should know before going there. */
  hint?: string | undefined
}

export function ProviderButton ({ next, hint }: Props) {
  const { t } = useTexts()
  const name = useQuery(signInOptionsQuery).data?.oauth?.name
  const leave = useMutation({ mutationFn: async () => { await goToProvider({ purpose: 'signIn', next }) } })
  if (name === undefined) return null
  return (
    <>
      <p className={styles['or']}>{t('account.or')}</p>
      <Button isPending={leave.isPending} onPress={() => { leave.mutate() }}>{t('account.providerSignIn', { name })}</Button>
      {hint !== undefined && <p className={styles['lead']}>{hint}</p>}
      <Fault error={describeFault(leave.error, t)} />
    </>
  )
}
