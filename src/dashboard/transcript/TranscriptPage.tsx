/** One transcript: played, followed, searched and edited. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { nameOf } from '../recordings/recordings.ts'
import { Message } from '../ui/Message.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { transcriptionQuery } from './model/calls.ts'
import { Head } from './Head.tsx'
import styles from './Page.module.css'
import { Transcript } from './Transcript.tsx'
import { Working } from './Working.tsx'

const route = getRouteApi('/signedIn/transcripts/$id')
const POLL_MS = 2000
const isEnded = (status: string | undefined): boolean => status === 'completed' || status === 'failed'

function Missing ({ error, retry }: { error: Error, retry (): void }) {
  const { t } = useTexts()
  const isGone = error instanceof ApiError && [400, 404].includes(error.status)
  return (
    <>
      <h1 className='visually-hidden'>{t('transcript.text')}</h1>
      <Message title={isGone ? t('transcript.missing') : t('transcript.unavailable')} detail={isGone ? undefined : error.message}>
        {!isGone && <Button onPress={retry}>{t('app.retry')}</Button>}
        <Link to='/'>{t('app.library')}</Link>
      </Message>
    </>
  )
}

export function TranscriptPage () {
  const id = Number(route.useParams().id)
  const { at, q } = route.useSearch()
  const { data, error, refetch } = useQuery({
    ...transcriptionQuery(id), refetchInterval: ({ state }) => state.data && !isEnded(state.data.status) ? POLL_MS : false
  })
  const title = data && nameOf(data)
  useEffect(() => {
    if (title === undefined) return
    const before = document.title
    document.title = `${title} – Stenobox`
    return () => { document.title = before }
  }, [title])

  if (!data) {
    if (error) return <Missing error={error} retry={() => { inBackground(refetch()) }} />
    return <div className={styles['skeleton']} aria-hidden='true'><i /><i /><i /><i /></div>
  }
  return (
    <>
      <Head transcription={data} />
      {data.status === 'completed'
        ? <Transcript key={id} transcription={data} at={at} query={q} />
        : <Working transcription={data} />}
    </>
  )
}
