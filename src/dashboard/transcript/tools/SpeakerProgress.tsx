/** Above the text: that its speakers are being told apart, that this has failed, and, once, what was found. */
import { useEffect, useState } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import { useSaid } from '../../i18n/use-said.ts'
import { Button } from '../../ui/Button.tsx'
import { notify } from '../../ui/Notices.tsx'
import { Progress } from '../../ui/Progress.tsx'
import type { SpeakerState } from '../model/calls.ts'
import styles from './Tools.module.css'

type Props = { state: SpeakerState | null | undefined, onAgain (): void }

/** Says it when speakers were found while somebody waited. */
function useNews (state: Props['state']): void {
  const { t } = useTexts()
  const [hasWaited, setWaited] = useState(false)
  const status = state?.status
  const count = state?.speakers.length ?? 0
  useEffect(() => {
    if (status === 'pending') setWaited(true)
    if (status !== 'done' || !hasWaited) return
    setWaited(false)
    notify({ kind: 'done', text: t('transcript.speakersFound', { count }) })
  }, [status, hasWaited, count, t])
}

export function SpeakerProgress ({ state, onAgain }: Props) {
  const { t } = useTexts()
  useNews(state)
  const reason = useSaid(state?.failure?.message)
  if (state?.status === 'pending') {
    return (
      <div className={styles['speakers']}>
        <p role='status'>{t('transcript.findingSpeakers')}</p>
        <Progress label={t('transcript.findingSpeakers')} />
      </div>
    )
  }
  if (state?.status !== 'failed') return null
  return (
    <div className={`${styles['speakers']} ${styles['failed']}`}>
      <p role='alert'>{t('transcript.speakersFailed')} <span dir='auto'>{reason}</span></p>
      <Button onPress={onAgain}>{t('app.retry')}</Button>
    </div>
  )
}
