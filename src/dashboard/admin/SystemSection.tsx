/** The machine under the appliance, and whether everything it needs is there. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Card } from '../ui/Card.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Meter } from '../ui/Meter.tsx'
import styles from './admin.module.css'

const LIVE_MS = 15_000

const systemQuery = queryOptions({
  queryKey: ['admin', 'system'],
  queryFn: async () => (await take(api.GET('/api/v1/admin/system'))).data,
  refetchInterval: LIVE_MS
})
type System = Awaited<ReturnType<NonNullable<typeof systemQuery.queryFn>>>

export function SystemSection () {
  const { t } = useTexts()
  const system = useQuery(systemQuery)
  return (
    <>
      <Card title={t('admin.checks')} detail={t('admin.checks.detail')}>
        <Loaded query={system} lines={6}>{({ checks }) => <Checks checks={checks} />}</Loaded>
      </Card>
      <Card title={t('admin.room')}>
        <Loaded query={system} lines={4}>{(now) => <Room of={now} />}</Loaded>
      </Card>
      <Card title={t('admin.program')}>
        <Loaded query={system} lines={4}>{(now) => <Program of={now} />}</Loaded>
      </Card>
    </>
  )
}

/** What fails comes first. */
function Checks ({ checks }: { checks: System['checks'] }) {
  const { t } = useTexts()
  const sorted = checks.toSorted((a, b) => Number(a.ok) - Number(b.ok) || Number(b.matters) - Number(a.matters))
  return (
    <ul>
      {sorted.map(({ name, ok, matters, detail }) => {
        const tone = ok ? 'good' : matters ? 'bad' : 'warn'
        return (
          <li key={name} className={styles['check']}>
            <span className={styles[tone]}><Icon name={ok ? 'check' : 'warn'} /></span>
            <div>
              {name} {!ok && <Badge tone={matters ? 'bad' : 'warn'}>{t(matters ? 'admin.checks.fails' : 'admin.checks.warns')}</Badge>}
              <p>{detail}</p>
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function Room ({ of: { disks, memory, minFreeBytes } }: { of: System }) {
  const { t } = useTexts()
  const { bytes } = useFormats()
  return (
    <div className={styles['form']}>
      {disks.map(({ path, freeBytes, totalBytes }) => (
        <Meter key={path} label={t('admin.room.disk', { path })} used={totalBytes - freeBytes} limit={totalBytes} write={bytes} />
      ))}
      <p className={styles['quiet']}>{t('admin.room.floor', { bytes: bytes(minFreeBytes) })}</p>
      <Meter label={t('admin.room.memory')} used={memory.totalBytes - memory.availableBytes} limit={memory.totalBytes} write={bytes} />
      <p className={styles['quiet']}>{t('admin.room.process', { bytes: bytes(memory.processBytes) })}</p>
    </div>
  )
}

const SECONDS = { day: 86_400, hour: 3600, minute: 60 } as const

function Program ({ of: { version, node, uptimeSeconds, gpus, models } }: { of: System }) {
  const { t } = useTexts()
  const days = Math.floor(uptimeSeconds / SECONDS.day)
  const hours = Math.floor(uptimeSeconds % SECONDS.day / SECONDS.hour)
  const minutes = Math.floor(uptimeSeconds % SECONDS.hour / SECONDS.minute)
  const none = t('admin.program.none')
  const facts: Array<[string, string]> = [
    [t('admin.program.version'), t('admin.program.versions', { version, node })],
    [t('admin.program.uptime'), t('admin.program.uptimeValue', { days, hours, minutes })],
    [t('admin.program.gpu'), gpus.length === 0 ? t('admin.program.cpu') : gpus.join(', ')],
    ...(['fast', 'balanced', 'accurate'] as const).map((quality): [string, string] =>
      [t(`admin.program.${quality}`), models.speech[quality] ?? none]),
    [t('admin.program.language'), models.language ?? t('admin.program.extractive')],
    [t('admin.program.embedding'), models.embedding ?? none],
    [t('admin.program.speakers'), models.speakers.length === 0 ? t('admin.program.bundled') : models.speakers.join(', ')]
  ]
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, value]) => <div key={name} className={styles['fact']}><dt>{name}</dt><dd>{value}</dd></div>)}
    </dl>
  )
}
