/** Asks for the password before the account is connected with the identity provider. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { describeFault } from '../account/provider-faults.ts'
import { PASSWORD_LENGTH } from '../api/agreed.ts'
import { ApiError } from '../api/client.ts'
import { goToProvider } from '../api/provider.ts'
import { useAccount } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { CONNECTING } from './sign-in-ways.ts'

export function ConnectProvider ({ name, onClose }: { name: string, onClose (): void }) {
  const { t } = useTexts()
  const account = useAccount()
  const [password, setPassword] = useState('')
  const leave = useMutation({ mutationFn: async () => { await goToProvider(CONNECTING, password) } })
  const isWrong = leave.error instanceof ApiError && leave.error.code === 'wrong_password'
  return (
    <Dialog title={t('settings.provider.connectTitle', { name })} isOpen onClose={onClose}>
      <p>{t('settings.provider.connectDetail', { name })}</p>
      <Form onSubmit={() => { leave.mutate() }}>
        {/* Password managers want to know whose password it is. */}
        <input
          className='visually-hidden' type='text' name='username' autoComplete='username' value={account?.name ?? ''} readOnly tabIndex={-1}
          aria-hidden='true'
        />
        <Field
          label={t('account.password')} type='password' name='password' autoComplete='current-password' value={password}
          onChange={setPassword} fault={isWrong ? t('account.fault.wrongPassword') : undefined} maxLength={PASSWORD_LENGTH.max}
          autoFocus isRequired
        />
        <Fault error={isWrong ? undefined : describeFault(leave.error, t)} />
        <DialogButtons>
          <Button onPress={onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={leave.isPending}>{t('settings.provider.connect')}</Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
