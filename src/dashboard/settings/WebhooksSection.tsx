/** Webhook endpoints: add, test, change, switch off and delete them; and what was sent. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Fault } from '../ui/Fault.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Menu } from '../ui/Menu.tsx'
import { notifyOf } from '../ui/Notices.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { DeliveryLog } from './DeliveryLog.tsx'
import styles from './settings.module.css'
import { ChangeEndpoint, CreateEndpoint, ShownSecret } from './webhook-dialogs.tsx'
import { changeEndpoint, deleteEndpoint, endpointsQuery, testEndpoint } from './webhooks.ts'
import type { Endpoint } from './webhooks.ts'

type Open = { dialog: 'create' } | { dialog: 'change' | 'delete', endpoint: Endpoint } | { dialog: 'shown', secret: string } | undefined

export function WebhooksSection () {
  const { t } = useTexts()
  const queries = useQueryClient()
  const endpoints = useQuery(endpointsQuery)
  const [open, setOpen] = useState<Open>()
  const close = (): void => { setOpen(undefined) }
  const refresh = async (): Promise<void> => { await queries.invalidateQueries({ queryKey: ['webhooks'] }) }
  return (
    <>
      <Card
        title={t('settings.webhooks')} detail={t('settings.webhooks.detail')}
        actions={(
          <Button kind='primary' onPress={() => { setOpen({ dialog: 'create' }) }}>
            <Icon name='plus' />{t('settings.webhooks.create')}
          </Button>
        )}
      >
        <Loaded query={endpoints}>
          {(list) => list.length === 0
            ? <Empty>{t('settings.webhooks.none')}</Empty>
            : (
              <Rows label={t('settings.webhooks')}>
                {list.map((endpoint) => (
                  <EndpointRow
                    key={endpoint.id} of={endpoint} onChange={() => { setOpen({ dialog: 'change', endpoint }) }}
                    onDelete={() => { setOpen({ dialog: 'delete', endpoint }) }}
                  />
                ))}
              </Rows>
              )}
        </Loaded>
      </Card>
      <DeliveryLog />
      {open?.dialog === 'create' &&
        <CreateEndpoint
          onClose={close}
          onMade={async ({ signingSecret }) => {
            setOpen({ dialog: 'shown', secret: signingSecret })
            await refresh()
          }}
        />}
      {open?.dialog === 'shown' && <ShownSecret secret={open.secret} onClose={close} />}
      {open?.dialog === 'change' && <ChangeEndpoint of={open.endpoint} onChanged={refresh} onClose={close} />}
      {open?.dialog === 'delete' && (
        <Confirm
          title={t('settings.webhooks.deleteTitle')} action={t('app.delete')} onClose={close}
          onConfirm={async () => {
            await deleteEndpoint(open.endpoint.id)
            await refresh()
          }}
        >
          <p className={styles['url']} dir='auto'>{open.endpoint.url}</p>
          <p>{t('settings.webhooks.deleteDetail')}</p>
        </Confirm>
      )}
    </>
  )
}

/** Switches an endpoint on or off; the list shows it at once, and as it was when the appliance refuses. */
function useSwitch () {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, isActive }: Endpoint) => await changeEndpoint(id, { isActive: !isActive }),
    async onMutate ({ id }) {
      await queries.cancelQueries({ queryKey: endpointsQuery.queryKey })
      const before = queries.getQueryData(endpointsQuery.queryKey)
      queries.setQueryData(endpointsQuery.queryKey, (list) => list?.map((one) => one.id === id ? { ...one, isActive: !one.isActive } : one))
      return { before }
    },
    onError (error, _endpoint, kept) {
      queries.setQueryData(endpointsQuery.queryKey, kept?.before)
      notifyOf(error)
    },
    onSettled: async () => { await queries.invalidateQueries({ queryKey: ['webhooks'] }) }
  })
}

function EndpointRow ({ of: endpoint, onChange, onDelete }: { of: Endpoint, onChange (): void, onDelete (): void }) {
  const { t } = useTexts()
  const { day } = useFormats()
  const { url, isActive, apiKeyId, createdAt } = endpoint
  const test = useMutation({ mutationFn: async () => await testEndpoint(url) })
  const toggle = useSwitch()
  return (
    <Row
      title={url}
      badges={<Badge tone={isActive ? 'good' : 'plain'}>{t(isActive ? 'settings.webhooks.on' : 'settings.webhooks.off')}</Badge>}
      facts={[
        t('settings.webhooks.created', { when: day(createdAt) }),
        apiKeyId === null ? t('settings.webhooks.allJobs') : t('settings.webhooks.oneKey', { id: String(apiKeyId) })
      ]}
      actions={(
        <>
          <Button
            kind='quiet' aria-label={t('settings.webhooks.testNamed', { url })} isPending={test.isPending} onPress={() => { test.mutate() }}
          >
            <Icon name='play' />{t('settings.webhooks.test')}
          </Button>
          <Menu
            label={t('settings.webhooks.more', { url })}
            actions={[
              { id: 'change', text: t('settings.webhooks.change'), run: onChange },
              {
                id: 'switch', text: t(isActive ? 'settings.webhooks.switchOff' : 'settings.webhooks.switchOn'),
                run: () => { toggle.mutate(endpoint) }
              },
              { id: 'delete', text: t('app.delete'), run: onDelete }
            ]}
          >
            <Icon name='more' />
          </Menu>
        </>
      )}
    >
      <div role='status'>
        {test.isPending && <p className={styles['quiet']}>{t('settings.webhooks.testing')}</p>}
        {test.data && (
          <p className={styles['good']}>
            {t('settings.webhooks.tested', { code: String(test.data.responseCode), ms: test.data.durationMs })}
          </p>
        )}
      </div>
      <Fault error={test.error} />
    </Row>
  )
}
