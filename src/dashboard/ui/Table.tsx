/** A table that scrolls sideways by itself where the screen is narrow. */
import type { ReactNode } from 'react'
import styles from './Table.module.css'

export function Table ({ label, head, children }: { label: string, head: readonly string[], children: ReactNode }) {
  return (
    // Reached by keyboard, because it may scroll.
    <div className={styles['scroll']} role='region' aria-label={label} tabIndex={0}>
      <table className={styles['table']}>
        <thead><tr>{head.map((name) => <th key={name} scope='col'>{name}</th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
