/** Why something was refused, where it belongs to no single field. Screen readers read it when it appears. */
import { useTexts } from '../i18n/index.tsx'
import { ApiError } from '../api/client.ts'
import { Icon } from './Icon.tsx'
import styles from './Fault.module.css'

export function Fault ({ error }: { error: unknown }) {
  const { t } = useTexts()
  const sentence = error instanceof ApiError ? toSentence(error) : error instanceof Error ? error.message : error

  function toSentence ({ status, code, message }: ApiError): string {
    if (status === 0) return t('error.unreachable')
    return code === 'unexpected' ? t('error.unexpected', { status }) : message
  }
  if (typeof sentence !== 'string') return null
  return <div role='alert' className={styles['fault']}><Icon name='warn' /><p dir='auto'>{sentence}</p></div>
}
