/** Programs that were allowed to act for the person who is signed in: OAuth grants. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { ScopeList } from './ScopeList.tsx'

const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: async () => (await take(api.GET('/api/v1/connections'))).data
})
type Connection = Awaited<ReturnType<NonNullable<typeof connectionsQuery.queryFn>>>[number]

export function ConnectionsSection () {
  const { t } = useTexts()
  const { day, ago } = useFormats()
  const queries = useQueryClient()
  const connections = useQuery(connectionsQuery)
  const [revoked, setRevoked] = useState<Connection>()

  async function revoke (id: Connection['id']): Promise<void> {
    await take(api.DELETE('/api/v1/connections/{id}', { params: { path: { id } } }))
    await queries.invalidateQueries({ queryKey: connectionsQuery.queryKey })
  }

  return (
    <Card title={t('settings.connections')} detail={t('settings.connections.detail')}>
      <Loaded query={connections}>
        {(list) => list.length === 0
          ? <Empty>{t('settings.connections.none')}</Empty>
          : (
            <Rows label={t('settings.connections')}>
              {list.map((connection) => (
                <Row
                  key={connection.id} title={connection.clientName}
                  facts={[
                    t('settings.connections.since', { when: day(connection.createdAt) }),
                    connection.lastUsedAt !== undefined && t('settings.keys.lastUsed', { when: ago(connection.lastUsedAt) })
                  ]}
                  actions={(
                    <Button
                      kind='quiet' aria-label={t('settings.connections.revokeNamed', { name: connection.clientName })}
                      onPress={() => { setRevoked(connection) }}
                    >
                      <Icon name='trash' />{t('settings.connections.revoke')}
                    </Button>
                  )}
                >
                  <ScopeList scopes={connection.scopes} />
                </Row>
              ))}
            </Rows>
            )}
      </Loaded>
      {revoked && (
        <Confirm
          title={t('settings.connections.revokeTitle', { name: revoked.clientName })} action={t('settings.connections.revoke')}
          onConfirm={async () => { await revoke(revoked.id) }} onClose={() => { setRevoked(undefined) }}
        >
          <p>{t('settings.connections.revokeDetail')}</p>
        </Confirm>
      )}
    </Card>
  )
}
