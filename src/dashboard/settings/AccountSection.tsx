/** The account that is signed in, and how people sign in to it. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PASSWORD_LENGTH } from '../api/agreed.ts'
import { api, take } from '../api/client.ts'
import { useAccount } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { notify } from '../ui/Notices.tsx'
import { useSending } from '../ui/sending.ts'
import { ProviderCard } from './ProviderCard.tsx'
import styles from './settings.module.css'
import { waysQuery } from './sign-in-ways.ts'

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
  const { send, isSending, faults } = useSending({
    send: async () => await take(api.PUT('/api/v1/account/password', { body: { current: given.current, next: given.next } })),
    fields: ['current', 'next'],
    codes: { wrong_password: 'current' },
    onDone () {
      setGiven(EMPTY)
      notify({ kind: 'done', text: t('settings.account.changed') })
    }
  })
  return (
    <Card title={t('settings.account.password')} detail={t('settings.account.passwordDetail')}>
      <div className={styles['narrow']}>
        <Form label={t('settings.account.password')} onSubmit={() => { if (!isMistyped) send() }}>
          {/* Password managers want to know whose password it is. */}
          <input
            className='visually-hidden' type='text' name='username' autoComplete='username' value={name} readOnly tabIndex={-1}
            aria-hidden='true'
          />
          <Field
            label={t('settings.account.current')} type='password' name='current' autoComplete='current-password' value={given.current}
            onChange={set('current')} fault={faults.at('current')} maxLength={PASSWORD_LENGTH.max} isRequired
          />
          <Field
            label={t('settings.account.next')} hint={t('settings.account.nextHint', { min: PASSWORD_LENGTH.min })} type='password'
            name='next' autoComplete='new-password' value={given.next} onChange={set('next')} fault={faults.at('next')}
            minLength={PASSWORD_LENGTH.min} maxLength={PASSWORD_LENGTH.max} isRequired
          />
          <Field
            label={t('settings.account.again')} type='password' name='again' autoComplete='new-password' value={given.again}
            onChange={set('again')} fault={isMistyped ? t('settings.account.mistyped') : undefined} maxLength={PASSWORD_LENGTH.max}
            isRequired
          />
          <Fault error={faults.rest} />
          <div><Button kind='primary' type='submit' isPending={isSending}>{t('settings.account.change')}</Button></div>
        </Form>
      </div>
    </Card>
  )
}
