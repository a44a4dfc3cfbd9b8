/** A list of named things, each with facts and actions. */
import type { ReactNode } from 'react'
import styles from './Rows.module.css'

export function Rows ({ label, children }: { label: string, children: ReactNode }) {
  return <ul aria-label={label} className={styles['rows']}>{children}</ul>
}

type Props = {
  /** What it is called; written by people, in any script. */
  title: ReactNode
  badges?: ReactNode
  /** Short facts, one after the other. */
  facts?: ReadonlyArray<string | false | undefined>
  actions?: ReactNode
  children?: ReactNode
}

export function Row ({ title, badges, facts = [], actions, children }: Props) {
  const shown = facts.filter((fact): fact is string => typeof fact === 'string')
  return (
    <li className={styles['row']}>
      <div className={styles['main']}>
        <div className={styles['title']}><span dir='auto'>{title}</span>{badges}</div>
        {shown.length > 0 && <ul className={styles['facts']}>{shown.map((fact) => <li key={fact}>{fact}</li>)}</ul>}
        {children}
      </div>
      {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
    </li>
  )
}
