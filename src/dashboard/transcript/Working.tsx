/** A recording that is not a text yet: how far it is, or why it failed. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../i18n/index.tsx'
import { useSaid } from '../i18n/use-said.ts'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Message } from '../ui/Message.tsx'
import { keepFocus } from '../ui/focus.ts'
import { inBackground } from '../ui/Notices.tsx'
import { Progress } from '../ui/Progress.tsx'
import { jobQuery, KEYS, retryJob } from './model/calls.ts'
import type { Transcription } from './model/calls.ts'
import styles from './Page.module.css'

const POLL_MS = 2000

function useRetry (id: number): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await retryJob(id)
    await Promise.all([['job', id], KEYS.transcription(id)].map(async (queryKey) => { await queries.invalidateQueries({ queryKey }) }))
    keepFocus()
  }
}

export function Working ({ transcription }: { transcription: Transcription }) {
  const { t } = useTexts()
  const { id, status } = transcription
  const retry = useRetry(id)
  // The job may have been read before it failed: then it says neither why, nor whether it can be tried again.
  const { data: job } = useQuery({
    ...jobQuery(id), refetchInterval: ({ state }) => status === 'failed' && state.data?.status === 'failed' ? false : POLL_MS
  })
  const reason = useSaid(job?.failure?.message)
  if (status === 'failed') {
    return (
      <Message title={t('transcript.failed')} detail={reason}>
        {job?.retryable &&
          <Button kind='primary' onPress={() => { inBackground(retry()) }}><Icon name='refresh' />{t('app.retry')}</Button>}
        <Link to='/'>{t('app.library')}</Link>
      </Message>
    )
  }
  const progress = job?.progress ?? 0
  return (
    <div className={styles['working']}>
      <p>{status === 'pending' ? t('transcript.waiting') : t('transcript.working')}</p>
      <Progress label={t('transcript.progress')} share={status === 'pending' ? undefined : progress / 100} />
      <p className={styles['quiet']} role='status'>
        {status === 'pending' ? t('transcript.waitingDetail') : t('transcript.percent', { count: Math.floor(progress) })}
      </p>
    </div>
  )
}
