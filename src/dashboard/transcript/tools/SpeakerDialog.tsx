/** Names a speaker, or says that two speakers are one person, for the whole transcript. */
import { useState } from 'react'
import type { FormEvent } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { changeSpeakers } from '../model/calls.ts'
import type { SpeakerChange, SpeakerState } from '../model/calls.ts'
import { toSpokenTime } from '../../recordings/clock.ts'
import styles from './Tools.module.css'

type Props = {
  id: number
  /** The stored speaker; undefined: the dialog is closed. */
  label: string | undefined
  speakers: SpeakerState['speakers']
  onChanged (state: SpeakerState): void
  onClose (): void
}

const NOBODY = ''

function Form ({ id, label, speakers, onChanged, onClose }: Props & { label: string }) {
  const { t, language } = useTexts()
  const speaker = speakers.find((one) => one.label === label)
  const [name, setName] = useState(speaker?.name ?? '')
  const [into, setInto] = useState(NOBODY)
  const [fault, setFault] = useState<string>()
  const others = speakers.filter((one) => one.label !== label)

  async function send (change: SpeakerChange): Promise<void> {
    try {
      onChanged(await changeSpeakers(id, change))
      onClose()
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
    }
  }
  function save (event: FormEvent): void {
    event.preventDefault()
    send(into === NOBODY ? { speakers: [{ label, name }] } : { merge: [{ from: label, into }] }).catch(reportError)
  }

  return (
    <form onSubmit={save} className={styles['find']}>
      {speaker && <p className={styles['quiet']}>{t('transcript.talks', { time: toSpokenTime(speaker.talkSeconds, language) })}</p>}
      <Field
        label={t('transcript.speakerName')} value={name} onChange={setName} autoFocus maxLength={100} placeholder={label} fault={fault}
        isDisabled={into !== NOBODY} hint={t('transcript.speakerHint')}
      />
      {others.length > 0 && (
        <Choice
          label={t('transcript.mergeSpeaker')} value={into} onChange={setInto}
          options={[
            { value: NOBODY, text: t('transcript.mergeNobody') },
            ...others.map((one) => ({ value: one.label, text: one.name ?? one.label }))
          ]}
        />
      )}
      <DialogButtons>
        <Button kind='quiet' onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='primary' type='submit'>{into === NOBODY ? t('app.save') : t('transcript.merge')}</Button>
      </DialogButtons>
    </form>
  )
}

export function SpeakerDialog (props: Props) {
  const { t } = useTexts()
  const { label, onClose } = props
  return (
    <Dialog title={t('transcript.speaker')} isOpen={label !== undefined} onClose={onClose}>
      {label !== undefined && <Form key={label} {...props} label={label} />}
    </Dialog>
  )
}
