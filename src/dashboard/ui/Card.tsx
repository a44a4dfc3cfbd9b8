/** A part of a page with a heading. */
import type { ReactNode } from 'react'
import styles from './Card.module.css'

export function Card ({ title, detail, actions, children }: { title: string, detail?: string, actions?: ReactNode, children?: ReactNode }) {
  return (
    <section className={styles['card']}>
      <div className={styles['head']}>
        <div><h2>{title}</h2>{detail !== undefined && <p>{detail}</p>}</div>
        {actions}
      </div>
      {children}
    </section>
  )
}
