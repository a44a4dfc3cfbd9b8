/** The account that is signed in, and how people sign in to it. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { faultsOf } from '../api/faults.ts'
import { useAccount } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { notify } from '../ui/Notices.tsx'
import { ProviderCard } from './ProviderCard.tsx'
import styles from './settings.module.css'
import { waysQuery } from './sign-in-ways.ts'

const MIN_LENGTH = 12
const MAX_LENGTH = 256

export function AccountSection () {
  const { t } = useTexts()
  const account = useAccount()
  const { data: ways } = useQuery(waysQuery)
  return (
    <>
      <Card title={t('settings.account')}>
        {account && (
          <dl className={styles['facts']}>
            <dt>{t('settings.account.name')}</dt><dd dir='auto'>{account.name}</dd>
            <dt>{t('settings.account.role')}</dt><dd>{t(`role.${account.role}`)}</dd>
            <dt>{t('settings.account.plan')}</dt><dd>{account.plan}</dd>
          </dl>
        )}
      </Card>
      {ways?.provider && <ProviderCard provider={ways.provider} hasPassword={ways.hasPassword} />}
      {ways?.hasPassword !== false && <PasswordCard name={account?.name ?? ''} />}
    </>
  )
}

const EMPTY = { current: '', next: '', again: '' }

function PasswordCard ({ name }: { name: string }) {
  const { t } = useTexts()
  const [given, setGiven] = useState(EMPTY)
  const set = (field: keyof typeof EMPTY) => (value: string): void => { setGiven((before) => ({ ...before, [field]: value })) }
  const isMistyped = given.again !== '' && given.again !== given.next
  const change = useMutation({
    mutationFn: async () => await take(api.PUT('/api/v1/account/password', { body: { current: given.current, next: given.next } })),
    onSuccess () {
      setGiven(EMPTY)
      notify({ kind: 'done', text: t('settings.account.changed') })
    }
  })
  const faults = faultsOf(change.error, ['current', 'next'], { wrong_password: 'current' })
  return (
    <Card title={t('settings.account.password')} detail={t('settings.account.passwordDetail')}>
      <div className={styles['narrow']}>
        <Form label={t('settings.account.password')} onSubmit={() => { if (!isMistyped) change.mutate() }}>
          {/* Password managers want to know whose password it is. */}
          <input
            className='visually-hidden' type='text' name='username' autoComplete='username' value={name} readOnly tabIndex={-1}
            aria-hidden='true'
          />
          <Field
            label={t('settings.account.current')} type='password' name='current' autoComplete='current-password' value={given.current}
            onChange={set('current')} fault={faults.at('current')} maxLength={MAX_LENGTH} isRequired
          />
          <Field
            label={t('settings.account.next')} hint={t('settings.account.nextHint', { min: MIN_LENGTH })} type='password' name='next'
            autoComplete='new-password' value={given.next} onChange={set('next')} fault={faults.at('next')} minLength={MIN_LENGTH}
            maxLength={MAX_LENGTH} isRequired
          />
          <Field
            label={t('settings.account.again')} type='password' name='again' autoComplete='new-password' value={given.again}
            onChange={set('again')} fault={isMistyped ? t('settings.account.mistyped') : undefined} maxLength={MAX_LENGTH} isRequired
          />
          <Fault error={faults.rest} />
          <div><Button kind='primary' type='submit' isPending={change.isPending}>{t('settings.account.change')}</Button></div>
        </Form>
      </div>
    </Card>
  )
}
