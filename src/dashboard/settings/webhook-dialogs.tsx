/** The dialogs of webhook endpoints. */
import { useState } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { CopyLine } from '../ui/CopyLine.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { useSending } from '../ui/sending.ts'
import { changeEndpoint, createEndpoint } from './webhooks.ts'
import type { Endpoint } from './webhooks.ts'

type Created = Awaited<ReturnType<typeof createEndpoint>>

type AddressProps = { title: string, first?: string, action: string, send (url: string): Promise<unknown>, onClose (): void }

/** Asks for the address of a receiver. */
function AddressDialog ({ title, first = '', action, send, onClose }: AddressProps) {
  const { t } = useTexts()
  const [url, setUrl] = useState(first)
  const sending = useSending({ send: async () => await send(url.trim()), fields: ['url'] })
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={() => { sending.send() }}>
        <Field
          label={t('settings.webhooks.url')} hint={t('settings.webhooks.urlHint')} placeholder='https://example.org/hooks' value={url}
          onChange={setUrl} fault={sending.faults.at('url')} inputMode='url' autoFocus isRequired
        />
        <Fault error={sending.faults.rest} />
        <DialogButtons>
          <Button onPress={onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={sending.isSending}>{action}</Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

export function CreateEndpoint ({ onMade, onClose }: { onMade (made: Created): Promise<void>, onClose (): void }) {
  const { t } = useTexts()
  const send = async (url: string): Promise<void> => { inBackground(onMade(await createEndpoint(url))) }
  return <AddressDialog title={t('settings.webhooks.create')} action={t('settings.webhooks.create')} send={send} onClose={onClose} />
}

type ChangeProps = { of: Endpoint, onChanged (): Promise<void>, onClose (): void }

export function ChangeEndpoint ({ of: { id, url }, onChanged, onClose }: ChangeProps) {
  const { t } = useTexts()
  const send = async (next: string): Promise<void> => {
    await changeEndpoint(id, { url: next })
    inBackground(onChanged())
    onClose()
  }
  return <AddressDialog title={t('settings.webhooks.change')} first={url} action={t('app.save')} send={send} onClose={onClose} />
}

/** The secret that signs the requests. Nothing can show it again, so only the button closes the dialog. */
export function ShownSecret ({ secret, onClose }: { secret: string, onClose (): void }) {
  const { t } = useTexts()
  return (
    <Dialog title={t('settings.webhooks.secretTitle')} isOpen onClose={onClose} isDismissable={false}>
      <p>{t('settings.webhooks.secretDetail')}</p>
      <CopyLine label={t('settings.webhooks.secret')} text={secret} hint={t('settings.webhooks.secretHint')} />
      <DialogButtons><Button kind='primary' onPress={onClose}>{t('settings.keys.stored')}</Button></DialogButtons>
    </Dialog>
  )
}
