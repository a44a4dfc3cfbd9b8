/** A labelled choice of one among several. */
import { Button as AriaButton, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components'
import styles from './Choice.module.css'

type Props<V extends string> = {
  label: string
  /** False: only screen readers get the label. */
  isLabelShown?: boolean
  value: V
  options: ReadonlyArray<{ value: V, text: string }>
  onChange (value: V): void
  isDisabled?: boolean
}

export function Choice<V extends string> (props: Props<V>) {
  const { label, isLabelShown = true, value, options, onChange, isDisabled = false } = props
  return (
    <Select
      selectedKey={value} onSelectionChange={(key) => { onChange(key as V) }} isDisabled={isDisabled} className={styles['choice'] ?? ''}
    >
      <Label className={isLabelShown ? styles['label'] ?? '' : 'visually-hidden'}>{label}</Label>
      <AriaButton className={styles['button'] ?? ''}><SelectValue /><span aria-hidden='true'>▾</span></AriaButton>
      <Popover className={styles['popover'] ?? ''}>
        <ListBox className={styles['list'] ?? ''}>
          {options.map(({ value: id, text }) => <ListBoxItem key={id} id={id} className={styles['item'] ?? ''}>{text}</ListBoxItem>)}
        </ListBox>
      </Popover>
    </Select>
  )
}
