/** API keys: create, replace and revoke them. A key itself is shown once. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BASE } from '../api/base.ts'
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { CreateKey, RotateKey, ShownKey } from './key-dialogs.tsx'
import { keysQuery, revokeKey } from './keys.ts'
import type { Key } from './keys.ts'
import { ScopeList } from './ScopeList.tsx'

type Open = { dialog: 'create' } | { dialog: 'rotate' | 'revoke', key: Key } | { dialog: 'shown', name: string, secret: string } | undefined

export function KeysSection () {
  const { t } = useTexts()
  const queries = useQueryClient()
  const keys = useQuery(keysQuery)
  const [open, setOpen] = useState<Open>()
  const close = (): void => { setOpen(undefined) }
  const refresh = async (): Promise<void> => { await queries.invalidateQueries({ queryKey: keysQuery.queryKey }) }
  const show = async (name: string, secret: string): Promise<void> => {
    setOpen({ dialog: 'shown', name, secret })
    await refresh()
  }
  return (
    <>
      <Card
        title={t('settings.keys')} detail={t('settings.keys.detail')}
        actions={(
          <Button kind='primary' onPress={() => { setOpen({ dialog: 'create' }) }}>
            <Icon name='plus' />{t('settings.keys.create')}
          </Button>
        )}
      >
        <Loaded query={keys}>
          {(list) => list.length === 0
            ? <Empty>{t('settings.keys.none')}</Empty>
            : (
              <Rows label={t('settings.keys')}>
                {list.map((key) => (
                  <KeyRow
                    key={key.id} of={key}
                    onRotate={() => { setOpen({ dialog: 'rotate', key }) }} onRevoke={() => { setOpen({ dialog: 'revoke', key }) }}
                  />
                ))}
              </Rows>
              )}
        </Loaded>
      </Card>
      <Card title={t('settings.keys.rights')} detail={t('settings.keys.rightsDetail')}>
        <ScopeList />
        <p><a href={`${BASE}/docs/`}>{t('settings.keys.reference')}</a></p>
      </Card>
      {open?.dialog === 'create' && <CreateKey onMade={show} onClose={close} />}
      {open?.dialog === 'rotate' && <RotateKey of={open.key} onMade={show} onClose={close} />}
      {open?.dialog === 'shown' && <ShownKey name={open.name} secret={open.secret} onClose={close} />}
      {open?.dialog === 'revoke' && (
        <Confirm
          title={t('settings.keys.revokeTitle', { name: open.key.name })} action={t('settings.keys.revoke')} onClose={close}
          onConfirm={async () => {
            await revokeKey(open.key.id)
            await refresh()
          }}
        >
          <p>{t('settings.keys.revokeDetail', { lastFour: open.key.lastFour })}</p>
        </Confirm>
      )}
    </>
  )
}

const TONES = { live: 'good', revoked: 'plain', expired: 'warn' } as const

function KeyRow ({ of: key, onRotate, onRevoke }: { of: Key, onRotate (): void, onRevoke (): void }) {
  const { t } = useTexts()
  const { ago, day } = useFormats()
  const { name, lastFour, createdAt, lastUsedAt, expiresAt, revokedAt, state } = key
  const isLive = state === 'live'
  return (
    <Row
      title={name}
      badges={<><code>…{lastFour}</code><Badge tone={TONES[state]}>{t(`settings.keys.state.${state}`)}</Badge></>}
      facts={[
        t('settings.keys.created', { when: day(createdAt) }),
        lastUsedAt === undefined ? t('settings.keys.neverUsed') : t('settings.keys.lastUsed', { when: ago(lastUsedAt) }),
        isLive && expiresAt !== undefined && t('settings.keys.expires', { when: day(expiresAt) }),
        revokedAt !== undefined && t('settings.keys.revokedAt', { when: day(revokedAt) })
      ]}
      actions={isLive && (
        <>
          <Button kind='quiet' aria-label={t('settings.keys.rotateNamed', { name })} onPress={onRotate}>
            <Icon name='refresh' />{t('settings.keys.rotate')}
          </Button>
          <Button kind='quiet' aria-label={t('settings.keys.revokeNamed', { name })} onPress={onRevoke}>
            <Icon name='trash' />{t('settings.keys.revoke')}
          </Button>
        </>
      )}
    />
  )
}
