/** What is shown in place of a page that does not exist or has failed. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { ApiError } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Message } from '../ui/Message.tsx'

export function NotFound () {
  const { t } = useTexts()
  return <main id='content'><Message title={t('app.notFound')}><a href='/'>{t('app.library')}</a></Message></main>
}

export function Broken ({ error, reset }: ErrorComponentProps) {
  const { t } = useTexts()
  const isUnreachable = error instanceof ApiError && error.status === 0
  const detail = error instanceof Error && !isUnreachable ? error.message : undefined
  return (
    <main id='content'>
      <Message title={isUnreachable ? t('error.unreachable') : t('app.broken')} detail={detail}>
        <Button onPress={reset}>{t('app.retry')}</Button>
      </Message>
    </main>
  )
}
