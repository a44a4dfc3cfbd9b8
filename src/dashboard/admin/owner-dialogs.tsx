/** The dialogs of owners. */
import { useState } from 'react'
import { PASSWORD_LENGTH } from '../api/agreed.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Choice } from '../ui/Choice.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { useSending } from '../ui/sending.ts'
import { changeOwner, createOwner, PLANS, ROLES, setOwnerPassword } from './owners.ts'
import type { Owner, Plan, Role } from './owners.ts'

type Props = { onDone (): Promise<void>, onClose (): void }

const MAX_NAME = 100
/** There is already an owner with the name. */
const TAKEN = { conflict: 'name' } as const

function PlanChoice ({ value, onChange }: { value: Plan, onChange (plan: Plan): void }) {
  const { t } = useTexts()
  const options = PLANS.map((one) => ({ value: one, text: one }))
  return <Choice<Plan> label={t('admin.owners.planLabel')} value={value} onChange={onChange} options={options} />
}

function RoleChoice ({ value, onChange }: { value: Role, onChange (role: Role): void }) {
  const { t } = useTexts()
  const options = ROLES.map((one) => ({ value: one, text: t(`role.${one}`) }))
  return <Choice<Role> label={t('admin.owners.role')} value={value} onChange={onChange} options={options} />
}

/** Closes a dialog when the list shows what it has done. */
const finish = ({ onDone, onClose }: Props) => async (): Promise<void> => {
  await onDone()
  onClose()
}

/** Creates the owner, then sets password and role. If that fails, the next attempt uses the owner that the first one created. */
function useCreation (props: Props) {
  const [made, setMade] = useState<Owner>()
  return useSending({
    async send ({ name, plan, role, password }: { name: string, plan: Plan, role: Role, password: string }) {
      const owner = made ?? await createOwner({ name, plan })
      setMade(owner)
      if (password !== '') await setOwnerPassword(owner.id, password)
      if (role !== owner.role || name !== owner.name || plan !== owner.plan) await changeOwner(owner.id, { name, plan, role })
    },
    fields: ['name', 'password'],
    codes: TAKEN,
    onDone: finish(props)
  })
}

export function CreateOwner (props: Props) {
  const { t } = useTexts()
  const [name, setName] = useState('')
  const [plan, setPlan] = useState<Plan>('enterprise')
  const [role, setRole] = useState<Role>('owner')
  const [password, setPassword] = useState('')
  const { send, isSending, faults } = useCreation(props)
  return (
    <Dialog title={t('admin.owners.create')} isOpen onClose={props.onClose}>
      <Form onSubmit={() => { send({ name, plan, role, password }) }}>
        <Field
          label={t('admin.owners.name')} value={name} onChange={setName} fault={faults.at('name')} maxLength={MAX_NAME} autoComplete='off'
          autoFocus isRequired
        />
        <Field
          label={t('admin.owners.firstPassword')} hint={t('admin.owners.firstPasswordHint', { min: PASSWORD_LENGTH.min })} type='password'
          value={password} onChange={setPassword} fault={faults.at('password')} minLength={PASSWORD_LENGTH.min}
          maxLength={PASSWORD_LENGTH.max} autoComplete='new-password'
        />
        <PlanChoice value={plan} onChange={setPlan} />
        <RoleChoice value={role} onChange={setRole} />
        <Fault error={faults.rest} />
        <DialogButtons>
          <Button onPress={props.onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={isSending}>{t('admin.owners.create')}</Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

export function ChangeOwner ({ of: owner, onDone, onClose }: Props & { of: Owner }) {
  const { t } = useTexts()
  const [name, setName] = useState(owner.name)
  const [plan, setPlan] = useState<Plan>(owner.plan)
  const [role, setRole] = useState<Role>(owner.role)
  const { send, isSending, faults } = useSending({
    // Only what was changed: another administrator may have changed the rest meanwhile.
    send: async () => await changeOwner(owner.id, {
      ...(name === owner.name ? {} : { name }), ...(plan === owner.plan ? {} : { plan }), ...(role === owner.role ? {} : { role })
    }),
    fields: ['name'],
    codes: name === owner.name ? {} : TAKEN,
    onDone: finish({ onDone, onClose })
  })
  const isChanged = name !== owner.name || plan !== owner.plan || role !== owner.role
  return (
    <Dialog title={t('admin.owners.changeTitle', { name: owner.name })} isOpen onClose={onClose}>
      <Form onSubmit={() => { if (isChanged) send(); else onClose() }}>
        <Field
          label={t('admin.owners.name')} value={name} onChange={setName} fault={faults.at('name')} maxLength={MAX_NAME} autoComplete='off'
          autoFocus isRequired
        />
        <PlanChoice value={plan} onChange={setPlan} />
        <RoleChoice value={role} onChange={setRole} />
        <Fault error={faults.rest} />
        <DialogButtons>
          <Button onPress={onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={isSending}>{t('app.save')}</Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

export function OwnerPassword ({ of: { id, name, hasPassword }, onDone, onClose }: Props & { of: Owner }) {
  const { t } = useTexts()
  const [password, setPassword] = useState('')
  const { send, isSending, faults } = useSending({
    send: async (next: string | null) => await setOwnerPassword(id, next), fields: ['password'], onDone: finish({ onDone, onClose })
  })
  return (
    <Dialog title={t('admin.owners.passwordTitle', { name })} isOpen onClose={onClose}>
      <Form onSubmit={() => { send(password) }}>
        <p>{t('admin.owners.passwordDetail')}</p>
        <Field
          label={t('admin.owners.newPassword')} hint={t('admin.owners.newPasswordHint', { min: PASSWORD_LENGTH.min })} type='password'
          value={password} onChange={setPassword} fault={faults.at('password')} minLength={PASSWORD_LENGTH.min}
          maxLength={PASSWORD_LENGTH.max} autoComplete='new-password' autoFocus isRequired
        />
        <Fault error={faults.rest} />
        <DialogButtons>
          {hasPassword && <Button kind='quiet' onPress={() => { send(null) }}>{t('admin.owners.takePassword')}</Button>}
          <Button onPress={onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={isSending}>{t('app.save')}</Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
