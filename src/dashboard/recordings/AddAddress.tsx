/** A dialog that has the appliance fetch a recording from a web address. */
import { useQueryClient } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import type { FormEvent } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { inBackground, notify } from '../ui/Notices.tsx'
import { addAddress } from './recordings.ts'

const watchers = new Set<() => void>()
/** What the dialog opens with; undefined: it is closed. */
let asked: string | undefined

function setAsked (next: string | undefined): void {
  asked = next
  for (const tell of watchers) tell()
}
const watch = (tell: () => void): (() => void) => {
  watchers.add(tell)
  return () => { watchers.delete(tell) }
}

/** Opens the dialog with an address, which a person then confirms. */
export const askForAddress = (address = ''): void => { setAsked(address) }

function Form ({ start, onClose }: { start: string, onClose (): void }) {
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

export function AddAddress () {
  const { t } = useTexts()
  const start = useSyncExternalStore(watch, () => asked)
  const close = (): void => { setAsked(undefined) }
  return (
    <Dialog title={t('library.addressTitle')} isOpen={start !== undefined} onClose={close}>
      {start !== undefined && <Form start={start} onClose={close} />}
    </Dialog>
  )
}
