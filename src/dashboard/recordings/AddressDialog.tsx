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
import { useOptionText } from './NextLine.tsx'
import { toRequest } from './next-options.ts'
import type { NextOptions } from './next-options.ts'
import { faultsOfDraft, fromDraft } from './option-draft.ts'
import { OptionFields, useOptionDraft } from './OptionFields.tsx'
import styles from './Options.module.css'
import { addAddress } from './recordings.ts'

type Props = { start: string, onClose (): void }

const isAddress = (text: string): boolean => /^https?:\/\/[^\s/]+/i.test(text)

/** The options are folded in until somebody wants to change them. */
function Options ({ draft, faults, setDraft }: ReturnType<typeof useOptionDraft>) {
  const { t } = useTexts()
  const optionText = useOptionText()
  const [isOpen, setOpen] = useState(false)
  const isWrong = Object.values(faultsOfDraft(draft)).some(Boolean)
  return (
    <>
      <div className={styles['disclosure']}>
        <Button kind='quiet' aria-expanded={isOpen} onPress={() => { setOpen(!isOpen) }}>
          <span className={styles['arrow']} aria-hidden='true'>›</span>
          {isOpen || isWrong ? t('options.title') : t('options.choices', { choices: optionText(fromDraft(draft)) })}
        </Button>
      </div>
      {isOpen && <OptionFields draft={draft} faults={faults} onChange={setDraft} />}
    </>
  )
}

function AddressForm ({ start, onClose }: Props) {
  const { t } = useTexts()
  const queries = useQueryClient()
  const [address, setAddress] = useState(start)
  const [isWrong, setWrong] = useState(false)
  const options = useOptionDraft()
  // What was typed stays if it is refused, with the reason beside it.
  const sending = useMutation({
    mutationFn: async (chosen: NextOptions) => { await addAddress(queries, address.trim(), toRequest(chosen)) },
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
    const isFine = isAddress(address.trim())
    setWrong(!isFine)
    const chosen = isFine ? options.keep() : undefined
    if (chosen) sending.mutate(chosen)
  }

  return (
    <Form onSubmit={submit}>
      <Field
        label={t('library.address')} hint={t('library.addressHint')} value={address} onChange={type} autoFocus inputMode='url'
        fault={isWrong ? t('library.addressInvalid') : faults.at('sourceUrl')} placeholder='https://'
      />
      <Options {...options} />
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
