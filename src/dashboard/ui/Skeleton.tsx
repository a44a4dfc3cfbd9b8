/** Grey shapes where rows will be. They appear after a moment, so that what loads fast does not flicker. */
import styles from './Skeleton.module.css'

export function Skeleton ({ label, rows = 6 }: { label: string, rows?: number }) {
  return (
    <div className={styles['skeleton']} role='status' aria-label={label}>
      {Array.from({ length: rows }, (_, index) => <div key={index} className={styles['row']} />)}
    </div>
  )
}
