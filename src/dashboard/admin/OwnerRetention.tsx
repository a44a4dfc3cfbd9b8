/** How long recordings and transcripts of an owner are kept. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { faultsOf } from '../api/faults.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { notify } from '../ui/Notices.tsx'
import type { Owner } from './owners.ts'

const KINDS = ['recordingDays', 'transcriptDays'] as const
type Kind = typeof KINDS[number]
type Retention = Record<Kind, number | null>

const read = async (id: number): Promise<Retention> =>
  (await take(api.GET('/api/v1/admin/owners/{id}/retention', { params: { path: { id } } }))).data

type Props = { of: Owner, onClose (): void }

export function OwnerRetention ({ of: { id, name }, onClose }: Props) {
  const { t } = useTexts()
  const retention = useQuery({ queryKey: ['admin', 'owners', id, 'retention'], queryFn: async () => await read(id) })
  return (
    <Dialog title={t('admin.owners.retentionTitle', { name })} isOpen onClose={onClose}>
      <p>{t('admin.owners.retentionDetail')}</p>
      <Loaded query={retention}>{(now) => <RetentionForm id={id} now={now} onClose={onClose} />}</Loaded>
    </Dialog>
  )
}

/** Nothing: as configured. What is no number is sent as it is, for the appliance to refuse. */
const toDays = (text: string): number | null => text.trim() === '' ? null : Number(text)

function RetentionForm ({ id, now, onClose }: { id: number, now: Retention, onClose (): void }) {
  const { t } = useTexts()
  const [days, setDays] = useState({ recordingDays: String(now.recordingDays ?? ''), transcriptDays: String(now.transcriptDays ?? '') })
  const change = useMutation({
    mutationFn: async () => await take(api.PATCH('/api/v1/admin/owners/{id}/retention', {
      params: { path: { id } }, body: { recordingDays: toDays(days.recordingDays), transcriptDays: toDays(days.transcriptDays) }
    })),
    onSuccess () {
      notify({ kind: 'done', text: t('notice.saved') })
      onClose()
    }
  })
  const faults = faultsOf(change.error, KINDS)
  return (
    <Form onSubmit={() => { change.mutate() }}>
      {KINDS.map((kind) => (
        <Field
          key={kind} label={t(`admin.owners.${kind}`)} hint={t('admin.owners.daysHint')} value={days[kind]} inputMode='numeric'
          pattern='[0-9]*' onChange={(text) => { setDays({ ...days, [kind]: text }) }} fault={faults.at(kind)}
        />
      ))}
      <Fault error={faults.rest} />
      <DialogButtons>
        <Button onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='danger' type='submit' isPending={change.isPending}>{t('app.save')}</Button>
      </DialogButtons>
    </Form>
  )
}
