/** Failed jobs of all owners, and another attempt. */
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { useSaid } from '../i18n/use-said.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Fault } from '../ui/Fault.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { More } from '../ui/More.tsx'
import { keepFocus } from '../ui/focus.ts'
import { notify } from '../ui/Notices.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { useStageText } from './stages.ts'

const failedQuery = infiniteQueryOptions({
  queryKey: ['admin', 'failed'],
  queryFn: async ({ pageParam }) => await take(api.GET('/api/v1/admin/jobs', {
    params: { query: { status: 'failed', ...(pageParam === null ? {} : { cursor: pageParam }) } }
  })),
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextCursor }) => nextCursor
})
type Failed = Awaited<ReturnType<NonNullable<typeof failedQuery.queryFn>>>['data'][number]

export function FailedSection () {
  const { t } = useTexts()
  const failed = useInfiniteQuery(failedQuery)
  return (
    <Card title={t('admin.failed')} detail={t('admin.failed.detail')}>
      <Loaded query={failed}>
        {({ pages }) => {
          const jobs = pages.flatMap(({ data }) => data)
          return jobs.length === 0
            ? <Empty>{t('admin.failed.none')}</Empty>
            : <Rows label={t('admin.failed')}>{jobs.map((job) => <FailedRow key={job.id} of={job} />)}</Rows>
        }}
      </Loaded>
      <More query={failed} />
    </Card>
  )
}

function FailedRow ({ of: { id, ownerName, code, message, stage, at, retryCount, retryable } }: { of: Failed }) {
  const { t } = useTexts()
  const reason = useSaid(message)
  const { moment } = useFormats()
  const queries = useQueryClient()
  const stageText = useStageText()
  const retry = useMutation({
    mutationFn: async () => await take(api.POST('/api/v1/admin/jobs/{id}/retry', { params: { path: { id } } })),
    async onSuccess () {
      notify({ kind: 'done', text: t('admin.failed.retried', { id: String(id) }) })
      await queries.invalidateQueries({ queryKey: ['admin'] })
      keepFocus()
    }
  })
  return (
    <Row
      title={t('admin.failed.job', { id: String(id), owner: ownerName })} badges={<code>{code}</code>}
      facts={[reason, stageText(stage), moment(at), retryCount > 0 && t('admin.failed.retries', { count: retryCount })]}
      actions={retryable && (
        <Button
          kind='quiet' aria-label={t('admin.failed.retryNamed', { id: String(id) })} isPending={retry.isPending}
          onPress={() => { retry.mutate() }}
        >
          <Icon name='refresh' />{t('app.retry')}
        </Button>
      )}
    >
      <Fault error={retry.error} />
    </Row>
  )
}
