/** A labelled line of text with suggestions. Anything may be typed. */
import { useState } from 'react'
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components'
import choice from './Choice.module.css'
import field from './Field.module.css'
import styles from './Suggest.module.css'

type Props = {
  label: string
  hint?: string
  value: string
  onChange (value: string): void
  maxLength: number
  suggestions: readonly string[]
}

export function Suggest ({ label, hint, value, suggestions, onChange, maxLength }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <ComboBox allowsCustomValue inputValue={value} onInputChange={onChange} onOpenChange={setOpen} className={field['field'] ?? ''}>
      <Label>{label}</Label>
      {/* While suggestions are shown, Escape closes them, not the dialog around. */}
      <div className={styles['line']} onKeyDown={(event) => { if (isOpen && event.key === 'Escape') event.stopPropagation() }}>
        <Input className={field['input'] ?? ''} maxLength={maxLength} dir='auto' />
        {suggestions.length > 0 && <Button className={styles['button'] ?? ''}><span aria-hidden='true'>▾</span></Button>}
      </div>
      {hint !== undefined && <Text slot='description' className={field['hint'] ?? ''}>{hint}</Text>}
      <Popover className={choice['popover'] ?? ''}>
        <ListBox className={choice['list'] ?? ''}>
          {suggestions.map((one) => (
            <ListBoxItem key={one} id={one} textValue={one} className={choice['item'] ?? ''}><span dir='auto'>{one}</span></ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
