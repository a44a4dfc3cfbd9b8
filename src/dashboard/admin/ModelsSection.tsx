/** Models: which are installed and in use, which could be, and how they get here. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTexts } from '../i18n/index.tsx'
import type { TextKey } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Fault } from '../ui/Fault.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import styles from './admin.module.css'
import { ModelImport } from './ModelImport.tsx'
import { ModelTasks } from './ModelTasks.tsx'
import { isUnfinished, modelsQuery, pullModel, removeModel, tasksQuery } from './models.ts'
import type { Model } from './models.ts'

export function ModelsSection () {
  const { t } = useTexts()
  const queries = useQueryClient()
  const models = useQuery(modelsQuery)
  const tasks = useQuery(tasksQuery)
  const [removed, setRemoved] = useState<Model>()
  const running = (tasks.data ?? []).filter(isUnfinished)
  const refresh = async (): Promise<void> => { await queries.invalidateQueries({ queryKey: ['admin'] }) }
  // When work ends, what is installed has changed.
  useEffect(() => { queries.invalidateQueries({ queryKey: modelsQuery.queryKey }).catch(() => {}) }, [queries, running.length])
  const list = (kind: 'installed' | 'available', isWanted: (model: Model) => boolean) => (
    <Card title={t(`admin.models.${kind}`)} detail={t(`admin.models.${kind}Detail`)}>
      <Loaded query={models} lines={4}>
        {({ models: all }) => (
          <Rows label={t(`admin.models.${kind}`)}>
            {sorted(all.filter(isWanted)).map((model) => (
              <ModelRow
                key={model.name} of={model} isBusy={running.some(({ name }) => name === model.name)} onPulled={refresh}
                onRemove={() => { setRemoved(model) }}
              />
            ))}
          </Rows>
        )}
      </Loaded>
    </Card>
  )
  return (
    <>
      <ModelTasks tasks={tasks.data ?? []} />
      {list('installed', ({ state }) => state !== 'absent')}
      {list('available', ({ state }) => state === 'absent')}
      <ModelImport onImported={refresh} />
      {removed && (
        <Confirm
          title={t('admin.models.removeTitle', { name: removed.name })} action={t('admin.models.remove')}
          onClose={() => { setRemoved(undefined) }}
          onConfirm={async () => {
            await removeModel(removed.name)
            await refresh()
          }}
        >
          <p>{t('admin.models.removeDetail')}</p>
        </Confirm>
      )}
    </>
  )
}

const KINDS: Readonly<Record<string, TextKey>> = {
  whisper: 'admin.models.speech', parakeet: 'admin.models.speech', llm: 'admin.models.llm', embedding: 'admin.models.search',
  'speaker-segmentation': 'admin.models.speakers', 'speaker-embedding': 'admin.models.speakers'
}
const isSpeech = (kind: string): boolean => KINDS[kind] === 'admin.models.speech'

/** Fewer minutes than this are shown with a decimal. */
const EXACT_MINUTES = 10

/** Of more languages than this, only the number is shown. */
const NAMED_LANGUAGES = 4

function useModelFacts () {
  const { t } = useTexts()
  const { bytes, languageName, number } = useFormats()
  return ({ kind, bytes: size, languages, licence, minutesPerHour }: Model): Array<string | undefined> => [
    KINDS[kind] === undefined ? kind : t(KINDS[kind]),
    size === undefined ? undefined : bytes(size),
    languages === undefined
      ? isSpeech(kind) ? t('admin.models.allLanguages') : undefined
      : languages.length > NAMED_LANGUAGES
        ? t('admin.models.languages', { count: languages.length })
        : languages.map(languageName).join(', '),
    minutesPerHour === undefined
      ? undefined
      : t('admin.models.speed', { minutes: number(minutesPerHour, minutesPerHour < EXACT_MINUTES ? 1 : 0) }),
    licence
  ]
}

/** What is used or recommended comes first. */
const sorted = (models: readonly Model[]): Model[] =>
  models.toSorted((a, b) => Number(b.inUse) - Number(a.inUse) || Number(b.recommended) - Number(a.recommended))

type RowProps = { of: Model, isBusy: boolean, onPulled (): Promise<void>, onRemove (): void }

function ModelRow ({ of: model, isBusy, onPulled, onRemove }: RowProps) {
  const { t } = useTexts()
  const factsOf = useModelFacts()
  const pull = useMutation({ mutationFn: async () => await pullModel(model.name), onSuccess: onPulled })
  const { name, state, bundled, inUse, recommended, note } = model
  return (
    <Row
      title={name}
      badges={(
        <>
          {inUse && <Badge tone='good'>{t('admin.models.inUse')}</Badge>}
          {recommended && <Badge tone='accent'>{t('admin.models.recommended')}</Badge>}
          {state === 'damaged' && <Badge tone='bad'>{t('admin.models.damaged')}</Badge>}
        </>
      )}
      facts={factsOf(model)}
      actions={(
        <>
          {state !== 'installed' && (
            <Button
              kind='quiet' aria-label={t('admin.models.pullNamed', { name })} isDisabled={isBusy} isPending={pull.isPending}
              onPress={() => { pull.mutate() }}
            >
              <Icon name='download' />{t('admin.models.pull')}
            </Button>
          )}
          {state !== 'absent' && !inUse && !bundled && (
            <Button kind='quiet' aria-label={t('admin.models.removeNamed', { name })} isDisabled={isBusy} onPress={onRemove}>
              <Icon name='trash' />{t('admin.models.remove')}
            </Button>
          )}
        </>
      )}
    >
      {note !== undefined && <p className={styles['quiet']}>{note}</p>}
      <Fault error={pull.error} />
    </Row>
  )
}
