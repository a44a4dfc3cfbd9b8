/** Says that a list has nothing in it yet. */
import styles from './Empty.module.css'

export function Empty ({ children }: { children: string }) {
  return <p className={styles['empty']}>{children}</p>
}
