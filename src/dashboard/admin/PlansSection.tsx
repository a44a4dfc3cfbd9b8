/** Plans and their limits. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { faultsOf } from '../api/faults.ts'
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Fault } from '../ui/Fault.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { Switch } from '../ui/Switch.tsx'

const plansQuery = queryOptions({
  queryKey: ['admin', 'plans'],
  queryFn: async () => (await take(api.GET('/api/v1/admin/plans'))).data
})
type Plan = Awaited<ReturnType<NonNullable<typeof plansQuery.queryFn>>>[number]

export function PlansSection () {
  const { t } = useTexts()
  const { number } = useFormats()
  const plans = useQuery(plansQuery)
  const [changed, setChanged] = useState<Plan>()
  const limit = (text: 'admin.plans.requests' | 'admin.plans.minutes', value: number | null): string =>
    t(text, { limit: value === null ? t('admin.plans.noLimit') : number(value) })
  return (
    <Card title={t('admin.plans')} detail={t('admin.plans.detail')}>
      <Loaded query={plans}>
        {(list) => (
          <Rows label={t('admin.plans')}>
            {list.map((plan) => (
              <Row
                key={plan.plan} title={plan.plan} badges={!plan.isDefault && <Badge tone='accent'>{t('admin.plans.changed')}</Badge>}
                facts={[
                  limit('admin.plans.requests', plan.limits.requestsPerDay),
                  limit('admin.plans.minutes', plan.limits.speechMinutesPerMonth),
                  t(plan.limits.diarization ? 'admin.plans.speakers' : 'admin.plans.noSpeakers')
                ]}
                actions={(
                  <Button kind='quiet' aria-label={t('admin.plans.changeNamed', { plan: plan.plan })} onPress={() => { setChanged(plan) }}>
                    <Icon name='edit' />{t('admin.plans.change')}
                  </Button>
                )}
              />
            ))}
          </Rows>
        )}
      </Loaded>
      {changed && <PlanDialog of={changed} onClose={() => { setChanged(undefined) }} />}
    </Card>
  )
}

/** Nothing: no limit. What is no number is sent as it is, for the appliance to refuse. */
const toLimit = (text: string): number | null => text.trim() === '' ? null : Number(text)

function PlanDialog ({ of: { plan, limits, isDefault }, onClose }: { of: Plan, onClose (): void }) {
  const { t } = useTexts()
  const queries = useQueryClient()
  const [requests, setRequests] = useState(String(limits.requestsPerDay ?? ''))
  const [minutes, setMinutes] = useState(String(limits.speechMinutesPerMonth ?? ''))
  const [hasSpeakers, setHasSpeakers] = useState(limits.diarization)
  const path = { params: { path: { plan } } }
  const change = useMutation({
    async mutationFn (kind: 'set' | 'reset') {
      if (kind === 'reset') return await take(api.DELETE('/api/v1/admin/plans/{plan}', path))
      const body = { requestsPerDay: toLimit(requests), speechMinutesPerMonth: toLimit(minutes), diarization: hasSpeakers }
      return await take(api.PATCH('/api/v1/admin/plans/{plan}', { ...path, body }))
    },
    async onSuccess () {
      await queries.invalidateQueries({ queryKey: plansQuery.queryKey })
      onClose()
    }
  })
  const faults = faultsOf(change.error, ['requestsPerDay', 'speechMinutesPerMonth'])
  const number = { inputMode: 'numeric', pattern: '[0-9]*' } as const
  return (
    <Dialog title={t('admin.plans.changeTitle', { plan })} isOpen onClose={onClose}>
      <Form onSubmit={() => { change.mutate('set') }}>
        <Field
          label={t('admin.plans.requestsLabel')} hint={t('admin.plans.limitHint')} value={requests} onChange={setRequests}
          fault={faults.at('requestsPerDay')} autoFocus {...number}
        />
        <Field
          label={t('admin.plans.minutesLabel')} hint={t('admin.plans.limitHint')} value={minutes} onChange={setMinutes}
          fault={faults.at('speechMinutesPerMonth')} {...number}
        />
        <Switch label={t('admin.plans.speakersLabel')} isOn={hasSpeakers} onChange={setHasSpeakers} />
        <Fault error={faults.rest} />
        <DialogButtons>
          {!isDefault && <Button kind='quiet' onPress={() => { change.mutate('reset') }}>{t('admin.plans.reset')}</Button>}
          <Button onPress={onClose}>{t('app.cancel')}</Button>
          <Button kind='primary' type='submit' isPending={change.isPending}>{t('app.save')}</Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
