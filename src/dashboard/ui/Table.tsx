/** A table that scrolls sideways by itself where the screen is narrow. */
import type { ReactNode } from 'react'
import styles from './Table.module.css'

type Props = {
  label: string
  head: readonly string[]
  children: ReactNode
  /** False: the keyboard passes it by, because nobody sees it. */
  isReachable?: boolean
}

export function Table ({ label, head, children, isReachable = true }: Props) {
  return (
    // Reached by keyboard, because it may scroll.
    <div className={styles['scroll']} role='region' aria-label={label} tabIndex={isReachable ? 0 : -1}>
      <table className={styles['table']}>
        <thead><tr>{head.map((name) => <th key={name} scope='col'>{name}</th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
