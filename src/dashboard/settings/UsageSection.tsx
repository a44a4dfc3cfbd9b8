/** What was used of the limits, and on which days. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Card } from '../ui/Card.tsx'
import { Choice } from '../ui/Choice.tsx'
import { useFormats } from '../ui/formats.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Meter } from '../ui/Meter.tsx'
import { DayChart } from './DayChart.tsx'
import styles from './settings.module.css'

const SECONDS_PER_MINUTE = 60

const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: async () => (await take(api.GET('/api/v1/usage', { params: { query: { limit: 1 } } }))).data
})
const daysQuery = (days: number) => queryOptions({
  queryKey: ['usage', 'days', days],
  queryFn: async () => (await take(api.GET('/api/v1/usage/days', { params: { query: { days } } }))).data
})

const SPANS = ['7', '30', '90'] as const
type Span = typeof SPANS[number]
const MEASURES = ['minutes', 'requests'] as const
type Measure = typeof MEASURES[number]

export function UsageSection () {
  const { t } = useTexts()
  const { day } = useFormats()
  const usage = useQuery(usageQuery)
  const [span, setSpan] = useState<Span>('30')
  const [measure, setMeasure] = useState<Measure>('minutes')
  const days = useQuery(daysQuery(Number(span)))
  return (
    <>
      <Card title={t('settings.usage')} detail={t('settings.usage.detail')}>
        <Loaded query={usage} lines={4}>
          {({ requests, audioSeconds: { used, limit }, period }) => (
            <div className={styles['form']}>
              <Meter label={t('settings.usage.requestsToday')} used={requests.today} limit={requests.limit} />
              <Meter
                label={t('settings.usage.minutesMonth')} used={used / SECONDS_PER_MINUTE}
                limit={limit === null ? null : limit / SECONDS_PER_MINUTE}
              />
              <p className={styles['quiet']}>{t('settings.usage.resets', { when: day(period.end) })}</p>
            </div>
          )}
        </Loaded>
      </Card>
      <Card
        title={t('settings.usage.perDay')}
        actions={(
          <div className={styles['line']}>
            <Choice<Measure>
              label={t('settings.usage.measure')} isLabelShown={false} value={measure} onChange={setMeasure}
              options={MEASURES.map((value) => ({ value, text: t(`settings.usage.${value}`) }))}
            />
            <Choice<Span>
              label={t('settings.usage.span')} isLabelShown={false} value={span} onChange={setSpan}
              options={SPANS.map((value) => ({ value, text: t('settings.usage.lastDays', { count: Number(value) }) }))}
            />
          </div>
        )}
      >
        <Loaded query={days} lines={6}>
          {(list) => (
            <DayChart label={t(`settings.usage.${measure}`)} days={list.map((one) => ({ day: one.day, value: one[measure] }))} />
          )}
        </Loaded>
      </Card>
    </>
  )
}
