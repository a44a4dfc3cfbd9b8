/** The queue of all owners: what runs and what waits, kept up to date. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useFormats } from '../ui/formats.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Progress } from '../ui/Progress.tsx'
import { Table } from '../ui/Table.tsx'
import styles from './admin.module.css'
import { useStageText } from './stages.ts'

const LIVE_MS = 2000

const queueQuery = queryOptions({
  queryKey: ['admin', 'queue'],
  queryFn: async () => (await take(api.GET('/api/v1/admin/queue'))).data,
  refetchInterval: LIVE_MS
})
type Job = Awaited<ReturnType<NonNullable<typeof queueQuery.queryFn>>>['jobs'][number]

export function QueueSection () {
  const { t } = useTexts()
  const queue = useQuery(queueQuery)
  const head = [
    t('admin.queue.job'), t('admin.queue.owner'), t('admin.queue.work'), t('admin.queue.state'),
    t('admin.queue.progress'), t('admin.queue.since')
  ]
  return (
    <Card title={t('admin.queue')} detail={t('admin.queue.detail')}>
      <Loaded query={queue} lines={5}>
        {({ jobs, counts }) => (
          <>
            <div className={styles['counts']}>
              <Badge tone='accent'>{t('admin.queue.processing', { count: counts.processing })}</Badge>
              <Badge>{t('admin.queue.queued', { count: counts.queued })}</Badge>
            </div>
            {jobs.length === 0
              ? <Empty>{t('admin.queue.none')}</Empty>
              : <Table label={t('admin.queue')} head={head}>{jobs.map((job) => <JobLine key={job.jobId} of={job} />)}</Table>}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function JobLine ({ of: { jobId, ownerName, kind, stage, state, pieces, startedAt, progress } }: { of: Job }) {
  const { t } = useTexts()
  const { share, ago } = useFormats()
  const stageText = useStageText()
  return (
    <tr>
      <td>{jobId}</td>
      <td className={styles['wide']} dir='auto'>{ownerName}</td>
      <td>
        {stageText(stage)}
        {kind !== null && kind !== stage && <span className={styles['quiet']}> ({kind})</span>}
      </td>
      <td>
        <Badge tone={state === 'running' ? 'accent' : 'plain'}>{t(`admin.queue.${state}`)}</Badge>
        {pieces > 1 && <span className={styles['quiet']}> {t('admin.queue.pieces', { count: pieces })}</span>}
      </td>
      <td>
        <div className={styles['progress']}>
          {share(progress / 100)}
          <Progress label={t('admin.queue.progressOf', { id: String(jobId) })} share={progress / 100} />
        </div>
      </td>
      <td>{ago(startedAt)}</td>
    </tr>
  )
}
