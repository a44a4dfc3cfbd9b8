/** How long recordings and transcripts are kept: at most as long as the administrator allows. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Card } from '../ui/Card.tsx'
import { Choice } from '../ui/Choice.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { notify, notifyOf } from '../ui/Notices.tsx'
import styles from './settings.module.css'

const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: async () => (await take(api.GET('/api/v1/retention'))).data
})
type Retention = Awaited<ReturnType<NonNullable<typeof retentionQuery.queryFn>>>

const KINDS = ['recordingDays', 'transcriptDays'] as const
type Kind = typeof KINDS[number]
/** Null: as the administrator has set. */
type Change = { kind: Kind, days: number | null }

const AGES = [1, 7, 30, 90, 180, 365, 730]
/** The choice of what the administrator has set. */
const AS_SET = 'set'

/** Ages to choose from: none above what is allowed (0: everything is), and the one that is chosen now. */
function agesFor ({ allowed, own }: Retention, kind: Kind): number[] {
  const most = allowed[kind] === 0 ? Infinity : allowed[kind]
  const chosen = own[kind]
  return [...new Set([...AGES, ...(chosen === null ? [] : [chosen])])].filter((days) => days <= most).sort((a, b) => a - b)
}

/** Whether something may be deleted by the change. 0: things are kept without end. */
const isShorter = (before: number, after: number): boolean => after !== 0 && (before === 0 || after < before)

export function RetentionSection () {
  const { t } = useTexts()
  const queries = useQueryClient()
  const retention = useQuery(retentionQuery)
  const [asked, setAsked] = useState<Change>()

  async function send ({ kind, days }: Change): Promise<void> {
    queries.setQueryData(retentionQuery.queryKey, (await take(api.PATCH('/api/v1/retention', { body: { [kind]: days } }))).data)
    notify({ kind: 'done', text: t('notice.saved') })
  }
  const change = useMutation({ mutationFn: send, onError: notifyOf })

  function choose (now: Retention, kind: Kind, value: string): void {
    const days = value === AS_SET ? null : Number(value)
    if (isShorter(now[kind], days ?? now.allowed[kind])) setAsked({ kind, days })
    else change.mutate({ kind, days })
  }

  const asSet = (days: number): string =>
    days === 0 ? t('settings.retention.asSetForever') : t('settings.retention.asSet', { count: days })
  return (
    <Card title={t('settings.retention')} detail={t('settings.retention.detail')}>
      <Loaded query={retention}>
        {(now) => (
          <div className={styles['form']}>
            {!now.keepsRecordings && <p>{t('settings.retention.notKept')}</p>}
            {KINDS.map((kind) => (
              <div key={kind} className={styles['narrow']}>
                <Choice
                  label={t(`settings.retention.${kind}`)} value={now.own[kind] === null ? AS_SET : String(now.own[kind])}
                  onChange={(value) => { choose(now, kind, value) }}
                  options={[
                    { value: AS_SET, text: asSet(now.allowed[kind]) },
                    ...agesFor(now, kind).map((days) => ({ value: String(days), text: t('settings.retention.after', { count: days }) }))
                  ]}
                />
                <p className={styles['quiet']}>{t(`settings.retention.${kind}Hint`)}</p>
              </div>
            ))}
          </div>
        )}
      </Loaded>
      {asked && (
        <Confirm
          title={t('settings.retention.shortenTitle')} action={t('settings.retention.shorten')}
          onConfirm={async () => { await send(asked) }} onClose={() => { setAsked(undefined) }}
        >
          <p>{t(`settings.retention.${asked.kind}Shorten`, { count: asked.days ?? retention.data?.allowed[asked.kind] ?? 0 })}</p>
        </Confirm>
      )}
    </Card>
  )
}
