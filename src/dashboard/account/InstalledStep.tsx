/** The second step of the first start: what this appliance is, and better models. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { components } from '../api/schema.ts'
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { useFormats } from '../ui/formats.ts'
import { inBackground } from '../ui/Notices.tsx'
import { Progress } from '../ui/Progress.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { AccountFrame } from './AccountFrame.tsx'
import { modelsQuery, offeredModels, pullModel, stopTask, systemQuery, tasksQuery } from './installed.ts'
import type { Model, ModelTask } from './installed.ts'
import styles from './account.module.css'

type System = components['schemas']['System']

function Facts ({ system, starter }: { system: System, starter: string | undefined }) {
  const { t } = useTexts()
  const { bytes } = useFormats()
  const speech = system.models.speech.balanced
  const [disk] = system.disks
  return (
    <dl className={styles['facts']}>
      <dt>{t('setup.model')}</dt>
      <dd>{speech === starter && speech !== undefined ? t('setup.starterOnly', { name: speech }) : speech}</dd>
      <dt>{t('setup.processor')}</dt>
      <dd>{system.gpus.length > 0 ? system.gpus.join(', ') : t('setup.cpu')}</dd>
      {disk && <><dt>{t('setup.disk')}</dt><dd>{t('setup.diskOf', { free: bytes(disk.freeBytes), total: bytes(disk.totalBytes) })}</dd></>}
    </dl>
  )
}

function ModelLine ({ model, task }: { model: Model, task: ModelTask | undefined }) {
  const { t } = useTexts()
  const { bytes } = useFormats()
  const queries = useQueryClient()
  const { name, recommended, languages, minutesPerHour, state } = model
  const isRunning = task?.state === 'running' || task?.state === 'waiting'
  const facts = [
    model.bytes === undefined ? undefined : bytes(model.bytes),
    languages === undefined ? t('setup.allLanguages') : t('setup.languages', { count: languages.length }),
    minutesPerHour === undefined ? undefined : t('setup.speed', { count: Math.max(1, Math.round(minutesPerHour)) })
  ]
  const refresh = async (act: Promise<void>): Promise<void> => {
    await act
    await queries.invalidateQueries({ queryKey: tasksQuery.queryKey })
  }
  const button = state === 'installed'
    ? <Badge tone='good'>{t('setup.installedNow')}</Badge>
    : isRunning
      ? (
        <Button aria-label={t('setup.stop', { name })} onPress={() => { inBackground(refresh(stopTask(task.id))) }}>
          {t('app.cancel')}
        </Button>
        )
      : (
        <Button
          kind={recommended ? 'primary' : 'plain'} aria-label={t('setup.downloadOf', { name })}
          onPress={() => { inBackground(refresh(pullModel(name))) }}
        >
          {t('setup.download')}
        </Button>
        )
  return (
    <li className={styles['model']}>
      <div>
        <h3>{name} {recommended && <Badge tone='accent'>{t('setup.recommended')}</Badge>}</h3>
        <p>{facts.filter((fact) => fact !== undefined).join(' · ')}</p>
        {task?.state === 'failed' && task.error !== null && <p role='alert'>{task.error}</p>}
      </div>
      {button}
      {isRunning &&
        <div>
          <p>{task.totalBytes === null
            ? t('setup.starting')
            : t('setup.downloading', { done: bytes(task.doneBytes), total: bytes(task.totalBytes) })}
          </p>
          <Progress label={t('setup.progressOf', { name })} share={task.totalBytes ? task.doneBytes / task.totalBytes : undefined} />
        </div>}
    </li>
  )
}

export function InstalledStep () {
  const { t } = useTexts()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const system = useQuery(systemQuery)
  const models = useQuery(modelsQuery)
  const tasks = useQuery(tasksQuery).data ?? []
  const ended = tasks.filter(({ state }) => state === 'done').length
  // A download that has ended is installed.
  useEffect(() => { inBackground(queries.invalidateQueries({ queryKey: modelsQuery.queryKey })) }, [queries, ended])
  const starter = models.data?.find(({ bundled }) => bundled)?.name
  const offered = offeredModels(models.data ?? [])
  return (
    <AccountFrame title={t('setup.installed')} lead={t('setup.installedLead')} isWide>
      {system.data
        ? <Facts system={system.data} starter={starter} />
        : system.isPending && <Skeleton label={t('app.loading')} rows={3} />}
      {offered.length > 0 &&
        <section className={styles['form']}>
          <h2>{t('setup.models')}</h2>
          <ul className={styles['models']}>
            {offered.map((model) => (
              <ModelLine key={model.name} model={model} task={tasks.findLast(({ name }) => name === model.name)} />
            ))}
          </ul>
        </section>}
      <div className={styles['drop']}>
        <p>{t('setup.airGap')}</p>
        <Link to='/administration/$section' params={{ section: 'models' }}>{t('setup.import')}</Link>
      </div>
      <p className={styles['lead']}>{t('setup.laterHint')}</p>
      <div className={styles['end']}>
        <Button kind='primary' onPress={() => { inBackground(navigate({ to: '/' })) }}>{t('setup.toLibrary')}</Button>
      </div>
    </AccountFrame>
  )
}
