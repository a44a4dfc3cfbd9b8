/** The dialogs of owners. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { faultsOf } from '../api/faults.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Choice } from '../ui/Choice.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { changeOwner, createOwner, PLANS, ROLES, setOwnerPassword } from './owners.ts'
import type { Owner, Plan, Role } from './owners.ts'

type Props = { onDone (): Promise<void>, onClose (): void }

const MIN_PASSWORD = 12
const MAX_PASSWORD = 256
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

/** Creates the owner, then sets password and role. If that fails, the next attempt uses the owner that the first one created. */
function useCreation ({ onDone, onClose }: Props) {
  const [made, setMade] = useState<Owner>()
  return useMutation({
    async mutationFn ({ name, plan, role, password }: { name: string, plan: Plan, role: Role, password: string }) {
      const owner = made ?? await createOwner({ name, plan })
      setMade(owner)
      if (password !== '') await setOwnerPassword(owner.id, password)
      if (role !== owner.role || name !== owner.name || plan !== owner.plan) await changeOwner(owner.id, { name, plan, role })
    },
    async onSuccess () {
      await onDone()
      onClose()
    }
  })
}

export function CreateOwner (props: Props) {
  const { t } = useTexts()
  const [name, setName] = useState('')
  const [plan, setPlan] = useState<Plan>('enterprise')
  const [role, setRole] = useState<Role>('owner')
  const [password, setPassword] = useState('')
  const creation = useCreation(props)
  const faults = faultsOf(creation.error, ['name', 'password'], TAKEN)
  return (
    <Dialog title={t('admin.owners.create')} isOpen onClose={props.onClose}>
      <Form onSubmit={() => { creation.mutate({ name, plan, role, password }) }}>
        <Field
          label={t('admin.owners.name')} value={name} onChange={setName} fault={faults.at('name')} maxLength={MAX_NAME} autoComplete='off'
          autoFocus isRequired
        />
        <Field
          label={t('admin.owners.firstPassword')} hint={t('admin.owners.firstPasswordHint', { min: MIN_PASSWORD })} type='password'
          value={password} onChange={setPassword} fault={faults.at('password')} minLength={MIN_PASSWORD} maxLength={MAX_PASSWORD}
          autoComplete='new-password'
        />
        <PlanChoice value={plan} onChange={setPlan} />
        <RoleChoice value={role} onChange={setRole} />
        <Fault error={faults.rest} />
        <DialogButtons>
          <Button onPress={props.onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={creation.isPending}>{t('admin.owners.create')}</Button>
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
  const change = useMutation({
    // Only what was changed: another administrator may have changed the rest meanwhile.
    mutationFn: async () => await changeOwner(owner.id, {
      ...(name === owner.name ? {} : { name }), ...(plan === owner.plan ? {} : { plan }), ...(role === owner.role ? {} : { role })
    }),
    async onSuccess () {
      await onDone()
      onClose()
    }
  })
  const isChanged = name !== owner.name || plan !== owner.plan || role !== owner.role
  const faults = faultsOf(change.error, ['name'], name === owner.name ? {} : TAKEN)
  return (
    <Dialog title={t('admin.owners.changeTitle', { name: owner.name })} isOpen onClose={onClose}>
      <Form onSubmit={() => { if (isChanged) change.mutate(); else onClose() }}>
        <Field
          label={t('admin.owners.name')} value={name} onChange={setName} fault={faults.at('name')} maxLength={MAX_NAME} autoComplete='off'
          autoFocus isRequired
        />
        <PlanChoice value={plan} onChange={setPlan} />
        <RoleChoice value={role} onChange={setRole} />
        <Fault error={faults.rest} />
        <DialogButtons>
          <Button onPress={onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={change.isPending}>{t('app.save')}</Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

export function OwnerPassword ({ of: { id, name, hasPassword }, onDone, onClose }: Props & { of: Owner }) {
  const { t } = useTexts()
  const [password, setPassword] = useState('')
  const setting = useMutation({
    mutationFn: async (next: string | null) => await setOwnerPassword(id, next),
    async onSuccess () {
      await onDone()
      onClose()
    }
  })
  const faults = faultsOf(setting.error, ['password'])
  return (
    <Dialog title={t('admin.owners.passwordTitle', { name })} isOpen onClose={onClose}>
      <Form onSubmit={() => { setting.mutate(password) }}>
        <p>{t('admin.owners.passwordDetail')}</p>
        <Field
          label={t('admin.owners.newPassword')} hint={t('admin.owners.newPasswordHint', { min: MIN_PASSWORD })} type='password'
          value={password} onChange={setPassword} fault={faults.at('password')} minLength={MIN_PASSWORD} maxLength={MAX_PASSWORD}
          autoComplete='new-password' autoFocus isRequired
        />
        <Fault error={faults.rest} />
        <DialogButtons>
          {hasPassword && <Button kind='quiet' onPress={() => { setting.mutate(null) }}>{t('admin.owners.takePassword')}</Button>}
          <Button onPress={onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={setting.isPending}>{t('app.save')}</Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
