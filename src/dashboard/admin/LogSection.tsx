/** Who did what: the audit log, newest first. */
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useFormats } from '../ui/formats.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Message } from '../ui/Message.tsx'
import { More } from '../ui/More.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { Switch } from '../ui/Switch.tsx'
import { Table } from '../ui/Table.tsx'
import styles from './admin.module.css'

const LIMIT = 100

const logQuery = infiniteQueryOptions({
  queryKey: ['admin', 'log'],
  async queryFn ({ pageParam }) {
    const query = { limit: LIMIT, ...(pageParam === null ? {} : { cursor: pageParam }) }
    return (await take(api.GET('/api/v1/admin/audit', { params: { query } }))).data
  },
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextCursor }) => nextCursor
})
type Event = Awaited<ReturnType<NonNullable<typeof logQuery.queryFn>>>['events'][number]

/** Requests that only read. There are far more of them than of all others. */
const isReading = ({ operation }: Event): boolean => /^(get|list|stream|search)[A-Z]/.test(operation)

/** The number of acts to show first, and the most pages that are read to find them. */
const ENOUGH = 20
const MAX_PAGES = 10

/** The log, without requests that only read unless they are wanted. Pages with nothing else are skipped. */
function useLog (isReadingShown: boolean) {
  const log = useInfiniteQuery(logQuery)
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = log
  const pages = data?.pages ?? []
  const events = pages.flatMap((page) => page.events).filter((event) => isReadingShown || !isReading(event))
  const isMoreWanted = hasNextPage && !isFetching && !isFetchNextPageError && events.length < ENOUGH && pages.length < MAX_PAGES
  useEffect(() => { if (isMoreWanted) inBackground(fetchNextPage()) }, [isMoreWanted, fetchNextPage])
  return { log, events }
}

export function LogSection () {
  const { t } = useTexts()
  const [isReadingShown, setIsReadingShown] = useState(false)
  const { log, events } = useLog(isReadingShown)
  const head = [
    t('admin.log.when'), t('admin.log.who'), t('admin.log.what'), t('admin.log.which'), t('admin.log.result'), t('admin.log.from')
  ]
  return (
    <Card
      title={t('admin.log')} detail={t('admin.log.detail')}
      actions={<Switch label={t('admin.log.reading')} isOn={isReadingShown} onChange={setIsReadingShown} />}
    >
      <Loaded query={log} lines={6}>
        {({ pages }) => {
          if (pages[0]?.isOn === false) return <Message title={t('admin.log.off')} detail={t('admin.log.offDetail')} />
          return events.length === 0
            ? <Empty>{t('admin.log.none')}</Empty>
            : <Table label={t('admin.log')} head={head}>{events.map((event, index) => <EventLine key={index} of={event} />)}</Table>
        }}
      </Loaded>
      <More query={log} />
    </Card>
  )
}

/** The ids of an actor or of what it acted on. */
const idsOf = (ids: Readonly<Record<string, unknown>>): string =>
  Object.entries(ids).map(([name, id]) => `${name} ${String(id)}`).join(', ')

/** From this HTTP status on, the act was refused. */
const REFUSED = 400

function EventLine ({ of: { time, actor: { type, ...ids }, operation, target = {}, status, outcome, address } }: { of: Event }) {
  const { t } = useTexts()
  const { moment } = useFormats()
  const isRefused = outcome === 'failed' || (status !== undefined && status >= REFUSED)
  return (
    <tr>
      <td className={styles['nowrap']}>{moment(time)}</td>
      <td>{t(`admin.log.actor.${type}`)} <span className={styles['quiet']}>{idsOf(ids)}</span></td>
      <td className={styles['breaking']}><code>{operation}</code></td>
      <td className={styles['breaking']}>{idsOf(target)}</td>
      <td><Badge tone={isRefused ? 'bad' : 'good'}>{status ?? outcome ?? '–'}</Badge></td>
      <td className={styles['breaking']}>{address}</td>
    </tr>
  )
}
