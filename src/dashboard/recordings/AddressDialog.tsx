/** A dialog that has the appliance fetch a recording from a web address. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FormEvent } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { inBackground, notify } from '../ui/Notices.tsx'
import { addAddress } from './recordings.ts'

type Props = { start: string, onClose (): void }

function Form ({ start, onClose }: Props) {
  const { t } = useTexts()
  const queries = useQueryClient()
  const [address, setAddress] = useState(start)
  const [fault, setFault] = useState<string>()
  const [isSending, setSending] = useState(false)

  async function send (): Promise<void> {
    setSending(true)
    try {
      await addAddress(queries, address.trim())
      onClose()
      notify({ kind: 'done', text: t('library.addressAdded') })
    } catch (error) {
      // What was typed stays, with the reason beside it.
      setFault(error instanceof Error ? error.message : String(error))
    } finally {
      setSending(false)
    }
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (/^https?:\/\/[^\s/]+/i.test(address.trim())) inBackground(send())
    else setFault(t('library.addressInvalid'))
  }

  return (
    <form onSubmit={submit} noValidate>
      <Field
        label={t('library.address')} hint={t('library.addressHint')} fault={fault} value={address} autoFocus type='url' inputMode='url'
        onChange={(value) => { setAddress(value); setFault(undefined) }} placeholder='https://'
      />
      <DialogButtons>
        <Button kind='quiet' onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='primary' type='submit' isDisabled={isSending}>{t('library.fetch')}</Button>
      </DialogButtons>
    </form>
  )
}

/** `start`: the address that it opens with. */
export function AddressDialog (props: Props) {
  const { t } = useTexts()
  return <Dialog title={t('library.addressTitle')} isOpen onClose={props.onClose}><Form {...props} /></Dialog>
}
