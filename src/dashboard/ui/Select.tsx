/** A labelled choice of one among several by the browser's own list: small, and as people know it from their phone. */
import styles from './Select.module.css'

type Props<V extends string> = {
  /** For screen readers. */
  label: string
  value: V
  options: ReadonlyArray<{ value: V, text: string }>
  onChange (value: V): void
}

export function Select<V extends string> ({ label, value, options, onChange }: Props<V>) {
  return (
    <select aria-label={label} className={styles['select']} value={value} onChange={({ target }) => { onChange(target.value as V) }}>
      {options.map(({ value: one, text }) => <option key={one} value={one}>{text}</option>)}
    </select>
  )
}
