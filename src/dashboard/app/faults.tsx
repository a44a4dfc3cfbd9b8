/** What is shown in place of a page that does not exist or has failed. */
import { Link, useRouter } from '@tanstack/react-router'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { api, ApiError, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Message } from '../ui/Message.tsx'
import { inBackground } from '../ui/Notices.tsx'

export function NotFound () {
  const { t } = useTexts()
  return (
    <main id='content'>
      <h1 className='visually-hidden'>{t('app.name')}</h1>
      <Message title={t('app.notFound')}><Link to='/'>{t('app.library')}</Link></Message>
    </main>
  )
}

const RETURN_MS = 3000

/** Shows the page as soon as the appliance answers. */
function useReturn (isAway: boolean, retry: () => void): void {
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(() => { take(api.GET('/api/v1/session/options')).then(retry, () => undefined) }, RETURN_MS)
    return () => { clearInterval(timer) }
  }, [isAway, retry])
}

export function Broken ({ error }: ErrorComponentProps) {
  const { t } = useTexts()
  const router = useRouter()
  const isUnreachable = error instanceof ApiError && error.status === 0
  const retry = useCallback(() => { inBackground(router.invalidate()) }, [router])
  useReturn(isUnreachable, retry)
  const detail = error instanceof Error && !isUnreachable ? error.message : undefined
  return (
    <main id='content'>
      <h1 className='visually-hidden'>{t('app.name')}</h1>
      <Message title={isUnreachable ? t('error.unreachable') : t('app.broken')} detail={detail}>
        <Button onPress={retry}>{t('app.retry')}</Button>
      </Message>
    </main>
  )
}
