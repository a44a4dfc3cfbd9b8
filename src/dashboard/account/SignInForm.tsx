/** Name and password, or the identity provider. */
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Session } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { useSending } from '../ui/sending.ts'
import { PasswordField } from './PasswordField.tsx'
import { ProviderButton } from './ProviderButton.tsx'

type Props = {
  /** Whose session ended; they only type their password. */
  knownName?: string | undefined
  /** The address of the page to come back to from the provider. */
  next: string
  providerHint?: string
  onDone (session: Session): void
}

/** Refusals that are shown beside the password. They do not say whether the name or the password is wrong. */
const OF_PASSWORD = { unauthorized: 'password', too_many_attempts: 'password' } as const

export function SignInForm ({ knownName, next, providerHint, onDone }: Props) {
  const { t } = useTexts()
  const [name, setName] = useState(knownName ?? '')
  const [password, setPassword] = useState('')
  const { send, isSending, faults, reset } = useSending({
    send: async () => (await take(api.POST('/api/v1/session', { body: { name: name.trim(), password } }))).data,
    fields: ['name', 'password'],
    codes: OF_PASSWORD,
    onDone
  })

  return (
    <Form onSubmit={() => { send() }}>
      <Field
        label={t('account.name')} value={name} onChange={setName} fault={faults.at('name')} autoComplete='username'
        autoFocus={knownName === undefined} maxLength={200} isRequired
      />
      <PasswordField
        label={t('account.password')} value={password} fault={faults.at('password')}
        onChange={(value) => { setPassword(value); reset() }} autoFocus={knownName !== undefined}
      />
      <Fault error={faults.rest} />
      <Button kind='primary' type='submit' isPending={isSending}>{t('account.signIn')}</Button>
      <ProviderButton next={next} hint={providerHint} />
    </Form>
  )
}
