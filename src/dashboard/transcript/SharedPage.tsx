/** A transcript that somebody shares by a link: it can be read and heard, and nothing else. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { BASE } from '../api/base.ts'
import { ApiError } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Brand } from '../ui/Brand.tsx'
import { useFormats } from '../ui/formats.ts'
import { Message } from '../ui/Message.tsx'
import { sharedQuery } from './model/calls.ts'
import { toSegments } from './model/shared.ts'
import { createSegments } from './model/segments.ts'
import type { SharedTranscript } from './model/shared.ts'
import styles from './Page.module.css'
import { PlayerBar } from './player/PlayerBar.tsx'
import { usePlayback } from './player/use-player.ts'
import { TranscriptText } from './text/TranscriptText.tsx'

const route = getRouteApi('/shared/$token')

function Shared ({ shared, token }: { shared: SharedTranscript, token: string }) {
  const { t } = useTexts()
  const { day } = useFormats()
  const [segments] = useState(() => {
    const all = toSegments(shared.segments)
    return createSegments(async () => ({ total: all.length, offset: 0, revision: 0, segments: all }))
  })
  const playback = usePlayback(segments, `${BASE}/api/v1/shared/${encodeURIComponent(token)}/audio`)
  useEffect(() => { segments.ensureView(0, 1).catch(() => undefined) }, [segments])
  return (
    <>
      <h1 dir='auto'>{shared.title}</h1>
      <p className={styles['quiet']}>{t('transcript.sharedUntil', { date: day(shared.expiresAt) })}</p>
      <PlayerBar player={playback.player} duration={shared.durationSeconds} peaks={undefined} />
      <TranscriptText segments={segments} playback={playback} language={shared.language} />
    </>
  )
}

export function SharedPage () {
  const { token } = route.useParams()
  const { t } = useTexts()
  const { data, error } = useQuery({ ...sharedQuery(token), staleTime: Infinity })
  const isOver = error instanceof ApiError && error.status > 0 && error.status < 500
  return (
    <main id='content' className={styles['shared']}>
      <Brand />
      {data && <Shared shared={data} token={token} />}
      {error && (
        <>
          <h1 className='visually-hidden'>{t('transcript.text')}</h1>
          <Message
            title={isOver ? t('transcript.shareOver') : t('error.unreachable')}
            detail={isOver ? t('transcript.shareOverDetail') : undefined}
          />
        </>
      )}
    </main>
  )
}
