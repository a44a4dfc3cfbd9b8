/** A table that scrolls sideways by itself where the screen is narrow. */
import type { ReactNode } from 'react'
import styles from './Table.module.css'

type Props = {
  label: string
  head: readonly string[]
  children: ReactNode
  /** False: it is there for screen readers alone, so it does not scroll, and the keyboard passes it by. */
  isSeen?: boolean
}

export function Table ({ label, head, children, isSeen = true }: Props) {
  const region = isSeen ? { className: styles['scroll'], role: 'region', tabIndex: 0 } : { role: 'group' }
  return (
    // Reached by keyboard, because it may scroll.
    <div {...region} aria-label={label}>
      <table className={styles['table']}>
        <thead><tr>{head.map((name) => <th key={name} scope='col'>{name}</th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
