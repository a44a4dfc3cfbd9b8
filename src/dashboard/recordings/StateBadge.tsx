/** The state of a recording in words, with a bar while it is being transcribed. Nothing where the transcript is ready. */
import { useTexts } from '../i18n/index.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Progress } from '../ui/Progress.tsx'
import { nameOf } from './recordings.ts'
import type { Recording } from './recordings.ts'
import { useTimes } from './times.ts'
import styles from './StateBadge.module.css'

export function StateBadge ({ recording }: { recording: Recording }) {
  const { t } = useTexts()
  const { percent } = useTimes()
  const { status, stage, progress } = recording
  if (status === 'completed') return null
  if (status === 'failed') return <Badge tone='bad'>{t('state.failed')}</Badge>
  // A job that waits for its first turn has done nothing yet.
  if (status === 'pending' && progress === 0) return <Badge>{t('state.pending')}</Badge>
  return (
    <span className={styles['progress']}>
      <span className={styles['text']}>{t(`state.${stage}`)}<span className={styles['share']}>{percent(progress / 100)}</span></span>
      <Progress label={t('state.progressOf', { name: nameOf(recording) })} share={progress / 100} />
    </span>
  )
}
