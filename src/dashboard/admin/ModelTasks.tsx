/** Model tasks that are running or have just ended. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTexts } from '../i18n/index.tsx'
import { useSaid } from '../i18n/use-said.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Fault } from '../ui/Fault.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { notifyOf } from '../ui/Notices.tsx'
import { Progress } from '../ui/Progress.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { cancelTask, isUnfinished, tasksQuery } from './models.ts'
import type { Task } from './models.ts'

export function ModelTasks ({ tasks }: { tasks: readonly Task[] }) {
  const { t } = useTexts()
  if (tasks.length === 0) return null
  return (
    <Card title={t('admin.models.tasks')}>
      <Rows label={t('admin.models.tasks')}>{tasks.map((task) => <TaskRow key={task.id} of={task} />)}</Rows>
    </Card>
  )
}

const TONES = { waiting: 'plain', running: 'accent', done: 'good', failed: 'bad', cancelled: 'plain' } as const

function TaskRow ({ of: task }: { of: Task }) {
  const { t } = useTexts()
  const { bytes } = useFormats()
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: async () => await cancelTask(task.id),
    onError: notifyOf,
    onSettled: async () => { await queries.invalidateQueries({ queryKey: tasksQuery.queryKey }) }
  })
  const { name, state, step, doneBytes, totalBytes, notes, error } = task
  const reason = useSaid(error ?? undefined)
  const isRunning = state === 'running'
  const done = totalBytes === null
    ? bytes(doneBytes)
    : t('ui.usedOf', { used: bytes(doneBytes), limit: bytes(totalBytes) })
  return (
    <Row
      title={name} badges={<Badge tone={TONES[state]}>{t(`admin.models.task.${state}`)}</Badge>}
      facts={[isRunning && done, isRunning && step !== null && step !== name && step, notes.at(-1)]}
      actions={isUnfinished(task) && (
        <Button
          kind='quiet' aria-label={t('admin.models.cancelNamed', { name })} isPending={cancel.isPending} onPress={() => { cancel.mutate() }}
        >
          <Icon name='close' />{t('app.cancel')}
        </Button>
      )}
    >
      <Fault error={reason} />
      {isRunning &&
        <Progress label={t('admin.models.progressOf', { name })} share={totalBytes === null ? undefined : doneBytes / totalBytes} />}
    </Row>
  )
}
