/** The requests that were sent to receivers in the last 30 days; failed ones can be sent again. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Choice } from '../ui/Choice.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { notify, notifyOf } from '../ui/Notices.tsx'
import { Table } from '../ui/Table.tsx'
import styles from './settings.module.css'
import { deliveriesQuery, retryDelivery, STATUSES } from './webhooks.ts'
import type { Delivery, Status } from './webhooks.ts'

export function DeliveryLog () {
  const { t } = useTexts()
  const [status, setStatus] = useState<Status>('all')
  const deliveries = useQuery(deliveriesQuery(status))
  const head = [
    t('settings.deliveries.when'), t('settings.deliveries.event'), t('settings.deliveries.receiver'), t('settings.deliveries.result'),
    t('settings.deliveries.attempt'), t('settings.deliveries.actions')
  ]
  return (
    <Card
      title={t('settings.deliveries')} detail={t('settings.deliveries.detail')}
      actions={(
        <Choice<Status>
          label={t('settings.deliveries.filter')} isLabelShown={false} value={status} onChange={setStatus}
          options={STATUSES.map((value) => ({ value, text: t(`settings.deliveries.filter.${value}`) }))}
        />
      )}
    >
      <Loaded query={deliveries}>
        {(list) => list.length === 0
          ? <Empty>{t('settings.deliveries.none')}</Empty>
          : <Table label={t('settings.deliveries')} head={head}>{list.map((one) => <DeliveryLine key={one.id} of={one} />)}</Table>}
      </Loaded>
    </Card>
  )
}

function DeliveryLine ({ of: delivery }: { of: Delivery }) {
  const { t } = useTexts()
  const { moment } = useFormats()
  const queries = useQueryClient()
  const retry = useMutation({
    mutationFn: async () => await retryDelivery(delivery.id),
    onSuccess: () => { notify({ kind: 'done', text: t('settings.deliveries.sent') }) },
    onError: notifyOf,
    onSettled: async () => { await queries.invalidateQueries({ queryKey: ['webhooks', 'deliveries'] }) }
  })
  const { event, url, status, responseCode, error, durationMs, attempt, createdAt, nextAttemptAt } = delivery
  return (
    <tr>
      <td className={styles['nowrap']}>{moment(createdAt)}</td>
      <td className={styles['breaking']}><code>{event}</code></td>
      <td className={styles['breaking']} dir='auto'>{url}</td>
      <td className={styles['breaking']}>
        <Badge tone={status === 'success' ? 'good' : 'bad'}>{responseCode ?? t('settings.deliveries.noAnswer')}</Badge>{' '}
        <span className={styles['quiet']}>{t('settings.deliveries.took', { ms: durationMs })}</span>
        {error !== null && <p className={styles['quiet']} dir='auto'>{error}</p>}
      </td>
      <td>
        {attempt}
        {nextAttemptAt !== null && <p className={styles['quiet']}>{t('settings.deliveries.next', { when: moment(nextAttemptAt) })}</p>}
      </td>
      <td>
        {status === 'failed' && (
          <Button
            kind='icon' aria-label={t('settings.deliveries.retryNamed', { url })} isPending={retry.isPending}
            onPress={() => { retry.mutate() }}
          >
            <Icon name='refresh' />
          </Button>
        )}
      </td>
    </tr>
  )
}
