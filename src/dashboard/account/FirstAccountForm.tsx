/** Name and password of the first account, and the token that the server printed unless the browser is on its machine. */
import { useState } from 'react'
import type { FormEvent } from 'react'
import { api, take } from '../api/client.ts'
import { faultsOf } from '../api/faults.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { PasswordField } from './PasswordField.tsx'
import { judgePassword, LEAST_LENGTH } from './strength.ts'
import styles from './account.module.css'

/** `rest`: what belongs to none of the fields. */
type Faults = { name?: string | undefined, password?: string | undefined, token?: string | undefined, rest?: unknown }
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
        {password !== '' && advice && t(`setup.advice.${advice}`, { least: LEAST_LENGTH })}
      </p>
    </div>
  )
}

export function FirstAccountForm ({ token: given, isTokenRequired, onDone }: Props) {
  const { t } = useTexts()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [token, setToken] = useState(given ?? '')
  const [faults, setFaults] = useState<Faults>({})
  const [isSending, setSending] = useState(false)

  async function create (): Promise<void> {
    setSending(true)
    try {
      await take(api.POST('/api/v1/setup', { body: { name: name.trim(), password, ...(token === '' ? {} : { token: token.trim() }) } }))
      onDone()
    } catch (error) {
      const { at, rest } = faultsOf(error, ['name', 'password', 'token'], OF_TOKEN)
      setFaults({ name: at('name'), password: at('password'), token: at('token'), rest })
    } finally {
      setSending(false)
    }
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const found: Faults = {
      ...(name.trim() === '' ? { name: t('setup.nameMissing') } : {}),
      ...([...password].length < LEAST_LENGTH ? { password: t('setup.passwordShort', { least: LEAST_LENGTH }) } : {}),
      ...(isTokenRequired && token.trim() === '' ? { token: t('setup.tokenMissing') } : {})
    }
    setFaults(found)
    if (Object.keys(found).length === 0) inBackground(create())
  }

  return (
    <form onSubmit={submit} className={styles['form']} noValidate>
      <Field
        label={t('account.name')} hint={t('setup.nameHint')} value={name} onChange={setName} fault={faults.name} autoComplete='username'
        autoFocus maxLength={64} isRequired
      />
      <PasswordField
        label={t('account.password')} hint={t('setup.passwordHint', { least: LEAST_LENGTH })} value={password} onChange={setPassword} isNew
        fault={faults.password}
      />
      <StrengthAdvice password={password} name={name} />
      {isTokenRequired && (given === undefined || faults.token !== undefined) &&
        <Field
          label={t('setup.token')} hint={t('setup.tokenHint')} value={token} onChange={setToken} fault={faults.token} autoComplete='off'
        />}
      <Fault error={faults.rest} />
      <Button kind='primary' type='submit' isDisabled={isSending}>{t('setup.create')}</Button>
    </form>
  )
}
