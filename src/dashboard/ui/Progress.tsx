/** A progress bar. Without a value, it shows only that something is running. */
import { ProgressBar } from 'react-aria-components'
import styles from './Progress.module.css'

/** `share`: 0 to 1; undefined: not known. */
export function Progress ({ label, share }: { label: string, share?: number | undefined }) {
  return (
    <ProgressBar aria-label={label} value={(share ?? 0) * 100} isIndeterminate={share === undefined} className={styles['bar'] ?? ''}>
      {({ percentage }) => <div className={styles['done']} style={{ inlineSize: `${percentage ?? 30}%` }} />}
    </ProgressBar>
  )
}
