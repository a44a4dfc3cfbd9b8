/** Name and password, or the identity provider. */
import { useState } from 'react'
import type { FormEvent } from 'react'
import { api, take } from '../api/client.ts'
import type { Session } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { PasswordField } from './PasswordField.tsx'
import { ProviderButton } from './ProviderButton.tsx'
import styles from './account.module.css'

type Props = {
  /** Whose session ended; they only type their password. */
  knownName?: string | undefined
  /** The address of the page to come back to from the provider. */
  next: string
  providerHint?: string
  onDone (session: Session): void
}

export function SignInForm ({ knownName, next, providerHint, onDone }: Props) {
  const { t } = useTexts()
  const [name, setName] = useState(knownName ?? '')
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState<string>()
  const [isSending, setSending] = useState(false)

  async function signIn (): Promise<void> {
    setSending(true)
    try {
      const { data } = await take(api.POST('/api/v1/session', { body: { name: name.trim(), password } }))
      onDone(data)
    } catch (error) {
      // The name and the password stay, to be corrected.
      setFault(error instanceof Error ? error.message : String(error))
    } finally {
      setSending(false)
    }
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() === '' || password === '') setFault(t('account.incomplete'))
    else inBackground(signIn())
  }

  return (
    <form onSubmit={submit} className={styles['form']} noValidate>
      <Field
        label={t('account.name')} value={name} onChange={setName} autoComplete='username' autoFocus={knownName === undefined}
        maxLength={200} isRequired validationBehavior='aria'
      />
      <PasswordField
        label={t('account.password')} value={password} fault={fault}
        onChange={(value) => { setPassword(value); setFault(undefined) }} autoFocus={knownName !== undefined}
      />
      <Button kind='primary' type='submit' isDisabled={isSending}>{t('account.signIn')}</Button>
      <ProviderButton next={next} hint={providerHint} />
    </form>
  )
}
