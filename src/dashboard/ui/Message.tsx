/** A short message in the middle of a view: nothing here yet, not found, failed. Children: what can be done about it. */
import type { ReactNode } from 'react'
import styles from './Message.module.css'

export function Message ({ title, detail, children }: { title: string, detail?: string | undefined, children?: ReactNode }) {
  return (
    <div className={styles['message']}>
      <h2>{title}</h2>
      {detail !== undefined && <p>{detail}</p>}
      {children}
    </div>
  )
}
