/** A small label of a state. The text says it; the colour only helps. */
import type { ReactNode } from 'react'
import styles from './Badge.module.css'

export function Badge ({ tone = 'plain', children }: { tone?: 'plain' | 'good' | 'warn' | 'bad' | 'accent', children: ReactNode }) {
  return <span className={`${styles['badge']} ${styles[tone]}`}>{children}</span>
}
