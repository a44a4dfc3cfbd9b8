/** The frame of the pages before anybody is signed in. */
import type { ReactNode } from 'react'
import { Brand } from '../ui/Brand.tsx'
import { useTitle } from '../ui/title.ts'
import styles from './account.module.css'

type Props = { title: string, lead?: string, isWide?: boolean, children: ReactNode }

export function AccountFrame ({ title, lead, isWide = false, children }: Props) {
  useTitle(title)
  return (
    <main id='content' className={styles['page']}>
      <Brand />
      <div className={`${styles['box']} ${isWide ? styles['wide'] : ''}`}>
        <div><h1>{title}</h1>{lead !== undefined && <p className={styles['lead']}>{lead}</p>}</div>
        {children}
      </div>
    </main>
  )
}
