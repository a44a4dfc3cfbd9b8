/** Has the appliance find the speakers of a transcript, for the first time or again. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { MOST_SPEAKERS } from '../../api/agreed.ts'
import { ApiError } from '../../api/client.ts'
import { useTexts } from '../../i18n/index.tsx'
import { isCount } from '../../recordings/next-options.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { Fault } from '../../ui/Fault.tsx'
import { Field } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { findSpeakers } from '../model/calls.ts'
import type { SpeakerState } from '../model/calls.ts'
import styles from './Tools.module.css'

type Props = { id: number, onBegun (state: SpeakerState): void, onClose (): void }

/** What a person can do about a refusal that has its own words here. */
const REFUSALS = { gone: 'transcript.findSpeakersGone', conflict: 'transcript.findSpeakersRunning' } as const

function FindSpeakersForm ({ id, onBegun, onClose }: Props) {
  const { t } = useTexts()
  const [typed, setTyped] = useState('')
  const [isWrong, setWrong] = useState(false)
  const finding = useMutation({
    mutationFn: async (count: number | undefined) => await findSpeakers(id, count),
    onSuccess (state) {
      onBegun(state)
      onClose()
    }
  })
  const { error } = finding
  const refusal = error instanceof ApiError && Object.hasOwn(REFUSALS, error.code)
    ? t(REFUSALS[error.code as keyof typeof REFUSALS])
    : error

  function submit (): void {
    const text = typed.trim()
    const isFine = text === '' || isCount(Number(text))
    setWrong(!isFine)
    if (isFine) finding.mutate(text === '' ? undefined : Number(text))
  }
  return (
    <Form onSubmit={submit}>
      <p className={styles['quiet']}>{t('transcript.findSpeakersDetail')}</p>
      <Field
        label={t('transcript.speakerNumber')} hint={t('transcript.speakerNumberHint')} value={typed} onChange={setTyped} autoFocus
        inputMode='numeric' maxLength={2} fault={isWrong ? t('transcript.speakerNumberWrong', { most: MOST_SPEAKERS }) : undefined}
      />
      <Fault error={refusal} />
      <DialogButtons>
        <Button kind='quiet' onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='primary' type='submit' isPending={finding.isPending}>{t('transcript.findSpeakersStart')}</Button>
      </DialogButtons>
    </Form>
  )
}

export function FindSpeakersDialog ({ isOpen, ...props }: Props & { isOpen: boolean }) {
  const { t } = useTexts()
  return (
    <Dialog title={t('transcript.findSpeakers')} isOpen={isOpen} onClose={props.onClose}>
      {isOpen && <FindSpeakersForm {...props} />}
    </Dialog>
  )
}
