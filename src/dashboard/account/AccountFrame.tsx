/** The frame of the pages before anybody is signed in. */
import type { ReactNode } from 'react'
import { BASE } from '../api/base.ts'
import { useTexts } from '../i18n/index.tsx'
import { useTitle } from '../ui/title.ts'
import styles from './account.module.css'

type Props = { title: string, lead?: string, isWide?: boolean, children: ReactNode }

export function AccountFrame ({ title, lead, isWide = false, children }: Props) {
  const { t } = useTexts()
  useTitle(title)
  return (
    <main id='content' className={styles['page']}>
      <p className={styles['brand']}><img src={`${BASE}/icon.svg`} alt='' width='28' height='28' />{t('app.name')}</p>
      <div className={`${styles['box']} ${isWide ? styles['wide'] : ''}`}>
        <div><h1>{title}</h1>{lead !== undefined && <p className={styles['lead']}>{lead}</p>}</div>
        {children}
      </div>
    </main>
  )
}
