/** Owners of the appliance: create them, change plan, role and password, and remove them. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAccount } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Menu } from '../ui/Menu.tsx'
import { More } from '../ui/More.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { ChangeOwner, CreateOwner, OwnerPassword } from './owner-dialogs.tsx'
import { OwnerRetention } from './OwnerRetention.tsx'
import { ownersQuery, removeOwner } from './owners.ts'
import type { Owner } from './owners.ts'

type Dialog = 'change' | 'password' | 'retention' | 'remove'
type Open = { dialog: 'create' } | { dialog: Dialog, owner: Owner } | undefined

export function OwnersSection () {
  const { t } = useTexts()
  const queries = useQueryClient()
  const owners = useInfiniteQuery(ownersQuery)
  const [open, setOpen] = useState<Open>()
  const close = (): void => { setOpen(undefined) }
  const refresh = async (): Promise<void> => { await queries.invalidateQueries({ queryKey: ownersQuery.queryKey }) }
  const dialogs = { onDone: refresh, onClose: close }
  return (
    <Card
      title={t('admin.owners')} detail={t('admin.owners.detail')}
      actions={(
        <Button kind='primary' onPress={() => { setOpen({ dialog: 'create' }) }}><Icon name='plus' />{t('admin.owners.create')}</Button>
      )}
    >
      <Loaded query={owners}>
        {({ pages }) => (
          <Rows label={t('admin.owners')}>
            {pages.flatMap(({ data }) => data).map((owner) => (
              <OwnerRow key={owner.id} of={owner} onOpen={(dialog) => { setOpen({ dialog, owner }) }} />
            ))}
          </Rows>
        )}
      </Loaded>
      <More query={owners} />
      {open?.dialog === 'create' && <CreateOwner {...dialogs} />}
      {open?.dialog === 'change' && <ChangeOwner of={open.owner} {...dialogs} />}
      {open?.dialog === 'password' && <OwnerPassword of={open.owner} {...dialogs} />}
      {open?.dialog === 'retention' && <OwnerRetention of={open.owner} onClose={close} />}
      {open?.dialog === 'remove' && (
        <Confirm
          title={t('admin.owners.removeTitle', { name: open.owner.name })} action={t('admin.owners.remove')} onClose={close}
          onConfirm={async () => {
            await removeOwner(open.owner.id)
            await refresh()
          }}
        >
          <p>{t('admin.owners.removeDetail')}</p>
        </Confirm>
      )}
    </Card>
  )
}

function OwnerRow ({ of: owner, onOpen }: { of: Owner, onOpen (dialog: Dialog): void }) {
  const { t } = useTexts()
  const { day } = useFormats()
  const own = useAccount()
  const { id, name, plan, role, hasPassword, createdAt } = owner
  const isOwn = own?.id === id
  const action = (dialog: Dialog) => ({ id: dialog, text: t(`admin.owners.${dialog}`), run: () => { onOpen(dialog) } })
  return (
    <Row
      title={name}
      badges={(
        <>
          {role === 'administrator' && <Badge tone='accent'>{t('role.administrator')}</Badge>}
          {isOwn && <Badge>{t('admin.owners.you')}</Badge>}
          {!hasPassword && <Badge tone='warn'>{t('admin.owners.noPassword')}</Badge>}
        </>
      )}
      facts={[t('admin.owners.plan', { plan }), t('admin.owners.created', { when: day(createdAt) })]}
      actions={(
        <Menu
          label={t('admin.owners.more', { name })}
          actions={[action('change'), action('password'), action('retention'), { ...action('remove'), isDisabled: isOwn }]}
        >
          <Icon name='more' />
        </Menu>
      )}
    />
  )
}
