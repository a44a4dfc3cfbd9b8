/** A dialog that has the appliance fetch a recording from a web address. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { faultsOf } from '../api/faults.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { notify } from '../ui/Notices.tsx'
import { addAddress } from './recordings.ts'

type Props = { start: string, onClose (): void }

const isAddress = (text: string): boolean => /^https?:\/\/[^\s/]+/i.test(text)

function AddressForm ({ start, onClose }: Props) {
  const { t } = useTexts()
  const queries = useQueryClient()
  const [address, setAddress] = useState(start)
  const [isWrong, setWrong] = useState(false)
  // What was typed stays if it is refused, with the reason beside it.
  const sending = useMutation({
    mutationFn: async () => { await addAddress(queries, address.trim()) },
    onSuccess () {
      onClose()
      notify({ kind: 'done', text: t('library.addressAdded') })
    }
  })
  const faults = faultsOf(sending.error, ['sourceUrl'])
  function type (text: string): void {
    setAddress(text)
    setWrong(false)
    sending.reset()
  }
  function submit (): void {
    if (isAddress(address.trim())) sending.mutate()
    else setWrong(true)
  }

  return (
    <Form onSubmit={submit}>
      <Field
        label={t('library.address')} hint={t('library.addressHint')} value={address} onChange={type} autoFocus inputMode='url'
        fault={isWrong ? t('library.addressInvalid') : faults.at('sourceUrl')} placeholder='https://'
      />
      <Fault error={faults.rest} />
      <DialogButtons>
        <Button kind='quiet' onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='primary' type='submit' isPending={sending.isPending}>{t('library.fetch')}</Button>
      </DialogButtons>
    </Form>
  )
}

/** `start`: the address that it opens with. */
export function AddressDialog (props: Props) {
  const { t } = useTexts()
  return <Dialog title={t('library.addressTitle')} isOpen onClose={props.onClose}><AddressForm {...props} /></Dialog>
}
