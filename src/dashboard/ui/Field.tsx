/** A labelled line of text, with an explanation and the reason why it cannot be sent. */
import { FieldError, Input, Label, Text, TextArea, TextField } from 'react-aria-components'
import type { TextFieldProps } from 'react-aria-components'
import styles from './Field.module.css'

type Props = Omit<TextFieldProps, 'className' | 'style' | 'children'> & {
  label: string
  hint?: string | undefined
  /** Why the value was refused; undefined: it was not. */
  fault?: string | undefined
  rows?: number
  placeholder?: string
}

export function Field ({ label, hint, fault, rows, placeholder, ...props }: Props) {
  return (
    // While a fault is shown the browser may not hold the form back: only the appliance knows whether the new value is right. Without one,
    // it is the browser that judges: `isInvalid={false}` would hide what it finds.
    <TextField
      {...props} {...(fault === undefined ? { validationBehavior: 'native' } : { isInvalid: true, validationBehavior: 'aria' })}
      className={styles['field'] ?? ''}
    >
      <Label>{label}</Label>
      {rows === undefined
        ? <Input className={styles['input'] ?? ''} placeholder={placeholder} dir='auto' />
        : <TextArea className={styles['input'] ?? ''} rows={rows} placeholder={placeholder} dir='auto' />}
      {hint !== undefined && <Text slot='description' className={styles['hint'] ?? ''}>{hint}</Text>}
      <FieldError className={styles['fault'] ?? ''}>{fault}</FieldError>
    </TextField>
  )
}
