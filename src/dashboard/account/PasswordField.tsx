/** A password, which can be shown while it is typed. */
import { useState } from 'react'
import { PASSWORD_LENGTH } from '../api/agreed.ts'
import { useTexts } from '../i18n/index.tsx'
import { Field } from '../ui/Field.tsx'
import { Switch } from '../ui/Switch.tsx'

type Props = {
  label: string, value: string, onChange (value: string): void, isNew?: boolean, hint?: string | undefined, fault?: string | undefined
  autoFocus?: boolean
}

export function PasswordField ({ label, value, onChange, isNew = false, hint, fault, autoFocus = false }: Props) {
  const { t } = useTexts()
  const [isShown, setShown] = useState(false)
  return (
    <div>
      <Field
        label={label} value={value} onChange={onChange} type={isShown ? 'text' : 'password'} hint={hint} fault={fault} autoFocus={autoFocus}
        autoComplete={isNew ? 'new-password' : 'current-password'} maxLength={PASSWORD_LENGTH.max} isRequired
      />
      <Switch label={t('account.showPassword')} isOn={isShown} onChange={setShown} />
    </div>
  )
}
