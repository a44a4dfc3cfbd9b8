/** Shows the result of a query: grey lines while it is loaded, and the reason if it fails. */
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Button } from './Button.tsx'
import { Fault } from './Fault.tsx'
import { inBackground } from './Notices.tsx'
import styles from './Loaded.module.css'

type Props<D> = {
  query: Pick<UseQueryResult<D>, 'data' | 'error' | 'refetch'>
  /** The number of grey lines. */
  lines?: number
  children (data: D): ReactNode
}

export function Loaded<D> ({ query: { data, error, refetch }, lines = 3, children }: Props<D>) {
  const { t } = useTexts()
  // What was loaded before stays when a later attempt fails: the frame says that the appliance does not answer.
  if (data !== undefined) return children(data)
  if (error !== null) {
    return (
      <div className={styles['failed']}>
        <Fault error={error} />
        <Button onPress={() => { inBackground(refetch()) }}>{t('app.retry')}</Button>
      </div>
    )
  }
  return (
    <div role='status' aria-label={t('app.loading')} className={styles['lines']}>
      {Array.from({ length: lines }, (_, line) => <span key={line} className={styles['line']} />)}
    </div>
  )
}
