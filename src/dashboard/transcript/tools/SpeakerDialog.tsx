/** Names a speaker, or says that two speakers are one person, for the whole transcript. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { faultsOf } from '../../api/faults.ts'
import { useTexts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { Fault } from '../../ui/Fault.tsx'
import { Field } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { changeSpeakers } from '../model/calls.ts'
import type { SpeakerChange, SpeakerState } from '../model/calls.ts'
import { toSpokenTime } from '../../recordings/clock.ts'
import { useSpeakerText } from '../../recordings/speaker-text.ts'
import styles from './Tools.module.css'

type Props = {
  id: number
  /** The stored speaker; undefined: the dialog is closed. */
  label: string | undefined
  speakers: SpeakerState['speakers']
  onChanged (state: SpeakerState): void
  /** Somebody wants all speakers told apart again. */
  onAgain (): void
  onClose (): void
}

const NOBODY = ''

function SpeakerForm ({ id, label, speakers, onChanged, onAgain, onClose }: Props & { label: string }) {
  const { t, language } = useTexts()
  const speakerText = useSpeakerText()
  const speaker = speakers.find((one) => one.label === label)
  const [name, setName] = useState(speaker?.name ?? '')
  const [into, setInto] = useState(NOBODY)
  const others = speakers.filter((one) => one.label !== label)

  const saving = useMutation({
    mutationFn: async (change: SpeakerChange) => await changeSpeakers(id, change),
    onSuccess (state) {
      onChanged(state)
      onClose()
    }
  })
  const faults = faultsOf(saving.error, ['speakers'])
  const save = (): void => { saving.mutate(into === NOBODY ? { speakers: [{ label, name }] } : { merge: [{ from: label, into }] }) }

  return (
    <Form onSubmit={save}>
      {speaker && <p className={styles['quiet']}>{t('transcript.talks', { time: toSpokenTime(speaker.talkSeconds, language) })}</p>}
      <Field
        label={t('transcript.speakerName')} value={name} onChange={setName} autoFocus maxLength={100} placeholder={speakerText(label)}
        fault={faults.at('speakers')} isDisabled={into !== NOBODY} hint={t('transcript.speakerHint')}
      />
      {others.length > 0 && (
        <Choice
          label={t('transcript.mergeSpeaker')} value={into} onChange={setInto}
          options={[
            { value: NOBODY, text: t('transcript.mergeNobody') },
            ...others.map((one) => ({ value: one.label, text: speakerText(one.name ?? one.label) }))
          ]}
        />
      )}
      <Fault error={faults.rest} />
      <DialogButtons>
        <span className={styles['start']}><Button kind='quiet' onPress={onAgain}>{t('transcript.findSpeakersMenu')}</Button></span>
        <Button kind='quiet' onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='primary' type='submit' isPending={saving.isPending}>{into === NOBODY ? t('app.save') : t('transcript.merge')}</Button>
      </DialogButtons>
    </Form>
  )
}

export function SpeakerDialog (props: Props) {
  const { t } = useTexts()
  const { label, onClose } = props
  return (
    <Dialog title={t('transcript.speaker')} isOpen={label !== undefined} onClose={onClose}>
      {label !== undefined && <SpeakerForm key={label} {...props} label={label} />}
    </Dialog>
  )
}
