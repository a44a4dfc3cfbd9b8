/** A choice of one among a few, all of them seen. */
import { Label, Radio, RadioGroup } from 'react-aria-components'
import styles from './Radios.module.css'

type Option<V extends string> = { value: V, text: string, detail?: string, lang?: string }
type Props<V extends string> = {
  label: string
  /** False: only screen readers get the label. */
  isLabelShown?: boolean
  value: V
  options: ReadonlyArray<Option<V>>
  onChange (value: V): void
}

export function Radios<V extends string> ({ label, isLabelShown = true, value, options, onChange }: Props<V>) {
  return (
    <RadioGroup value={value} onChange={(next) => { onChange(next as V) }} className={styles['group'] ?? ''}>
      <Label className={isLabelShown ? styles['label'] ?? '' : 'visually-hidden'}>{label}</Label>
      {options.map(({ value: one, text, detail, lang }) => (
        <Radio key={one} value={one} className={styles['radio'] ?? ''}>
          <span className={styles['mark']} aria-hidden='true' />
          <span><span lang={lang}>{text}</span>{detail !== undefined && <span className={styles['detail']}>{detail}</span>}</span>
        </Radio>
      ))}
    </RadioGroup>
  )
}
