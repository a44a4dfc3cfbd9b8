/** Name and password of the first account, and the token that the server printed unless the browser is on its machine. */
import { useState } from 'react'
import type { FormEvent } from 'react'
import { PASSWORD_LENGTH } from '../api/agreed.ts'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { useSending } from '../ui/sending.ts'
import { PasswordField } from './PasswordField.tsx'
import { judgePassword } from './strength.ts'
import styles from './account.module.css'

/** What is missing before anything is sent. */
type Missing = { name?: string, password?: string, token?: string }
/** What a refusal with these codes is about. */
const OF_TOKEN = { unauthorized: 'token', too_many_attempts: 'token' } as const
type Props = {
  /** Of the address that the server printed. */
  token: string | undefined
  isTokenRequired: boolean
  onDone (): void
}

function StrengthAdvice ({ password, name }: { password: string, name: string }) {
  const { t } = useTexts()
  const { level, advice } = judgePassword(password, name)
  return (
    <div className={styles['strength']}>
      <div className={styles['meter']} data-level={level} aria-hidden='true'><span /><span /><span /></div>
      <p role='status'>
        {password !== '' && t(`setup.strength.${level}`)}{' '}
        {password !== '' && advice && t(`setup.advice.${advice}`, { least: PASSWORD_LENGTH.min })}
      </p>
    </div>
  )
}

export function FirstAccountForm ({ token: given, isTokenRequired, onDone }: Props) {
  const { t } = useTexts()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [token, setToken] = useState(given ?? '')
  const [missing, setMissing] = useState<Missing>({})
  const { send, isSending, faults, reset } = useSending({
    async send () {
      await take(api.POST('/api/v1/setup', { body: { name: name.trim(), password, ...(token === '' ? {} : { token: token.trim() }) } }))
    },
    fields: ['name', 'password', 'token'],
    codes: OF_TOKEN,
    onDone
  })
  const faultAt = (field: keyof Missing): string | undefined => missing[field] ?? faults.at(field)

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const found: Missing = {
      ...(name.trim() === '' ? { name: t('setup.nameMissing') } : {}),
      ...([...password].length < PASSWORD_LENGTH.min ? { password: t('setup.passwordShort', { least: PASSWORD_LENGTH.min }) } : {}),
      ...(isTokenRequired && token.trim() === '' ? { token: t('setup.tokenMissing') } : {})
    }
    setMissing(found)
    if (Object.keys(found).length === 0) send()
    else reset()
  }

  return (
    <form onSubmit={submit} className={styles['form']} noValidate>
      <Field
        label={t('account.name')} hint={t('setup.nameHint')} value={name} onChange={setName} fault={faultAt('name')} autoComplete='username'
        autoFocus maxLength={64} isRequired
      />
      <PasswordField
        label={t('account.password')} hint={t('setup.passwordHint', { least: PASSWORD_LENGTH.min })} value={password}
        onChange={setPassword} isNew fault={faultAt('password')}
      />
      <StrengthAdvice password={password} name={name} />
      {isTokenRequired && (given === undefined || faultAt('token') !== undefined) &&
        <Field
          label={t('setup.token')} hint={t('setup.tokenHint')} value={token} onChange={setToken} fault={faultAt('token')} autoComplete='off'
        />}
      <Fault error={faults.rest} />
      <Button kind='primary' type='submit' isDisabled={isSending}>{t('setup.create')}</Button>
    </form>
  )
}
