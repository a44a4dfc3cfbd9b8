/** Gives a recording another name. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FormEvent } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { changeRecording, nameOf } from '../recordings/recordings.ts'
import type { Recording } from '../recordings/recordings.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { inBackground } from '../ui/Notices.tsx'

type Props = { recording: Recording, onClose (): void }

function Form ({ recording, onClose }: Props) {
  const { t } = useTexts()
  const queries = useQueryClient()
  const [name, setName] = useState(nameOf(recording))
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const next = name.trim()
    onClose()
    // An empty name brings back the one that the recording came with.
    if (next !== nameOf(recording)) inBackground(changeRecording(queries, recording.id, { title: next === '' ? null : next }))
  }
  return (
    <form onSubmit={submit}>
      <Field
        label={t('library.name')} hint={t('library.nameHint', { fileName: recording.fileName })} value={name} onChange={setName} autoFocus
        maxLength={200}
      />
      <DialogButtons>
        <Button kind='quiet' onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='primary' type='submit'>{t('app.save')}</Button>
      </DialogButtons>
    </form>
  )
}

export function RenameDialog (props: Props) {
  const { t } = useTexts()
  return <Dialog title={t('library.rename')} isOpen onClose={props.onClose}><Form {...props} /></Dialog>
}
