/** The dialogs of API keys. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { BASE } from '../api/base.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Choice } from '../ui/Choice.tsx'
import { CopyLine } from '../ui/CopyLine.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { useSending } from '../ui/sending.ts'
import { createKey, rotateKey } from './keys.ts'
import type { Key } from './keys.ts'

type Made = { onMade (name: string, secret: string): Promise<void>, onClose (): void }

const LIFETIMES = ['never', '30', '90', '365'] as const
type Lifetime = typeof LIFETIMES[number]

export function CreateKey ({ onMade, onClose }: Made) {
  const { t } = useTexts()
  const [name, setName] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('never')
  const { send, isSending, faults } = useSending({
    send: async () => await createKey({ name, ...(lifetime === 'never' ? {} : { expiresInDays: Number(lifetime) }) }),
    fields: ['name'],
    onDone: (made) => { inBackground(onMade(made.name, made.key)) }
  })
  return (
    <Dialog title={t('settings.keys.create')} isOpen onClose={onClose}>
      <Form onSubmit={() => { send() }}>
        <Field
          label={t('settings.keys.name')} hint={t('settings.keys.nameHint')} value={name} onChange={setName} fault={faults.at('name')}
          maxLength={100} autoFocus isRequired
        />
        <Choice<Lifetime>
          label={t('settings.keys.lifetime')} value={lifetime} onChange={setLifetime}
          options={LIFETIMES.map((value) => ({
            value, text: value === 'never' ? t('settings.keys.noExpiry') : t('settings.days', { count: Number(value) })
          }))}
        />
        <Fault error={faults.rest} />
        <DialogButtons>
          <Button onPress={onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={isSending}>{t('settings.keys.create')}</Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

/** Seconds for which the replaced key still works. */
const GRACES = ['0', '3600', '86400', '604800'] as const
type Grace = typeof GRACES[number]

export function RotateKey ({ of: { id, name, lastFour }, onMade, onClose }: Made & { of: Key }) {
  const { t } = useTexts()
  const [grace, setGrace] = useState<Grace>('86400')
  const rotation = useMutation({
    mutationFn: async () => await rotateKey(id, Number(grace)),
    onSuccess: (made) => { inBackground(onMade(made.name, made.key)) }
  })
  return (
    <Dialog title={t('settings.keys.rotateTitle', { name })} isOpen onClose={onClose}>
      <p>{t('settings.keys.rotateDetail', { lastFour })}</p>
      <Choice<Grace>
        label={t('settings.keys.grace')} value={grace} onChange={setGrace}
        options={GRACES.map((value) => ({ value, text: t(`settings.keys.grace.${value}`) }))}
      />
      <Fault error={rotation.error} />
      <DialogButtons>
        <Button onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='primary' isPending={rotation.isPending} onPress={() => { rotation.mutate() }}>{t('settings.keys.rotate')}</Button>
      </DialogButtons>
    </Dialog>
  )
}

/** A key that was just made. Nothing can show it again, so only the button closes the dialog. */
export function ShownKey ({ name, secret, onClose }: { name: string, secret: string, onClose (): void }) {
  const { t } = useTexts()
  const curl = `curl -H "Authorization: Bearer ${secret}" ${location.origin}${BASE}/api/v1/transcriptions`
  return (
    <Dialog title={t('settings.keys.shownTitle', { name })} isOpen onClose={onClose} isDismissable={false} isWide>
      <p>{t('settings.keys.shownDetail')}</p>
      <CopyLine label={t('settings.keys.key')} text={secret} />
      <CopyLine label={t('settings.keys.curl')} text={curl} hint={t('settings.keys.curlHint')} />
      <DialogButtons><Button kind='primary' onPress={onClose}>{t('settings.keys.stored')}</Button></DialogButtons>
    </Dialog>
  )
}
